"""The browser as a process: found, started, joined, locked out, too slow, and gone without a trace."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from lyra.clock import SystemClock, system_chance
from lyra.errors import ChromeNotReady
from lyra.fetch.browser.chrome import Chrome
from lyra.fetch.browser.interceptor import VisitRequest
from lyra.fetch.browser.pool import BrowserPool
from lyra.fetch.browser.profile_checks import check_profile
from lyra.model.page import FetchOutcome
from lyra.settings import Network, Settings
from lyra.settings.rungs import Browser

_ADDRESS_S, _LOOK_S = 20.0, 0.02
CLOCK = SystemClock()


def running_on(data_dir: Path) -> list[int]:
    """Living processes that name the data directory on their command line."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        words = " ".join(process.info["cmdline"] or ())
        if str(data_dir) in words and process.info["status"] != psutil.STATUS_ZOMBIE and process.pid != os.getpid():
            found.append(process.pid)
    return found


def gone_within(data_dir: Path, limit_s: float) -> bool:
    deadline_s = time.monotonic() + limit_s
    while running_on(data_dir) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    return not running_on(data_dir)


def dead_process() -> int:
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


def held_by(profile: Path, holder: str) -> None:
    profile.mkdir(parents=True)
    (profile / "SingletonLock").symlink_to(holder)


@pytest.fixture
def settings(tmp_path: Path, chromium: Path) -> Settings:
    """No way out of this machine: whatever a browser would ask ends at a port where nobody listens."""
    return Settings(data_dir=tmp_path, network=Network(proxy="http://127.0.0.1:9"))


async def test_second_process_joins_and_leaves_it_running(settings: Settings) -> None:
    """Servers and command line share one browser a profile; who started it ends it, with every process."""
    first = await Chrome.start(settings, "headless", CLOCK)
    second = await Chrome.start(settings, "headless", CLOCK)

    await second.close()
    is_running_after_second = first.is_running()
    await first.close()

    assert (first.is_own, second.is_own) == (True, False)
    assert first.endpoint == second.endpoint
    assert is_running_after_second is True
    assert running_on(settings.data_dir) == []


def listening(pid: int) -> list[str]:
    """Every address on which a process or one that it has started listens."""
    tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return [str(one.laddr) for process in tree for one in process.net_connections("inet") if one.status == "LISTEN"]


async def test_only_this_user_can_drive_the_browser(settings: Settings) -> None:
    """It listens on no port; the socket and the folder around it are closed to everybody else, and go with it."""
    chrome = await Chrome.start(settings, "headless", CLOCK)
    try:
        ports = listening(chrome.pid or 0)
        socket_file = Path(chrome.endpoint.removeprefix("ws+unix://"))
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (socket_file, socket_file.parent, chrome.profile)]
    finally:
        await chrome.close()

    assert ports == []
    assert modes == [0o600, 0o700, 0o700]
    assert socket_file.parent.exists() is False


async def test_browser_of_the_user_is_driven_only_where_its_port_is_configured(settings: Settings) -> None:
    """It stands in for a browser with a window, never for the headless one, and is left running."""
    version = {"product": "Chrome/156.0.8078.79", "userAgent": "Mozilla/5.0 Chrome/156.0.0.0"}

    async def answer(connection: ServerConnection) -> None:
        await connection.send(json.dumps({"id": json.loads(await connection.recv())["id"], "result": version}))

    def say_where(connection: ServerConnection, request: Request) -> Response | None:
        where = json.dumps({"webSocketDebuggerUrl": f"ws://{request.headers['Host']}/devtools/browser/1"})
        return connection.respond(200, where) if request.path == "/json/version" else None

    async with serve(answer, "127.0.0.1", 0, process_request=say_where) as server:
        port = server.sockets[0].getsockname()[1]
        named = settings.model_copy(update={"browser": Browser(debugging_port=port)})
        found = [await Chrome.find(one, mode) for one, mode in ((settings, "headful"), (named, "headless"))]
        started = await Chrome.start(named, "headful", CLOCK)
        await started.close()

    assert found == [None, None]
    assert (started.endpoint, started.version, started.is_own) == (
        f"http://127.0.0.1:{port}",
        "Chrome/156.0.8078.79",
        False,
    )


async def _tabs_with(chrome: Chrome, address: str) -> tuple[str, ...]:
    """The tabs as soon as one has this address: a new one is blank for a moment."""
    async with asyncio.timeout(_ADDRESS_S):
        while address not in (tabs := await chrome.tabs()):  # noqa: ASYNC110  another process is waited for
            await asyncio.sleep(_LOOK_S)
    return tabs


async def test_tab_is_opened_without_touching_the_page(settings: Settings) -> None:
    """A person's page is opened by the browser's own door, and its cookies are read from the store."""
    chrome = await Chrome.start(settings, "headless", CLOCK)
    try:
        tab_id = await chrome.open_tab("http://login.example/")
        await chrome.activate_tab(tab_id)

        tabs = await _tabs_with(chrome, "http://login.example/")
        cookies = await chrome.cookies_of("http://login.example/")
    finally:
        await chrome.close()

    assert sorted(tabs) == ["about:blank", "http://login.example/"]
    assert cookies == ()


async def test_start_mends_what_a_crash_left(settings: Settings) -> None:
    """Stale lock, crash mark and a foreign extension are put right before every start (A20)."""
    profile = settings.browser_dir / "headless"
    held_by(profile, f"{socket.gethostname()}-{dead_process()}")
    (profile / "Default" / "Extensions" / "abcdefgh").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text('{"profile": {"exit_type": "Crashed"}}')

    chrome = await Chrome.start(settings, "headless", CLOCK)
    await chrome.close()

    assert chrome.is_own is True
    assert [(one.name, one.is_fine) for one in check_profile(profile, repairs=False)] == [
        ("lock", True),
        ("crash", True),
        ("extensions", True),
        ("size", True),
    ]


@pytest.mark.parametrize(
    ("host", "words"),
    [
        pytest.param(socket.gethostname(), f"is held by process {os.getpid()}, which offers no", id="this machine"),
        pytest.param("elsewhere", "of the machine elsewhere, which offers no", id="another machine"),
    ],
)
async def test_profile_in_other_hands_is_left_alone(settings: Settings, host: str, words: str) -> None:
    """A living holder without a debugging door is somebody else's browser: nothing is started, nothing removed."""
    profile = settings.browser_dir / "headless"
    held_by(profile, f"{host}-{os.getpid()}")

    with pytest.raises(ChromeNotReady) as caught:
        await Chrome.start(settings, "headless", CLOCK)

    assert words in caught.value.message
    assert caught.value.details["reason"] == "profile_locked"
    assert os.readlink(profile / "SingletonLock") == f"{host}-{os.getpid()}"


async def test_browser_that_is_never_ready_is_given_up_and_ended(settings: Settings, tmp_path: Path) -> None:
    """Fifteen seconds by default, five here, enough for the screen; nothing of the attempt is left running."""
    program = tmp_path / "sleepy"
    program.write_text("#!/bin/sh\nexec sleep 300\n")
    program.chmod(0o755)
    slow = settings.model_copy(update={"browser": Browser(executable=program, start_timeout_s=5)})

    with pytest.raises(ChromeNotReady) as caught:
        await Chrome.start(slow, "headful", CLOCK)

    assert caught.value.message == f"The browser {program} was not ready within 5 seconds."
    assert running_on(tmp_path) == []


async def test_browser_that_ends_at_once_says_why(settings: Settings, tmp_path: Path) -> None:
    """Its last words go into the error."""
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
    program.chmod(0o755)
    broken = settings.model_copy(update={"browser": Browser(executable=program)})

    with pytest.raises(ChromeNotReady) as caught:
        await Chrome.start(broken, "headless", CLOCK)

    assert caught.value.message == (
        f"The browser {program} ended at once: error while loading shared libraries: libnss3.so."
    )


def test_browser_ends_with_a_killed_server(settings: Settings) -> None:
    """A server that is killed without warning takes its browser with it."""
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom lyra.clock import SystemClock\n"
        "from lyra.fetch.browser.chrome import Chrome\nfrom lyra.settings import Network, Settings\n"
        "async def main():\n"
        "    settings = Settings(data_dir=Path(sys.argv[1]), network=Network(proxy='http://127.0.0.1:9'))\n"
        "    await Chrome.start(settings, 'headless', SystemClock())\n"
        "    print('ready', flush=True)\n    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program, str(settings.data_dir)], stdout=subprocess.PIPE)
    ready = server.stdout.readline() if server.stdout else b""

    server.send_signal(signal.SIGKILL)
    server.communicate()

    assert ready == b"ready\n"
    assert gone_within(settings.data_dir, 15) is True


async def test_idle_browser_ends(settings: Settings) -> None:
    """Without visits the browser is closed after `idle_exit_s`, driver and all."""
    quick = settings.model_copy(update={"browser": Browser(idle_exit_s=0.3)})
    pool = BrowserPool(quick, "headless", CLOCK, system_chance(1))

    async def follow(url: str) -> bool:
        return True

    try:
        result = await pool.visit(VisitRequest("http://nobody.example/", 10), follow)
        is_gone = await asyncio.to_thread(gone_within, settings.data_dir, 15)
    finally:
        await pool.close()

    assert (result.failure, result.reason) == (
        FetchOutcome.FAILED,
        "nobody.example: nothing came back (ERR_EMPTY_RESPONSE).",
    )
    assert is_gone is True


async def test_missing_browser_is_an_outcome_not_an_error(settings: Settings, tmp_path: Path) -> None:
    """Where no browser can be started the ladder goes on without it; the reason names the remedy."""
    absent = settings.model_copy(update={"browser": Browser(executable=tmp_path / "chrome")})
    pool = BrowserPool(absent, "headless", CLOCK, system_chance(1))

    with pytest.raises(ChromeNotReady) as caught:
        await pool.visit(VisitRequest("http://nobody.example/", 10), lambda _: asyncio.sleep(0, True))

    assert caught.value.message == f"browser.executable: {tmp_path / 'chrome'} cannot be run."
    assert caught.value.code == "CHROME_NOT_READY"
