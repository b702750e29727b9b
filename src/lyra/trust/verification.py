"""Which domains a claim lifts from unverified to low while it stands as it does (SPEC §13, trust is derived). Pure."""

from collections.abc import Iterable

from lyra.model.claim import Assessment, RefutationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel, TrustPromotion

# SPEC §13: two independent sources where one stands above low, otherwise three.
SOURCES_WITH_ONE_ABOVE_LOW = 2
SOURCES_ALL_LOW = 3
_NAMED = 5


def trust_promotions(assessment: Assessment, rows: Iterable[tuple[EvidenceRow, str]]) -> list[TrustPromotion]:
    """The domains below trusted that support the claim, by name, where its support suffices.

    `rows` are the claim's evidence, each with the name of its independent source.
    """
    if assessment.refutation_status is RefutationStatus.FOUND:
        return []
    voting = [(row, source) for row, source in rows if row.relation is Relation.SUPPORTS and not row.no_vote]
    sources = tuple(sorted({source for _, source in voting}))
    above = tuple(sorted({source for row, source in voting if row.source_trust_level.weight > TrustLevel.LOW.weight}))
    if len(sources) < (SOURCES_WITH_ONE_ABOVE_LOW if above else SOURCES_ALL_LOW):
        return []
    reason = _reason(sources, above)
    lifted = {row.domain for row, _ in voting if row.source_trust_level in (TrustLevel.UNVERIFIED, TrustLevel.LOW)}
    return [TrustPromotion(domain, assessment.claim_id, sources, reason) for domain in sorted(lifted)]


def _reason(sources: tuple[str, ...], above: tuple[str, ...]) -> str:
    named = [*above, *(one for one in sources if one not in above)]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    shown = ", ".join(one.removeprefix("domain:").removeprefix("work:") for one in named[:_NAMED])
    standing = f", {len(above)} above low" if above else ""
    return f"A claim it supports has {len(sources)} independent sources{standing}: {shown}{more}."
