"""A language model as it was prepared at its pull: its weights in four bits in one file, and where each lies there.

`decoder.json` says the sizes and, by name, the kind, form and place of every array of `weights.bin`.
"""

import json
import math
import mmap
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.card import (
    CARD_FILE,
    DECODER_FILE,
    WEIGHTS_FILE,
    ModelCard,
    load_card,
    pull_again,
    read_card,
    verified_file,
)
from lyra.ml.decoder_graph import DecoderShape, weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMBEDDINGS = "token_embd"
_KINDS = ("|u1", "<f2", "<f4")


@dataclass(frozen=True, slots=True)
class Place:
    """An array within the file of weights: its kind as numpy writes it, its form, and the byte at which it begins."""

    kind: str
    form: tuple[int, ...]
    start: int


def load_prepared(folder: Path) -> ModelCard:
    """The card of a prepared model; `ModelError` says that it has to be pulled again where it is not one."""
    try:
        values = read_card(folder)
    except ModelError as exc:
        raise ModelError(exc.message, remedy=pull_again(folder)) from exc
    if isinstance(values, dict) and values.get("kind") == "generator" and "base" not in values:
        raise ModelError(
            f"The model in {folder} was pulled by an older Lyra and is not prepared for this one.",
            remedy=pull_again(folder),
        )
    return load_card(folder, "generator")


def check_fits(model: ModelCard, adapter: ModelCard) -> None:
    """Whether the adapter was trained over this model, and the model prepared with as many layers."""
    if model.base != adapter.base:
        raise ModelError(
            f"The model in {model.directory} is not the one that the adapter of the strong reader was trained over "
            f"(SHA-256 {model.base[:12]}…, not {adapter.base[:12]}…), so it may not judge.",
            remedy="`lyra models pull judge` gets the one that may; then `lyra models use judge`.",
            details={"file": str(model.directory / CARD_FILE), "found": model.base, "expected": adapter.base},
        )
    if model.layers < adapter.layers:
        raise ModelError(
            f"The model in {model.directory} was prepared with fewer layers ({model.layers}) than the adapter of the "
            f"strong reader wants ({adapter.layers}).",
            remedy=pull_again(model.directory),
        )


def check_size(card: ModelCard) -> None:
    """Whether the file of weights is as long as the list of its arrays says; hashes nothing."""
    try:
        content = (card.directory / DECODER_FILE).read_bytes()
        size = (card.directory / WEIGHTS_FILE).stat().st_size
    except OSError as exc:
        path = exc.filename
        raise ModelError(f"The model file {path} cannot be read: {exc.strerror}.", remedy=card.remedy) from exc
    _, places = _parse(card, content)
    if any(one.start + math.prod(one.form) * int(one.kind[2:]) > size for one in places.values()):
        raise _too_short(card)


def decoder_text(shape: DecoderShape, places: Mapping[str, Place]) -> str:
    """The content of `decoder.json`."""
    written = {name: asdict(place) for name, place in places.items()}
    return json.dumps({"shape": asdict(shape), "arrays": written}) + "\n"


class Weights:
    """The sizes of a model and its arrays, by name, mapped into memory."""

    def __init__(self, shape: DecoderShape, mapped: mmap.mmap, arrays: "Mapping[str, NDArray[Any]]") -> None:
        self.shape = shape
        self.arrays = arrays
        self._mapped = mapped

    def forget(self) -> None:
        """Give back the memory of what was read; it is read again where it is needed."""
        self._mapped.madvise(mmap.MADV_DONTNEED)


@contextmanager
def open_weights(card: ModelCard) -> Iterator[Weights]:
    """The weights, from files that were proven by their hashes."""
    with ExitStack() as opened:
        with verified_file(card, DECODER_FILE) as file:
            shape, places = _parse(card, file.read())
        weights = opened.enter_context(verified_file(card, WEIGHTS_FILE))
        mapped = mmap.mmap(weights.fileno(), 0, access=mmap.ACCESS_READ)
        yield Weights(shape, mapped, _arrays(card, mapped, places))


def _parse(card: ModelCard, content: bytes) -> tuple[DecoderShape, dict[str, Place]]:
    try:
        values = json.loads(content)
        shape = DecoderShape(**values["shape"])
        places = {
            str(name): Place(str(one["kind"]), tuple(map(int, one["form"])), int(one["start"]))
            for name, one in values["arrays"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise _unfit(card, f"{DECODER_FILE} is damaged") from exc
    if any(one.kind not in _KINDS or one.start < 0 or min(one.form, default=0) < 1 for one in places.values()):
        raise _unfit(card, f"{DECODER_FILE} is damaged")
    if missing := [name for name, form in weights_of(shape).items() if name not in places or places[name].form != form]:
        raise _unfit(card, f"{DECODER_FILE} has no {missing[0]}")
    return shape, places


def _arrays(card: ModelCard, mapped: mmap.mmap, places: Mapping[str, Place]) -> "dict[str, NDArray[Any]]":
    import numpy as np

    found: dict[str, NDArray[Any]] = {}
    for name, place in places.items():
        try:
            flat = np.frombuffer(mapped, np.dtype(place.kind), math.prod(place.form), place.start)
        except ValueError as exc:
            raise _too_short(card) from exc
        found[name] = flat.reshape(place.form)
    return found


def _too_short(card: ModelCard) -> ModelError:
    return _unfit(card, f"{WEIGHTS_FILE} is shorter than {DECODER_FILE} says")


def _unfit(card: ModelCard, why: str) -> ModelError:
    return ModelError(f"The model in {card.directory} is unfit: {why}.", remedy=card.remedy)
