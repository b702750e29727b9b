"""`lyra eval models`: every model of this machine, bundled and of the user's own, side by side on the same rows."""

import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lyra.calibration.bundled import BundledCalibration
from lyra.claims.stance import DEFAULT_THRESHOLD, decide
from lyra.clock import SystemClock
from lyra.errors import LyraError
from lyra.jsonl import Progress
from lyra.ml.cascade import pair_language
from lyra.ml.remote import IsolatedModels, IsolatedReader
from lyra.ml.shared import ServerContext, SharedModels, SharedReader, connect_servers
from lyra.ml.strong import StrongReader
from lyra.model.edge import ReaderAnswer
from lyra.model_store.labelled import labelled_pairs
from lyra.model_store.measured import kept_calibration
from lyra.model_store.pull import EMBEDDING_ENDPOINT, STANCE_ENDPOINT, embedder_figures
from lyra.model_store.store import ModelStore, chosen_strong
from lyra.settings import Settings
from lyra_bench.evaluate.stance import GoldPair, read_pairs, score_chances

# Told the model's name, and how many of how many rows are done.
ModelProgress = Callable[[str, int, int], None]
AnyReader = IsolatedReader | SharedReader | StrongReader
_WARM_UP = "It rained."
_AT_ONCE = 64


async def compare_models(settings: Settings, path: Path | None, progress: ModelProgress) -> dict[str, Any]:
    """Scores of every reader by source (the shipped rows' language without a file), and of every embedder.

    A model that fails is named with the reason, and the others are measured.
    """
    gold = read_pairs(path) if path else shipped_pairs()
    shared = await _servers(settings)
    readers: dict[str, Any] = {}
    async with _readers(settings, shared) as found:
        for name, reader in found.items():
            readers[name] = await _or_error(_scores(reader, gold, functools.partial(progress, name)))
    embedders = {} if path else await _embedders(settings, shared, progress)
    return {"readers": readers, "embedders": embedders}


def shipped_pairs() -> list[GoldPair]:
    """The rows that come with Lyra; their source is the language."""
    return [GoldPair(one.text, one.claim, one.label, one.language) for one in labelled_pairs()]


async def _scores(reader: AnyReader, gold: Sequence[GoldPair], progress: Progress) -> dict[str, Any]:
    """The reader alone on whole texts, with the calibration and thresholds of its card."""
    pairs = [(one.premise, one.hypothesis) for one in gold]
    await reader.answers([(_WARM_UP, _WARM_UP)])
    answers, started = [], time.monotonic()
    for at in range(0, len(pairs), _AT_ONCE):
        rows = await reader.answers(pairs[at : at + _AT_ONCE])
        answers += [ReaderAnswer(float(bears), float(side), reader.name, reader.model_id) for bears, side in rows]
        progress(len(answers), len(pairs))
    rate = round(len(pairs) / max(time.monotonic() - started, 1e-6), 1)
    calibrator = BundledCalibration({reader.name: reader.card.calibration})
    found = calibrator.chances(answers, [pair_language(*one) for one in pairs])
    chances = [one.probabilities for one in found]
    least = [reader.card.thresholds.get(name, DEFAULT_THRESHOLD) for name in ("supports", "refutes")]
    labels = [decide(np.asarray(one), least) for one in chances]
    sources = {}
    for source in sorted({one.source for one in gold}):
        chosen = [at for at, one in enumerate(gold) if one.source == source]
        sources[source] = score_chances(
            [gold[at].label for at in chosen], [chances[at] for at in chosen], [labels[at] for at in chosen]
        )
    return {"model_id": reader.model_id, "pairs_per_s": rate, "sources": sources}


async def _servers(settings: Settings) -> SharedModels:
    calibration_of = functools.partial(kept_calibration, settings.models_dir)
    context = ServerContext(SystemClock(), calibration_of, ca_bundle=settings.network.ca_bundle)
    return await connect_servers(settings.models, context)


@asynccontextmanager
async def _readers(settings: Settings, shared: SharedModels) -> AsyncIterator[dict[str, AnyReader]]:
    """Every reader by the name that people know, those of the user's own each in a process of its own."""
    opened = [bundled := IsolatedModels(settings.models, strong=chosen_strong(settings))]
    found: dict[str, AnyReader] = {one.card.name: one for one in bundled.readers}
    try:
        for model in ModelStore(settings.models_dir).installed():
            if model.purpose == "reader" and model.is_calibrated and not model.problem:
                opened.append(own := IsolatedModels(settings.models, chosen={"small": model.directory}))
                found[model.name] = own.readers[0]
        yield found | ({STANCE_ENDPOINT: shared.reader} if shared.reader else {})
    finally:
        for one in opened:
            await one.close()


async def _embedders(settings: Settings, shared: SharedModels, progress: ModelProgress) -> dict[str, Any]:
    installed = ModelStore(settings.models_dir).installed()
    places: dict[str, dict[str, Path]] = {"bundled": {}} | {
        one.name: {"embedder": one.directory} for one in installed if one.purpose == "embedder" and not one.problem
    }
    found: dict[str, Any] = {}
    for name, chosen in places.items():
        found[name] = await _or_error(_embedder_scores(settings, chosen, functools.partial(progress, name)))
    if shared.embedder is not None:
        told = functools.partial(progress, EMBEDDING_ENDPOINT)
        found[EMBEDDING_ENDPOINT] = await _or_error(embedder_figures(shared.embedder, told))
    return found


async def _embedder_scores(settings: Settings, chosen: dict[str, Path], progress: Progress) -> dict[str, Any]:
    models = IsolatedModels(settings.models, chosen=chosen)
    try:
        embedder = models.isolated_embedder
        await embedder.embed([_WARM_UP])
        return {"model_id": embedder.model_id, **await embedder_figures(embedder, progress)}
    finally:
        await models.close()


async def _or_error(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    try:
        return await work
    except LyraError as exc:
        return {"error": exc.message}
