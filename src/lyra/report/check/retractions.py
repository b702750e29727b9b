"""Whether a source was retracted, where it says so itself, and whether a sentence does."""

from collections.abc import Sequence

from lyra.model.check import DecidingPassage, Source
from lyra.report.check.layout import Sentence
from lyra.report.check.quotations import passage
from lyra.report.check.vocabulary import pattern
from lyra.text import preview


def names_retraction(sentence: Sentence) -> bool:
    return bool(pattern("citing", "retraction").search(sentence.plain))


def retracted_source(sources: Sequence[Source]) -> Source | None:
    """The retracted source, where each work that may be meant was retracted."""
    found = {one.key: one for one in sources if one.is_retracted}
    return next(iter(found.values()), None) if {one.key for one in sources} == set(found) else None


def notice_of(sources: Sequence[Source]) -> DecidingPassage | None:
    """Where a source itself says that it was retracted."""
    for source in sources:
        for fragment in source.fragments:
            if pattern("citing", "retraction").search(fragment.text):
                return passage(source, fragment, preview(fragment.text, 300))
    return None
