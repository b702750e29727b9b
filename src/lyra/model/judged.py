"""What a reader was given for one judgement, part by part, and which part of it decided."""

from dataclasses import dataclass
from enum import StrEnum


class PartRole(StrEnum):
    """What a part of a judged text is: the words that decided, or what was read beside them.

    `title` of the page, `heading` above the fragment, `before`: the sentence before, which a pronoun or a dropped
    subject points to, `header` of a table's column, `context`: other sentences of the fragment.
    """

    DECIDING = "deciding"
    TITLE = "title"
    HEADING = "heading"
    BEFORE = "before"
    HEADER = "header"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A part from `start` to `end` of the judged text.

    Words of a fragment have their place there too; `fragment_id` is None where it is the edge's own fragment.
    """

    role: PartRole
    start: int
    end: int
    fragment_start: int | None = None
    fragment_end: int | None = None
    fragment_id: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedText:
    """The text that the reader was given, to the letter; what lies between its parts only joins them."""

    text: str
    parts: tuple[JudgedPart, ...]

    @property
    def quote_start(self) -> int | None:
        """Where the deciding words begin in the edge's fragment."""
        starts = [one.fragment_start for one in self.parts if one.role is PartRole.DECIDING]
        return min((one for one in starts if one is not None), default=None)

    @property
    def marked(self) -> str:
        """On one line for people: what was read beside the deciding words stands in square brackets."""
        pieces: list[str] = []
        at, is_context = 0, False
        for part in self.parts:
            is_beside = part.role is not PartRole.DECIDING
            joint = self.text[at : part.start]
            if is_beside != is_context:
                # A bracket opens after the joint and closes before it.
                joint = joint.rstrip() + ("" if is_beside else "]") + " " + ("[" if is_beside else "")
            pieces += [joint, self.text[part.start : part.end]]
            at, is_context = part.end, is_beside
        pieces.append(self.text[at:].rstrip() + ("]" if is_context else ""))
        return " ".join("".join(pieces).split())
