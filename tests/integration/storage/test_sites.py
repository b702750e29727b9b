"""What is kept of a site beside its pages, and when it is forgotten."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.model.event import Event
from lyra.model.page import Page
from lyra.model.task import KeptSite
from lyra.model.trust import TrustLevel
from lyra.storage import domains, journal, pages, sites, trust
from lyra.storage.database import Database

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SITE, OTHER = "lone-site.org", "shared-site.org"


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    """Of both sites something is known; of one there is a page."""
    database = await Database.open(tmp_path / "lyra.db")

    def plant(connection: Any) -> None:
        url = f"https://www.{OTHER}/"
        pages.save(connection, Page("p_1", url, OTHER, "Shared", "en", NOW, final_url=url, text="Shared."), ())
        for domain in (SITE, OTHER):
            domains.set_trust(connection, domain, TrustLevel.BLOCKED, "a reason", now=NOW, cause_id="inj_1")
            connection.execute("insert into domain_policies (domain, updated_at) values (?, '2026')", (domain,))
            connection.execute("insert into fetch_days (day, domain, rung) values ('2026', ?, 'http')", (domain,))
            connection.execute("insert into site_searches (domain, updated_at) values (?, '2026')", (domain,))
            connection.execute("insert into leases (name) values ('domain:' || ?)", (domain,))
            connection.execute(
                "insert into service_health (name, open_until, updated_at) values ('domain:' || ?, ?, '2026')",
                (domain, "2026-03-14T10:00:00.000Z"),
            )
            connection.execute(
                "insert into robots_cache values ('https://www.' || ?, '', 200, '2026')",
                (domain,),
            )
            journal.append(
                connection,
                [Event("trust_changed", NOW, domain, {}), Event("policy_change", NOW, f"domain:{domain}", {})],
            )

    await database.write(plant)
    yield database
    await database.close()


async def left(db: Database) -> list[str]:
    """Tables in which the name of the lone site still stands."""
    names = "domain_trust domain_policies fetch_days site_searches leases service_health robots_cache event_log"
    return await db.read(
        lambda connection: [
            name for name in names.split() if SITE in str(connection.execute(f"select * from {name}").fetchall())
        ]
    )


async def test_a_site_is_lone_where_no_page_and_no_search_has_to_do_with_it(db: Database) -> None:
    """By its hosts: of a domain that others need, a host of one's own is lone."""
    hosts = [f"www.{SITE}", f"www.{OTHER}", f"own.{OTHER}"]

    assert await db.read(sites.unused_hosts, hosts) == {SITE, f"www.{SITE}", f"own.{OTHER}"}


async def test_a_forgotten_site_stands_in_no_table(db: Database) -> None:
    """Its standing, cooldown, figures, robots.txt and journal; those of another stay."""
    counts = await db.write(sites.forget, {SITE})

    assert await left(db) == []
    assert counts == {
        "domain_trust": 1,
        "domain_policies": 1,
        "fetch_days": 1,
        "site_searches": 1,
        "service_health": 1,
        "leases": 1,
        "robots_cache": 1,
        "event_log": 2,
        "sites_to_forget": 0,
    }


async def test_a_cooldown_and_an_override_keep_a_site(db: Database) -> None:
    """Each with its reason; the cooldown only while it runs."""
    named = {"named-site.org": (TrustLevel.BLOCKED, "spam")}
    await db.write(trust.record_overrides, named, NOW)

    at_once = await db.read(sites.kept, {SITE, "named-site.org"}, NOW)
    later = await db.read(sites.kept, {SITE, "named-site.org"}, LATER)

    resting = KeptSite(SITE, "it asked Lyra to wait; it is forgotten when that time is over", is_resting=True)
    overridden = KeptSite("named-site.org", "your domains.yaml names it")
    assert at_once == (resting, overridden)
    assert later == (overridden,)


async def test_a_resting_site_is_forgotten_when_its_cooldown_has_ended(db: Database) -> None:
    """Once: what was noted for later is then gone too."""
    await db.write(sites.forget_later, [SITE])

    early = await db.write(sites.forget_due, NOW)
    due = await db.write(sites.forget_due, LATER)
    again = await db.write(sites.forget_due, LATER)

    assert (early, due, again) == (frozenset(), frozenset({SITE}), frozenset())
    assert await left(db) == []


async def test_a_site_that_was_reached_again_is_not_forgotten(db: Database) -> None:
    """Another task has read a page of it before the cooldown ended."""
    await db.write(sites.forget_later, [OTHER])

    assert await db.write(sites.forget_due, LATER) == frozenset()
    assert await db.read(lambda connection: connection.execute("select * from sites_to_forget").fetchall()) == []
