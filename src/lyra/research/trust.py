"""The trust level in force for every source, and the record of every change in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lyra.clock import Clock, stamp
from lyra.model.domain import DomainPolicySummary, DomainRecord, DomainStatus
from lyra.model.edge import EvidenceRow
from lyra.model.event import Event
from lyra.model.person import OWNER, Person
from lyra.model.task import BlockedDomain
from lyra.model.trust import TrustLevel, TrustOrigin, TrustPromotion
from lyra.research.plain_fields import plain_fields
from lyra.storage import domains, trust
from lyra.storage.database import Database
from lyra.trust.levels import TrustEntry, TrustList
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from apsw import Connection

USER_OVERRIDE = "user_override"


class DomainTrust:
    """Asks the user's overrides, the list and what was learned here; writes down what is learned and overridden.

    The user's file is read again whenever it has changed; the journal gets a line for each override that came, changed
    or went, whichever process notices first.
    """

    def __init__(self, db: Database, clock: Clock, listed: TrustList) -> None:
        self._db = db
        self._clock = clock
        self._listed = listed
        self._audited: Mapping[str, TrustEntry] | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong with the user's file, while the last good one holds."""
        return self._listed.problem

    async def levels(self, addresses: Iterable[str]) -> dict[str, TrustLevel]:
        """The level in force for each address, host or domain."""
        await self.record_overrides()
        by_address = {address: registrable_domain(address) for address in addresses}
        learned = await self._db.read(trust.learned_levels, set(by_address.values()))
        return {address: self._listed.level_of(address, learned.get(domain)) for address, domain in by_address.items()}

    async def of_pages(self, page_ids: Iterable[str]) -> dict[str, TrustLevel]:
        """The level in force for the source of each page, by the address where it was read."""
        addresses = await self._db.read(trust.addresses_of, page_ids)
        levels = await self.levels(addresses.values())
        return {page_id: levels[address] for page_id, address in addresses.items()}

    async def unverified(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of these domains that are unverified now."""
        return tuple(name for name, level in (await self.levels(names)).items() if level is TrustLevel.UNVERIFIED)

    def with_overrides(self, rows: Sequence[EvidenceRow]) -> list[EvidenceRow]:
        """The rows with the level that the user's overrides give their sources now; others keep that of their edge."""
        if not self._listed.overrides():
            return list(rows)
        entries = {row.url: self._listed.override_of(row.url or row.domain) for row in rows}
        return [
            row if (entry := entries[row.url]) is None else replace(row, source_trust_level=entry.level) for row in rows
        ]

    def overrides(self) -> dict[str, str]:
        """The levels that the user's own list gives now, by host."""
        return {host: entry.level.value for host, entry in self._listed.overrides().items()}

    async def set_promotions(self, claim_ids: Iterable[str], found: Iterable[TrustPromotion]) -> None:
        """These claims promote these domains now, and no others; levels go up and down accordingly.

        A domain of the packaged list is not lifted; one that the user has overridden is, unseen below the override.
        """
        await self.record_overrides()
        unlisted = [one for one in found if self._listed.otherwise(one.domain).level is TrustLevel.UNVERIFIED]
        settled, now = set(self._listed.overrides()), self._clock.now()
        await self._db.write(trust.replace_promotions, list(claim_ids), unlisted, settled=settled, now=now)

    async def blocked(self, person: Person = OWNER) -> tuple[BlockedDomain, ...]:
        """Every domain that is blocked now, by name: found dangerous and not restored, or by the user's override.

        Of those found dangerous only the ones that a task has reached which the person sees.
        """
        await self.record_overrides()
        found = await self._db.read(_blocked_for, person)
        dangerous = [
            row for row in found if self._listed.level_of(row.domain, TrustLevel.BLOCKED) is TrustLevel.BLOCKED
        ]
        names = [name for name, entry in self._listed.overrides().items() if entry.level is TrustLevel.BLOCKED]
        recorded = await self._db.read(trust.overrides_on_record) if names else {}
        learned = await self._db.read(_learned_for, names, person) if names else {}
        chosen = [
            BlockedDomain(
                domain=name,
                blocked_at=recorded[name][2] if name in recorded else None,
                reason=self._listed.overrides()[name].reason,
                cause_id=USER_OVERRIDE,
                original_trust_level=self._listed.otherwise(name, learned.get(name)).level,
            )
            for name in names
        ]
        by_name = {row.domain: row for row in (*dangerous, *chosen)}
        return tuple(by_name[name] for name in sorted(by_name))

    async def domain_status(self, domain: str) -> DomainStatus:
        """The status of one host or domain, whether or not it was ever met."""
        await self.record_overrides()
        record = await self._db.read(domains.get, registrable_domain(domain))
        return self._status(domain, record)

    async def changes(self, domain: str) -> tuple[Event, ...]:
        """What the journal holds of the level of a host and its domain, the newest first."""
        return await self._db.read(trust.changes_of, {domain, registrable_domain(domain)})

    async def domain_statuses(self) -> tuple[DomainStatus, ...]:
        """The status of every domain that was met or overridden, by name."""
        await self.record_overrides()
        known = {record.domain: record for record in await self._db.read(domains.all)}
        return tuple(self._status(name, known.get(name)) for name in sorted({*known, *self._listed.overrides()}))

    async def record_overrides(self) -> None:
        """Write down how the user's overrides have changed, where they have."""
        overrides = self._listed.overrides()
        if overrides == self._audited:
            return
        in_force = {name: (entry.level, entry.reason) for name, entry in overrides.items()}
        recorded = await self._db.read(trust.overrides_on_record)
        if in_force != {name: entry[:2] for name, entry in recorded.items()}:
            await self._db.write(trust.record_overrides, in_force, self._clock.now())
        self._audited = overrides

    def _status(self, domain: str, record: DomainRecord | None) -> DomainStatus:
        learned = record.trust_level if record else None
        entry = self._listed.explain(domain, learned)
        is_learned = entry.origin is TrustOrigin.LEARNED
        return DomainStatus(
            domain=domain,
            trust_level=entry.level,
            reason=(record.trust_reason if record and is_learned else "") or entry.reason,
            origin=entry.origin,
            otherwise=self._listed.otherwise(domain, learned).level,
            cooldown_until=record.cooldown_until if record else None,
            failures=record.failures if record else 0,
            last_outcome=record.last_outcome if record else None,
            cause_id=record.cause_id if record and is_learned else None,
        )


def _blocked_for(connection: "Connection", person: Person) -> tuple[BlockedDomain, ...]:
    found = domains.blocked(connection)
    if person.sees_everything or not found:
        return found
    seen = domains.visible_to(connection, person)
    return tuple(row for row in found if row.domain in seen)


def _learned_for(connection: "Connection", names: Iterable[str], person: Person) -> dict[str, TrustLevel]:
    learned = trust.learned_levels(connection, names)
    if person.sees_everything or not learned:
        return learned
    seen = domains.visible_to(connection, person)
    return {name: level for name, level in learned.items() if name in seen}


def domain_fields(status: DomainStatus) -> dict[str, Any]:
    """The status of one domain."""
    return {
        **plain_fields(
            domain=status.domain, trust_level=status.trust_level, origin=status.origin, reason=status.reason
        ),
        "without_override": status.otherwise.value,
        **plain_fields(
            cause_id=status.cause_id,
            cooldown_until=status.cooldown_until,
            failures=status.failures,
            last_outcome=status.last_outcome,
        ),
    }


def trust_change_fields(event: Event) -> dict[str, Any]:
    """One line of the journal about a domain's level."""
    names = ("before", "after", "reason", "task_id")
    return {
        "changed_at": stamp(event.created_at),
        "kind": event.kind,
        **{name: event.details.get(name) for name in names},
    }


def fetching_fields(account: DomainPolicySummary) -> dict[str, Any]:
    """How a domain is asked, what was learned of it, and the last changes with their figures."""
    habit = account.habit
    return {
        "first_rung": account.first_rung,
        "first_reason": account.first_reason,
        "barred": dict(account.barred),
        "pause_s": round(account.pause_s, 2),
        "qps": account.qps,
        "qps_origin": "domains.yaml" if account.is_own_qps else "politeness.domain_qps",
        "pause_factor": habit.pause_factor,
        "requests_today": dict(account.today.by_rung),
        **plain_fields(
            samples=habit.samples,
            success_short=habit.success_short,
            success_long=habit.success_long,
            refusal_short=habit.refusal_short,
            refusal_long=habit.refusal_long,
        ),
        "tor_success_short": round(habit.tor_short, 3),
        "rung_memory": habit.rung,
        **plain_fields(
            rung_until=habit.rung_until, last_challenge=habit.last_challenge, last_challenge_at=habit.last_challenge_at
        ),
        "changes": [
            {
                **plain_fields(changed_at=one.changed_at, parameter=one.parameter),
                "before": one.before,
                "after": one.after,
            }
            | {"reason": one.reason, "figures": dict(one.figures)}
            for one in account.changes
        ],
    }
