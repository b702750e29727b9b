"""Model cards: where the weights are, what they are, and the hashes that prove it. Imports nothing heavy."""

import contextlib
import hashlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Literal

from lyra.errors import ModelError
from lyra.model.edge import LARGE_READER, STRONG_READER

ModelKind = Literal["embedder", "reader", "adapter", "generator"]
Pooling = Literal["none", "mean", "cls"]
POOLINGS: tuple[Pooling, ...] = ("none", "mean", "cls")
EMBEDDER = "embedder"
CARD_FILE = "card.json"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
ADAPTER_FILE = "adapter.npz"
# What a language model consists of once it is prepared.
DECODER_FILE, WEIGHTS_FILE = "decoder.json", "weights.bin"
PREPARED_FILES = (DECODER_FILE, WEIGHTS_FILE, TOKENIZER_FILE)
NLI_LABELS = ("entailment", "neutral", "contradiction")
_LABEL_STARTS = {"entail": "entailment", "contradict": "contradiction", "neutral": "neutral"}
# Tokens of real text average far below this; what lies beyond cannot be among the first `max_tokens`.
_CHARS_PER_TOKEN = 48
REMEDY = "Reinstall lyra-mcp, or point the setting models.directory at intact weights."
ADAPTER_REMEDY = "Reinstall lyra-reader-strong, or point the setting models.adapter at intact weights."


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The facts of one set of weights. `files` maps each file's name to its SHA-256.

    Of the small reader: `asks_from` says by language from which raw chance that a text bears on a claim the large one
    is asked; of an adapter, from which raw chance of the large one the strong one is. Of a model in the layout of
    another maker: `graph` is the file of its graph, `pooling` makes one vector of those of its tokens, `prefix` stands
    before every text, and `labels` are the answers of an NLI model, in order.
    Of an adapter: `base` is the SHA-256 of the language model's file that it was trained over, `layers` the number of
    its first layers that are used, and `prompt` what it is asked, with the places of text and claim. Of a language
    model, a generator: `base` is the file that it was prepared from, `layers` those that were prepared.
    """

    directory: Path
    name: str
    version: str
    kind: ModelKind
    licence: str
    max_tokens: int
    files: Mapping[str, str]
    dimension: int = 0
    asks_from: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)
    fusion: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    graph: str = MODEL_FILE
    pooling: Pooling = "none"
    prefix: str = ""
    labels: tuple[str, ...] = ()
    is_pulled: bool = False
    base: str = ""
    layers: int = 0
    prompt: str = ""

    @property
    def digest(self) -> str:
        """One hash over the hashes of all files."""
        listing = "\n".join(f"{name} {digest}" for name, digest in sorted(self.files.items()))
        return hashlib.sha256(listing.encode()).hexdigest()

    @property
    def model_id(self) -> str:
        """Name, version and the beginning of the digest, as stored on every edge and vector."""
        return f"{self.name}@{self.version}+{self.digest[:8]}"

    @property
    def remedy(self) -> str:
        """What to do where the weights cannot be used."""
        return pull_again(self.directory) if self.is_pulled else _remedy(self.directory, self.kind)

    def bounded(self, text: str) -> str:
        """The part of a text that can become tokens, however long the text is."""
        return text.lstrip()[: self.max_tokens * _CHARS_PER_TOKEN]


def load_card(directory: Path, kind: ModelKind | None = None) -> ModelCard:
    """Read and check the card of the model in a directory; hashes nothing yet.

    Without a kind, the directory's name is the model's place, and says which it must be.
    """
    kind = kind or ("embedder" if directory.name == EMBEDDER else "reader")
    try:
        return _parse_card(read_card(directory), kind, directory / CARD_FILE)
    except ModelError as exc:
        raise ModelError(exc.message, remedy=_remedy(directory, kind)) from exc


def shared_root() -> Path:
    """Where the models of everyone lie who uses this environment."""
    return Path(sys.prefix, "share", "lyra", "models")


def pull_again(directory: Path) -> str:
    """What to do where a model that was pulled is damaged."""
    name = directory.name
    if directory.parent == shared_root():
        return f"Pull it again with `lyra models pull {name} --shared --index`."
    return f"Pull it again with `lyra models pull {name}`."


def _remedy(directory: Path, kind: ModelKind) -> str:
    if kind == "adapter":
        return ADAPTER_REMEDY
    return pull_again(directory) if kind == "generator" else REMEDY


def read_card(directory: Path) -> Any:
    """What the card of a directory says, unchecked."""
    name, path = directory.name, directory / CARD_FILE
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as exc:
        raise ModelError(f"The {name} model's card {path} cannot be read: {exc.strerror}.", remedy=REMEDY) from exc
    except (ValueError, RecursionError) as exc:
        raise ModelError(f"The {name} model's card {path} is not valid JSON.", remedy=REMEDY) from exc


def card_bytes(card: ModelCard) -> bytes:
    """The card's file; of a server's model, which has none, what is known of it."""
    try:
        return (card.directory / CARD_FILE).read_bytes()
    except FileNotFoundError:
        known = {"name": card.name, "version": card.version, "kind": card.kind, "calibration": dict(card.calibration)}
        return json.dumps(known, indent=2).encode()


@contextlib.contextmanager
def verified_file(card: ModelCard, name: str) -> Iterator[BinaryIO]:
    """One file of the card, open at its beginning and proven by its hash.

    The bytes checked are the bytes used, though nothing holds them in memory: both are read from the one open file, and
    a file that is written to before the caller is done with it is a `ModelError`.
    """
    path = card.directory / name
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            before = _last_write(file)
            found = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
        except OSError as exc:
            raise ModelError(f"The model file {path} cannot be read: {exc.strerror}.", remedy=card.remedy) from exc
        if found != card.files[name]:
            raise _wrong_hash(card, name, found)
        yield file
        if _last_write(file) != before:
            raise ModelError(f"The model file {path} was written to while it was loaded.", remedy=card.remedy)


def verify(card: ModelCard) -> None:
    """Check every file of the card against its hash."""
    for name in card.files:
        with verified_file(card, name):
            pass


def _last_write(file: BinaryIO) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


def _wrong_hash(card: ModelCard, name: str, found: str) -> ModelError:
    path, expected = card.directory / name, card.files[name]
    return ModelError(
        f"The model file {path} is not the one its card names (SHA-256 {found[:12]}…, not {expected[:12]}…).",
        remedy=card.remedy,
        details={"file": str(path), "found": found, "expected": expected},
    )


def _parse_card(values: object, kind: ModelKind, path: Path) -> ModelCard:
    if not isinstance(values, dict):
        raise _invalid_card(path, "it is not an object")
    files = values.get("files")
    if not isinstance(files, dict) or not all(is_hash(digest) for digest in files.values()):
        raise _invalid_card(path, "files must map names to SHA-256 hashes")
    graph = _text(values, "graph", path) if "graph" in values else MODEL_FILE
    if missing := [name for name in _needed_files(kind, graph) if name not in files]:
        raise _invalid_card(path, f"files does not name {missing[0]}")
    if stray := [name for name in files if leaves_folder(name)]:
        raise _invalid_card(path, f"the file name {stray[0]!r} leaves the directory")
    if values.get("kind") != kind:
        raise _invalid_card(path, f"kind is {values.get('kind')!r}, not {kind!r}")
    return ModelCard(
        directory=path.parent,
        name=_text(values, "name", path),
        version=_text(values, "version", path),
        kind=kind,
        licence=_text(values, "licence", path),
        max_tokens=_count(values, "max_tokens", path, least=8),
        files=files,
        dimension=_count(values, "dimension", path, least=1) if kind == "embedder" else 0,
        asks_from=_chances(values.get("asks_from", {}), "asks_from", path),
        thresholds=_chances(values.get("thresholds", {}), "thresholds", path),
        calibration=_mapping(values.get("calibration", {}), "calibration", path),
        fusion={
            language: _numbers(weights, f"fusion.{language}", path)
            for language, weights in _mapping(values.get("fusion", {}), "fusion", path).items()
        },
        graph=graph,
        pooling=_pooling(values.get("pooling", "none"), path),
        prefix=_text(values, "prefix", path) if "prefix" in values else "",
        labels=_labels(values.get("labels", []), path),
        is_pulled=values.get("is_pulled") is True,
        **(_base_fields(values, path) if kind in ("adapter", "generator") else {}),
        prompt=_prompt(values, path) if kind == "adapter" else "",
    )


def _needed_files(kind: ModelKind, graph: str) -> tuple[str, ...]:
    if kind == "adapter":
        return (ADAPTER_FILE,)
    return PREPARED_FILES if kind == "generator" else (graph, TOKENIZER_FILE)


def _base_fields(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    base = values.get("base")
    if not is_hash(base):
        raise _invalid_card(path, "base must be the SHA-256 of a language model")
    return {"base": base, "layers": _count(values, "layers", path, least=1)}


def _prompt(values: Mapping[str, Any], path: Path) -> str:
    prompt = _text(values, "prompt", path)
    text, claim = (prompt.find(one) for one in ("{text}", "{claim}"))
    if not 0 <= text < claim:
        raise _invalid_card(path, "prompt must have places for {text} and, behind it, {claim}")
    return prompt


def nli_label(written: str) -> str:
    """One of `NLI_LABELS` from how a maker writes it; empty where it is none of them."""
    return next((name for start, name in _LABEL_STARTS.items() if written.lower().startswith(start)), "")


def leaves_folder(name: str) -> bool:
    """Whether a file name of a card or a list of files is anything but a plain path below its folder."""
    parts = name.split("/")
    return "\\" in name or not name.isprintable() or any(part in ("", ".", "..") for part in parts)


def _pooling(value: object, path: Path) -> Pooling:
    found = next((one for one in POOLINGS if one == value), None)
    if found is None:
        raise _invalid_card(path, "pooling must be none, mean or cls")
    return found


def _labels(value: object, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or (value and sorted(map(str, value)) != sorted(NLI_LABELS)):
        raise _invalid_card(path, f"labels must be {', '.join(NLI_LABELS)} in the order of the model")
    return tuple(value)


def is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _text(values: Mapping[str, Any], name: str, path: Path) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _invalid_card(path, f"{name} must be a text")
    return value


def _count(values: Mapping[str, Any], name: str, path: Path, *, least: int) -> int:
    value = values.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _invalid_card(path, f"{name} must be a whole number of at least {least}")
    return value


def _mapping(value: object, name: str, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _invalid_card(path, f"{name} must be an object")
    return value


def _numbers(value: object, name: str, path: Path) -> Mapping[str, float]:
    found = _mapping(value, name, path)
    if not all(_is_number(number) for number in found.values()):
        raise _invalid_card(path, f"{name} must hold numbers")
    return {key: float(number) for key, number in found.items()}


def _is_number(value: object) -> bool:
    """JSON as Python reads it also knows NaN and Infinity, with which every comparison is silently false."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _chances(value: object, name: str, path: Path) -> Mapping[str, float]:
    found = _numbers(value, name, path)
    if not all(0 <= number <= 1 for number in found.values()):
        raise _invalid_card(path, f"{name} must lie between 0 and 1")
    return found


def _invalid_card(path: Path, reason: str) -> ModelError:
    return ModelError(f"The model card {path} is unfit: {reason}.", remedy=REMEDY)


# Larger readers come as packages of their own, so that no wheel is too large for an index.
DATA_PACKAGE = "lyra_reader_large"
ADAPTER_PACKAGE = "lyra_reader_strong"
_BUNDLED = Path(__file__).parent / "weights"


def model_directory(name: str, root: Path | None = None) -> Path:
    """The directory of a model that everyone has; `root` is the user's own directory, in which every model has one."""
    return (root or _BUNDLED) / name


def large_reader_directory(root: Path | None = None) -> Path | None:
    """The directory of the large reader; None where it is not installed, or not in the user's directory."""
    above = root or _data_package(DATA_PACKAGE)
    return above / LARGE_READER if above and (above / LARGE_READER).is_dir() else None


def strong_reader_directory() -> Path | None:
    """The directory of the strong reader's adapter; None where it is not installed."""
    above = _data_package(ADAPTER_PACKAGE)
    return above / STRONG_READER if above else None


def _data_package(name: str) -> Path | None:
    found = find_spec(name)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None
