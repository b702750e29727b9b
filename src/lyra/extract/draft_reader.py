"""A file that somebody hands in to the text that is checked: what needs a parser is read in a process of its own."""

import asyncio
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams, ModelError
from lyra.extract.draft import MAX_BYTES, Draft, needs_parser, read_draft
from lyra.extract.draft_process import LIMIT_S
from lyra.ml.process import WorkerConfig, WorkerSupervisor
from lyra.settings import Models


class DraftReader:
    """Reads drafts. One that hangs, crashes or eats all memory costs its own process."""

    def __init__(self, settings: Models) -> None:
        config = WorkerConfig(
            threads=1,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            module="lyra.extract.draft_process",
            answer_limit_s=LIMIT_S + 10.0,
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s, attempts=1)

    async def read(self, path: Path) -> Draft:
        """The text of a file. Raises InvalidParams where it cannot be opened or read."""
        body = await asyncio.to_thread(_bytes, path)
        if not needs_parser(body, path.suffix):
            return await asyncio.to_thread(read_draft, body, path.suffix)
        return await asyncio.wrap_future(self._supervisor.submit(lambda: self._ask(body, {"suffix": path.suffix})))

    async def close(self) -> None:
        await asyncio.to_thread(self._supervisor.close)

    def _ask(self, body: bytes, request: dict[str, Any]) -> Draft:
        crashes = self._supervisor.stats.crashes
        try:
            found, _ = self._supervisor.ask(request, body)
        except ModelError as exc:
            if self._supervisor.stats.crashes == crashes:
                raise
            ending = self._supervisor.stats.last_crash
            raise InvalidParams(
                f"The file could not be read within the limits on time and memory ({ending}).",
                remedy="Save it anew with another program, or raise the setting models.memory_limit_mb.",
            ) from exc
        if "refused" in found:
            raise InvalidParams(found["refused"], remedy=found["remedy"], details=found["details"])
        return Draft(str(found["text"]), tuple(map(str, found["remarks"])))


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as exc:
        raise InvalidParams(f"{path} cannot be opened: {exc.strerror}.") from exc
