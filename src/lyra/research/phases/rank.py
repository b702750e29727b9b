"""Phase 4, second half: which addresses are worth fetching, by what their titles and snippets promise."""

from dataclasses import dataclass

from lyra.model.search import Candidate, CandidateState
from lyra.model.trust import TrustLevel
from lyra.research.kit import Kit
from lyra.research.run import SearchRun
from lyra.storage import candidates
from lyra.urls import registrable_domain

_PRIORITY_BONUS = 0.25
_PRIMARY_BONUS = 0.25
_TRUST_SHARE = 0.2
_BEHIND_THE_KNEE = 0.5
_NOT_FETCHED = (CandidateState.ABSTRACT, CandidateState.SKIPPED)


@dataclass(frozen=True, slots=True)
class Promise:
    """What speaks for an address: relevance in [0, 1], its domain's trust, and the client's wishes."""

    relevance: float
    trust: TrustLevel
    is_behind_knee: bool
    is_priority: bool
    seeks_primary: bool


def expected_value(promise: Promise) -> float:
    """Relevance first, what lies behind the knee last; trust only orders what is about equally relevant."""
    value = (1 - _TRUST_SHARE) * promise.relevance + _TRUST_SHARE * promise.trust.weight
    value *= _BEHIND_THE_KNEE if promise.is_behind_knee else 1.0
    value += _PRIORITY_BONUS if promise.is_priority else 0.0
    value += _PRIMARY_BONUS if promise.seeks_primary and promise.trust.is_high else 0.0
    return 0.0 if promise.trust is TrustLevel.BLOCKED else value


async def rank(kit: Kit, run: SearchRun) -> None:
    """Score what can be fetched: what lies behind the knee comes last, blocked domains not at all.

    What was fetched before a restart is ranked along: scores are relative, and the rest must keep its order.
    """
    known = await kit.db.read(candidates.of_search, run.search.id)
    found = sorted((one for one in known if one.state not in _NOT_FETCHED), key=lambda one: one.id)
    if not found:
        return
    ranked = await kit.ranker.rank(run.search.query, [f"{one.title} {one.snippet}" for one in found])
    relevance = {found[each.index].id: each.score for each in ranked}
    kept = {found[each.index].id for each in kit.ranker.cut(ranked)}
    levels = await kit.trust.levels({one.url for one in found})
    scores: list[tuple[str, float]] = []
    for one in found:
        promise = _promise(run, one, relevance.get(one.id, 0.0), levels[one.url], is_behind_knee=one.id not in kept)
        scores.append((one.id, expected_value(promise)))
        if promise.trust is TrustLevel.BLOCKED and one.state is CandidateState.PENDING:
            await kit.db.write(candidates.set_state, one.id, CandidateState.BLOCKED, "the domain is blocked")
    await kit.db.write(candidates.set_scores, scores)


def _promise(run: SearchRun, one: Candidate, relevance: float, trust: TrustLevel, *, is_behind_knee: bool) -> Promise:
    domain = registrable_domain(one.url)
    return Promise(
        relevance=relevance,
        trust=trust,
        is_behind_knee=is_behind_knee,
        is_priority=domain in run.task.priority_domains,
        seeks_primary=run.search.options.seek_primary,
    )
