"""The auth queue: pages that wait for a person, and decisions on an item or a whole domain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import InvalidParams
from lyra.model.handoff import Handoff, HandoffDecision, HandoffStatus
from lyra.storage import handoffs
from lyra.storage.database import Database
from lyra.urls import is_public_suffix, registrable_domain

if TYPE_CHECKING:
    from apsw import Connection


@dataclass(frozen=True, slots=True)
class HandoffGroup:
    """Items of one domain, or of one type of challenge, over all tasks."""

    name: str
    items: tuple[Handoff, ...]

    @property
    def pending_count(self) -> int:
        return len(self.items)

    @property
    def high_priority_count(self) -> int:
        return sum(1 for one in self.items if one.priority == "high")

    @property
    def affected_tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.task_id for one in self.items))

    @property
    def auth_types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.auth_type for one in self.items))

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.domain for one in self.items))


def grouped(items: Sequence[Handoff], key: Callable[[Handoff], str]) -> tuple[HandoffGroup, ...]:
    """The items by that key, in the order of the first item of each group."""
    groups: dict[str, list[Handoff]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return tuple(HandoffGroup(name, tuple(found)) for name, found in groups.items())


class AuthQueue:
    """Reads the queue and stores decisions; `on_unblocked` is called when searches may go on."""

    def __init__(self, db: Database, clock: Clock, pages_per_search: int, on_unblocked: Callable[[], None]) -> None:
        self._db = db
        self._clock = clock
        self._pages_per_search = pages_per_search
        self._on_unblocked = on_unblocked

    async def pending(self, task_id: str | None = None, priority: str | None = None) -> tuple[Handoff, ...]:
        """What waits, high priority first, then oldest."""
        return await self._db.read(handoffs.pending, task_id, priority)

    async def get(self, handoff_id: str) -> Handoff:
        """The item; InvalidParams where there is none, as after its task was deleted."""
        found = await self._db.read(handoffs.get, handoff_id)
        if found is None:
            raise unknown_item(handoff_id)
        return found

    async def pages_of(self, domain: str) -> tuple[str, ...]:
        """The addresses of a domain that have been in the queue, in any task."""
        return tuple(item.url for item in await self._db.read(handoffs.of_domain, domain))

    async def decide_item(self, handoff_id: str, status: HandoffStatus, via: str) -> HandoffDecision:
        """Store the decision on one page. Resolving it opens its whole domain, in every task that waits for it.

        The first decision counts: a later one changes nothing, except that resolving undoes a skip or a failure.
        """
        made = await self._db.write(_decide_item, handoff_id, status, via, self._pages_per_search, self._clock.now())
        self._notify_unblocked(made)
        return made

    async def decide_domain(self, domain: str, status: HandoffStatus, via: str) -> HandoffDecision:
        """Store the decision on all pages of a domain that wait, in every task."""
        name = await self.domain_named(domain)
        made = await self._db.write(_decide_domain, name, status, via, self._pages_per_search, self._clock.now())
        self._notify_unblocked(made)
        return made

    async def domain_named(self, text: str) -> str:
        """The domain that is meant, as the queue writes it. InvalidParams where there is none, or where the text is a
        public suffix such as co.uk. A few suffixes are hosts as well, such as gov.uk, and may be in the queue."""
        name = registrable_domain(text.strip().lower())
        if not name:
            raise InvalidParams("domain is empty.", remedy="Take it from get_auth_queue.")
        if is_public_suffix(name) and not await self._db.read(handoffs.of_domain, name):
            raise InvalidParams(
                f"{name[:60]!r} is not the domain of a site: sites are registered below it.",
                remedy="Give the site's own domain, as get_auth_queue shows it.",
            )
        return name

    def _notify_unblocked(self, made: HandoffDecision) -> None:
        if made.unblocked_searches:
            self._on_unblocked()


def _decide_item(
    connection: "Connection", handoff_id: str, status: HandoffStatus, via: str, pages_per_search: int, now: datetime
) -> HandoffDecision:
    item = handoffs.get(connection, handoff_id)
    if item is None:
        raise unknown_item(handoff_id)
    is_decided = item.status is not HandoffStatus.PENDING
    undoes = status is HandoffStatus.RESOLVED and item.status in (HandoffStatus.SKIPPED, HandoffStatus.FAILED)
    if is_decided and not undoes:
        return HandoffDecision(item.domain, item.status)
    items: tuple[Handoff, ...] = (item,)
    if status is HandoffStatus.RESOLVED:
        items += tuple(one for one in handoffs.of_domain(connection, item.domain) if one.id != item.id)
    return handoffs.decide(
        connection, items, item.domain, status, is_for_domain=False, via=via, pages_per_search=pages_per_search, now=now
    )


def _decide_domain(
    connection: "Connection", domain: str, status: HandoffStatus, via: str, pages_per_search: int, now: datetime
) -> HandoffDecision:
    found = handoffs.of_domain(connection, domain)
    is_solved = status is HandoffStatus.RESOLVED
    items = [one for one in found if is_solved or one.status is HandoffStatus.PENDING]
    return handoffs.decide(
        connection, items, domain, status, is_for_domain=True, via=via, pages_per_search=pages_per_search, now=now
    )


def unknown_item(handoff_id: str) -> InvalidParams:
    """The error for an item that is not there."""
    return InvalidParams(
        f"There is no item {handoff_id[:60]!r} in the auth queue.",
        remedy="get_auth_queue lists what waits; the items of a deleted task are gone with it.",
    )
