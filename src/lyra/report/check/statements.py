"""Whether a source says what a sentence says: how much of it the source has, and which side the reader takes.

A contradiction is found by rules on figures and comparisons (`numbers`, `comparisons`, `quantifiers`, `hints`), by what
the page says the other way round amid the same words (`opposite_words`), and by the readers (`readings`).
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Protocol

from lyra.claims.subjects import other_subject
from lyra.claims.windows import Setting
from lyra.model.check import CheckStatus, DecidingPassage, Source, TextFragment
from lyra.model.edge import Stance
from lyra.report.check.comparisons import other_way_round
from lyra.report.check.derived import follows
from lyra.report.check.elsewhere import SourceComparison, compare_sources, words_of
from lyra.report.check.hints import (
    asserts_what_is_open,
    figure_goes_other_way,
    has_contradiction_hint,
    has_hidden_denial,
    only_one_denies,
    plain_limits,
)
from lyra.report.check.meaning import Meaning
from lyra.report.check.numbers import (
    Stated,
    change_side,
    changes,
    has_figure,
    is_same,
    keeps_order,
    reverses_order,
    stated,
)
from lyra.report.check.opposite_words import amount_sides, opposite_sentence, sentences_of
from lyra.report.check.opposites import opposites
from lyra.report.check.parts import parts_of
from lyra.report.check.quantifiers import other_part
from lyra.report.check.quotations import passage
from lyra.report.check.readings import PartReadings, Readings
from lyra.report.check.swapped import clauses, nearest_clause, swapped
from lyra.report.check.trends import goes_against_verb, goes_other_way_in_table
from lyra.text import is_japanese, language_of

# Shares of the sentence's words that the best passage has. Of 57 true sentences of the texts for tuning none had less
# than 0.53; of other sources cited in the same texts one in twelve had 0.5 or more.
SAID = 0.5
NOT_SAID = 0.4
# From here on the wording is so near that only its sense can be wrong.
VERBATIM = 0.75
_LEAST_WORDS = 4
_FEWEST_WORDS = 2
# From here on two figures that change the other way round are not there by chance.
_SAME_SUBJECT = 0.25
_MOST_OPPOSITES = 4
_MOST_OTHERS = 3
_MOST_PARTS = 3
# Share of a clause's words from which a passage may say it.
_LEAST_OF_PART = 1 / 3
_QUESTIONS_A_PART = 3
_QUESTIONS_A_SIMILAR = 2
_BEHIND = 12
# Shorter texts leave their language open.
_LEAST_FOR_LANGUAGE = 40


class Judge(Protocol):
    """The product's stance judge."""

    async def judge(
        self,
        pairs: Sequence[tuple[str, str]],
        settings: Sequence[Setting] | None = None,
        weighty: Sequence[bool] | None = None,
    ) -> list[Stance]:
        """The stance of each text towards its claim."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The passage of a source that has most of a sentence's words; `share` of them, `quote` its nearest sentence."""

    source: Source
    fragment: TextFragment
    share: float
    quote: str

    @property
    def passage(self) -> DecidingPassage:
        return passage(self.source, self.fragment, self.quote)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a sentence; `elsewhere` is a source that says it better than those that it cites.

    `is_open`: the source was compared, and its words neither say it nor something else.
    """

    status: CheckStatus
    passage: DecidingPassage | None
    elsewhere: Aligned | None = None
    is_open: bool = False


def align(sentence: str, sources: Sequence[Source], most: int = 3) -> list[Aligned]:
    """The passages that have most of the sentence's words, best first."""
    wanted = words_of(sentence)
    if not wanted:
        return []
    shares = [
        (len(wanted & words_of(f"{fragment.heading} {fragment.text}")) / len(wanted), -at, source, fragment)
        for source in sources
        for at, fragment in enumerate(source.fragments)
    ]
    best = sorted(shares, key=lambda one: (one[0], one[1]), reverse=True)[:most]
    return [Aligned(source, fragment, share, _nearest(wanted, fragment.text)) for share, _, source, fragment in best]


def _nearest(wanted: frozenset[str], text: str) -> str:
    return max(sentences_of(text), key=lambda one: len(wanted & words_of(one)), default=text)


def is_checkable(sentence: str, names: Iterable[str] = ()) -> bool:
    """Whether a sentence says enough by itself, beside the names of authors, to be looked for in a source."""
    return len(words_of(sentence) - {word for name in names for word in words_of(name)}) >= _LEAST_WORDS


def has_words(sentence: str) -> bool:
    """Whether a sentence has a subject and something that is said of it, and not a name alone."""
    return len(words_of(sentence)) >= _FEWEST_WORDS


@dataclass(frozen=True, slots=True)
class _Questions:
    """What the readers are asked of a sentence; the last pairs are about `others`, sentences with their headings, and
    before them stands the nearest sentence as a statement on the sentence. Behind them follow three for each of the
    `parts`: its nearest sentence, the passage around that, and the part as a statement on the sentence; last come two
    for each of `similar`, sentences that are near in meaning: what it says of the sentence, and the sentence of it."""

    pairs: tuple[tuple[str, str], ...] = ()
    settings: tuple[Setting, ...] = ()
    others: tuple[Aligned, ...] = ()
    parts: tuple[tuple[str, Aligned], ...] = ()
    similar: tuple[Aligned, ...] = ()

    def refuted_by_meaning(self, stances: Sequence[Stance]) -> DecidingPassage | None:
        """Where the readers find the sentence contradicted that has few of its words but may say the same."""
        read = self.readings(stances)
        own = stances[len(stances) - _QUESTIONS_A_SIMILAR * len(self.similar) :]
        if read is None or not self.similar:
            return None
        at = read.refuting_similar(list(zip(own[::2], own[1::2], strict=True)))
        return None if at is None else self.similar[at].passage

    def refuted_part(self, stances: Sequence[Stance]) -> DecidingPassage | None:
        """Where the readers find a part contradicted whose figures the passage has: they cannot calculate."""
        stances = stances[: len(stances) - _QUESTIONS_A_SIMILAR * len(self.similar)]
        own = stances[len(stances) - _QUESTIONS_A_PART * len(self.parts) :]
        for at, (part, one) in enumerate(self.parts):
            has_all = all(has_figure(each, one.fragment.text) for each in _own_figures(part))
            if has_all and PartReadings(*own[_QUESTIONS_A_PART * at : _QUESTIONS_A_PART * (at + 1)]).is_refuted:
                return one.passage
        return None

    def readings(self, stances: Sequence[Stance]) -> Readings | None:
        """The answers in order; nothing where nothing was asked."""
        if not stances:
            return None
        behind = _QUESTIONS_A_PART * len(self.parts) + _QUESTIONS_A_SIMILAR * len(self.similar)
        stances = stances[: len(stances) - behind]
        end = len(stances) - len(self.others)
        if not self.others:
            return Readings(stances[0], stances[1], stances[2:])
        return Readings(stances[0], stances[1], stances[2 : end - 1], stances[end:], stances[end - 1])


async def judge_sentences(
    judge: Judge,
    sentences: Sequence[tuple[str, Sequence[Aligned], Sequence[Source]]],
    *,
    is_weighty: bool = True,
    meaning: Meaning | None = None,
) -> list[Judged]:
    """Of each sentence with the passages of its sources, and the other sources of the task, what came of it."""
    asked = [_questions(sentence, aligned, is_weighty=is_weighty) for sentence, aligned, _ in sentences]
    if meaning is not None and is_weighty:
        asked = [
            await _with_similar_sentences(one, sentence, aligned, meaning)
            for one, (sentence, aligned, _) in zip(asked, sentences, strict=True)
        ]
    pairs = [pair for one in asked for pair in one.pairs]
    settings = [setting for one in asked for setting in one.settings]
    stances = iter(await judge.judge(pairs, settings, [is_weighty] * len(pairs)) if pairs else [])
    found: list[Judged] = []
    for (sentence, aligned, others), questions in zip(sentences, asked, strict=True):
        own = list(islice(stances, len(questions.pairs)))
        found.append(await asyncio.to_thread(_decide, sentence, aligned, others, questions, own))
    return found


def _questions(sentence: str, aligned: Sequence[Aligned], *, is_weighty: bool) -> _Questions:
    """The passage with its heading, the nearest sentence alone and for each opposite, then it and others with theirs.

    Where the wording is so near that only its sense can be wrong no opposite is asked about, and in long texts nothing.
    """
    if not aligned or is_japanese(sentence) != is_japanese(aligned[0].fragment.text):
        return _Questions()
    best = aligned[0]
    is_verbatim = best.share >= VERBATIM and not has_contradiction_hint(sentence, best.quote)
    if is_verbatim and not is_weighty:
        return _Questions()
    wordings = () if is_verbatim else opposites(sentence)[:_MOST_OPPOSITES]
    sentence = plain_limits(sentence)
    pairs = [(best.fragment.text, sentence), (best.quote, sentence), *((best.quote, one) for one in wordings)]
    settings = [_setting(best), *([Setting()] * (len(pairs) - 1))]
    others = (best, *_other_sentences(sentence, aligned)) if is_weighty else ()
    if others:
        pairs, settings = [*pairs, (sentence, best.quote)], [*settings, Setting()]
    pairs, settings = [*pairs, *((one.quote, sentence) for one in others)], [*settings, *map(_setting, others)]
    parts = _stated_parts(sentence, aligned) if is_weighty else []
    for part, one in parts:
        pairs += [(one.quote, part), (one.fragment.text, part), (part, one.quote)]
        settings += [_setting(one), _setting(one), Setting()]
    return _Questions(tuple(pairs), tuple(settings), tuple(others), tuple(parts))


async def _with_similar_sentences(
    questions: _Questions, sentence: str, aligned: Sequence[Aligned], meaning: Meaning
) -> _Questions:
    """With questions on sentences that are near in meaning, where a sentence has few words of its sources."""
    if not questions.pairs or aligned[0].share >= SAID:
        return questions
    sentence = plain_limits(sentence)
    sources = tuple(dict.fromkeys(one.source for one in aligned))
    nearest = await meaning.nearest(sentence, sources)
    similar = tuple(Aligned(one.source, one.fragment, 0.0, one.quote) for one in nearest)
    pairs = [pair for one in similar for pair in ((one.quote, sentence), (sentence, one.quote))]
    settings = [setting for one in similar for setting in (_setting(one), Setting())]
    pairs, settings = [*questions.pairs, *pairs], [*questions.settings, *settings]
    return replace(questions, pairs=tuple(pairs), settings=tuple(settings), similar=similar)


def _stated_parts(sentence: str, aligned: Sequence[Aligned]) -> list[tuple[str, Aligned]]:
    """The clauses of a sentence, each with the sentence of its sources that has most of its words, if that is much."""
    sources = tuple(dict.fromkeys(one.source for one in aligned))
    found = [(part, own[0]) for part in parts_of(sentence)[:_MOST_PARTS] if (own := align(part, sources, 1))]
    return [(part, one) for part, one in found if one.share >= _LEAST_OF_PART]


def _setting(one: Aligned) -> Setting:
    return Setting(one.source.title, one.fragment.heading)


def _other_sentences(sentence: str, aligned: Sequence[Aligned]) -> list[Aligned]:
    """Sentences of the passages, beside the nearest, that have much of a sentence's words and speak of its subject."""
    wanted = words_of(sentence)
    found = [
        Aligned(one.source, one.fragment, len(wanted & words_of(quote)) / len(wanted), quote)
        for one in aligned
        for quote in sentences_of(one.fragment.text)
        if quote != aligned[0].quote
    ]
    near = [one for one in found if one.share >= NOT_SAID and other_subject(sentence, one.quote, one.quote) is None]
    return sorted(near, key=lambda one: -one.share)[:_MOST_OTHERS]


def _decide(
    sentence: str,
    aligned: Sequence[Aligned],
    others: Sequence[Source],
    questions: _Questions,
    stances: Sequence[Stance],
) -> Judged:
    if not aligned:
        return Judged(CheckStatus.NOT_CHECKED, None)
    best = aligned[0]
    if is_japanese(sentence) != is_japanese(best.fragment.text):
        return Judged(CheckStatus.NOT_CHECKED, best.passage)
    read = questions.readings(stances)
    contradicting = _contradicting(sentence, aligned, read, questions.others) or questions.refuted_part(stances)
    if contradicting is None and _is_compared(sentence, aligned) is not False:
        contradicting = questions.refuted_by_meaning(stances)
    if contradicting is not None:
        return Judged(CheckStatus.CONTRADICTED, contradicting)
    is_said = best.share >= SAID or _has_its_figures(sentence, best.quote)
    if (
        is_said
        or (read is not None and (read.is_supported or read.leans_to_support))
        or _is_compared(sentence, aligned) is False
    ):
        return Judged(CheckStatus.RESOLVED, best.passage)
    if _has_other_language(sentence, best.fragment.text):
        return Judged(CheckStatus.NOT_CHECKED, best.passage)
    found = compare_sources(sentence, tuple(dict.fromkeys(one.source for one in aligned)), others)
    is_unread = read is None or read.is_surely_neutral
    if found.is_elsewhere or (found.is_hardly_shared and is_unread):
        return Judged(CheckStatus.UNSUPPORTED, best.passage, _elsewhere(sentence, found))
    is_open = best.share < NOT_SAID or (read is not None and read.is_surely_neutral)
    return Judged(CheckStatus.NOT_CHECKED if is_open else CheckStatus.RESOLVED, best.passage, is_open=is_open)


def _elsewhere(sentence: str, found: SourceComparison) -> Aligned | None:
    if not found.is_elsewhere or found.source is None or found.fragment is None:
        return None
    quote = _nearest(words_of(sentence), found.fragment.text)
    return Aligned(found.source, found.fragment, found.other, quote)


def _has_other_language(sentence: str, text: str) -> bool:
    """Whether two texts that are long enough to judge are in two languages of one script."""
    is_long = min(len(sentence), len(text)) >= _LEAST_FOR_LANGUAGE
    return is_long and language_of(sentence) != language_of(text)


def _contradicting(
    sentence: str, aligned: Sequence[Aligned], read: Readings | None, others: Sequence[Aligned]
) -> DecidingPassage | None:
    """The words of a source that say the opposite: by rules on figures, comparisons and parts, then by the readers."""
    best, sentence = aligned[0], plain_limits(sentence)
    is_compared = _is_compared(sentence, aligned)
    if is_compared or _says_the_opposite(sentence, aligned) or _differs_in_part_or_way(sentence, best):
        return best.passage
    if is_compared is False:
        return None
    in_part = _opposite_of_part(sentence, aligned)
    if in_part is not None:
        return in_part.passage
    goes_the_other_way = _goes_the_other_way(sentence, best)
    if goes_the_other_way:
        return best.passage
    is_supported = read is not None and read.is_supported
    opposite = _opposite_passage(sentence, aligned, is_supported=is_supported)
    is_said = (
        goes_the_other_way is False
        or keeps_order(sentence, best.quote)
        or _has_figures_elsewhere(sentence, aligned)
        or _is_part_of(sentence, best.quote)
        or (_agrees_in_figures(sentence, best.quote) and not (read is not None and _is_sure(read, sentence, best)))
    )
    if opposite is not None or read is None or is_said:
        return opposite
    if best.share < NOT_SAID or read.is_surely_neutral:
        return best.passage if read.is_refuted_in_both_directions(sentence) else None
    if read.is_refuted(sentence, best.quote):
        return best.passage
    return None if read.refuting is None else others[read.refuting].passage


def _says_the_opposite(sentence: str, aligned: Sequence[Aligned]) -> bool:
    """Whether figures, clauses or a denial of the passages contradict, whatever the readers say."""
    near = [one for one in aligned if one.share >= SAID]
    is_open_there = any(asserts_what_is_open(sentence, one.quote) for one in near)
    is_denied = any(only_one_denies(sentence, one.quote) and _has_same_subject(sentence, one) for one in near)
    is_reversed = any(_reverses(sentence, one) for one in aligned)
    return is_reversed or is_open_there or is_denied


def _opposite_of_part(sentence: str, aligned: Sequence[Aligned]) -> Aligned | None:
    """Where a source says the opposite of a clause, which it may say in another sentence than the others."""
    sources = tuple(dict.fromkeys(one.source for one in aligned))
    for part in parts_of(sentence):
        own = align(part, sources)
        if own and own[0].share >= SAID and _is_opposite_of_clause(part, own):
            return own[0]
    return None


def _is_opposite_of_clause(part: str, aligned: Sequence[Aligned]) -> bool:
    """The same for a clause; only the nearest clause of the passage shows which part of a whole is meant."""
    clause = replace(aligned[0], quote=nearest_clause(part, aligned[0].quote))
    is_other = _differs_in_part_or_way(part, clause) or bool(_goes_the_other_way(part, aligned[0]))
    return is_other or bool(_is_compared(part, aligned)) or _says_the_opposite(part, aligned)


def _has_same_subject(sentence: str, one: Aligned) -> bool:
    return other_subject(sentence, one.quote, one.quote) is None


def _reverses(sentence: str, one: Aligned) -> bool:
    """Whether a passage goes from B to A, or joins the same words the other way round; figures count in any words."""
    # In Japanese the verb behind the last figure gives the direction, also of figures that two sentences give.
    pairs = pairwise(sentences_of(one.fragment.text)) if is_japanese(sentence) else ()
    texts = (one.quote, *(f"{first} {second}" for first, second in pairs))
    if one.share >= SAID and (swapped(sentence, one.quote) or any(goes_against_verb(sentence, each) for each in texts)):
        return True
    is_near = one.share >= _SAME_SUBJECT
    return is_near and (reverses_order(sentence, one.quote) or goes_other_way_in_table(sentence, one.quote, one.source))


def _is_sure(read: Readings, sentence: str, best: Aligned) -> bool:
    """Whether the readers are sure of a contradiction although the figures are the same; not where they follow only."""
    is_literal = all(has_figure(one, best.quote) for one in _own_figures(sentence))
    return read.is_surely_refuted(sentence) or (is_literal and read.is_surely_refuted_in_both_directions)


def _is_part_of(sentence: str, quote: str) -> bool:
    """Whether a clause of the quote has every word of the sentence, and says neither no nor otherwise."""
    clause = nearest_clause(sentence, quote)
    words = words_of(sentence)
    return len(words) >= _LEAST_WORDS and words <= words_of(clause) and not has_contradiction_hint(sentence, clause)


def _own_figures(sentence: str) -> list[Stated]:
    return [one for one in stated(sentence) if not one.is_small_word and not one.is_year]


def _has_figures_elsewhere(sentence: str, aligned: Sequence[Aligned]) -> bool:
    """Whether the nearest sentence has none of its figures, and the passages have all: they say it somewhere else."""
    figures = _own_figures(sentence)
    if not figures or any(has_figure(one, aligned[0].quote) for one in figures):
        return False
    return all(any(has_figure(one, each.fragment.text) for each in aligned) for one in figures)


def _agrees_in_figures(sentence: str, quote: str) -> bool:
    """Whether both have the same figures and no hint speaks against it: the readers stumble over notation."""
    figures = _own_figures(sentence)
    has_all = bool(figures) and all(
        has_figure(one, quote) or follows(one, sentence[one.span[1] : one.span[1] + _BEHIND], quote) for one in figures
    )
    return has_all and not (
        has_contradiction_hint(sentence, quote) and has_contradiction_hint(sentence, nearest_clause(sentence, quote))
    )


def _is_compared(sentence: str, aligned: Sequence[Aligned]) -> bool | None:
    """Whether a passage compares the same things the other way round; None where none compares them."""
    found = (other_way_round(sentence, one.quote) for one in aligned if one.share >= SAID)
    return next((one for one in found if one is not None), None)


def _differs_in_part_or_way(sentence: str, best: Aligned) -> bool:
    """Whether the nearest sentence speaks of another part of the whole, or its figure goes the other way."""
    if best.share < SAID or not _has_same_subject(sentence, best):
        return False
    return other_part(sentence, best.quote) or figure_goes_other_way(sentence, best.quote)


def _goes_the_other_way(sentence: str, best: Aligned) -> bool | None:
    """Whether the sentence says up, in the page's words, where the page's figures go down, or the other way.

    None where no figures show it.
    """
    side, mine = change_side(best.quote), amount_sides(sentence)
    if not side or len(mine) != 1 or best.share < SAID or _has_another_figure(sentence, best.quote):
        return None
    first = min((one.span[0] for one in stated(best.quote)), default=0)
    if keeps_order(sentence, best.quote) or mine & amount_sides(best.quote[first:]):
        return False
    return side not in mine


def _has_another_figure(sentence: str, quote: str) -> bool:
    """Whether a sentence has a figure of the quote that stands in another clause than those that change there."""
    changing = [each for pair in changes(quote) for each in pair]
    apart = [
        each
        for clause in clauses(quote)
        if not any(is_same(each, other) for each in stated(clause) for other in changing)
        for each in stated(clause)
    ]
    return any(is_same(one, each) for one in _own_figures(sentence) for each in apart)


def _has_its_figures(sentence: str, quote: str) -> bool:
    """Whether the nearest sentence has all figures of one that has several: it says the same in other words."""
    figures = [one for one in stated(sentence) if not one.is_small_word]
    return len(figures) > 1 and all(has_figure(one, quote) for one in figures)


def _opposite_passage(sentence: str, aligned: Sequence[Aligned], *, is_supported: bool) -> DecidingPassage | None:
    """Where a source says the opposite; a reader that finds support in another sentence than that one is believed."""
    found = opposite_sentence(sentence, tuple(dict.fromkeys(one.source for one in aligned)))
    if found is None or keeps_order(sentence, found.quote) or (is_supported and found.quote != aligned[0].quote):
        return None
    if has_hidden_denial(sentence) != has_hidden_denial(found.quote):
        return None
    return passage(found.source, found.fragment, found.quote)
