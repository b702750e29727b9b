"""Texts about a retraction or correction, and texts that only retell what was retracted or corrected (SPEC §13, who may
vote)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lyra.evidence.independence import credited_sources, source_key
from lyra.evidence.origins import common_words, credits_finding
from lyra.model.edge import EvidenceRow, NoVote, Relation
from lyra.text import is_japanese, nfkc, sentences
from lyra.word_lists import WordLists, word_lists

_LONGEST_SENTENCE = 1_000


class PageStatementKind(StrEnum):
    """What a page may say of itself."""

    RETRACTED = "retracted"
    REINSTATED = "reinstated"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class PageStatement:
    """What a page says about itself; `context` is the sentence and the one after it, where its date may be."""

    word: PageStatementKind
    sentence: str
    context: str


# "The retraction was itself retracted" must not be read as a retraction: the later word is looked for first.
_OWN = {
    PageStatementKind.REINSTATED: "own_reinstatement",
    PageStatementKind.RETRACTED: "own_retraction",
    PageStatementKind.CORRECTED: "own_correction",
}


def is_notice(text: str) -> bool:
    """Whether a text is about a work's retraction or correction only: no evidence for or against what it claimed.

    It opens with such a sentence, and what follows is about the work, its authors, editors or errors as well.
    """
    if not _has_clue(text):
        return False
    notice, follow_up = _lists(text).pattern("notice"), _lists(text).pattern("follow_up")
    first, *rest = _sentences(text)
    return notice.search(first) is not None and all(notice.search(one) or follow_up.search(one) for one in rest)


def page_statements(text: str) -> Iterator[PageStatement]:
    """What a page says about its own retraction, reinstatement or correction, in the order of its text."""
    for paragraph in text.splitlines():
        if not _has_clue(paragraph):
            continue
        lists = _lists(paragraph)
        in_order = _sentences(paragraph)
        for at, sentence in enumerate(in_order):
            word = next((word for word, name in _OWN.items() if lists.pattern(name).search(sentence)), None)
            if word is not None:
                yield PageStatement(word, sentence, " ".join(in_order[at : at + 2]))


def _sentences(text: str) -> list[str]:
    plain = nfkc(text)
    return [plain[start:end][:_LONGEST_SENTENCE] for start, end in sentences(plain)] or [plain[:_LONGEST_SENTENCE]]


def _has_clue(text: str) -> bool:
    """Whether a word occurs that every notice has; much quicker than the patterns."""
    return word_lists("lyra.evidence", "notices", "en", "ja").pattern("clue").search(text) is not None


def _lists(text: str) -> WordLists:
    return word_lists("lyra.evidence", "notices", "ja" if is_japanese(text) else "en")


_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{3,}(?:[ -][A-Z][a-z]{2,})*")
_WORD = re.compile(r"[A-Z][a-z]{3,}")
_FIGURE = re.compile(r"(?<![\d.,])\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHARE = re.compile(r"(?<![\d.,])(\d\d)\s?(?:%|percent\b|per cent\b|パーセント)", re.IGNORECASE)
_LEAST_FIGURES = 2
_SURELY_NEUTRAL = 0.9  # what says nothing at all is read as neutral with .93 and more
_ROUND = 5  # shares of so many percent, or many times that, are met anywhere


def retells_retracted(claim: str, rows: Sequence[EvidenceRow], texts: Mapping[str, str]) -> frozenset[str]:
    """The fragments, of one claim's evidence, that only retell a retracted work; `texts` are those of all fragments.

    A text on a page of its own retells a work when its page links to the work, or it shares with the work's text a name
    or figures that the claim does not have, or it credits a study without naming it and no other work speaks on that
    side. The work must take the same side of the same claim. Where it takes none, although its words concern the claim,
    a text that supports the claim may retell it: such texts say plainly what the work implies. A text that also retells
    a work that is not retracted keeps its vote.
    """
    found: set[str] = set()
    for relation in (Relation.SUPPORTS, Relation.REFUTES):
        own = [row for row in rows if row.relation is relation]
        may_imply = relation is Relation.SUPPORTS
        source = [
            row
            for row in rows
            if row.no_vote == NoVote.RETRACTED and (row.relation is relation or (may_imply and _may_take_side(row)))
        ]
        retracted_works = {f"work:{row.work_id}" for row in source if row.work_id}
        retracted = [texts[row.fragment_id] for row in source]
        standing = [texts[row.fragment_id] for row in own if row.work_id and row.no_vote != NoVote.RETRACTED]
        if not retracted:
            continue
        for row in own:
            text = texts[row.fragment_id]
            if row.work_id or row.no_vote not in ("", NoVote.RETELLS_RETRACTED) or _shares(text, standing, claim):
                continue
            is_linked = not retracted_works.isdisjoint(row.cites)
            if is_linked or _shares(text, retracted, claim) or (not standing and credits_finding(text)):
                found.add(row.fragment_id)
    return frozenset(found)


def retells_corrected(claim: str, rows: Sequence[EvidenceRow], texts: Mapping[str, str]) -> frozenset[str]:
    """The fragments, of one claim's evidence, that only retell what the publisher from whom they have it has corrected.

    A publisher has corrected it where it takes the other side now, and a page of its own that was judged says that it
    was corrected, or corrects another one. A text retells it when it credits this publisher by name, when its page
    links to that one alone, or when it shares with the correction, which repeats what was wrong, a name or figures that
    the claim does not have. A publisher that also has a page on the text's side has not corrected it.
    """
    found: set[str] = set()
    credited = credited_sources(rows)
    for relation, other in ((Relation.SUPPORTS, Relation.REFUTES), (Relation.REFUTES, Relation.SUPPORTS)):
        own = [row for row in rows if row.relation is relation]
        denying = {source_key(row) for row in rows if row.relation is other and not row.no_vote and not row.work_id}
        denying -= {source_key(row) for row in own if row.no_vote in _MAY_RETELL}
        corrections = [
            row
            for row in rows
            if row.relation is not relation and source_key(row) in denying and _is_correction(row, texts)
        ]
        corrected = {source_key(row) for row in corrections}
        wrong = [texts[row.fragment_id] for row in corrections]
        works = [texts[row.fragment_id] for row in own if row.work_id]
        for row in own:
            text = texts[row.fragment_id]
            if row.work_id or row.no_vote not in _MAY_RETELL or _shares(text, works, claim):
                continue
            sources = {key for name in row.origins for key in credited.get((other, name), ())}
            is_linked = len(row.cites) == 1 and row.cites[0] in corrected
            if is_linked or sources & corrected or _shares(text, wrong, claim):
                found.add(row.fragment_id)
    return frozenset(found)


_MAY_RETELL = ("", NoVote.RETELLS_CORRECTED)


def _may_take_side(row: EvidenceRow) -> bool:
    """Whether a text was read as neutral, but not surely: it may concern the claim."""
    return row.relation is Relation.NEUTRAL and (row.nli_confidence or 0.0) < _SURELY_NEUTRAL


def _is_correction(row: EvidenceRow, texts: Mapping[str, str]) -> bool:
    """Whether a row's page says that it was corrected, or its words correct what their publisher wrote elsewhere."""
    text = texts[row.fragment_id]
    return row.is_corrected or _lists(text).pattern("correction").search(nfkc(text)) is not None


def _shares(text: str, others: Iterable[str], claim: str) -> bool:
    """Whether a text has a name, or figures, of one of the others that the claim does not have."""
    names, figures = _names(text) - set(_WORD.findall(claim)), _figures(text) - _figures(claim)
    shares = _uneven_shares(text) - _uneven_shares(claim)
    return any(
        names & set(_WORD.findall(one)) or _is_distinctive(figures & _figures(one)) or shares & _uneven_shares(one)
        for one in others
    )


def _names(text: str) -> set[str]:
    """The words of names inside sentences, but for those that many names have."""
    found = {word for name in _NAME.findall(text) for word in _WORD.findall(name)}
    return found - common_words()


def _figures(text: str) -> set[str]:
    """Numbers of two digits and more, but for years."""
    found = (one.replace(",", "").rstrip(".") for one in _FIGURE.findall(nfkc(text)))
    return {one for one in found if len(one) > 1 and not _YEAR.fullmatch(one)}


def _uneven_shares(text: str) -> set[int]:
    """Shares in percent that are not round: two measurements of one thing seldom give the same one."""
    found = (int(one) for one in _SHARE.findall(nfkc(text)))
    return {one for one in found if one % _ROUND}


def _is_distinctive(shared: set[str]) -> bool:
    """Whether figures that two texts share are hardly chance: two of them, or one of three digits and more."""
    return len(shared) >= _LEAST_FIGURES or any(len(one) > 2 for one in shared)
