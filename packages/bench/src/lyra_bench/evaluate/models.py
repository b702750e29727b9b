"""`lyra eval models`: every model of this machine, bundled and of the user's own, side by side on the same rows."""

import functools
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lyra.calibration.bundled import BundledCalibration
from lyra.claims.stance import StanceJudge
from lyra.clock import SystemClock
from lyra.errors import LyraError
from lyra.ml.cascade import Cascade
from lyra.ml.remote import IsolatedModels, IsolatedReader
from lyra.ml.shared import Means, SharedReader, connect_servers
from lyra.model_store.labelled import labelled_pairs
from lyra.model_store.measured import kept_calibration
from lyra.model_store.pull import embedder_figures
from lyra.model_store.store import ModelStore
from lyra.settings import Settings
from lyra_bench.evaluate.stance import GoldPair, judge_pairs, read_pairs, score_stances

# Told the model's name, and how many of how many rows are done.
ModelProgress = Callable[[str, int, int], None]
_WARM_UP = "It rained."


async def compare_models(settings: Settings, path: Path | None, progress: ModelProgress) -> dict[str, Any]:
    """Scores of every reader by source (the shipped rows' language without a file), and of every embedder.

    A model that fails is named with the reason, and the others are measured.
    """
    gold = read_pairs(path) if path else shipped_pairs()
    readers: dict[str, Any] = {}
    async with _readers(settings) as found:
        for name, reader in found.items():
            readers[name] = await _or_error(_scores(reader, gold, functools.partial(progress, name)))
    embedders = {} if path else await _embedders(settings, progress)
    return {"readers": readers, "embedders": embedders}


def shipped_pairs() -> list[GoldPair]:
    """The rows that come with Lyra; their source is the language."""
    return [GoldPair(one.text, one.claim, one.label, one.language) for one in labelled_pairs()]


async def _scores(reader: IsolatedReader | SharedReader, gold: list[GoldPair], progress: Any) -> dict[str, Any]:
    """The reader alone, with the calibration and thresholds of its card, as the judge would use it."""
    card = reader.card
    calibrator = BundledCalibration({reader.name: card.calibration})
    judge = StanceJudge(Cascade(reader, None, {}), calibrator, {reader.name: card.thresholds})
    await reader.answers([(_WARM_UP, _WARM_UP)])
    started = time.monotonic()
    stances = await judge_pairs(gold, judge, progress)
    rate = len(gold) / max(time.monotonic() - started, 1e-6)
    sources = {
        source: _without_share(score_stances(*_of(source, gold, stances)))
        for source in sorted({one.source for one in gold})
    }
    return {"model_id": card.model_id, "pairs_per_s": round(rate, 1), "sources": sources}


def _of(source: str, gold: list[GoldPair], stances: list[Any]) -> tuple[list[int], list[Any]]:
    chosen = [at for at, pair in enumerate(gold) if pair.source == source]
    return [gold[at].label for at in chosen], [stances[at] for at in chosen]


def _without_share(scores: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scores.items() if name != "by_large_reader"}


@asynccontextmanager
async def _readers(settings: Settings) -> AsyncIterator[dict[str, IsolatedReader | SharedReader]]:
    """Every reader by the name that people know, each in a process of its own."""
    opened: list[IsolatedModels] = []
    found: dict[str, IsolatedReader | SharedReader] = {}
    try:
        opened.append(bundled := IsolatedModels(settings.models))
        found |= {one.card.name: one for one in bundled.readers}
        for model in ModelStore(settings.models_dir).installed():
            if model.purpose == "reader" and model.is_calibrated and not model.problem:
                opened.append(own := IsolatedModels(settings.models, chosen={"small": model.directory}))
                found[model.name] = own.readers[0]
        means = Means(SystemClock(), lambda name: kept_calibration(settings.models_dir, name))
        shared = await connect_servers(settings.models, means)
        if shared.reader is not None:
            found["stance-endpoint"] = shared.reader
        yield found
    finally:
        for one in opened:
            await one.close()


async def _embedders(settings: Settings, progress: ModelProgress) -> dict[str, Any]:
    found: dict[str, Any] = {}
    places = {
        one.name: one.directory for one in ModelStore(settings.models_dir).installed() if one.purpose == "embedder"
    }
    for name, place in {"": None, **places}.items():
        models = IsolatedModels(settings.models, chosen={"embedder": place} if place else {})
        try:
            embedder = models.isolated_embedder
            told = name or embedder.card.name
            await embedder.embed([_WARM_UP])
            figures = await embedder_figures(embedder, functools.partial(progress, told))
            found[told] = {"model_id": embedder.model_id, **figures}
        except LyraError as exc:
            found[name] = {"error": exc.message}
        finally:
            await models.close()
    return found


async def _or_error(work: Any) -> Any:
    try:
        return await work
    except LyraError as exc:
        return {"error": exc.message}
