"""All academic APIs as one: when they are asked, how their records are joined, which citations are followed."""

import asyncio
import re
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.academic.api import AcademicApi
from lyra.academic.identity import is_same_work, merge
from lyra.model.page import Identifier
from lyra.model.work import AcademicAnswer, CitationLink, Work
from lyra.settings.apis import Academic
from lyra.text import normalise
from lyra.urls import find_arxiv_ids, find_dois, find_pmids
from lyra.word_lists import word_lists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SITES = re.compile(
    r"site:(?:\S*\.)?(?:ac\.jp|edu|ac\.uk|arxiv\.org|nih\.gov|jstage\.jst\.go\.jp|cir\.nii\.ac\.jp|doi\.org)",
    re.IGNORECASE,
)
STAGE_ONE_KEPT = 30
# What the second judge is shown of an abstract, and what an answer that cannot be read counts.
ABSTRACT_CHARS = 500
UNREAD_RELEVANCE = 0.5


def is_academic_query(query: str) -> bool:
    """A scholarly identifier, a scholarly site, or the vocabulary of studies."""
    folded = normalise(query)
    has_identifier = bool(find_dois(folded) or find_pmids(folded) or find_arxiv_ids(folded))
    return has_identifier or bool(
        _SITES.search(folded)
        or word_lists("lyra.academic", "scholarship", "en", "ja").pattern("scholarly").search(folded)
    )


@dataclass(frozen=True, slots=True)
class CatalogueAnswer:
    """Works (or links between them) merged by identity, and what each API answered."""

    works: tuple[Work, ...] = ()
    links: tuple[CitationLink, ...] = ()
    answers: tuple[AcademicAnswer, ...] = ()


class Catalogue:
    """The academic APIs behind one door; an API that fails only takes its own share away."""

    def __init__(self, apis: Sequence[AcademicApi], settings: Academic) -> None:
        self._apis = tuple(apis)
        self._settings = settings

    async def search(self, query: str, *, cause_id: str | None = None) -> CatalogueAnswer:
        """Works that match a query, those that several APIs rank high first."""
        limit = self._settings.results_per_query
        answers = await _ask_all(api.search(query, limit, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(merge(_interleaved(answers)), answers=answers)

    async def look_up(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> CatalogueAnswer:
        """Metadata and abstracts of the works behind identifiers met anywhere."""
        unique = tuple(dict.fromkeys(identifiers))
        if not unique:
            return CatalogueAnswer()
        answers = await _ask_all(api.by_identifiers(unique, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(merge(_interleaved(answers)), answers=answers)

    async def citations(self, work: Work, *, cause_id: str | None = None) -> CatalogueAnswer:
        """References and citations of a work, each pair once; the work itself is on one side of every link."""
        limit = self._settings.citations_per_paper
        answers = await _ask_all(api.links(work, limit, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(links=_merged_links(work, answers), answers=answers)


async def _ask_all(questions: Iterable[Awaitable[AcademicAnswer]]) -> tuple[AcademicAnswer, ...]:
    return tuple(await asyncio.gather(*questions))


def _interleaved(answers: Iterable[AcademicAnswer]) -> list[Work]:
    """The first of each API, then the second of each, so that no API's order wins."""
    queues = [list(answer.works) for answer in answers]
    longest = max((len(queue) for queue in queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]


def _merged_links(work: Work, answers: Iterable[AcademicAnswer]) -> tuple[CitationLink, ...]:
    """References first, then citations; what two APIs say of one pair becomes one link."""
    links = [link for answer in answers for link in answer.links]
    cited = [(link, link.cited) for link in links if link.citing is work]
    citing = [(link, link.citing) for link in links if link.citing is not work]
    references = (CitationLink(work, other, flag, apis) for other, flag, apis in _others(work, cited))
    citations = (CitationLink(other, work, flag, apis) for other, flag, apis in _others(work, citing))
    return (*references, *citations)


def _others(work: Work, pairs: list[tuple[CitationLink, Work]]) -> Iterator[tuple[Work, bool, str]]:
    for other in merge(paper for _, paper in pairs):
        links = [link for link, paper in pairs if is_same_work(other, paper)]
        if not is_same_work(work, other):
            yield (
                other,
                any(link.is_influential for link in links),
                "+".join(sorted({link.source_api for link in links})),
            )


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """A link, the paper on its other side, and how promising it is (SPEC §3.5)."""

    link: CitationLink
    other: Work
    score: float


def linked_papers(work: Work, links: Sequence[CitationLink]) -> tuple[tuple[CitationLink, Work], ...]:
    """The paper on the other side of each link, where it has an abstract to judge it by."""
    pairs = ((link, link.cited if link.citing.id == work.id else link.citing) for link in links)
    return tuple((link, other) for link, other in pairs if other.abstract)


def rank_by_similarity(
    pairs: Sequence[tuple[CitationLink, Work]],
    source: "NDArray[np.float32]",
    vectors: "NDArray[np.float32]",
) -> tuple[ScoredLink, ...]:
    """`0.5·influential + 0.5·cosine` between the abstracts of the paper and of each pair, best first."""
    similarities = _cosines(source, vectors)
    scored = [
        ScoredLink(link, other, 0.5 * link.is_influential + 0.5 * similarity)
        for (link, other), similarity in zip(pairs, similarities, strict=True)
    ]
    return tuple(sorted(scored, key=lambda one: (-one.score, one.other.id))[:STAGE_ONE_KEPT])


def rank_by_relevance(scored: Sequence[ScoredLink], relevances: Sequence[float | None]) -> tuple[ScoredLink, ...]:
    """`0.5·relevance + 0.3·stage 1 + 0.2·influential`, best first; relevance in [0, 1], None where it is unknown."""
    judged = [
        ScoredLink(one.link, one.other, 0.5 * _known(relevance) + 0.3 * one.score + 0.2 * one.link.is_influential)
        for one, relevance in zip(scored, relevances, strict=True)
    ]
    return tuple(sorted(judged, key=lambda one: (-one.score, one.other.id)))


def _known(relevance: float | None) -> float:
    return UNREAD_RELEVANCE if relevance is None else relevance


def keep_best(
    by_paper: Sequence[Sequence[ScoredLink]], per_paper: int = 10, per_search: int = 40
) -> tuple[ScoredLink, ...]:
    """The best of each paper, then of all; a work reached from two papers takes one place and keeps both links."""
    chosen = [one for scored in by_paper for one in scored[:per_paper]]
    places: dict[str, None] = {}
    for one in sorted(chosen, key=lambda one: (-one.score, one.other.id)):
        if len(places) < per_search:
            places[one.other.id] = None
    return tuple(sorted((one for one in chosen if one.other.id in places), key=lambda one: (-one.score, one.other.id)))


def _cosines(source: "NDArray[np.float32]", vectors: "NDArray[np.float32]") -> list[float]:
    import numpy as np  # lazy: the server starts without it

    if not len(vectors):
        return []
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(source)
    products = vectors @ source
    return [float(value) for value in np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)]
