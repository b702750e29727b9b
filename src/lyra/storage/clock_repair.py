"""Times that a clock which was ahead has left: what waits for them is shortened to what its rule allows from now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from apsw import Connection

from lyra.clock import stamp
from lyra.storage.columns import moment_or_none
from lyra.storage.leases import LONGEST_LEASE, LONGEST_PAUSE

# Two machines that share a directory differ by seconds; a page may have been stored a moment ago.
_TOLERANCE = timedelta(minutes=5)
# The longest rest of a domain, engine or API, and how long a rung is remembered or barred (SPEC §5, one day).
_LONGEST_REST = timedelta(days=1)
_LEASES = """
delete from leases
where (owner is not null and until > :latest_lease) or (owner is null and next_at > :latest_pause)
"""
# A rest lasts as long as it was meant to: from its entry to its end, counted from now.
_RESTS = """
update service_health
set open_until = iif(
        open_until is null,
        null,
        strftime(
            '%Y-%m-%dT%H:%M:%fZ',
            :now,
            max(0, min(:longest_s, round((julianday(open_until) - julianday(updated_at)) * 86400, 3))) || ' seconds'
        )
    ),
    updated_at = :now
where updated_at > :ahead or open_until > :latest_rest
"""
_POLICIES = """
update domain_policies
set rung_until = min(rung_until, :latest_rest),
    tor_barred_until = min(tor_barred_until, :latest_rest),
    pause_changed_at = min(pause_changed_at, :now),
    updated_at = min(updated_at, :now)
where max(coalesce(rung_until, ''), coalesce(tor_barred_until, '')) > :latest_rest
    or max(coalesce(pause_changed_at, ''), updated_at) > :ahead
"""
# The patience that a failed search asks for, likewise.
_RETRIES = """
update queries
set retry_at = strftime(
    '%Y-%m-%dT%H:%M:%fZ',
    :now,
    max(0, min(:longest_s, round((julianday(retry_at) - julianday(finished_at)) * 86400, 3))) || ' seconds'
)
where retry_at > :latest_rest and finished_at is not null
"""
_KNOBS = """
update knobs
set turned_at = min(turned_at, :now), updated_at = min(updated_at, :now)
where max(coalesce(turned_at, ''), updated_at) > :ahead
"""
# Answers of that time would count as fresh until then.
_ANSWERS = "delete from serp_cache where created_at > :ahead"
_ROBOTS = "delete from robots_cache where fetched_at > :ahead"


# The latest of the times that the statements above are about.
_LATEST = """
select max(at)
from (
    select max(until) as at from leases where owner is not null and until > :latest_lease
    union all
    select max(next_at) from leases where owner is null and next_at > :latest_pause
    union all
    select max(max(updated_at, coalesce(open_until, '')))
    from service_health
    where updated_at > :ahead or open_until > :latest_rest
    union all
    select max(retry_at) from queries where retry_at > :latest_rest and finished_at is not null
    union all
    select max(max(coalesce(rung_until, ''), coalesce(tor_barred_until, ''))) as learned
    from domain_policies
    having learned > :latest_rest
    union all
    select max(max(coalesce(pause_changed_at, ''), updated_at)) as changed from domain_policies having changed > :ahead
    union all
    select max(max(coalesce(turned_at, ''), updated_at)) as turned from knobs having turned > :ahead
    union all
    select max(created_at) from serp_cache where created_at > :ahead
    union all
    select max(fetched_at) from robots_cache where fetched_at > :ahead
)
"""


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


def shorten_long_waits(connection: Connection, now: datetime) -> ClockRepair:
    """Shorten every wait that no rule allows from now; says how many there were, and until when."""
    values = {
        "now": stamp(now),
        "ahead": stamp(now + _TOLERANCE),
        "latest_lease": stamp(now + LONGEST_LEASE),
        "latest_pause": stamp(now + LONGEST_PAUSE),
        "latest_rest": stamp(now + _LONGEST_REST),
        "longest_s": _LONGEST_REST.total_seconds(),
    }
    latest = moment_or_none(connection.execute(_LATEST, values).get)

    def changed(statement: str) -> int:
        connection.execute(statement, values)
        return connection.changes()

    others = (_RETRIES, _POLICIES, _KNOBS, _ANSWERS, _ROBOTS)
    return ClockRepair(latest, changed(_LEASES), changed(_RESTS), sum(map(changed, others)))


def ahead_until(connection: Connection, now: datetime) -> datetime | None:
    """The latest time in the journal, where it is still to come."""
    latest = connection.execute(
        "select max(created_at) from event_log where created_at > ?", (stamp(now + _TOLERANCE),)
    ).get
    return moment_or_none(latest)
