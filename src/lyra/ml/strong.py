"""The strong reader as the server uses it: a process of its own, started when a pair first needs it.

A language model that the user has pulled, with the adapter of the package `lyra-reader-strong`. It judges better than
the large reader and takes seconds a pair, so the cascade asks it last, about what the others leave open.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lyra.errors import ModelError
from lyra.ml.card import ModelCard, load_card, strong_reader_directory
from lyra.ml.gguf import RUNTIME
from lyra.ml.process import WorkerConfig, WorkerSupervisor
from lyra.model.edge import STRONG_READER
from lyra.settings import Models

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    import numpy as np
    from numpy.typing import NDArray

_ANSWERS = 2
# Weights are read where they lie, and once more in the form that the processor likes; a context comes on top.
_MEMORY_LIMIT_MB = 4096
# A pair takes five seconds on two cores: callers take turns after a few, and a loaded machine is given time.
_AT_ONCE = 4
_ANSWER_LIMIT_S = 600.0
_NO_NAMESPACE = (
    "The strong reader needs a network of its own, which this kernel does not grant (user namespaces are switched off)."
)


class StrongReader:
    """A `Reader` in a process that cannot reach any network; `base` is the file of the language model."""

    name = STRONG_READER

    def __init__(
        self,
        card: ModelCard,
        base: Path,
        settings: Models,
        turn: "Callable[[str], AbstractAsyncContextManager[None]]",
    ) -> None:
        self.card = card
        self.model_id = card.model_id
        self._base = base
        self._turn = turn
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=_MEMORY_LIMIT_MB,
            is_isolation_required=settings.isolation == "required",
            answer_limit_s=_ANSWER_LIMIT_S,
            readable=(str(card.directory), str(base.parent)),
            allows_sockets=True,
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s)
        self.items, self.seconds = 0, 0.0

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        parts = [await self._part(pairs[at : at + _AT_ONCE]) for at in range(0, len(pairs), _AT_ONCE)]
        import numpy as np

        return np.concatenate(parts) if parts else np.zeros((0, _ANSWERS), np.float32)

    async def close(self) -> None:
        """End the process; requests still waiting fail."""
        await asyncio.to_thread(self._supervisor.close)

    async def _part(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        def ask() -> "NDArray[np.float32]":
            import numpy as np

            if "namespace" not in self._supervisor.started().isolation.layers:
                raise ModelError(_NO_NAMESPACE, remedy="Allow user namespaces, or do without this reader.")
            card = self.card
            asked = {"op": "judge", "directory": str(card.directory), "digest": card.digest, "base": str(self._base)}
            _, payload = self._supervisor.ask(asked | {"items": list(pairs)})
            return np.frombuffer(payload, np.float32).reshape(len(pairs), _ANSWERS)

        async with self._turn("read"):
            started = time.monotonic()
            rows = await asyncio.wrap_future(self._supervisor.submit(ask))
        self.items, self.seconds = self.items + len(pairs), self.seconds + time.monotonic() - started
        return rows


def find_strong_reader(
    settings: Models, base: Path | None, turn: "Callable[[str], AbstractAsyncContextManager[None]]"
) -> StrongReader | None:
    """The strong reader where the user has chosen its language model; `ModelError` names what else it lacks."""
    if base is None:
        return None
    from importlib.util import find_spec

    directory = settings.adapter or strong_reader_directory()
    if directory is None or find_spec(RUNTIME) is None:
        what = "its adapter" if directory is None else f"its runtime, {RUNTIME},"
        raise ModelError(
            f"The strong reader cannot judge: {what} is not installed.",
            remedy="Install it with `pip install 'lyra-mcp[strong]'`.",
        )
    return StrongReader(load_card(directory, "adapter"), base, settings, turn)
