"""A real server whose answers are nonsense, asked over the real HTTP rung: every answer must end in a typed outcome."""

import asyncio
import contextlib
import random
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.errors import LyraError
from lyra.model.page import FetchRequest
from lyra_bench.fuzz.answers import answer
from lyra_bench.fuzz.figures import FuzzFigures
from lyra_bench.measure.evidence import no_file

_AT_ONCE = 8
_TIMEOUT_S = 3.0


class HostileServer:
    """A proxy for plain http: answers every address as the seed draws it, and closes."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def raw(self, address: str) -> bytes:
        return answer(random.Random(f"{self._seed} {address}"))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(self.raw(head.split(b" ", 2)[1].decode("latin-1")))
            await writer.drain()
        with contextlib.suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()


async def fuzz_http(count: int, seed: int, limit_s: float) -> FuzzFigures:
    """Fetch so many addresses; what raised anything but a typed error, or took longer than the limit, is named."""
    hostile = HostileServer(seed)
    server = await asyncio.start_server(hostile.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="lyra-fuzz-") as folder:
        settings = settings_module.load(_flags(port, Path(folder)), environ={}, path=no_file(Path(folder)))
        async with server, Lyra.open(settings) as lyra:
            return await _fetch_all(lyra, count, limit_s)


def _flags(port: int, folder: Path) -> dict[str, object]:
    return {
        "data_dir": str(folder / "data"),
        "network": {"proxy": f"http://127.0.0.1:{port}", "timeout_s": _TIMEOUT_S, "concurrency": _AT_ONCE},
        "politeness": {"domain_qps": 1000, "pause_min_s": 0, "pause_max_s": 0, "respect_robots": False},
        "log": {"level": "error"},
    }


async def _fetch_all(lyra: Lyra, count: int, limit_s: float) -> FuzzFigures:
    figures, outcomes = FuzzFigures("http answers"), Counter[str]()
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            started = time.monotonic()
            # Another domain each, so that no refusal of one closes another.
            request = FetchRequest(f"http://fuzz-{number}.example/", rungs=("http",))
            try:
                outcomes[(await lyra.parts.getter(request)).outcome.value] += 1
            except LyraError as exc:
                outcomes[exc.code] += 1
            except Exception as exc:  # noqa: BLE001 — what escapes is what is being looked for
                figures.escaped(f"fuzz-{number}", traceback.extract_tb(exc.__traceback__), exc)
            figures.count(f"fuzz-{number}", time.monotonic() - started, limit_s)

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(work())
    figures.outcomes = dict(outcomes.most_common())
    return figures
