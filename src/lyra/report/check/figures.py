"""The figures of a sentence compared with those of its sources."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from lyra.claims.notation import western_figures
from lyra.claims.sentences import sentence_spans
from lyra.model.check import CheckedKind, CheckStatus, DecidingPassage, Finding, Source
from lyra.report.check import messages
from lyra.report.check.derived import follows, is_converted, is_miscalculated
from lyra.report.check.elsewhere import words_of
from lyra.report.check.layout import Layout, Sentence
from lyra.report.check.numbers import Stated, different_figures, has_figure, is_coarse, is_same, stated
from lyra.report.check.opposite_words import sentences_of
from lyra.report.check.page_figures import follows_from_page, is_bare_head, is_table_unread
from lyra.report.check.quotations import passage
from lyra.report.check.statements import NOT_SAID, Aligned
from lyra.report.check.vocabulary import pattern

_MOST_DIFFERENT = 3
# From here on a sentence of the source has the same wording but for its figures.
_SAME_WORDING = 0.75
_LEAST_WORDS = 4
_BEHIND = 12
_YEAR_OF_DATE = re.compile(r"\d{4}年?|(?:令和|平成|昭和)(?:元|\d{1,2})年")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


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
        start, end = place_of(sentence, one)
        is_quoted = any(first <= start and end <= last for first, last in quotations)
        if one.is_small_word or is_quoted:
            continue
        finding = _check(layout, one, sentence, sources, aligned)
        if finding is not None:
            found.append(finding)
    return found


def place_of(sentence: Sentence, one: Stated) -> tuple[int, int]:
    """Where a figure of a sentence's plain words stands in the text: they differ from it by blanks alone."""
    before = len(_without_blanks(sentence.plain[: one.span[0]]))
    length = len(_without_blanks(sentence.plain[slice(*one.span)]))
    solid = [at for at, char in enumerate(sentence.mask) if not char.isspace()]
    return sentence.start + solid[before], sentence.start + solid[before + length - 1] + 1


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def other_figures(others: Sequence[Stated], sentence: str) -> str:
    """What is said of a figure that the source has otherwise: figures that the sentence has, too, are not meant."""
    own = stated(sentence)
    meant = [one for one in others if not any(is_same(each, one) for each in own)] or others
    shown = list(dict.fromkeys(one.shown for one in meant))
    return messages.NUMBER_OTHER.format(figures=", ".join(shown[:_MOST_DIFFERENT]))


def _check(
    layout: Layout,
    one: Stated,
    sentence: Sentence,
    sources: Sequence[Source],
    aligned: Sequence[Aligned],
) -> Finding | None:
    place = layout.place(*place_of(sentence, one))
    is_replaced = bool(aligned) and _is_replaced(one, sentence.plain, aligned[0].quote)
    beside = _sentence_with_other_figure(one, sentence.plain, aligned)
    near = next((each for each in aligned if _passage_has(one, each, beside)), None)
    if near is not None and not is_replaced:
        where = _where(one, near)
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.shown, messages.NUMBER_FOUND, where)
    if any(has_figure(one, source.title) or _is_its_date(one, source) for source in sources):
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.shown, messages.NUMBER_FOUND)
    quotes = [each.quote for each in aligned if each.share >= NOT_SAID and not is_bare_head(each.fragment.text)]
    others = different_figures(one, quotes[:1])
    if _is_anywhere(one, sources) and not (others and not one.is_year):
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.shown, messages.NUMBER_FOUND)
    if one.is_year and not others:
        return None  # the year of a source is the author's own addition
    behind = sentence.plain[one.span[1] : one.span[1] + _BEHIND]
    others = others or (different_figures(one, [beside.quote]) if beside else ())
    is_replaced = is_replaced or is_miscalculated(one, sentence.plain)
    given_by = [beside] if beside else _sentences(aligned)
    calculated = (each for each in given_by if not is_replaced and follows(one, behind, each.quote))
    converted = (each for each in _sentences(aligned) if is_converted(one, behind, each.quote))
    origin = next(converted, None) or next(calculated, None)
    if origin is not None:
        return Finding(
            CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.shown, messages.NUMBER_FOLLOWS, origin.passage
        )
    found = aligned[0].passage if aligned else None
    if not (is_replaced or beside) and follows_from_page(one, sentence.plain, sources):
        return Finding(CheckedKind.NUMBER, CheckStatus.RESOLVED, place, one.shown, messages.NUMBER_FOLLOWS, found)
    if is_coarse(one) and not others:
        return Finding(CheckedKind.NUMBER, CheckStatus.NOT_CHECKED, place, one.shown, messages.NUMBER_OPEN, found)
    if others:
        other = other_figures(others, sentence.plain)
        return Finding(CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, place, one.shown, other, found)
    if one.is_counted_word:
        return None  # such as "seven did not answer": the author's own count, where the source gives no other
    if is_table_unread(sources):
        return Finding(CheckedKind.NUMBER, CheckStatus.NOT_CHECKED, place, one.shown, messages.TABLE_UNREAD, found)
    if _is_span(one, sentence.plain) and _have_dates(sources):
        return Finding(CheckedKind.NUMBER, CheckStatus.NOT_CHECKED, place, one.shown, messages.NUMBER_OPEN, found)
    return Finding(CheckedKind.NUMBER, CheckStatus.UNSUPPORTED, place, one.shown, messages.NUMBER_MISSING, found)


def _is_span(one: Stated, sentence: str) -> bool:
    """Whether a figure counts days, weeks, months or years, which an author may have calculated from two dates."""
    return not one.is_year and pattern("figures", "span").search(f"{one.shown}|{sentence[one.span[1] :]}") is not None


def _have_dates(sources: Sequence[Source]) -> bool:
    """Whether the pages have two dates or years at least."""
    dates = (one for source in sources for text in (source.published or "", *_texts(source)) for one in stated(text))
    return next(islice((one for one in dates if one.is_year or one.figure.kind == "date"), 1, None), None) is not None


def _passage_has(one: Stated, near: Aligned, beside: Aligned | None) -> bool:
    """Whether a passage has a figure; calculated from others only where no sentence gives another one instead."""
    if beside is None:
        return has_figure(one, near.fragment.text)
    return any(is_same(one, each) for each in stated(near.fragment.text)) or has_figure(one, beside.quote)


def _sentence_with_other_figure(one: Stated, sentence: str, aligned: Sequence[Aligned]) -> Aligned | None:
    """The sentence of the source that shares another figure of this kind with the sentence, and has exactly one that it
    has not: the source gives that one instead of this figure. Rows of tables are compared as a whole."""
    if one.is_year or one.is_inexact or is_coarse(one):
        return None
    mine = [each for each in stated(sentence) if each.span != one.span]
    for near in _sentences(aligned):
        known = different_figures(one, [near.quote])
        shared = [each for each in known if any(is_same(each, own) and _is_distinctive(own) for own in mine)]
        left = [each for each in known if not any(is_same(each, own) for own in mine)]
        if shared and len(left) == 1 and near.share >= NOT_SAID and "|" not in near.quote:
            return near
    return None


def _is_distinctive(one: Stated) -> bool:
    """Whether a figure is not met by chance."""
    return not one.is_small_word and len(re.sub(r"\D", "", one.text)) > 1


def _sentences(aligned: Sequence[Aligned]) -> Iterator[Aligned]:
    """The nearest sentences of the passages, then their other sentences."""
    yield from aligned
    for one in aligned:
        yield from (replace(one, quote=quote) for quote in sentences_of(one.fragment.text) if quote != one.quote)


def _is_its_date(one: Stated, source: Source) -> bool:
    """Whether it is the day or month in which a source was published or changed, or a month that it names in a year of
    these."""
    if one.figure.kind != "date":
        return False
    days = [day for day in (source.published, source.updated) if day and _DAY.fullmatch(day)]
    if any(is_same(one, known) for day in days for known in stated("{}年{}月{}日".format(*day.split("-")))):
        return True
    month = _YEAR_OF_DATE.sub("", one.shown).strip().casefold()
    is_month = month and one.figure.value[2] is None and any(int(day[:4]) == one.figure.value[0] for day in days)
    return bool(is_month) and any(month in text.casefold() for text in _texts(source))


def _is_replaced(one: Stated, sentence: str, quote: str) -> bool:
    """Whether the source has the same words with one other figure of the kind in the place of this one."""
    if one.is_year or one.is_inexact or has_figure(one, quote):
        return False
    own, theirs = without_figures(sentence), without_figures(quote)
    is_same_wording = len(own) >= _LEAST_WORDS and len(own & theirs) >= _SAME_WORDING * len(own)
    return is_same_wording and len(different_figures(one, [quote])) == len(different_figures(one, [sentence])) == 1


def without_figures(text: str) -> frozenset[str]:
    """The words of a text beside its figures, however these are written."""
    plain, found = western_figures(text)
    bare = list(plain)
    for one in found:
        bare[one.start : one.end] = " " * (one.end - one.start)
    return frozenset(word for word in words_of("".join(bare)) if not word.startswith("#"))


def _where(one: Stated, near: Aligned) -> DecidingPassage:
    """The sentence of the passage that has the figure."""
    if has_figure(one, near.quote):
        return near.passage
    text = near.fragment.text
    spans = (text[slice(*span)] for span in sentence_spans(text))
    return passage(near.source, near.fragment, next((each for each in spans if has_figure(one, each)), text))


def _is_anywhere(one: Stated, sources: Sequence[Source]) -> bool:
    """Whether the source has the figure anywhere, its title and date included."""
    texts = (text for source in sources for text in (source.title, source.published or "", *_texts(source)))
    return any(is_same(one, other) or _has_same_parts(one, other) for text in texts for other in stated(text))


def _has_same_parts(one: Stated, other: Stated) -> bool:
    """Figures of two kinds written alike, such as 80 dollars and 80 %; 1億3千万 and 3億1千万 are of one kind."""
    return one.figure.kind != other.figure.kind and bool(one.parts) and one.parts == other.parts


def _texts(source: Source) -> list[str]:
    return [fragment.text for fragment in source.fragments]
