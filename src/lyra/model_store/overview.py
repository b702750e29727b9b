"""All models at a glance: bundled, on this disk, and those that can be pulled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from lyra.errors import ModelError
from lyra.ml.card import EMBEDDER, large_reader_directory, load_card, model_directory
from lyra.ml.prepared import check_size, load_prepared
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER
from lyra.model_store.catalogue import load_catalogue
from lyra.model_store.measured import kept_figures
from lyra.model_store.store import InstalledModel, ModelStore, chosen_strong, misfit, shared_models
from lyra.settings import Settings


class ModelState(StrEnum):
    IN_PLACE = "on this disk"
    PULLABLE = "can be pulled"
    BROKEN = "cannot be used"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model; `serves` are its roles, `quality` (by language) and `items_per_s` what was measured here.

    `state` is None where it is served at an address.
    """

    name: str
    purpose: str
    state: ModelState | None
    serves: tuple[str, ...] = ()
    size_bytes: int = 0
    licence: str = ""
    model_id: str = ""
    quality: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    items_per_s: float = 0.0
    about: str = ""
    is_bundled: bool = False


def overview(settings: Settings) -> list[ModelRow]:
    """The bundled models first, then those of the user's own, then what a catalogue offers."""
    store = ModelStore(settings.models_dir)
    in_use, installed = store.in_use(), store.installed()
    strong = chosen_strong(settings)
    serving = {one: tuple(role for role, name in in_use.items() if name == one) for one in set(in_use.values())}
    rows = _bundled(settings, in_use)
    for one in installed:
        roles = serving.get(one.name, ())
        problem = _problem(one, misfit(one, settings) if one.directory == strong else None)
        state, about = (ModelState.BROKEN, problem) if problem else (ModelState.IN_PLACE, "")
        serves = () if problem else tuple(role for role in roles if role != STRONG_READER or strong is not None)
        rows.append(
            ModelRow(
                one.name, one.purpose or "", state, serves, one.size_bytes, one.licence,
                one.model_id, one.quality, one.items_per_s, about,
            )
        )  # fmt: skip
    shared = shared_models(settings)
    rows += [_shared_row(model, problem, model.directory == strong) for model, problem in shared]
    have = {one.name for one in (*installed, *(model for model, _ in shared))}
    rows += [
        ModelRow(one.name, one.purpose, ModelState.PULLABLE, (), one.size_bytes, one.licence, about=one.about)
        for one in load_catalogue(settings.models.catalogue).values()
        if one.name not in have
    ]
    return rows


def _shared_row(model: InstalledModel, problem: ModelError | None, does_serve: bool) -> ModelRow:
    """A model of everyone in this environment."""
    why = _problem(model, problem)
    about = why or f"for everyone in this environment ({model.directory})"
    state = ModelState.BROKEN if why else ModelState.IN_PLACE
    serves = (STRONG_READER,) if does_serve and not why else ()
    return ModelRow(
        model.name, "generator", state, serves, model.size_bytes, model.licence, model.model_id, about=about
    )


def _problem(model: InstalledModel, problem: ModelError | None) -> str:
    """Why a model cannot be used, as far as it is seen without hashing; empty where nothing is amiss."""
    if problem is None and not model.problem and model.purpose == "generator":
        try:
            check_size(load_prepared(model.directory))
        except ModelError as exc:
            problem = exc
    return problem.message if problem else model.problem


def _bundled(settings: Settings, in_use: Mapping[str, str]) -> list[ModelRow]:
    """Those that come with Lyra, or lie in models.directory."""
    root = settings.models.directory
    places = {EMBEDDER: model_directory(EMBEDDER, root), SMALL_READER: model_directory(SMALL_READER, root)}
    if large := large_reader_directory(root):
        places[LARGE_READER] = large
    return [_bundled_row(settings, role, place, role not in in_use) for role, place in places.items()]


def _bundled_row(settings: Settings, role: str, place: Path, does_serve: bool) -> ModelRow:
    kind = "embedder" if role == EMBEDDER else "reader"
    try:
        card = load_card(place)
    except ModelError as exc:
        return ModelRow(role, kind, ModelState.BROKEN, about=exc.message)
    size = sum(path.stat().st_size for name in card.files if (path := place / name).is_file())
    quality, rate = kept_figures(settings.models_dir, card.model_id)
    serves = (role,) if does_serve else ()
    return ModelRow(
        card.name, kind, ModelState.IN_PLACE, serves, size, card.licence, card.model_id, quality, rate, is_bundled=True
    )


def served_and_others(settings: Settings) -> list[tuple[ModelRow, list[ModelRow]]]:
    """Every model that serves, each with the others of its purpose that could."""
    rows = overview(settings)
    idle = [one for one in rows if not one.serves and one.state is not ModelState.BROKEN]
    return [
        (one, [other for other in idle if other.purpose == one.purpose and other.name != one.name])
        for one in rows
        if one.serves
    ]
