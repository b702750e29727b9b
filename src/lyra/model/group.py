"""Pages that do not speak for themselves."""

from dataclasses import dataclass
from enum import StrEnum


class GroupKind(StrEnum):
    """Why: one story in one wording, citations in a circle, or a page that cites nobody but its own publisher."""

    NARRATIVE = "narrative"
    LOOP = "loop"
    SELF_REFERENCE = "self_reference"


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Page ids with the reason; the pages of a loop count as one source, and those of each story of a narrative.

    `stories` are the pages that tell one text, for each such text of a narrative; a page may be in several.
    """

    kind: GroupKind
    pages: frozenset[str]
    stories: tuple[frozenset[str], ...] = ()
