"""A language model with an adapter, run by ONNX Runtime: tokens in, three answers at the last of them out.

What was read before a token comes in as keys and values. So a text is read once for all its claims, and every claim is
read apart from the others: its answers are the same to the last bit, whatever else was asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from lyra.ml.adapter import Adapter, load_adapter
from lyra.ml.card import ModelCard
from lyra.ml.decoder_graph import decoder_graph, weights_of
from lyra.ml.four_bit import FourBit
from lyra.ml.judge_prompt import MAX_TOKENS
from lyra.ml.prepared import EMBEDDINGS, open_weights
from lyra.ml.session import failures, translated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

# More at once are no faster, and take memory.
_TOKENS_AT_ONCE = 128
# Added to a score it leaves nothing of it.
_HIDDEN = -1e9
_SUPPRESS_WARNINGS = 3


class Decoder:
    """The model of one prepared folder with the adapter over it."""

    def __init__(self, adapter: ModelCard, model: ModelCard, threads: int) -> None:
        self._card = adapter
        with open_weights(model) as weights:
            self._shape = replace(weights.shape, layers=adapter.layers)
            self._adapter = load_adapter(adapter, self._shape)
            self._session = self._open(self._adapter, weights.arrays, threads)
            table = (weights.arrays[f"{EMBEDDINGS}.{part}"] for part in ("values", "scales", "zeros"))
            self._embeddings = FourBit(*table)
            weights.forget()
        self._weights = weights  # the session has no reference of its own

    def nothing(self) -> "Matrix":
        """What has been read before anything was."""
        shape = self._shape
        return np.zeros((shape.layers, 2, shape.key_heads, 0, shape.head), np.float32)

    def read(self, tokens: Sequence[int], past: "Matrix") -> "Matrix":
        """The keys and values of `past` and, behind them, those of the tokens."""
        return self._run(tokens, past)[1]

    def answer(self, tokens: Sequence[int], past: "Matrix") -> "Matrix":
        """Three logits at the last of the tokens, of which there is at least one."""
        return self._run(tokens, past)[0]

    def _run(self, tokens: Sequence[int], past: "Matrix") -> "tuple[Matrix, Matrix]":
        answers: Matrix = np.zeros((0, 0), np.float32)
        for first in range(0, len(tokens), _TOKENS_AT_ONCE):
            some, before = np.array(tokens[first : first + _TOKENS_AT_ONCE], np.int64), past.shape[3]
            asked = {
                "embeds": self._embedded(some),
                "places": np.arange(before, before + len(some)),
                "bias": np.triu(np.full((len(some), before + len(some)), _HIDDEN, np.float32), before + 1),
                "past": past,
                "ends": np.array([len(some) - 1]),
            }
            try:
                answers, present = self._session.run(["answers", "present"], {**asked, **self._adapter.changes})
            except failures() as exc:
                raise translated(exc, f"The model {self._card.model_id} failed", self._card.remedy) from exc
            past = np.concatenate([past, present], 3)
        return answers[0], past

    def _embedded(self, tokens: "NDArray[np.int64]") -> "Matrix":
        """Of the table only the rows that are needed become floats."""
        different, places = np.unique(tokens, return_inverse=True)
        table = self._embeddings
        return FourBit(table.values[different], table.scales[different], table.zeros[different]).floats()[places]

    def _open(self, adapter: Adapter, arrays: "Mapping[str, NDArray[Any]]", threads: int) -> Any:
        """The session; ONNX Runtime brings the weights into an order of its own."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _SUPPRESS_WARNINGS
        options.enable_mem_pattern = False  # texts have all lengths, and it would keep memory for each
        # Threads that wait by spinning take the processor from everybody else.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        names = list(weights_of(self._shape))
        options.add_external_initializers(
            names, [onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name]) for name in names]
        )
        graph = decoder_graph(self._shape, adapter.ranks, adapter.answers, MAX_TOKENS)
        try:
            return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except failures() as exc:
            raise translated(exc, f"The model {self._card.model_id} cannot be loaded", self._card.remedy) from exc
