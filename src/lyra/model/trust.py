"""How far a domain is trusted. Trust ranks and informs; it never enters confidence."""

from dataclasses import dataclass
from enum import StrEnum


class TrustLevel(StrEnum):
    PRIMARY = "primary"
    GOVERNMENT = "government"
    ACADEMIC = "academic"
    TRUSTED = "trusted"
    LOW = "low"
    UNVERIFIED = "unverified"
    BLOCKED = "blocked"

    @property
    def is_high(self) -> bool:
        """High trust: primary, government, academic (SPEC §13)."""
        return self in _HIGH

    @property
    def weight(self) -> float:
        """Weight in ranking only (SPEC §13)."""
        return _WEIGHTS[self]


class TrustOrigin(StrEnum):
    """Who decided a domain's level: the user's override, the packaged list, what was learned here, or none of them."""

    OVERRIDE = "override"
    LIST = "list"
    LEARNED = "learned"
    NONE = "none"


_HIGH = frozenset({TrustLevel.PRIMARY, TrustLevel.GOVERNMENT, TrustLevel.ACADEMIC})
_WEIGHTS = {
    TrustLevel.PRIMARY: 1.0,
    TrustLevel.GOVERNMENT: 0.95,
    TrustLevel.ACADEMIC: 0.90,
    TrustLevel.TRUSTED: 0.75,
    TrustLevel.LOW: 0.40,
    TrustLevel.UNVERIFIED: 0.30,
    TrustLevel.BLOCKED: 0.0,
}


def highest_trust(levels: "list[TrustLevel]") -> TrustLevel | None:
    """The highest of several levels, or none of none."""
    return max(levels, key=lambda level: level.weight, default=None)


@dataclass(frozen=True, slots=True)
class TrustPromotion:
    """A domain that a claim lifts from unverified to low, with the independent sources that support the claim."""

    domain: str
    claim_id: str
    sources: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class OverrideChange:
    """A change in the user's overrides: None where there was none before, or is none any more."""

    domain: str
    before: TrustLevel | None
    after: TrustLevel | None
    reason: str
