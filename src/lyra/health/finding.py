"""What a check says: its subject, its state, and what to do where something is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `is_fine` false means something the user should repair."""

    name: str
    is_fine: bool
    detail: str
    remedy: str | None = None
