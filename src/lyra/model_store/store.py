"""The models that were pulled: a folder each below `models` of the data directory, and which of them serve what."""

import functools
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lyra.disk import make_private_folder, put_whole, writing
from lyra.errors import InvalidParams, ModelError
from lyra.ml.card import (
    CARD_FILE,
    EMBEDDER,
    is_hash,
    leaves_folder,
    load_card,
    pull_again,
    read_card,
    shared_root,
    strong_reader_directory,
    verify,
)
from lyra.ml.prepared import check_fits, load_prepared
from lyra.ml.strong import INSTALL
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER
from lyra.model_store.catalogue import PURPOSES, Purpose, is_name
from lyra.model_store.hashing import hash_file
from lyra.settings import Settings

BUNDLED = "bundled"
PARTIAL = ".partial"
_IN_USE = "in_use.json"
# The first is where a model of the purpose serves unless the user says otherwise.
ROLES: Mapping[Purpose, tuple[str, ...]] = {
    "embedder": (EMBEDDER,),
    "reader": (LARGE_READER, SMALL_READER),
    "generator": (STRONG_READER,),
}
_ALL_ROLES = tuple(role for roles in ROLES.values() for role in roles)
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this disk; `problem` says why it cannot be used, `quality` what was measured here, by language."""

    name: str
    directory: Path
    purpose: Purpose | None = None
    model_id: str = ""
    licence: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    size_bytes: int = 0
    quality: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    items_per_s: float = 0.0
    is_calibrated: bool = False
    problem: str = ""

    def path_of(self, name: str) -> Path:
        return self.directory / name


class ModelStore:
    """Reads and changes the folder; every change is one rename, so that Ctrl-C leaves nothing half-done."""

    def __init__(self, root: Path, *, is_shared: bool = False) -> None:
        self.root = root
        self.is_shared = is_shared

    def installed(self) -> list[InstalledModel]:
        """Every model on this disk, by name, broken ones too."""
        if not self.root.is_dir():
            return []
        return [_read(path) for path in sorted(self.root.iterdir()) if path.is_dir() and is_name(path.name)]

    def find(self, name: str) -> InstalledModel:
        """The model; `InvalidParams` where there is none of that name."""
        found = {one.name: one for one in self.installed()}
        if name not in found:
            if not self.is_shared and name in {one.name for one in shared_store().installed()}:
                raise InvalidParams(
                    f"There is no model {name[:60]!r} on this disk that is your own.",
                    remedy="Everyone in this environment has one of that name, which judges without being chosen; "
                    f"`lyra models remove {name} --shared` deletes it.",
                )
            raise InvalidParams(
                f"There is no model {name[:60]!r} on this disk.",
                remedy="`lyra models list` shows those there are; `lyra models pull NAME` gets one.",
            )
        return found[name]

    def in_use(self) -> dict[str, str]:
        """Which model serves which role; roles that the bundled models have are left out."""
        path = self.root / _IN_USE
        try:
            values = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as exc:
            raise _broken_choice(path) from exc
        if not isinstance(values, dict) or not all(isinstance(one, str) and is_name(one) for one in values.values()):
            raise _broken_choice(path)
        return {role: values[role] for role in _ALL_ROLES if role in values}

    def places(self) -> dict[str, Path]:
        """The folders of the chosen embedder and readers."""
        return {role: self.root / name for role, name in self.in_use().items() if role != STRONG_READER}

    def strong_model(self) -> Path | None:
        """The folder of the language model that the strong reader is made of; None where the user has chosen none."""
        name = self.in_use().get(STRONG_READER)
        return None if name is None else self.root / name

    def use(self, name: str, role: str | None = None, adapter: Path | None = None) -> str:
        """Let a model serve; the role it got. A reader that is not calibrated may not judge, nor may a language model
        that the strong reader's adapter was not trained over; `adapter` is its folder, None where there is none."""
        model = self.find(name)
        if model.problem or model.purpose is None:
            raise ModelError(f"The model {name} cannot be used: {model.problem}", remedy=pull_again(model.directory))
        roles = ROLES[model.purpose]
        if role is not None and role not in roles:
            raise InvalidParams(
                f"The model {name} is a {model.purpose}: it cannot serve as {role[:20]!r}.",
                remedy=f"Leave --role out, or choose {', '.join(roles)}.",
            )
        if model.purpose == "reader" and not model.is_calibrated:
            raise ModelError(
                f"The model {name} is not calibrated, so it may not judge.",
                remedy=f"Run `lyra models calibrate {name}`.",
            )
        if model.purpose == "generator":
            _check_strong(model, adapter)
        self._choose(self.in_use() | {role or roles[0]: name})
        return role or roles[0]

    def use_bundled(self, role: str | None = None) -> tuple[str, ...]:
        """Return to what comes with Lyra, for a role or for all; the roles that changed."""
        if role is not None and role not in _ALL_ROLES:
            raise InvalidParams(f"There is no role {role[:20]!r}.", remedy=f"Choose one of {', '.join(_ALL_ROLES)}.")
        try:
            chosen = self.in_use()
        except ModelError:
            chosen = {}
        kept = {one: name for one, name in chosen.items() if role is not None and one != role}
        self._choose(kept)
        return tuple(one for one in chosen if one not in kept)

    def remove(self, name: str) -> int:
        """Delete a model that serves nothing; the bytes that were freed."""
        model = self.find(name)
        if roles := [role for role, one in self.in_use().items() if one == name]:
            raise InvalidParams(
                f"The model {name} is in use as {roles[0]}.",
                remedy=f"First `lyra models use bundled --role {roles[0]}`.",
            )
        with writing(self.root):
            gone = self.root / PARTIAL / f"{name}.removed"
            make_private_folder(gone.parent)
            shutil.rmtree(gone, ignore_errors=True)
            model.directory.rename(gone)
            shutil.rmtree(gone)
        return model.size_bytes

    def write_card(self, directory: Path, values: Mapping[str, Any]) -> None:
        with writing(directory):
            put_whole(directory / CARD_FILE, json.dumps(values, indent=2, ensure_ascii=False) + "\n")

    def _choose(self, chosen: Mapping[str, str]) -> None:
        with writing(self.root):
            make_private_folder(self.root)
            put_whole(self.root / _IN_USE, json.dumps(chosen, indent=2) + "\n")


def verify_model(model: InstalledModel, progress: Progress) -> list[str]:
    """What is wrong with a model's files, each compared with its hash; empty where all are intact."""
    problems = []
    for name, expected in model.files.items():
        try:
            found = hash_file(model.path_of(name), functools.partial(progress, name))
        except OSError as exc:
            problems.append(f"{name} cannot be read: {exc.strerror}.")
            continue
        if found != expected:
            problems.append(f"{name} has another content (SHA-256 {found[:12]}…, not {expected[:12]}…).")
    return problems or ([model.problem] if model.problem else [])


def _check_strong(model: InstalledModel, adapter: Path | None) -> None:
    """The files on this disk are the language model that the adapter was trained over."""
    if adapter is None:
        raise ModelError(
            f"The model {model.name} cannot judge: the adapter of the strong reader is not installed.", remedy=INSTALL
        )
    card = load_prepared(model.directory)
    check_fits(card, load_card(adapter, "adapter"))
    verify(card)


def shared_store() -> ModelStore:
    """The models of everyone who uses this environment."""
    return ModelStore(shared_root(), is_shared=True)


def chosen_models(settings: Settings) -> dict[str, Path]:
    """The folders of the user's own models that serve in place of the bundled ones."""
    return ModelStore(settings.models_dir).places()


def chosen_strong(settings: Settings) -> Path | None:
    """The folder of the language model that judges with the adapter of ours: the user's choice, else a shared one.

    A shared one that cannot judge is chosen too where there is no better and the adapter is installed: the strong
    reader then says why it is out of use.
    """
    if settings.models.strong == "off":
        return None
    if chosen := ModelStore(settings.models_dir).strong_model():
        return chosen
    if _adapter(settings) is None:
        return None
    shared = sorted(shared_models(settings), key=lambda found: found[1] is not None)
    return shared[0][0].directory if shared else None


def shared_models(settings: Settings) -> list[tuple[InstalledModel, ModelError | None]]:
    """The language models of everyone in this environment, and why one cannot judge here."""
    return [(model, misfit(model, settings)) for model in shared_store().installed()]


def misfit(model: InstalledModel, settings: Settings) -> ModelError | None:
    """Why a language model cannot judge with the adapter of ours, as far as the cards say."""
    adapter = _adapter(settings)
    try:
        if adapter is None:
            raise ModelError("The adapter of the strong reader is not installed.", remedy=INSTALL)
        check_fits(load_prepared(model.directory), load_card(adapter, "adapter"))
    except ModelError as exc:
        return exc
    return None


def _adapter(settings: Settings) -> Path | None:
    return settings.models.adapter or strong_reader_directory()


def _read(directory: Path) -> InstalledModel:
    """A folder's model, whatever state it is in."""
    name = directory.name
    try:
        values = read_card(directory)
        files = _files(directory, values)
        purpose = next((one for one in PURPOSES if one == values.get("kind")), None)
        if purpose is None:
            return InstalledModel(name, directory, problem="Its card names no purpose.")
        card = load_prepared(directory) if purpose == "generator" else load_card(directory, purpose)
    except ModelError as exc:
        return InstalledModel(name, directory, problem=exc.message)
    missing = [one for one in files if not (directory / one).is_file()]
    return InstalledModel(
        name=name,
        directory=directory,
        purpose=purpose,
        model_id=card.model_id,
        licence=str(values.get("licence", "")),
        files=files,
        size_bytes=sum((directory / one).stat().st_size for one in files if one not in missing),
        quality=values.get("quality") or {},
        items_per_s=float(values.get("items_per_s") or 0),
        is_calibrated=bool(values.get("calibration")),
        problem=f"Files are missing: {', '.join(missing)}." if missing else "",
    )


def _files(directory: Path, values: Any) -> dict[str, str]:
    files = values.get("files") if isinstance(values, dict) else None
    fits = (
        isinstance(files, dict) and files and all(map(is_hash, files.values())) and not any(map(leaves_folder, files))
    )
    if not isinstance(files, dict) or not fits:
        raise ModelError(f"The card of the model in {directory} is unfit.", remedy=pull_again(directory))
    return files


def _broken_choice(path: Path) -> ModelError:
    return ModelError(
        f"{path} does not say which models serve: it is damaged.",
        remedy="`lyra models use bundled` returns to the bundled models; choose your own again afterwards.",
    )
