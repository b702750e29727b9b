"""Phase 4, second half: which addresses are quality_factor fetching, by what their titles and snippets inputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.model.page import GroupKind, PageGroup
from lyra.model.search import CandidateState
from lyra.model.trust import TrustLevel
from lyra.research.search_run import SearchRun
from lyra.storage import candidates, page_groups, pages
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from apsw import Connection

_PRIORITY_BONUS = 0.25
_PRIMARY_BONUS = 0.25
_TRUST_SHARE = 0.2
_BEHIND_THE_KNEE = 0.5
# SPEC §13: pages that cite in a circle, or only themselves, are fetched later. Confidence is not touched.
_GROUP_FACTORS: Mapping[GroupKind, float] = {GroupKind.LOOP: 0.5, GroupKind.SELF_REFERENCE: 0.2}
# SPEC §6: what was found to be mostly advertisement or template loses up to four fifths of its score.
_QUALITY_SHARE = 0.8
_NOT_FETCHED = (CandidateState.ABSTRACT, CandidateState.SKIPPED)


@dataclass(frozen=True, slots=True)
class RankInputs:
    """What an address is ranked by: relevance in [0, 1], its domain's trust, the client's options, and a factor
    for a page that was read before (1, less where it is of poor quality, cites in a circle or only itself)."""

    relevance: float
    trust: TrustLevel
    is_behind_knee: bool
    is_priority: bool
    seeks_primary: bool
    page_factor: float = 1.0


def expected_value(inputs: RankInputs) -> float:
    """Relevance first, what lies behind the knee last; trust only orders what is about equally relevant."""
    value = (1 - _TRUST_SHARE) * inputs.relevance + _TRUST_SHARE * inputs.trust.weight
    value *= _BEHIND_THE_KNEE if inputs.is_behind_knee else 1.0
    value += _PRIORITY_BONUS if inputs.is_priority else 0.0
    value += _PRIMARY_BONUS if inputs.seeks_primary and inputs.trust.is_high else 0.0
    return 0.0 if inputs.trust is TrustLevel.BLOCKED else value * inputs.page_factor


def group_factors(found: Iterable[PageGroup]) -> dict[str, float]:
    """By page id what its ranking score is multiplied by; pages in no loop that do not only cite themselves are left
    out."""
    result: dict[str, float] = {}
    for group in found:
        for page_id in group.pages if group.kind in _GROUP_FACTORS else ():
            result[page_id] = min(result.get(page_id, 1.0), _GROUP_FACTORS[group.kind])
    return result


def quality_factor(quality: float) -> float:
    """What a page of that quality, in [0, 1], has its ranking score multiplied by."""
    return 1 - _QUALITY_SHARE * (1 - quality)


async def rank(run: SearchRun) -> None:
    """Score what can be fetched: what lies behind the knee comes last, blocked domains not at all.

    What was fetched before a restart is ranked too: scores are relative, and the rest must keep its order.
    """
    known = await run.parts.db.read(candidates.of_search, run.search.id)
    found = sorted((one for one in known if one.state not in _NOT_FETCHED), key=lambda one: one.id)
    if not found:
        return
    ranked = await run.parts.ranker.rank(run.search.query, [f"{one.title} {one.snippet}" for one in found])
    relevance = {found[each.index].id: each.score for each in ranked}
    kept = {found[each.index].id for each in run.parts.ranker.cut(ranked)}
    levels = await run.parts.trust.levels({one.url for one in found})
    page_factors = await run.parts.db.read(_page_factors, run.task.id, [one.url for one in found])
    scores: list[tuple[str, float]] = []
    for one in found:
        inputs = RankInputs(
            relevance=relevance.get(one.id, 0.0),
            trust=levels[one.url],
            is_behind_knee=one.id not in kept,
            is_priority=registrable_domain(one.url) in run.task.priority_domains,
            seeks_primary=run.search.options.seek_primary,
            page_factor=page_factors.get(one.url, 1.0),
        )
        scores.append((one.id, expected_value(inputs)))
        if inputs.trust is TrustLevel.BLOCKED and one.state is CandidateState.PENDING:
            await run.parts.db.write(candidates.set_state, one.id, CandidateState.BLOCKED, "the domain is blocked")
    await run.parts.db.write(candidates.set_scores, scores)


def _page_factors(connection: "Connection", task_id: str, urls: Iterable[str]) -> dict[str, float]:
    """What the scores of addresses are multiplied by whose pages were read before, in this task or another."""
    known = group_factors(page_groups.of_task(connection, task_id))
    read = {url: page for url in urls if (page := pages.by_url(connection, url)) is not None}
    return {url: known.get(page.id, 1.0) * quality_factor(page.quality) for url, page in read.items()}
