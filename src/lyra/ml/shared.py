"""Models on a server that a group shares: embeddings and stance over TEI's and OpenAI's interfaces.

TEI (Text Embeddings Inference) has `/info`, `/embed` and `/predict`; OpenAI-compatible servers `/v1/embeddings`. Where
a server is not reached when Lyra starts, the isolated process on this machine serves, and the status says so.
"""

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.clock import Clock
from lyra.errors import LyraError, ModelError
from lyra.ml.card import NLI_LABELS, ModelCard, nli_label
from lyra.ml.endpoints import allowed_address
from lyra.ml.own_text import is_own_text
from lyra.ml.server_client import ServerClient, TooMuchAtOnce
from lyra.model.edge import LARGE_READER
from lyra.settings import ModelEndpoint, Models

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PROBE = "It rained."
_CONNECT_TIMEOUT_S = 3.0
_MAX_CHARS = 8_000
_NEUTRAL = (-12.0, 0.0)
# Whether the data directory holds documents of the user's own.
HasOwnDocuments = Callable[[], Awaitable[bool]]
Row = list[float]


async def no_documents() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class SharedModels:
    """What servers serve; `troubles` says which do not, and why."""

    embedder: "SharedEmbedder | None" = None
    reader: "SharedReader | None" = None
    troubles: tuple[str, ...] = ()

    def now(self) -> tuple[str, ...]:
        """The troubles at the start, and an embedder that has failed since; the cascade tells of readers."""
        failure = self.embedder.client.failure if self.embedder else None
        return (*self.troubles, *([f"The embedding endpoint does not answer: {failure.message}"] if failure else ()))


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What a connection to servers needs; `calibration_of` gives the calibration of a reader by its id."""

    clock: Clock
    calibration_of: Callable[[str], Mapping[str, Any]] = field(default=lambda _: {})
    has_own_documents: HasOwnDocuments = no_documents
    ca_bundle: Path | None = None


async def connect_servers(settings: Models, context: ServerContext) -> SharedModels:
    """Ask each server that is set who it is; one that does not answer is left out, with its reason."""
    embedder: SharedEmbedder | None = None
    reader: SharedReader | None = None
    troubles: list[str] = []
    if settings.embedding.url is not None:
        try:
            embedder = await connect_embedder(settings.embedding, context)
        except LyraError as exc:
            troubles.append(f"The embedding endpoint is not used: {exc.message} The isolated process embeds instead.")
    if settings.stance.url is not None:
        try:
            reader = await connect_reader(settings.stance, context)
            if not reader.card.calibration:
                reader = None
                troubles.append(
                    "The stance endpoint is not used: it is not calibrated, so it may not judge "
                    "(`lyra models calibrate stance-endpoint`). The readers on this machine judge."
                )
        except LyraError as exc:
            troubles.append(f"The stance endpoint is not used: {exc.message} The readers on this machine judge.")
    return SharedModels(embedder, reader, tuple(troubles))


async def connect_embedder(endpoint: ModelEndpoint, context: ServerContext) -> "SharedEmbedder":
    """The embedder behind an endpoint; `LyraError` where it may not be used, or does not answer as one."""
    client = await _client_of(endpoint, context)
    try:
        async with asyncio.timeout(max(_CONNECT_TIMEOUT_S, endpoint.timeout_s)):
            if endpoint.kind == "tei":
                name, version, batch = _identity(client, await client.ask("/info"), "embedding")
            else:
                name, version, batch = endpoint.model or "model", endpoint.version, endpoint.batch_size
            bare = SharedEmbedder(
                endpoint, client, context, _card("embedder", name, endpoint.version or version, endpoint)
            )
            rows = await bare.vectors([_PROBE])
    except TimeoutError as exc:
        raise ModelError(
            f"The model server at {client.address.place} did not answer in time.", remedy="Wait until it is ready."
        ) from exc
    card = _card("embedder", name, endpoint.version or version, endpoint, dimension=len(rows[0]))
    return SharedEmbedder(endpoint, client, context, card, min(batch, endpoint.batch_size))


async def connect_reader(endpoint: ModelEndpoint, context: ServerContext) -> "SharedReader":
    """The reader behind an endpoint, calibrated or not."""
    if endpoint.kind != "tei":
        raise ModelError(
            "Stance is asked of TEI's /predict alone.", remedy='Set kind = "tei" beside models.stance.url.'
        )
    client = await _client_of(endpoint, context)
    name, version, batch = _identity(client, await client.ask("/info"), "classifier")
    card = _card("reader", name, endpoint.version or version, endpoint)
    card = _card(
        "reader", name, endpoint.version or version, endpoint, calibration=context.calibration_of(card.model_id)
    )
    reader = SharedReader(endpoint, client, context, card, min(batch, endpoint.batch_size))
    await reader.logits([(_PROBE, _PROBE)])
    return reader


async def _client_of(endpoint: ModelEndpoint, context: ServerContext) -> ServerClient:
    address = allowed_address(endpoint.url or "", allow_remote=endpoint.allow_remote, insecure=endpoint.insecure)
    found = ServerClient(
        address,
        context.clock,
        timeout_s=endpoint.timeout_s,
        concurrency=endpoint.concurrency,
        key=endpoint.api_key,
        ca_bundle=context.ca_bundle,
    )
    await _check_own_text(endpoint, found, context)
    return found


async def _check_own_text(endpoint: ModelEndpoint, client: ServerClient, context: ServerContext) -> None:
    """`ModelError` where text of the user's own documents could leave this machine without permission."""
    if client.address.is_local or endpoint.library_text:
        return
    if is_own_text() or await context.has_own_documents():
        raise ModelError(
            f"Text of your own documents does not go to {client.address.place}.",
            remedy="Set library_text = true beside its url to allow it; else the isolated process serves from the next "
            "start on.",
        )


def _identity(client: ServerClient, info: Any, wanted: str) -> tuple[str, str, int]:
    """Name, version and largest batch, as TEI's /info tells them; `ModelError` where it serves something else."""
    name = info.get("model_id") if isinstance(info, dict) else None
    if not isinstance(name, str) or not name:
        raise client.other_service("/info names no model")
    kind = info.get("model_type")
    if isinstance(kind, dict) and wanted not in {str(one).lower() for one in kind}:
        raise client.other_service(f"it serves no {wanted} but {', '.join(map(str, kind))[:40]}")
    batch = info.get("max_client_batch_size")
    is_count = isinstance(batch, int) and not isinstance(batch, bool) and batch > 0
    return name[:120], str(info.get("model_sha") or "")[:12], int(batch) if is_count else 32


def _card(
    kind: Any,
    name: str,
    version: str,
    endpoint: ModelEndpoint,
    *,
    dimension: int = 0,
    calibration: Mapping[str, Any] | None = None,
) -> ModelCard:
    """The facts of a server's model; in place of hashes of files it has what the server said of itself."""
    told = "\n".join((kind, endpoint.kind, name, version, endpoint.prefix))
    return ModelCard(
        directory=Path("server"),
        name=name,
        version=version or "server",
        kind=kind,
        licence="as the server's",
        max_tokens=512,
        files={"server": hashlib.sha256(told.encode()).hexdigest()},
        dimension=dimension,
        thresholds={"supports": 0.6, "refutes": 0.6} if kind == "reader" else {},
        calibration=calibration or {},
        is_pulled=True,
    )


class _Shared:
    """What both kinds have: a client, a card, parts of a size that the server takes."""

    def __init__(
        self,
        endpoint: ModelEndpoint,
        client: ServerClient,
        context: ServerContext,
        card: ModelCard,
        batch_size: int = 1,
    ) -> None:
        self._endpoint = endpoint
        self.client = client
        self._context = context
        self.card = card
        self.model_id = card.model_id
        self._batch_size = batch_size

    async def _in_parts(self, items: Sequence[Any], ask: Callable[[Sequence[Any]], Awaitable[list[Row]]]) -> list[Row]:
        """One row an item, in order; parts under way at once are limited by the client."""
        await _check_own_text(self._endpoint, self.client, self._context)
        parts = [items[at : at + self._batch_size] for at in range(0, len(items), self._batch_size)]
        async with asyncio.TaskGroup() as group:
            under_way = [group.create_task(self._halved(part, ask)) for part in parts]
        return [row for task in under_way for row in task.result()]

    async def _halved(self, part: Sequence[Any], ask: Callable[[Sequence[Any]], Awaitable[list[Row]]]) -> list[Row]:
        """The part's rows; in halves where it is too much at once."""
        try:
            return await ask(part)
        except TooMuchAtOnce:
            if len(part) == 1:
                raise
        middle = len(part) // 2
        return await self._halved(part[:middle], ask) + await self._halved(part[middle:], ask)

    def _checked(self, rows: Any, count: int, width: int) -> list[Row]:
        """Rows of finite numbers, as many and as wide as asked for."""
        is_list = isinstance(rows, list) and len(rows) == count
        if not is_list or not all(isinstance(row, list) and (not width or len(row) == width) for row in rows):
            raise self.client.other_service("it gave another number of rows or columns than asked for")
        if not all(_is_number(value) for row in rows for value in row):
            raise self.client.other_service("it gave something that is not a number")
        return rows  # type: ignore[no-any-return]


class SharedEmbedder(_Shared):
    """An `Embedder` behind a server."""

    @property
    def dimension(self) -> int:
        return self.card.dimension

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        said = [at for at, text in enumerate(texts) if any(map(str.isalnum, text))]
        found = np.zeros((len(texts), self.dimension), np.float32)
        if said:
            rows = np.asarray(await _one_error(self._in_parts([texts[at] for at in said], self.vectors)), np.float32)
            found[said] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return found

    async def vectors(self, texts: Sequence[str]) -> list[Row]:
        """The server's own vectors for one part."""
        given = [self._endpoint.prefix + text[:_MAX_CHARS] for text in texts]
        if self._endpoint.kind == "tei":
            answer = await self.client.ask("/embed", {"inputs": given, "normalize": True, "truncate": True})
            return self._checked(answer, len(given), self.dimension)
        path = "/embeddings" if self.client.address.path.endswith("/v1") else "/v1/embeddings"
        question = {"model": self._endpoint.model, "input": given, "encoding_format": "float"}
        answer = await self.client.ask(path, question)
        return self._checked(self._ordered(answer), len(given), self.dimension)

    def _ordered(self, answer: Any) -> list[Any]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(one, dict) and "embedding" in one for one in data):
            raise self.client.other_service("its answer has no data with embeddings")
        places = [one.get("index", at) for at, one in enumerate(data)]
        if sorted(map(str, places)) != sorted(map(str, range(len(data)))):
            raise self.client.other_service("its embeddings have no order")
        return [one["embedding"] for _, one in sorted(zip(places, data, strict=True), key=lambda pair: int(pair[0]))]


class SharedReader(_Shared):
    """A `Reader` behind a server, in the place of the large one: `bears` and `side` from the logits of an NLI model."""

    name = LARGE_READER

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[np.float32]":
        import numpy as np

        said = [at for at, pair in enumerate(pairs) if all(any(map(str.isalnum, text)) for text in pair)]
        found = np.tile(np.asarray(_NEUTRAL, np.float32), (len(pairs), 1))
        if said:
            rows = await _one_error(self._in_parts([pairs[at] for at in said], self.logits))
            found[said] = np.asarray(rows, np.float32)
        return found

    async def logits(self, pairs: Sequence[tuple[str, str]]) -> list[Row]:
        """The two answers for one part."""
        given = [[text[:_MAX_CHARS], claim[:_MAX_CHARS]] for text, claim in pairs]
        answer = await self.client.ask("/predict", {"inputs": given, "truncate": True, "raw_scores": True})
        if not isinstance(answer, list) or len(answer) != len(given):
            raise self.client.other_service("it gave another number of rows or columns than asked for")
        return [self._two_answers(row) for row in answer]

    def _two_answers(self, row: Any) -> Row:
        """bears = logsumexp(E, C) - N, side = E - C (see graph_io)."""
        known: dict[str, float] = {}
        for one in row if isinstance(row, list) else ():
            if isinstance(one, dict) and _is_number(one.get("score")):
                known[nli_label(str(one.get("label")))] = float(one["score"])
        if sorted(known) != sorted(NLI_LABELS):
            raise self.client.other_service("its labels are not those of an NLI model")
        high = max(known["entailment"], known["contradiction"])
        bears = high + math.log1p(math.exp(-abs(known["entailment"] - known["contradiction"]))) - known["neutral"]
        return [bears, known["entailment"] - known["contradiction"]]


async def _one_error(work: Awaitable[list[Row]]) -> list[Row]:
    """The rows; of several parts that failed at once, the first error."""
    try:
        return await work
    except ExceptionGroup as exc:
        if errors := exc.subgroup(ModelError):
            raise errors.exceptions[0] from exc
        raise


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
