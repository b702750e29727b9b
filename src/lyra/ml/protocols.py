"""What the rest of Lyra asks of a model, whichever model and process answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pydantic import BaseModel

from lyra.model.edge import ReaderAnswer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AnswerForm = TypeVar("AnswerForm", bound=BaseModel)


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


class Reader(Protocol):
    """Pairs of a text and a claim to the two answers of one model."""

    @property
    def name(self) -> str:
        """Which of the readers it is: `small` or `large`."""

    @property
    def model_id(self) -> str:
        """Names the weights exactly; other weights, other id."""

    async def answers(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        """One row of logits (bears, side) per (text, claim), in order, uncalibrated."""


class Readers(Protocol):
    """Pairs of a text and a claim to the answer of the reader that decides."""

    @property
    def model_ids(self) -> Mapping[str, str]:
        """The readers at work, by name."""

    async def read(
        self, pairs: "Sequence[tuple[str, str]]", weighty: "Sequence[bool] | None" = None
    ) -> list[ReaderAnswer]:
        """One answer per pair, in order. `weighty` (all by default) are those worth the large reader's time."""


@dataclass(frozen=True, slots=True)
class Completion(Generic[AnswerForm]):
    """What a generator said; `dangers` names patterns in what it was given that sound like orders to a model.

    `cut_chars` of the material were not shown to it; `repaired` says that its first answer was unreadable.
    """

    answer: AnswerForm
    dangers: tuple[str, ...]
    seconds: float
    cut_chars: int = 0
    repaired: bool = False


class Generator(Protocol):
    """A question about some material to an answer of a fixed form."""

    @property
    def model_id(self) -> str:
        """The name under which the model was asked for."""

    @property
    def place(self) -> str:
        """Host and port of its server."""

    @property
    def takes_own_documents(self) -> bool:
        """Whether text of the user's own documents may be shown to it."""

    async def complete(
        self,
        system: str,
        material: Mapping[str, str],
        form: type[AnswerForm],
        *,
        session: str,
    ) -> Completion[AnswerForm]:
        """Judge named pieces of foreign text. `UnreadableAnswer` where the answer is unfit, else `ModelError`.

        `session` names what the question belongs to, such as a task.
        """
