"""What a clock that was ahead has left behind."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ClockRepair:
    """The latest time that was still to come, or none, and how many waits for such times were shortened: leases with
    their pauses, rests of services, and whatever else is remembered until a time."""

    latest: datetime | None = None
    leases: int = 0
    rests: int = 0
    others: int = 0

    @property
    def shortened(self) -> int:
        return self.leases + self.rests + self.others
