"""The adapter of the strong reader: what is added to the parts of a language model, and the rows of its answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from lyra.errors import ModelError
from lyra.ml.card import ADAPTER_FILE, ModelCard, verified_file
from lyra.ml.decoder_graph import ANSWERS, DecoderShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ANSWER_ROWS = "answers"


@dataclass(frozen=True, slots=True)
class Adapter:
    """`changes` are of some parts, such as `blk.0.attn_q`, two matrices, `.a` [in, rank] and `.b` [rank, out], whose
    product is added; `answers` [3, width] are the rows of supports, refutes and neutral."""

    changes: "Mapping[str, NDArray[np.float32]]"
    answers: "NDArray[np.float32]"

    @property
    def ranks(self) -> dict[str, int]:
        """Of each part that is changed."""
        return {name[:-2]: array.shape[1] for name, array in self.changes.items() if name.endswith(".a")}


def load_adapter(card: ModelCard, shape: DecoderShape) -> Adapter:
    """The adapter in a card's folder, for a model of these sizes; `ModelError` where it is none."""
    arrays = _read(card)
    answers = arrays.get(_ANSWER_ROWS)
    if answers is None or answers.shape != (ANSWERS, shape.width):
        raise _unfit(card, "it has no rows of answers")
    parts = {f"blk.{layer}.{part}": sizes for layer in range(shape.layers) for part, sizes in shape.linears.items()}
    if stray := sorted({name.rpartition(".")[0] for name in arrays if name != _ANSWER_ROWS} - set(parts)):
        raise _unfit(card, f"it changes {stray[0]!r}, which the model does not have")
    changes: dict[str, NDArray[np.float32]] = {}
    for name, (rows, columns) in parts.items():
        first, second = arrays.get(f"{name}.a"), arrays.get(f"{name}.b")
        if first is None and second is None:
            continue
        if first is None or second is None or first.shape[1:] != (columns,) or second.shape != (rows, len(first)):
            raise _unfit(card, f"its part {name} has another form")
        for half, array in (("a", first), ("b", second)):
            changes[f"{name}.{half}"] = np.ascontiguousarray(array.T, np.float32)
    return Adapter(changes, answers.astype(np.float32))


def _read(card: ModelCard) -> "dict[str, NDArray[Any]]":
    try:
        with verified_file(card, ADAPTER_FILE) as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (ValueError, OSError, EOFError, BadZipFile, AttributeError, TypeError) as exc:
        raise _unfit(card, "it is not an archive of arrays") from exc


def _unfit(card: ModelCard, why: str) -> ModelError:
    return ModelError(f"The adapter {card.directory / ADAPTER_FILE} is unfit: {why}.", remedy=card.remedy)
