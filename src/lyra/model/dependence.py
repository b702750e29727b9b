"""How far a claim rests on single sources."""

from dataclasses import dataclass

from lyra.model.claim import Assessment


@dataclass(frozen=True, slots=True)
class SourceDependence:
    """One independent source that takes a stance on a claim, and the claim without it.

    `members` are the works and publishers that count as this one source; `supports` and `refutes` count its stances.
    """

    claim_id: str
    source: str
    members: tuple[str, ...]
    supports: int
    refutes: int
    without: Assessment
