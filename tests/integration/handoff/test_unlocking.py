"""`lyra auth` with a real browser on a virtual screen: a person opens the page, Lyra shows it and keeps the session.

Between Lyra and the browser stands a witness that passes everything on and writes it down.
"""

import asyncio
import contextlib
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lyra.app import Lyra
from lyra.clock import SystemClock
from lyra.errors import AuthRequired
from lyra.fetch.browser.chrome import Chrome
from lyra.fetch.browser.profile import read_socket, write_socket
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.settings import Settings, load
from lyra_bench.demo.world import HURRIED
from simweb import SimWeb

URL = "https://shop.voltbarn-outlet.com/pads"
_LIMIT_S = 60.0


@dataclass
class Witness:
    """A proxy before the browser's socket: every command by its name."""

    behind: Path
    commands: list[str] = field(default_factory=list)
    under_way: set["asyncio.Task[None]"] = field(default_factory=set)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.under_way.add(asyncio.create_task(self._witness(reader, writer)))

    async def is_done(self) -> None:
        """Until every connection is over and written down."""
        await asyncio.wait_for(asyncio.gather(*self.under_way), _LIMIT_S)

    async def _witness(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(self.behind)
        sent = bytearray()
        await asyncio.gather(_pass(reader, inner_writer, sent), _pass(inner_reader, writer, bytearray()))
        _, _, frames = bytes(sent).partition(b"\r\n\r\n")
        self.commands += [str(json.loads(text)["method"]) for text in _texts(frames)]


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray) -> None:
    with contextlib.suppress(ConnectionError):  # either side may leave without a word
        while data := await reader.read(65_536):
            kept += data
            writer.write(data)
            await writer.drain()
    writer.close()


def _texts(data: bytes) -> Iterator[bytes]:
    """The text frames of a client, unmasked (RFC 6455 §5.2)."""
    at = 0
    while at < len(data):
        opcode, size = data[at] & 0x0F, data[at + 1] & 0x7F
        at += 2
        if size == 126:
            size, at = int.from_bytes(data[at : at + 2], "big"), at + 2
        mask, body = data[at : at + 4], data[at + 4 : at + 4 + size]
        at += 4 + size
        if opcode == 1:
            yield bytes(byte ^ mask[index % 4] for index, byte in enumerate(body))


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, virtual_screen: None, xdotool: None) -> Iterator[str]:
    """A virtual screen of its own."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as told:
            name = f":{told.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        yield name
        server.terminate()


@pytest.fixture
def web() -> Iterator[SimWeb]:
    with SimWeb() as web:
        yield web


@pytest.fixture
def environment(web: SimWeb, screen: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
    return {**own, **HURRIED, **reach, "LYRA_ACADEMIC__ENABLED": "false", "LYRA_TOR__SHARE": "0"}


@pytest.fixture
def settings(environment: dict[str, str], tmp_path: Path) -> Settings:
    return load({"data_dir": tmp_path / "data"}, environ=environment)


@pytest.fixture
async def witness(settings: Settings) -> AsyncIterator[Witness]:
    """The person's browser is open already; whoever joins it finds the witness's door instead of its own."""
    chrome = await Chrome.start(settings, "person", SystemClock())
    socket = read_socket(chrome.profile)
    assert socket is not None
    witness = Witness(socket)
    with tempfile.TemporaryDirectory(prefix="lyra-witness-") as folder:  # a path of a socket must be short
        server = await asyncio.start_unix_server(witness.accept, Path(folder) / "devtools")
        write_socket(chrome.profile, Path(folder) / "devtools")
        yield witness
        server.close()
        write_socket(chrome.profile, socket)
    await chrome.close()


async def solve(socket: Path) -> None:
    """What a person does: tick the box and go on. Lyra has no part in it."""
    from patchright.async_api import async_playwright

    async with async_playwright() as driver:
        browser = await driver.chromium.connect_over_cdp(f"ws+unix://{socket}")
        (page,) = [page for page in browser.contexts[0].pages if page.url == URL]
        await page.get_by_label("I am not a robot").check()
        await page.get_by_role("button", name="Continue").click()
        await page.wait_for_function("!document.title.includes('Security check')")


async def visited(web: SimWeb, count: int) -> None:
    """Until the browser has asked for the page."""
    async with asyncio.timeout(_LIMIT_S):
        # The simulated web lives in a thread of its own and has nothing to wait on.
        while sum(visit.url == URL for visit in web.requests) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_lyra_shows_the_page_and_touches_nothing(
    web: SimWeb, environment: dict[str, str], settings: Settings, witness: Witness
) -> None:
    """The tab is opened, raised and left alone; then the cookies are read from the store, and the search goes on."""
    async with Lyra.open(settings, with_worker=True) as lyra:
        task, _ = await lyra.tasks.create("What do pads cost?", TaskConfig())
        search = await lyra.searches.start(task.id, URL, SearchOptions())
        with pytest.raises(AuthRequired):
            await lyra.searches.wait(search.id, _LIMIT_S)
        (item,) = await lyra.handoffs.queue.pending()
    before = sum(visit.url == URL for visit in web.requests)
    person = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "lyra", "--data-dir", str(settings.data_dir), "auth", "next", "--json"],
        env={**environment, "DISPLAY": os.environ["DISPLAY"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )

    await visited(web, before + 1)
    await solve(witness.behind)
    out, err = await asyncio.wait_for(person.communicate(b"\n"), _LIMIT_S)

    await witness.is_done()

    told = json.loads(out)
    assert person.returncode == 0, err.decode()
    assert told["visited"] == [
        {
            "item": told["visited"][0]["item"],
            "window": "raised",
            "domain": "voltbarn-outlet.com",
            "status": "resolved",
            "resolved_count": 1,
            "affected_tasks": [task.id],
            "unblocked_searches": [search.id],
            "session_stored": True,
            "note": None,
        }
    ]
    assert told["visited"][0]["item"]["id"] == item.id
    assert set(witness.commands) == {
        "Browser.getVersion",
        "Target.createTarget",
        "Target.activateTarget",
        "Storage.getCookies",
    }
    kept = settings.sessions_dir / "voltbarn-outlet.com.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    async with Lyra.open(settings, with_worker=True) as lyra:
        ended = await lyra.searches.wait(search.id, _LIMIT_S)
    assert (ended.search.pages_fetched, ended.problems) == (1, ())


async def test_without_a_display_nobody_is_asked(
    environment: dict[str, str], settings: Settings, monkeypatch: pytest.MonkeyPatch, web: SimWeb
) -> None:
    """No window that a person could not see: a clear error, and the item still waits."""
    async with Lyra.open(settings, with_worker=True) as lyra:
        task, _ = await lyra.tasks.create("What do pads cost?", TaskConfig())
        search = await lyra.searches.start(task.id, URL, SearchOptions())
        with pytest.raises(AuthRequired):
            await lyra.searches.wait(search.id, _LIMIT_S)
    hidden = {name: value for name, value in environment.items() if name != "DISPLAY"}

    done: Any = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "lyra", "--data-dir", str(settings.data_dir), "auth", "next", "--json"],
        env=hidden,
        capture_output=True,
        timeout=_LIMIT_S,
        check=False,
    )

    told = json.loads(done.stdout)
    assert (told["ok"], told["error_code"]) == (False, "CHROME_NOT_READY")
    assert told["error"] == "There is no display on which a person could see the page."
    async with Lyra.open(settings) as lyra:
        assert len(await lyra.handoffs.queue.pending()) == 1
