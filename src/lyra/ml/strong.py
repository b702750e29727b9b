"""The strong reader as the server uses it: a process of its own, started when a pair first needs it.

A language model that was pulled and prepared, with the adapter of the package `lyra-reader-strong`. It judges better
than the large reader and takes about half a second a pair, so the cascade asks it last, about what the others leave
open.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lyra.errors import ModelError
from lyra.ml.card import ModelCard, load_card, strong_reader_directory
from lyra.ml.prepared import check_fits, load_prepared
from lyra.ml.process import WorkerConfig, WorkerSupervisor
from lyra.model.edge import STRONG_READER
from lyra.settings import Models

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    import numpy as np
    from numpy.typing import NDArray

INSTALL = "Install it with `pip install 'lyra-mcp[strong]'`."
_ANSWERS = 2
# Measured with 20 and 28 layers while a text of 2,000 tokens was read (330 and 57), and a quarter more.
_MEMORY_MB, _MEMORY_MB_A_LAYER = 512, 68
# Tokens of one request, about four seconds on two cores, and about how many bytes of a text make one: callers take
# turns after each. A loaded machine is given time.
_TOKENS_AT_ONCE, _BYTES_A_TOKEN = 512, 3
_TOKENS_AROUND = 8
_ANSWER_LIMIT_S = 600.0


class StrongReader:
    """A `Reader` in a process that cannot reach any network; `model` is the language model below the adapter."""

    name = STRONG_READER

    def __init__(
        self,
        card: ModelCard,
        model: ModelCard,
        settings: Models,
        turn: "Callable[[str], AbstractAsyncContextManager[None]]",
    ) -> None:
        self.card = card
        self.model_id = card.model_id
        self._model = model
        self._turn = turn
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=_MEMORY_MB + _MEMORY_MB_A_LAYER * card.layers,
            is_isolation_required=settings.isolation == "required",
            answer_limit_s=_ANSWER_LIMIT_S,
            readable=(str(card.directory), str(model.directory)),
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s)
        self.items, self.seconds = 0, 0.0

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        """Pairs of one text go together, for a text is read once for all its claims."""
        import numpy as np

        rows = np.zeros((len(pairs), _ANSWERS), np.float32)
        for places in in_requests(pairs):
            rows[places] = await self._part([pairs[place] for place in places])
        return rows

    async def close(self) -> None:
        """End the process; requests still waiting fail."""
        await asyncio.to_thread(self._supervisor.close)

    async def _part(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        def ask() -> "NDArray[np.float32]":
            import numpy as np

            card = self.card
            asked = {"op": "judge", "directory": str(card.directory), "digest": card.digest}
            _, payload = self._supervisor.ask(asked | {"model": str(self._model.directory), "items": list(pairs)})
            return np.frombuffer(payload, np.float32).reshape(len(pairs), _ANSWERS)

        async with self._turn("read"):
            started = time.monotonic()
            rows = await asyncio.wrap_future(self._supervisor.submit(ask))
        self.items, self.seconds = self.items + len(pairs), self.seconds + time.monotonic() - started
        return rows


def in_requests(pairs: "Sequence[tuple[str, str]]") -> Iterator[list[int]]:
    """The places of the pairs, those of one text one after the other, in parts that take a few seconds each."""
    on: dict[str, list[int]] = defaultdict(list)
    for place, (text, _) in enumerate(pairs):
        on[text].append(place)
    part: list[int] = []
    size, last_text = 0, None
    for place in (place for places in on.values() for place in places):
        text, claim = pairs[place]
        part.append(place)
        size += _tokens(claim) + (_tokens(text) if text != last_text else 0)
        last_text = text
        if size >= _TOKENS_AT_ONCE:
            yield part
            part, size, last_text = [], 0, None
    if part:
        yield part


def _tokens(text: str) -> int:
    """About how many there are."""
    return len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN + _TOKENS_AROUND


def find_strong_reader(
    settings: Models, folder: Path | None, turn: "Callable[[str], AbstractAsyncContextManager[None]]"
) -> StrongReader | None:
    """The strong reader over the language model in a folder, where there is one; `ModelError` names what it lacks."""
    if folder is None:
        return None
    directory = settings.adapter or strong_reader_directory()
    if directory is None:
        raise ModelError("The strong reader cannot judge: its adapter is not installed.", remedy=INSTALL)
    adapter, model = load_card(directory, "adapter"), load_prepared(folder)
    check_fits(model, adapter)
    return StrongReader(adapter, model, settings, turn)
