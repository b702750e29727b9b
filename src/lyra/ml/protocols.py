"""What the rest of Lyra asks of a model, whichever model and process answers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Texts to vectors whose dot product is their similarity."""

    @property
    def model_id(self) -> str:
        """Names the weights exactly; other weights, other id."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 per text, in order; a text the model knows no word of gets the zero vector."""


class Entailer(Protocol):
    """Pairs of texts to what the first says of the second."""

    @property
    def model_id(self) -> str:
        """Names the weights exactly; other weights, other id."""

    async def logits(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        """One row (supports, refutes, neutral) per (premise, hypothesis), in order, uncalibrated."""
