"""The pinned models that can be pulled, as data: `pinned.yaml`, and a file of the user's own in the same form."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from lyra.errors import InvalidParams
from lyra.ml.card import CARD_FILE, POOLINGS, is_hash, leaves_folder

Purpose = Literal["embedder", "reader", "generator"]
PURPOSES: tuple[Purpose, ...] = ("embedder", "reader", "generator")
LAYOUTS = {"embedder": ("huggingface-onnx",), "reader": ("huggingface-onnx",), "generator": ("gguf",)}
_FIELDS = frozenset({
    "purpose", "repository", "revision", "licence", "layout", "files", "packages", "about", "pooling", "prefix",
    "max_tokens",
})  # fmt: skip
# Nothing that pip would take for an option or an address.
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9._+!-]*")


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file of a repository; `name` is its path there."""

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PinnedModel:
    """An entry: where a model lies, and the hashes by which its files are known.

    `packages` are those of a package index that carry the one file of a model in parts, in their order. `pooling`,
    `prefix` and `max_tokens` say what the files of a repository leave open.
    """

    name: str
    purpose: Purpose
    repository: str
    revision: str
    licence: str
    layout: str
    files: tuple[PinnedFile, ...]
    packages: tuple[str, ...] = ()
    about: str = ""
    pooling: str | None = None
    prefix: str = ""
    max_tokens: int | None = None

    @property
    def size_bytes(self) -> int:
        return sum(one.size_bytes for one in self.files)


def load_catalogue(own: Path | None = None) -> dict[str, PinnedModel]:
    """All entries by name; one of the user's own replaces one of the same name."""
    shipped = files("lyra.model_store").joinpath("pinned.yaml").read_text("utf-8")
    found = _parse(shipped, Path("pinned.yaml"))
    if own is not None:
        try:
            text = own.expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            why = exc.strerror if isinstance(exc, OSError) else "it is not UTF-8"
            raise InvalidParams(
                f"The catalogue of models {own} cannot be read: {why}.", remedy="Correct models.catalogue."
            ) from exc
        found |= _parse(text, own)
    return found


def is_name(text: str) -> bool:
    """Whether a text can name a model: it becomes the name of a folder."""
    return 0 < len(text) <= 60 and text[0].isalnum() and all(one.isalnum() or one in "-_." for one in text)


def _parse(text: str, path: Path) -> dict[str, PinnedModel]:
    import yaml

    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as exc:
        raise _unfit(path, "", "it is not valid YAML") from exc
    if not isinstance(values, dict):
        raise _unfit(path, "", "it must map names to models")
    return {str(name): _entry(path, str(name), one) for name, one in values.items()}


def _entry(path: Path, name: str, values: Any) -> PinnedModel:
    if not is_name(name):
        raise _unfit(path, name, "a name has letters, digits, dots, hyphens and underscores")
    if not isinstance(values, dict):
        raise _unfit(path, name, "it must be a mapping")
    if unknown := set(map(str, values)) - _FIELDS:
        raise _unfit(path, name, f"there is no field {sorted(unknown)[0]!r}")
    purpose = next((one for one in PURPOSES if one == values.get("purpose")), None)
    if purpose is None:
        raise _unfit(path, name, f"purpose must be one of {', '.join(PURPOSES)}")
    layout = str(values.get("layout", LAYOUTS[purpose][0]))
    if layout not in LAYOUTS[purpose]:
        raise _unfit(path, name, f"a model of this purpose has the layout {LAYOUTS[purpose][0]}")
    repository, revision, licence = (_text(path, name, values, one) for one in ("repository", "revision", "licence"))
    if any(leaves_folder(one) for one in (repository, revision)):
        raise _unfit(path, name, "repository and revision must be plain names")
    pinned, pooling = _files(path, name, values.get("files")), values.get("pooling")
    packages = _packages(path, name, values.get("packages", []), pinned)
    if pooling is not None and pooling not in POOLINGS:
        raise _unfit(path, name, f"pooling must be one of {', '.join(POOLINGS)}")
    limit = values.get("max_tokens")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 8):
        raise _unfit(path, name, "max_tokens must be a whole number of at least 8")
    texts = (str(values.get(one, "")) for one in ("about", "prefix"))
    about, prefix = texts
    return PinnedModel(
        name, purpose, repository, revision, licence, layout, pinned, packages, about, pooling, prefix, limit
    )


def _files(path: Path, name: str, values: Any) -> tuple[PinnedFile, ...]:
    if not isinstance(values, dict) or not values:
        raise _unfit(path, name, "files must map names to sha256 and size")
    return tuple(_file(path, name, str(file), one) for file, one in values.items())


def _file(path: Path, name: str, file: str, values: Any) -> PinnedFile:
    if file == CARD_FILE:
        raise _unfit(path, name, f"{CARD_FILE} is written by Lyra itself")
    if leaves_folder(file):
        raise _unfit(path, name, f"the file name {file!r} leaves the directory")
    sha256, size = (values.get("sha256"), values.get("size")) if isinstance(values, dict) else (None, None)
    if not is_hash(sha256) or not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise _unfit(path, name, f"{file} needs sha256 (64 hexadecimal digits) and size (bytes)")
    return PinnedFile(file, str(sha256), size)


def _packages(path: Path, name: str, values: Any, pinned: Sequence[PinnedFile]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) and _PACKAGE.fullmatch(one) for one in values):
        raise _unfit(path, name, "packages must be a list of names with versions, such as name==1.0")
    if values and len(pinned) != 1:
        raise _unfit(path, name, "packages carry the one file of a model that has one")
    return tuple(values)


def _text(path: Path, name: str, values: Mapping[str, Any], field: str) -> str:
    value = values.get(field)
    if not isinstance(value, str) or not value.strip():
        raise _unfit(path, name, f"{field} must be a text")
    return value


def _unfit(path: Path, name: str, reason: str) -> InvalidParams:
    at = f", {name}" if name else ""
    return InvalidParams(
        f"The catalogue of models {path}{at}: {reason}.",
        remedy="Correct the file that models.catalogue names; docs/how-to/models.md shows one.",
    )
