"""The fitted recogniser: how likely a sentence is an order to an AI, or a request to an assistant."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from lyra.security.order_features import features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = "weights/orders.npz"


@dataclass(frozen=True, slots=True)
class OrderModel:
    """One linear layer over hashed n-grams: plain text, request, order."""

    weights: "NDArray[np.float32]"
    bias: "NDArray[np.float32]"

    def chances(self, sentences: Sequence[str]) -> "NDArray[np.float32]":
        """A row for every sentence: the chances that it is plain text, a request, an order."""
        import numpy as np

        found = np.empty((len(sentences), 3), np.float32)
        for row, sentence in enumerate(sentences):
            buckets = features(sentence)
            found[row] = self.weights[buckets].sum(axis=0) / np.float32(len(buckets) ** 0.5) + self.bias
        found -= found.max(axis=1, keepdims=True)
        np.exp(found, out=found)
        found /= found.sum(axis=1, keepdims=True)
        return found


@cache
def order_model() -> OrderModel:
    """The bundled weights (`weights/orders.json` says where they come from)."""
    import numpy as np

    with resources.files("lyra.security").joinpath(WEIGHTS).open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        weights = stored["weights"].astype(np.float32) * stored["scale"].astype(np.float32)
        return OrderModel(weights, stored["bias"].astype(np.float32))
