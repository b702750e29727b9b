"""Rests of domains, as all processes see them."""

from typing import Any

from lyra.model.domain import BreakerState
from lyra.model.page import FetchOutcome
from lyra.policy.cooldown import Cooldown
from lyra.settings import Politeness
from lyra.storage import domain_policies, service_health
from lyra.storage.database import Database

DOMAIN = "fdso.gov"


async def test_rest_runs_out(db: Database, leaping: Any) -> None:
    """A domain rests for its time, seen by another process too, and is then free."""
    cooldown = Cooldown(db, leaping, Politeness())
    rest_s = await cooldown.note(DOMAIN, FetchOutcome.BLOCKED, 429, 7200.0)
    await leaping.sleep(7000)
    left_s = await Cooldown(db, leaping, Politeness()).remaining_s(f"domain:{DOMAIN}")
    await leaping.sleep(200)

    over_s = await cooldown.remaining_s(f"domain:{DOMAIN}")

    assert (rest_s, left_s, over_s) == (7200.0, 200.0, 0.0)


async def test_refusals_count_in_a_row(db: Database, leaping: Any) -> None:
    """A page that was served in between starts the count anew; silence counts, other failures do not (§4.3)."""
    cooldown = Cooldown(db, leaping, Politeness())
    story = [
        (FetchOutcome.BLOCKED, 403),
        (FetchOutcome.OK, 200),
        (FetchOutcome.BLOCKED, 403),
        (FetchOutcome.FAILED, None),
        (FetchOutcome.TIMED_OUT, None),
        (FetchOutcome.CHALLENGE, 403),
    ]

    rests = [await cooldown.note(DOMAIN, outcome, status, None) for outcome, status in story]

    assert rests == [0.0, 0.0, 0.0, 0.0, 1800.0, 3600.0]


async def test_maintenance_is_respected_without_counting(db: Database, leaping: Any) -> None:
    """A 503 with Retry-After rests exactly as long as asked: it is no refusal."""
    cooldown = Cooldown(db, leaping, Politeness())

    rest_s = await cooldown.note(DOMAIN, FetchOutcome.FAILED, 503, 90.0)

    assert (rest_s, await cooldown.remaining_s(f"domain:{DOMAIN}")) == (90.0, 90.0)


async def test_unknown_domain_does_not_rest(db: Database, leaping: Any) -> None:
    """Nobody has refused us there yet."""
    assert await Cooldown(db, leaping, Politeness()).remaining_s("nimeth.gov") == 0.0


async def test_every_rest_is_logged_with_its_figures(db: Database, leaping: Any) -> None:
    """From what was left of the last one to the new one, and why (§4.6); a refusal without a rest is none."""
    cooldown = Cooldown(db, leaping, Politeness())
    for outcome, asked_s in (
        (FetchOutcome.BLOCKED, None),
        (FetchOutcome.CHALLENGE, None),
        (FetchOutcome.BLOCKED, 7200.0),
    ):
        await cooldown.note(DOMAIN, outcome, 403, asked_s)
        await leaping.sleep(60)

    changes = await db.read(domain_policies.changes, DOMAIN)

    assert [(one.parameter, one.before, one.after, one.reason, dict(one.figures)) for one in changes] == [
        (
            "cooldown_s",
            "1740",
            "7200",
            "blocked; refusals in a row: 3; the server asked for 7200 s",
            {"failures": 3, "retry_after_s": 7200.0},
        ),
        ("cooldown_s", "0", "1800", "challenge; refusals in a row: 2", {"failures": 2, "retry_after_s": 0.0}),
    ]


async def test_an_api_rests_for_every_process_until_it_has_answered(db: Database, leaping: Any) -> None:
    """Failures in a row are counted under its own name; an answer ends the count."""
    cooldown, other = Cooldown(db, leaping, Politeness()), Cooldown(db, leaping, Politeness())
    await cooldown.note_answer("api:openalex", FetchOutcome.BLOCKED, 60.0)
    await leaping.sleep(20)
    left_s = await other.remaining_s("api:openalex")
    failing = await db.read(service_health.get, "api:openalex")
    await leaping.sleep(40)

    await other.note_answer("api:openalex", FetchOutcome.OK)

    answering = await db.read(service_health.get, "api:openalex")
    assert left_s == 40.0
    assert (failing.state, failing.failures, failing.last_outcome) == (BreakerState.OPEN, 1, "blocked")
    assert (answering.state, answering.failures, answering.open_until) == (BreakerState.CLOSED, 0, None)


async def test_an_api_that_never_failed_has_no_record(db: Database, leaping: Any) -> None:
    """Answers are many: only one that ends a failure is written down."""
    await Cooldown(db, leaping, Politeness()).note_answer("api:openalex", FetchOutcome.OK)

    assert await db.read(service_health.get, "api:openalex") is None
