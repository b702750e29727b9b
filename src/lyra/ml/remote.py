"""The models as the server uses them: asynchronous faces of one inference process, started when first needed."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.caches import CachedReader
from lyra.ml.card import EMBEDDER, ModelCard, large_reader_directory, load_card, model_directory, verify
from lyra.ml.cascade import Cascade
from lyra.ml.isolation import LAYERS, Isolation
from lyra.ml.process import WorkerConfig, WorkerSupervisor, reachable_listener
from lyra.ml.protocols import Reader
from lyra.ml.shared import SharedEmbedder, SharedModels, SharedReader
from lyra.ml.strong import INSTALL, StrongReader, find_strong_reader
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER
from lyra.model.process_state import ProcessState
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

    def __init__(
        self,
        settings: Models,
        *,
        layers: tuple[str, ...] = LAYERS,
        turn: RequestSlot = no_wait,
        chosen: Mapping[str, Path] | None = None,
        strong: Path | None = None,
    ) -> None:
        """`chosen` are the user's own models in place of the bundled ones: `embedder`, `small`, `large`; `strong`
        is the folder of the strong reader's language model."""
        self._settings = settings
        self._strong_model = strong
        self._strong_problem = ModelError("The strong reader cannot judge.", remedy=INSTALL)
        self._turn = turn
        self._chosen = dict(chosen or {})
        self._notes: dict[str, str] = {}
        self._shared = SharedModels()
        self._items: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._batch_size = min(settings.batch_size, _MAX_BATCH)
        self._root = settings.directory
        self._unusable: dict[str, str] = {}
        self._disabled: set[str] = set()
        self._cascade: Cascade | None = None
        devices = graphics_devices() if settings.device == "auto" and self._chosen else ()
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            layers=layers,
            readable=tuple(str(place) for place in (self._place(EMBEDDER), *self._reader_places().values())),
            device="cuda" if devices else "cpu",
            devices=devices,
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s)
        self._isolation: Isolation | None = None
        self._can_reach: bool | None = None

    def share(self, shared: SharedModels) -> None:
        """Let servers serve what they do; before anything was asked."""
        self._shared = shared
        self._cascade = None

    @property
    def embedder(self) -> "IsolatedEmbedder | SharedEmbedder":
        """The server's where there is one; else reads the card, `ModelError` where it is missing or unfit."""
        return self._shared.embedder or self.isolated_embedder

    @cached_property
    def isolated_embedder(self) -> "IsolatedEmbedder":
        return IsolatedEmbedder(self, load_card(self._place(EMBEDDER), "embedder"))

    @property
    def readers(self) -> tuple["IsolatedReader | SharedReader | StrongReader", ...]:
        """The readers whose cards are fit, the small one first; `ModelError` where there is none."""
        shared = self._shared.reader if LARGE_READER not in self._disabled else None
        here = {name: card for name, card in self._cards.items() if shared is None or name != shared.name}
        if not here and shared is None:
            raise ModelError(" ".join(self._unusable.values()), remedy="Reinstall lyra-mcp.")
        found = tuple(IsolatedReader(self, name, card) for name, card in here.items())
        strong = self._strong if STRONG_READER not in self._disabled else None
        return (*found, *([shared] if shared else ()), *([strong] if strong else ()))

    @cached_property
    def _strong(self) -> StrongReader | None:
        """The strong reader where the user has chosen one; `_unusable` says why one that was chosen cannot judge."""
        try:
            return find_strong_reader(self._settings, self._strong_model, self._turn)
        except ModelError as exc:
            self._unusable[STRONG_READER], self._strong_problem = exc.message, exc
            return None

    @property
    def cascade(self) -> Cascade:
        """Who judges pairs: the small reader, the large one where installed, and a strong one where chosen."""
        if self._cascade is None:
            self._cascade = self.cascade_of(CachedReader)
        return self._cascade

    def cascade_of(self, wrap: Callable[[Reader], Reader]) -> Cascade:
        """The readers that are fit, each wrapped, as one that judges."""
        by_name = {one.name: one for one in self.readers}
        small, large, strong = (by_name.get(name) for name in (SMALL_READER, LARGE_READER, STRONG_READER))
        first = small or MissingReader(SMALL_READER, self._unusable[SMALL_READER])
        return Cascade(
            wrap(first),
            wrap(large) if large else None,
            small.card.asks_from if small else {},
            wrap(strong) if strong else None,
            strong.card.asks_from if strong else None,
        )

    @property
    def disabled_readers(self) -> dict[str, str]:
        """Readers whose cards cannot be used, and why."""
        return dict(self._unusable)

    def disable_reader(self, name: str, why: str) -> None:
        """Do without a reader whose card cannot be used; before anything was judged."""
        self._cards.pop(name, None)
        self._disabled.add(name)
        self._unusable[name] = why
        self._cascade = None

    @cached_property
    def _cards(self) -> dict[str, ModelCard]:
        """The valid cards by reader; `_unusable` says why others are not."""
        found: dict[str, ModelCard] = {}
        for name, directory in self._reader_places().items():
            try:
                found[name] = load_card(directory, "reader")
            except ModelError as exc:
                self._unusable[name] = exc.message
        return found

    def _reader_places(self) -> dict[str, Path]:
        large = self._chosen.get(LARGE_READER) or large_reader_directory(self._root)
        return {SMALL_READER: self._place(SMALL_READER)} | ({LARGE_READER: large} if large else {})

    def _place(self, name: str) -> Path:
        return self._chosen.get(name) or model_directory(name, self._root)

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
        await asyncio.to_thread(verify, self.isolated_embedder.card)
        await asyncio.wrap_future(self._supervisor.submit(self._try_reach))
        await self.isolated_embedder.embed([_PROBE])
        return self.status()

    async def probe_readers(self) -> dict[str, str | ModelError]:
        """Each reader's id if its files are intact and it answers, else what is wrong with it."""
        found: dict[str, str | ModelError] = {}
        for name, directory in self._reader_places().items():
            try:
                card = load_card(directory, "reader")
                await asyncio.to_thread(verify, card)
                await IsolatedReader(self, name, card).answers([(_PROBE, _PROBE)])
                found[name] = card.model_id
            except ModelError as exc:
                found[name] = exc
        if self._strong_model is not None:
            found[STRONG_READER] = await self._probe_strong()
        return found

    async def _probe_strong(self) -> str | ModelError:
        """Loads the language model, which takes seconds."""
        try:
            if self._strong is None:
                return self._strong_problem
            await self._strong.answers([(_PROBE, _PROBE)])
        except ModelError as exc:
            return exc
        return self._strong.model_id

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
        said += [*self._shared.now(), *self._notes.values()]
        if known.crashes:
            said.append(
                f"The inference process ended unexpectedly (times: {known.crashes}; last: {known.last_crash}); "
                "the same model is started again when it is needed."
            )
        return tuple(said)

    def state(self) -> ProcessState:
        """What is wrong, and what this process has asked the bundled models."""
        return ProcessState(self.troubles(), dict(self._items), dict(self._seconds))

    async def close(self) -> None:
        """End the processes; requests still waiting fail."""
        if "_strong" in self.__dict__ and self._strong is not None:
            await self._strong.close()
        await asyncio.to_thread(self._supervisor.close)

    async def _part(self, op: str, card: ModelCard, items: Sequence[Any], width: int) -> "NDArray[np.float32]":
        def ask() -> "NDArray[np.float32]":
            import numpy as np  # here, off the event loop: it takes a tenth of a second

            request = {"op": op, "directory": str(card.directory), "digest": card.digest, "items": items}
            header, payload = self._supervisor.ask(request)
            self._supervisor.stats.count(op, len(items), header["seconds"])
            self._notes |= {f"{card.model_id} {about}": note for about, note in header["notes"].items()}
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


def graphics_devices() -> tuple[str, ...]:
    """What an NVIDIA card is driven through; empty where there is none, or ONNX Runtime was built without CUDA."""
    found = find_spec("onnxruntime")
    folder = Path(found.origin).parent / "capi" if found and found.origin else Path("/nonexistent")
    if not any(folder.glob("*onnxruntime_providers_cuda*")):
        return ()
    return tuple(sorted(str(path) for path in Path("/dev").glob("nvidia*")))


class MissingReader:
    """In place of a reader whose card is missing or unfit: raises when asked."""

    model_id = "none"

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        raise ModelError(self._why)


def _warning(isolation: Isolation | None) -> str | None:
    if isolation is None or isolation.layers:
        return None
    reasons = "; ".join(f"{name}: {reason}" for name, reason in isolation.refused.items())
    return f"The inference process is NOT isolated from the network ({reasons})."
