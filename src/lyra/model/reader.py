"""What a reader says of a text and a claim."""

from dataclasses import dataclass

# The two readers, by the names that edges keep.
SMALL_READER = "small"
LARGE_READER = "large"


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """One reader's two answers as logits: whether the text bears on the claim, and which side it takes (above 0 for,
    below 0 against). `reader` is who decided: `small` or `large`."""

    bears: float
    side: float
    reader: str
    model_id: str
