"""What a reader says of a text and a claim."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """One reader's two answers as logits: whether the text bears on the claim, and which side it takes (above 0 for,
    below 0 against). `reader` is who decided: `small`, or the language that a larger one reads."""

    bears: float
    side: float
    reader: str
    model_id: str
