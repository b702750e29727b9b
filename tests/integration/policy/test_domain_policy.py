"""What was learned of domains, as all processes see it."""

from datetime import UTC, datetime
from typing import Any

from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy.cooldown import Cooldown
from lyra.policy.domain_policy import DomainPolicy
from lyra.settings import Politeness
from lyra.storage import domain_policies, domains
from lyra.storage.database import Database

DOMAIN = "fdso.gov"
REFUSED = FetchResult("https://fdso.gov/a", FetchOutcome.BLOCKED, status_code=403)
SERVED = FetchResult("https://fdso.gov/a", FetchOutcome.OK, status_code=200)


async def test_learned_pause_holds_for_every_process(db: Database, leaping: Any) -> None:
    """A refusal seen by one process makes all of them slower, and is counted once."""
    await DomainPolicy(db, leaping, Politeness()).note(DOMAIN, REFUSED)

    other = DomainPolicy(db, leaping, Politeness())

    assert await other.pause_s(DOMAIN) == 10.0
    assert await other.pause_s("nimeth.gov") == 0.0


async def test_change_is_journalled_with_its_figures_and_cause(db: Database, leaping: Any) -> None:
    """Every change can be explained later: from what to what, why, on which figures."""
    policy = DomainPolicy(db, leaping, Politeness())

    await policy.note(DOMAIN, REFUSED, cause_id="cand_1")

    (change,) = await db.read(domain_policies.changes, DOMAIN)
    assert (change.parameter, change.before, change.after) == ("pause_factor", "1", "2")
    assert change.figures == {"short": 0.3, "long": 0.1, "samples": 1}


async def test_daily_limit_rests_the_domain_until_midnight(db: Database, leaping: Any) -> None:
    """A domain is asked so often a day and no more; the next day it may be asked again."""
    policy = DomainPolicy(db, leaping, Politeness(domain_daily_limit=2))
    await policy.note(DOMAIN, SERVED)
    before_s = await policy.rest_of_day_s(DOMAIN)
    await policy.note(DOMAIN, SERVED)

    rest_s = await policy.rest_of_day_s(DOMAIN)

    now = leaping.now().astimezone(UTC)
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC).timestamp() + 86_400
    assert (before_s, rest_s) == (0.0, midnight - now.timestamp())


async def test_forgetting_ends_the_rest_and_keeps_the_trust(db: Database, leaping: Any) -> None:
    """`lyra domains forget`: what was learned goes, with an entry in the journal; a second time there is nothing."""
    policy = DomainPolicy(db, leaping, Politeness())
    await policy.note(DOMAIN, REFUSED)
    await Cooldown(db, leaping, Politeness()).note(DOMAIN, FetchOutcome.BLOCKED, 429, 7200.0)

    first, second = await policy.forget(DOMAIN), await policy.forget(DOMAIN)

    record = await db.read(domains.get, DOMAIN)
    assert (first, second) == (True, False)
    assert record is not None
    assert (record.cooldown_until, record.failures, await policy.pause_s(DOMAIN)) == (None, 0, 0.0)


async def test_requests_are_counted_by_day_domain_and_rung(db: Database, leaping: Any) -> None:
    """RungShares are taken from these counts."""
    policy = DomainPolicy(db, leaping, Politeness())
    await policy.note(DOMAIN, SERVED)
    await policy.note(DOMAIN, FetchResult("https://fdso.gov/b", FetchOutcome.OK, rung="tor"))
    await policy.note("nimeth.gov", SERVED)

    account = await policy.account(DOMAIN)

    assert account.today.by_rung == {"http": 1, "tor": 1}


async def test_learned_pause_multiplies_the_users_own(db: Database, leaping: Any) -> None:
    """Where the user allows a domain less than usual, a refusal doubles that, and the account tells it."""
    policy = DomainPolicy(db, leaping, Politeness(), qps_of={DOMAIN: 0.05}.get)
    before = await policy.account(DOMAIN)

    await policy.note(DOMAIN, REFUSED)

    assert (before.pause_s, await policy.pause_s(DOMAIN)) == (20.0, 40.0)
