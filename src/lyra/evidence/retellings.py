"""Texts that only retell a retracted work: what falls with the work falls with them (SPEC §13, who may vote).

A text on a page of its own retells a work when, on the same side of the same claim, it shares with the work's text a
name or figures that the claim does not have; or when it credits a study without naming it and no other work speaks on
that side. A text that retells a standing work as well keeps its vote.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from lyra.evidence.origins import common_words, credits_finding
from lyra.model.edge import EvidenceRow, NoVote, Relation
from lyra.text import nfkc

_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{3,}(?:[ -][A-Z][a-z]{2,})*")
_WORD = re.compile(r"[A-Z][a-z]{3,}")
_FIGURE = re.compile(r"(?<![\d.,])\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_FIGURES = 2


def retells_retracted(claim: str, rows: Sequence[EvidenceRow], texts: Mapping[str, str]) -> frozenset[str]:
    """The fragments, of one claim's evidence, that only retell a retracted work; `texts` are those of all fragments."""
    found: set[str] = set()
    for relation in (Relation.SUPPORTS, Relation.REFUTES):
        own = [row for row in rows if row.relation is relation]
        retracted = [texts[row.fragment_id] for row in own if row.no_vote == NoVote.RETRACTED]
        standing = [texts[row.fragment_id] for row in own if row.work_id and row.no_vote != NoVote.RETRACTED]
        if not retracted:
            continue
        for row in own:
            text = texts[row.fragment_id]
            if row.work_id or row.no_vote not in ("", NoVote.RETELLS_RETRACTED) or _shares(text, standing, claim):
                continue
            if _shares(text, retracted, claim) or (not standing and credits_finding(text)):
                found.add(row.fragment_id)
    return frozenset(found)


def _shares(text: str, others: Iterable[str], claim: str) -> bool:
    """Whether a text has a name, or figures, of one of the others that the claim does not have."""
    names, figures = _names(text) - set(_WORD.findall(claim)), _figures(text) - _figures(claim)
    return any(names & set(_WORD.findall(one)) or _is_telling(figures & _figures(one)) for one in others)


def _names(text: str) -> set[str]:
    """The words of names inside sentences, but for those that many names have."""
    found = {word for name in _NAME.findall(text) for word in _WORD.findall(name)}
    return found - common_words()


def _figures(text: str) -> set[str]:
    """Numbers of two digits and more, but for years."""
    found = (one.replace(",", "").rstrip(".") for one in _FIGURE.findall(nfkc(text)))
    return {one for one in found if len(one) > 1 and not _YEAR.fullmatch(one)}


def _is_telling(shared: set[str]) -> bool:
    """One figure may be met anywhere; two, or one of three signs, hardly."""
    return len(shared) >= _LEAST_FIGURES or any(len(one) > 2 for one in shared)
