"""The figures of a sentence compared with those of its sources."""

from collections.abc import Sequence

from lyra.model.check import CheckedKind, CheckStatus, Finding, Source
from lyra.report.check import sentences as said
from lyra.report.check.layout import Layout, Sentence
from lyra.report.check.numbers import Stated, has_figure, is_same, rivals, stated
from lyra.report.check.statements import NOT_SAID, Aligned
from lyra.text import nfkc

_MOST_RIVALS = 3


def check_figures(
    layout: Layout,
    sentence: Sentence,
    sources: Sequence[Source],
    aligned: Sequence[Aligned],
    quotations: Sequence[tuple[int, int]],
) -> list[Finding]:
    """One finding for each figure outside quotations, which are checked as a whole."""
    found: list[Finding] = []
    for one in stated(sentence.plain):
        start, end = _place(sentence, one)
        is_quoted = any(first <= start and end <= last for first, last in quotations)
        if one.is_small_word or is_quoted:
            continue
        finding = _check(layout, one, (start, end), sources, aligned)
        if finding is not None:
            found.append(finding)
    return found


def _place(sentence: Sentence, one: Stated) -> tuple[int, int]:
    """Where the figure stands; the whole sentence where it is written otherwise there, such as 令和5年."""
    at = nfkc(sentence.mask).find(one.text) if len(nfkc(sentence.mask)) == len(sentence.mask) else -1
    return (sentence.start, sentence.end) if at < 0 else (sentence.start + at, sentence.start + at + len(one.text))


def _check(
    layout: Layout, one: Stated, span: tuple[int, int], sources: Sequence[Source], aligned: Sequence[Aligned]
) -> Finding | None:
    place = layout.place(*span)
    near = next((each for each in aligned if has_figure(one, each.fragment.text)), None)
    if near is not None:
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.text, said.NUMBER_FOUND, near.passage)
    others = rivals(one, [each.quote for each in aligned if each.share >= NOT_SAID][:1])
    if _is_anywhere(one, sources) and not (others and not one.is_year):
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.text, said.NUMBER_FOUND)
    if one.is_year and not others:
        return None  # the year of a source is the author's own addition
    passage = aligned[0].passage if aligned else None
    if others:
        shown = ", ".join(dict.fromkeys(each.text for each in others[:_MOST_RIVALS]))
        told = said.NUMBER_OTHER.format(rivals=shown)
        return Finding(CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, place, one.text, told, passage)
    return Finding(CheckedKind.NUMBER, CheckStatus.UNSUPPORTED, place, one.text, said.NUMBER_MISSING, passage)


def _is_anywhere(one: Stated, sources: Sequence[Source]) -> bool:
    """Whether the source has the figure anywhere, its title and date included."""
    texts = (text for source in sources for text in (source.title, source.published or "", *_texts(source)))
    return any(is_same(one, other) or _has_same_parts(one, other) for text in texts for other in stated(text))


def _has_same_parts(one: Stated, other: Stated) -> bool:
    """Figures of two kinds written alike, such as 80 dollars and 80 %; 1億3千万 and 3億1千万 are of one kind."""
    return one.figure.kind != other.figure.kind and bool(one.parts) and one.parts == other.parts


def _texts(source: Source) -> list[str]:
    return [fragment.text for fragment in source.fragments]
