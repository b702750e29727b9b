"""What would lift a rejection: the conditions under which the rule of SPEC §13 would no longer reject the claim."""

from collections.abc import Sequence

from lyra.model.edge import EvidenceRow

_NAMED = 3


def rejection_remedies(supports: Sequence[EvidenceRow], refutations: Sequence[EvidenceRow]) -> tuple[str, ...]:
    """Sentences for a rejected claim, whose supports are all below high trust; `refutations` are those that count."""
    is_refuted_from_above = any(row.source_trust_level.is_high for row in refutations)
    then = (
        "pending, with both sides kept" if is_refuted_from_above else "verified once two independent sources support it"
    )
    conditions = [
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        f"on this task: the claim is then {then}."
    ]
    domains = sorted({row.domain for row in supports})
    if domains:
        conditions.append(
            f"The user's override in domains.yaml that gives {_either(domains)} high trust, from the next search on "
            f"this task: the claim is then {then}."
        )
    return tuple(conditions)


def _either(names: Sequence[str]) -> str:
    shown = list(names[:_NAMED])
    if len(names) > _NAMED:
        shown[-1] = f"one of {len(names) - _NAMED + 1} others"
    return " or ".join(shown)
