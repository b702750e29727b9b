"""What a rung of the ladder is: one way to ask for a page, with a typed outcome whatever happens."""

from dataclasses import dataclass
from typing import Protocol

from lyra.model.page import FetchRequest, FetchResult, Getter


@dataclass(frozen=True, slots=True)
class Climb:
    """What a rung is told besides the request: robots.txt binds where a getter for it is given; `tried` came before.

    A climb is one visit: the refusal that made it climb does not keep it from going on. `broken` are hashes of bodies
    that are known to have broken off: a browser shows such a body as if it were whole.
    """

    get_robots: Getter | None = None
    tried: tuple[str, ...] = ()
    broken: frozenset[str] = frozenset()


class Rung(Protocol):
    """One way to fetch. What it lacks on this machine is the outcome UNAVAILABLE with a reason, never an exception."""

    @property
    def name(self) -> str:
        """One of `lyra.fetch.ladder.RUNGS`."""

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        """Fetch once, politely (`lyra.fetch.admission`), archived; never raises for what the network does."""

    async def close(self) -> None:
        """Give back everything the rung holds: connections, processes, tabs."""
