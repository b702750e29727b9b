"""Cited works looked up in the academic catalogues: there, under another title, retracted, absent, or not answered."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lyra.academic.abstracts import abstract_document, work_address
from lyra.academic.catalogue import CatalogueAnswer
from lyra.academic.identity import author_key, title_key
from lyra.model.audit import AuditedWork, CitedWork, WorkStatus
from lyra.model.check import Source, TextFragment
from lyra.model.page import Identifier
from lyra.model.work import AcademicAnswer, Work
from lyra.report.audit import messages

# Shares of the words of two titles that are the same: one work, and one that may be meant.
SAME_TITLE = 0.8
LIKE_TITLE = 0.5
_BATCH = 40
LEAST_TITLE_CHARS = 8


class Catalogue(Protocol):
    """The academic APIs behind one door."""

    async def search(self, query: str, *, cause_id: str | None = None) -> CatalogueAnswer: ...

    async def look_up(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> CatalogueAnswer: ...


@dataclass(frozen=True, slots=True)
class Found:
    """A cited work with what was found for it."""

    audited: AuditedWork
    work: Work | None = None


async def look_up_works(
    catalogue: Catalogue, cited: Sequence[CitedWork], progress: Callable[[int, int], None]
) -> list[Found]:
    """What the catalogues know of each work: by its identifiers first, many at once, then by its title."""
    known: dict[Identifier, Work] = {}
    failures: list[AcademicAnswer] = []
    identifiers = list(dict.fromkeys(one for work in cited for one in work.identifiers))
    for start in range(0, len(identifiers), _BATCH):
        answer = await catalogue.look_up(identifiers[start : start + _BATCH])
        failures += [one for one in answer.answers if not one.outcome.is_answer or (one.reason and not one.works)]
        known |= {found: work for work in answer.works for found in work.identifiers}
    failed = [one for one in failures if not one.outcome.is_answer]
    results: list[Found] = []
    for at, one in enumerate(cited):
        progress(at, len(cited))
        work = next((known[each] for each in one.identifiers if each in known), None)
        results.append(_identified(one, work) if work else await _searched(catalogue, one, failed))
    progress(len(cited), len(cited))
    return results


def _identified(cited: CitedWork, work: Work) -> Found:
    if cited.title and title_likeness(cited.title, work.title) < LIKE_TITLE:
        return _found(cited, WorkStatus.OTHER_TITLE, messages.OTHER_TITLE.format(title=work.title), work)
    return _standing(cited, work)


def _standing(cited: CitedWork, work: Work) -> Found:
    if work.is_retracted:
        return _found(cited, WorkStatus.RETRACTED, messages.RETRACTED.format(title=work.title), work)
    return _found(cited, WorkStatus.EXISTS, messages.EXISTS, work)


async def _searched(catalogue: Catalogue, cited: CitedWork, failed: Sequence[AcademicAnswer]) -> Found:
    """By title; absent only where every catalogue answered to everything that was asked."""
    if cited.is_broken:
        return _found(cited, WorkStatus.NOT_CHECKED, messages.BROKEN.format(line=cited.line))
    is_titled = len(title_key(cited.title)) >= LEAST_TITLE_CHARS
    if not is_titled and not cited.identifiers:
        return _found(cited, WorkStatus.NOT_CHECKED, messages.NO_WORK)
    unanswered = list(failed) if cited.identifiers else []
    if is_titled:
        answer = await catalogue.search(cited.title)
        unanswered += [one for one in answer.answers if not one.outcome.is_answer]
        best = max(answer.works, key=lambda work: _fit(cited, work), default=None)
        if best is not None and _fit(cited, best) >= SAME_TITLE:
            if not cited.identifiers:
                return _standing(cited, best)
            return _found(cited, WorkStatus.OTHER_TITLE, messages.NEAR_TITLE.format(title=best.title), best)
        if best is not None and not unanswered and not _is_page(cited) and _fit(cited, best) >= LIKE_TITLE:
            return _found(cited, WorkStatus.OTHER_TITLE, messages.NEAR_TITLE.format(title=best.title), best)
    if unanswered:
        reasons = "; ".join(dict.fromkeys(f"{one.api}: {one.reason or one.outcome.value}" for one in unanswered))
        return _found(cited, WorkStatus.NOT_CHECKED, messages.NO_ANSWER.format(reasons=reasons))
    if _is_page(cited):
        return _found(cited, WorkStatus.NOT_CHECKED, messages.WEB_PAGE)
    return _found(cited, WorkStatus.NOT_FOUND, messages.NOT_FOUND)


def _is_page(cited: CitedWork) -> bool:
    """Whether it is cited by an address alone: catalogues of scholarly works know no ordinary page of the web."""
    return bool(cited.url) and not cited.identifiers


def _fit(cited: CitedWork, work: Work) -> float:
    """How alike the titles are; less where year or first author differ."""
    fit = title_likeness(cited.title, work.title)
    if cited.year and work.year and abs(cited.year - work.year) > 1:
        fit -= 0.2
    if cited.authors and work.authors and author_key(cited.authors[0]) not in map(author_key, work.authors):
        fit -= 0.1
    return fit


def title_likeness(one: str, other: str) -> float:
    """The share of words, or of pairs of Japanese characters, that two titles have in common; 1 where one holds the
    other, as with a subtitle."""
    first, second = title_key(one), title_key(other)
    if not first or not second:
        return 0.0
    shorter = min(first, second, key=len)
    if len(shorter) >= 20 and (first.startswith(second) or second.startswith(first)):
        return 1.0
    mine, theirs = _pieces(first), _pieces(second)
    return len(mine & theirs) / len(mine | theirs)


def _pieces(key: str) -> set[str]:
    if key.isascii():
        return set(key.split())
    bare = key.replace(" ", "")
    return {bare[at : at + 2] for at in range(max(1, len(bare) - 1))}


def _found(cited: CitedWork, status: WorkStatus, sentence: str, work: Work | None = None) -> Found:
    if work is None:
        return Found(AuditedWork(cited, status, sentence))
    address = work_address(work) or ""
    return Found(AuditedWork(cited, status, sentence, work.title, work.authors, work.year, address), work)


def source_of(work: Work) -> Source:
    """A work with its abstract as a source that sentences are compared with."""
    document = abstract_document(work)
    fragments = () if document is None else document.passages
    return Source(
        page_id=work.id,
        url=work_address(work) or "",
        title=work.title,
        key=work.id,
        authors=work.authors,
        year=work.year,
        published=work.published,
        identifiers=work.identifiers,
        is_retracted=bool(work.is_retracted),
        fragments=tuple(
            TextFragment(f"{work.id}#{at}", one.text, re.sub(r"\s+", " ", work.title))
            for at, one in enumerate(fragments)
        ),
    )
