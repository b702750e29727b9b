"""Lyra is opened beside its client: once, when it is needed, and closed at the end."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import cast

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from lyra.app import Lyra
from lyra.errors import DatabaseTooNew
from lyra.mcp.opening import LazyLyra, NotStarted
from lyra.mcp.server import build_lazy

TOO_NEW = DatabaseTooNew("The database /home/somebody/lyra.db has schema 999.", remedy="Update Lyra.")
TOLD = {
    "ok": False,
    "error_code": "INTERNAL_ERROR",
    "error": "Lyra could not start. The database lyra.db has schema 999.",
    "retryable": False,
    "remedy": "Update Lyra. Then restart the client, which starts the server again.",
}


class Opener:
    """Stands for `Lyra.open`: keeps what happened, and fails where it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.happened: list[str] = []
        self._error = error

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Lyra]:
        self.happened.append("opened")
        if self._error is not None:
            raise self._error
        yield cast(Lyra, "lyra")
        self.happened.append("closed")


async def test_it_is_opened_once_for_everyone_and_closed_at_the_end() -> None:
    """Calls that come at the same time share it."""
    opener = Opener()

    async with LazyLyra(opener.open) as lazy:
        found = await asyncio.gather(lazy.get(), lazy.get())

    assert (found, opener.happened, lazy.failure) == (["lyra", "lyra"], ["opened", "closed"], None)


async def test_what_nobody_needed_is_not_opened() -> None:
    """A client that hangs up at once leaves no database behind."""
    opener = Opener()

    async with LazyLyra(opener.open):
        pass

    assert opener.happened == []


async def test_a_start_under_way_is_completed_before_it_is_closed() -> None:
    """Half a start could not be closed."""
    opener = Opener()

    async with LazyLyra(opener.open) as lazy:
        lazy.start_opening()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    assert opener.happened == ["opened", "closed"]


async def test_a_failed_start_is_the_answer_of_everyone_who_asks() -> None:
    """With code and exit code of the reason, and without the folder."""
    async with LazyLyra(Opener(TOO_NEW).open) as lazy:
        with pytest.raises(NotStarted) as caught:
            await lazy.get()

    assert (caught.value.fields(), caught.value.exit_code) == (TOLD, 5)
    assert lazy.failure is TOO_NEW


async def test_an_unexpected_error_reaches_who_asks_and_ends_the_server() -> None:
    """Nobody waits for an answer that will not come."""
    lazy = await LazyLyra(Opener(ZeroDivisionError("unexpected")).open).__aenter__()

    with pytest.raises(ZeroDivisionError):
        await lazy.get()
    with pytest.raises(ZeroDivisionError):
        await lazy.__aexit__(None, None, None)


async def never() -> Lyra:
    raise AssertionError("Lyra is not needed for this")


async def refusing() -> Lyra:
    raise NotStarted(TOO_NEW)


async def test_the_tools_are_listed_before_lyra_is_open() -> None:
    """Tools, prompts and resources; once the tools were listed, it begins to open."""
    begun: list[str] = []

    async with Client(build_lazy(never, lambda: begun.append("begun"))) as client:
        prompts, before = await client.list_prompts(), list(begun)
        tools = await client.list_tools()

    assert ([one.name for one in tools.tools][:2], len(tools.tools)) == (["create_task", "get_status"], 12)
    assert ([one.name for one in prompts.prompts][:1], before, begun) == (["research"], [], ["begun"])


async def test_calls_of_a_server_that_could_not_start_say_why() -> None:
    """Tools answer with the typed error, resources with the protocol's own."""
    async with Client(build_lazy(refusing)) as client:
        called = await client.call_tool("create_task", {"query": "q"})
        with pytest.raises(MCPError) as caught:
            await client.read_resource("lyra://schema")

    nothing: dict[str, list[str]] = {"unverified_domains": [], "blocked_domains": [], "security_warnings": []}
    assert (called.is_error, called.structured_content) == (True, TOLD | {"_lyra_meta": nothing})
    assert (caught.value.code, caught.value.message) == (types.INTERNAL_ERROR, TOLD["error"])


def test_the_server_needs_no_application_to_be_imported() -> None:
    """What lists the tools does not wait for the parts that do the work."""
    asked = "import sys, lyra.cli.main, lyra.cli.context, lyra.cli.serve, lyra.mcp.server, lyra.mcp.opening\n"
    counted = "print([one for one in ('lyra.app', 'lxml', 'numpy', 'onnxruntime') if one in sys.modules])"

    done = subprocess.run([sys.executable, "-c", asked + counted], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
