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


@dataclass(frozen=True, slots=True)
class Promise:
    """What speaks for an address: relevance in [0, 1], its domain's trust, and the client's wishes."""

    relevance: float
    trust: TrustLevel
    is_priority: bool
    seeks_primary: bool


def expected_value(promise: Promise) -> float:
    """Relevance first; trust only orders what is about equally relevant (SPEC §13: ranking only)."""
    value = (1 - _TRUST_SHARE) * promise.relevance + _TRUST_SHARE * promise.trust.weight
    value += _PRIORITY_BONUS if promise.is_priority else 0.0
    value += _PRIMARY_BONUS if promise.seeks_primary and promise.trust.is_high else 0.0
    return 0.0 if promise.trust is TrustLevel.BLOCKED else value


async def rank(kit: Kit, run: SearchRun) -> None:
    """Score what is pending; what lies behind the knee is skipped, and so are blocked domains."""
    found = [
        one for one in await kit.db.read(candidates.of_search, run.search.id) if one.state is CandidateState.PENDING
    ]
    if not found:
        return
    ranked = await kit.ranker.rank(run.search.query, [f"{one.title} {one.snippet}" for one in found])
    relevance = {found[each.index].id: each.score for each in ranked}
    kept = {found[each.index].id for each in kit.ranker.cut(ranked)}
    scores: list[tuple[str, float]] = []
    for one in found:
        promise = _promise(kit, run, one, relevance.get(one.id, 0.0))
        scores.append((one.id, expected_value(promise)))
        if promise.trust is TrustLevel.BLOCKED:
            await kit.db.write(candidates.set_state, one.id, CandidateState.BLOCKED, "the domain is blocked")
        elif one.id not in kept and not promise.is_priority:
            await kit.db.write(candidates.set_state, one.id, CandidateState.SKIPPED, "less relevant than the rest")
    await kit.db.write(candidates.set_scores, scores)


def _promise(kit: Kit, run: SearchRun, one: Candidate, relevance: float) -> Promise:
    domain = registrable_domain(one.url)
    return Promise(
        relevance=relevance,
        trust=kit.trust.level_of(one.url),
        is_priority=domain in run.task.priority_domains,
        seeks_primary=run.search.options.seek_primary,
    )
