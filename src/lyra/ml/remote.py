"""The models as the server uses them: asynchronous faces of one inference process, started when first needed."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.caches import CachedReader
from lyra.ml.card import EMBEDDER, ModelCard, large_reader_directory, load_card, model_directory, verify
from lyra.ml.cascade import Cascade
from lyra.ml.isolation import LAYERS, Isolation
from lyra.ml.process import WorkerConfig, WorkerSupervisor, reachable_listener
from lyra.ml.protocols import Reader
from lyra.model.edge import LARGE_READER, SMALL_READER
from lyra.observe.tracing import tracer
from lyra.settings import Models

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What is held while a batch of one kind of request (`embed`, `read`) runs.
RequestSlot = Callable[[str], contextlib.AbstractAsyncContextManager[None]]
_ANSWERS = 2
_PROBE = "It rained."
_MAX_BATCH = 256  # a part must be answered well within the process's time limit


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """What is known of the inference process; `items` and `seconds` are per kind of request.

    `mechanism` is `namespace`, `seccomp`, `none`, or `unknown` until the process has been started once.
    """

    is_running: bool
    pid: int | None
    mechanism: str
    layers: tuple[str, ...]
    refused: dict[str, str]
    guards: dict[str, str]
    lacking: dict[str, str]
    can_reach_network: bool | None
    warning: str | None
    starts: int
    crashes: int
    last_crash: str | None
    requests: int
    items: dict[str, int]
    seconds: dict[str, float]


def no_wait(_: str) -> contextlib.AbstractAsyncContextManager[None]:
    """A slot that is always free."""
    return contextlib.nullcontext()


class IsolatedModels:
    """The embedder and the readers behind one process that cannot reach any network (L1)."""

    def __init__(self, settings: Models, *, layers: tuple[str, ...] = LAYERS, turn: RequestSlot = no_wait) -> None:
        self._turn = turn
        self._items: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._batch_size = min(settings.batch_size, _MAX_BATCH)
        self._root = settings.directory
        self._unusable: dict[str, str] = {}
        self._cascade: Cascade | None = None
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            layers=layers,
            readable=_model_places(settings.directory),
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s)
        self._isolation: Isolation | None = None
        self._can_reach: bool | None = None

    @cached_property
    def embedder(self) -> "IsolatedEmbedder":
        """Reads the card; `ModelError` where it is missing or unfit."""
        return IsolatedEmbedder(self, load_card(model_directory(EMBEDDER, self._root)))

    @property
    def readers(self) -> tuple["IsolatedReader", ...]:
        """The readers whose cards are fit, the small one first; `ModelError` where there is none."""
        if not self._cards:
            raise ModelError(" ".join(self._unusable.values()), remedy="Reinstall lyra-mcp.")
        return tuple(IsolatedReader(self, name, card) for name, card in self._cards.items())

    @property
    def cascade(self) -> Cascade:
        """Who judges pairs: the small reader, and the large one where it is installed."""
        if self._cascade is None:
            self._cascade = self.cascade_of(CachedReader)
        return self._cascade

    def cascade_of(self, wrap: Callable[[Reader], Reader]) -> Cascade:
        """The readers that are fit, each wrapped, as one that judges."""
        by_name = {one.name: one for one in self.readers}
        small, large = by_name.get(SMALL_READER), by_name.get(LARGE_READER)
        asks_from = small.card.asks_from if small else {}
        first = small or MissingReader(SMALL_READER, self._unusable[SMALL_READER])
        return Cascade(wrap(first), wrap(large) if large else None, asks_from)

    @property
    def disabled_readers(self) -> dict[str, str]:
        """Readers whose cards cannot be used, and why."""
        return dict(self._unusable)

    def disable_reader(self, name: str, why: str) -> None:
        """Do without a reader whose card cannot be used; before anything was judged."""
        self._cards.pop(name, None)
        self._unusable[name] = why
        self._cascade = None

    @cached_property
    def _cards(self) -> dict[str, ModelCard]:
        """The valid cards by reader; `_unusable` says why others are not."""
        found: dict[str, ModelCard] = {}
        for name, directory in self._reader_places().items():
            try:
                found[name] = load_card(directory)
            except ModelError as exc:
                self._unusable[name] = exc.message
        return found

    def _reader_places(self) -> dict[str, Path]:
        large = large_reader_directory(self._root)
        return {SMALL_READER: model_directory(SMALL_READER, self._root)} | ({LARGE_READER: large} if large else {})

    async def rows(self, op: str, card: ModelCard, items: Sequence[Any], width: int) -> "NDArray[np.float32]":
        """One row of numbers per item. Sent in parts, so that callers take turns and a cancelled one stops early."""
        size = self._batch_size
        parts = [await self._part(op, card, items[at : at + size], width) for at in range(0, len(items), size)]
        import numpy as np

        return np.concatenate(parts) if parts else np.zeros((0, width), np.float32)

    async def probe(self) -> ModelStatus:
        """Check the embedder's files, let the process try to reach a listener of ours, then ask the model something.

        A file with the right hash may still be no model, or one that the memory limit does not allow.
        """
        await asyncio.to_thread(verify, self.embedder.card)
        await asyncio.wrap_future(self._supervisor.submit(self._try_reach))
        await self.embedder.embed([_PROBE])
        return self.status()

    async def probe_readers(self) -> dict[str, str | ModelError]:
        """Each reader's id if its files are intact and it answers, else what is wrong with it."""
        found: dict[str, str | ModelError] = {}
        for name, directory in self._reader_places().items():
            try:
                card = load_card(directory)
                await asyncio.to_thread(verify, card)
                await IsolatedReader(self, name, card).answers([(_PROBE, _PROBE)])
                found[name] = card.model_id
            except ModelError as exc:
                found[name] = exc
        return found

    def status(self) -> ModelStatus:
        """What is known now; starts nothing."""
        worker, stats, isolation = self._supervisor.worker, self._supervisor.stats, self._isolation
        return ModelStatus(
            is_running=worker is not None,
            pid=worker.pid if worker else None,
            mechanism=isolation.mechanism if isolation else "unknown",
            layers=isolation.layers if isolation else (),
            refused=dict(isolation.refused) if isolation else {},
            guards=dict(isolation.guards) if isolation else {},
            lacking=dict(isolation.lacking) if isolation else {},
            can_reach_network=self._can_reach,
            warning=_warning(isolation),
            starts=stats.starts,
            crashes=stats.crashes,
            last_crash=stats.last_crash,
            requests=stats.requests,
            items=dict(stats.items),
            seconds=dict(stats.seconds),
        )

    def troubles(self) -> tuple[str, ...]:
        """What a user should know of the inference process: that nothing holds it back, and that it has died."""
        known = self.status()
        said = [known.warning] if known.warning else []
        if self._cascade:
            unfit = {name: why for name, why in self._unusable.items() if name != SMALL_READER}
            said += [f"The {name} reader is out of use: {why}" for name, why in unfit.items()]
            said += self._cascade.troubles()
        if known.crashes:
            said.append(
                f"The inference process ended unexpectedly (times: {known.crashes}; last: {known.last_crash}); "
                "the same model is started again when it is needed."
            )
        return tuple(said)

    def prometheus(self) -> str:
        """What this process has asked the bundled models, as text for Prometheus."""
        lines = [
            "# HELP lyra_model_items_total Texts or pairs given to models.",
            "# TYPE lyra_model_items_total counter",
        ]
        lines += [f'lyra_model_items_total{{op="{op}"}} {count}' for op, count in sorted(self._items.items())]
        lines += ["# HELP lyra_model_seconds_total Seconds models took.", "# TYPE lyra_model_seconds_total counter"]
        lines += [f'lyra_model_seconds_total{{op="{op}"}} {spent:.3f}' for op, spent in sorted(self._seconds.items())]
        return "\n".join(lines) + "\n"

    async def close(self) -> None:
        """End the process; requests still waiting fail."""
        await asyncio.to_thread(self._supervisor.close)

    async def _part(self, op: str, card: ModelCard, items: Sequence[Any], width: int) -> "NDArray[np.float32]":
        def ask() -> "NDArray[np.float32]":
            import numpy as np  # here, off the event loop: it takes a tenth of a second

            request = {"op": op, "directory": str(card.directory), "digest": card.digest, "items": items}
            header, payload = self._supervisor.ask(request)
            self._supervisor.stats.count(op, len(items), header["seconds"])
            self._note_isolation()
            rows = np.frombuffer(payload, np.float32)
            if rows.size != len(items) * width:
                raise ModelError(f"The model {card.model_id} answers in another form: it is another kind of model.")
            return rows.reshape(len(items), width)

        with tracer.start_as_current_span("model", attributes={"lyra.op": op, "lyra.items": len(items)}):
            async with self._turn(op):
                started = time.monotonic()
                rows = await asyncio.wrap_future(self._supervisor.submit(ask))
        self._items[op] += len(items)
        self._seconds[op] = self._seconds.get(op, 0.0) + time.monotonic() - started
        return rows

    def _try_reach(self) -> None:
        with reachable_listener() as port:
            header, _ = self._supervisor.ask({"op": "reach", "port": port})
        self._can_reach = bool(header["reached"])
        self._note_isolation()

    def _note_isolation(self) -> None:
        if self._supervisor.worker:
            self._isolation = self._supervisor.worker.isolation


class IsolatedEmbedder:
    """The bundled embedder, an `Embedder`."""

    def __init__(self, models: IsolatedModels, card: ModelCard) -> None:
        self._models = models
        self.card = card
        self.model_id = card.model_id
        self.dimension = card.dimension

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        bounded = [self.card.bounded(text) for text in texts]
        return await self._models.rows("embed", self.card, bounded, self.dimension)


class IsolatedReader:
    """A bundled reader, a `Reader`."""

    def __init__(self, models: IsolatedModels, name: str, card: ModelCard) -> None:
        self._models = models
        self.name = name
        self.card = card
        self.model_id = card.model_id

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        bounded = [(self.card.bounded(text), self.card.bounded(claim)) for text, claim in pairs]
        return await self._models.rows("read", self.card, bounded, _ANSWERS)


class MissingReader:
    """In place of a reader whose card is missing or unfit: raises when asked."""

    model_id = "none"

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        raise ModelError(self._why)


def _model_places(root: Path | None) -> tuple[str, ...]:
    """Where the weights are that the process reads."""
    places = (model_directory(EMBEDDER, root), model_directory(SMALL_READER, root), large_reader_directory(root))
    return tuple(str(place) for place in places if place is not None)


def _warning(isolation: Isolation | None) -> str | None:
    if isolation is None or isolation.layers:
        return None
    reasons = "; ".join(f"{name}: {reason}" for name, reason in isolation.refused.items())
    return f"The inference process is NOT isolated from the network ({reasons})."
