"""What a graph of another maker is given and what it answers: tensor names, pooling, NLI labels. Pure.

Known are the layouts that Hugging Face's exporters write: `last_hidden_state` or `token_embeddings` to be pooled,
`sentence_embedding` or `dense_vecs` ready-made, and the `logits` of a classifier.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lyra.errors import ModelError
from lyra.ml.card import ModelCard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_SENTENCES = ("sentence_embedding", "dense_vecs", "pooler_output_normalized")
_TOKENS = ("last_hidden_state", "token_embeddings")
_LOGITS = ("logits",)
_TINIEST = 1e-12


def check_inputs(card: ModelCard, names: Sequence[str]) -> None:
    """`ModelError` where the graph asks for something that a text does not give, or not for its tokens."""
    if foreign := [name for name in names if name not in INPUTS]:
        raise _foreign(card, f"it asks for {', '.join(foreign)}")
    if INPUTS[0] not in names:
        raise _foreign(card, f"it does not take {INPUTS[0]}")


def choose_output(card: ModelCard, outputs: Sequence[tuple[str, int]]) -> tuple[str, bool]:
    """The output to read, given names and numbers of axes, and whether its tokens are to be pooled.

    The bundled graphs have one output, which is the answer.
    """
    if not card.is_pulled:
        return outputs[0][0], False
    known = dict(outputs)
    if card.kind == "reader":
        if found := [name for name in _LOGITS if known.get(name) == 2]:
            return found[0], False
        raise _foreign(card, f"its outputs are {', '.join(known)}, none of them logits")
    if found := [name for name in _SENTENCES if known.get(name) == 2]:
        return found[0], False
    if found := [name for name in _TOKENS if known.get(name) == 3]:
        return found[0], True
    raise _foreign(card, f"its outputs are {', '.join(known)}, none of them vectors of sentences or tokens")


def pooled(card: ModelCard, tokens: "Matrix", mask: "NDArray[np.int64]") -> "Matrix":
    """One vector a text from those of its tokens (text, token, dimension)."""
    if card.pooling == "cls":
        return np.asarray(tokens[:, 0], np.float32)
    weight = mask[:, :, None].astype(np.float32)
    return np.asarray((tokens * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1), np.float32)


def normalised(rows: "Matrix") -> "Matrix":
    """Rows of length 1."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), _TINIEST), np.float32)


def two_answers(logits: "Matrix", labels: Sequence[str]) -> "Matrix":
    """(bears, side) from the logits of entailment, neutral and contradiction: a text bears on a claim if it entails or
    contradicts it, bears = logsumexp(E, C) - N, and side = E - C."""
    entailment, neutral, contradiction = (
        logits[:, labels.index(name)] for name in ("entailment", "neutral", "contradiction")
    )
    bears = np.logaddexp(entailment, contradiction) - neutral
    return np.stack([bears, entailment - contradiction], axis=1).astype(np.float32)


def _foreign(card: ModelCard, why: str) -> ModelError:
    return ModelError(
        f"The graph {card.directory / card.graph} has another layout: {why}.",
        remedy="Use an ONNX export of a sentence encoder or of an NLI model, as Hugging Face's exporters write it.",
    )
