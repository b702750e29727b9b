"""The trust level in force: overrides hot-reloaded and audited, promotions derived, blocked domains shown."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lyra.model.domain import BreakerState, ServiceHealth
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.person import Person, Role
from lyra.model.trust import TrustLevel, TrustPromotion
from lyra.report.write import Reporter
from lyra.research.trust import DomainTrust
from lyra.storage import cleanup, domains, service_health, tasks
from lyra.storage.database import Database
from lyra.trust.levels import TrustList

_SAID = (Relation.SUPPORTS, 0.9)


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    return tmp_path / "domains.yaml"


@pytest.fixture
def keeper(db: Database, clock: Any, user_file: Path) -> DomainTrust:
    return DomainTrust(db, clock, TrustList(user_file))


def override(path: Path, second: int = 0, **levels: str) -> None:
    """Write overrides; `__` in a name is a dot. The file's time differs from write to write, however fast."""
    items = [
        {"domain": name.replace("__", "."), "trust_level": level, "reason": f"Reviewed: {level}."}
        for name, level in levels.items()
    ]
    path.write_text(json.dumps({"user_overrides": items}), "utf-8")
    os.utime(path, (1_700_000_000 + second, 1_700_000_000 + second))


def break_file(path: Path) -> None:
    path.write_text("user_overrides: [{domain: example.com}]", "utf-8")


async def lines(db: Database, kind: str) -> list[tuple[str, dict[str, Any], str | None, str | None]]:
    """Subject, details, cause and task of the journal's lines of one kind."""

    def read(connection: Any) -> list[Any]:
        return connection.execute(
            "select subject, details, cause_id, task_id from event_log where kind = ? order by id", (kind,)
        ).fetchall()

    return [(subject, json.loads(details), cause, task) for subject, details, cause, task in await db.read(read)]


async def test_an_override_holds_at_once_and_is_written_down(
    db: Database, keeper: DomainTrust, user_file: Path
) -> None:
    """Without a restart: the level changes with the file, and the journal says what came, changed and went."""
    before = await keeper.levels(["https://blog.example.com/a"])
    override(user_file, 1, example__com="low", fdso__gov="blocked")
    first = await keeper.levels(["https://blog.example.com/a", "fdso.gov"])
    override(user_file, 2, example__com="trusted")
    second = await keeper.levels(["https://blog.example.com/a", "fdso.gov"])

    assert (before, first, second) == (
        {"https://blog.example.com/a": TrustLevel.UNVERIFIED},
        {"https://blog.example.com/a": TrustLevel.LOW, "fdso.gov": TrustLevel.BLOCKED},
        {"https://blog.example.com/a": TrustLevel.TRUSTED, "fdso.gov": TrustLevel.GOVERNMENT},
    )
    assert await lines(db, "trust_override") == [
        ("example.com", {"before": None, "after": "low", "reason": "Reviewed: low."}, None, None),
        ("fdso.gov", {"before": None, "after": "blocked", "reason": "Reviewed: blocked."}, None, None),
        ("example.com", {"before": "low", "after": "trusted", "reason": "Reviewed: trusted."}, None, None),
        ("fdso.gov", {"before": "blocked", "after": None, "reason": "The override was taken back."}, None, None),
    ]


async def test_another_process_finds_the_change_already_written(
    db: Database, clock: Any, keeper: DomainTrust, user_file: Path
) -> None:
    """Two servers on one data directory, or a restart, do not write the same line twice."""
    override(user_file, 1, example__com="low")
    other = DomainTrust(db, clock, TrustList(user_file))

    await keeper.record_overrides()
    await other.record_overrides()
    await other.record_overrides()

    assert len(await lines(db, "trust_override")) == 1


async def test_a_file_that_broke_leaves_the_last_good_one_in_force_and_says_so(
    db: Database, keeper: DomainTrust, user_file: Path
) -> None:
    """A typing error in the middle of a search must neither stop it nor lift a block."""
    override(user_file, 1, example__com="blocked")
    await keeper.levels(["example.com"])
    break_file(user_file)

    levels = await keeper.levels(["example.com"])

    assert levels == {"example.com": TrustLevel.BLOCKED}
    assert "unknown trust_level None" in str(keeper.problem)
    assert len(await lines(db, "trust_override")) == 1


def lift(domain: str, claim_id: str, *sources: str) -> TrustPromotion:
    return TrustPromotion(domain, claim_id, sources, f"Supported by {len(sources)} sources.")


async def told_of(db: Database, domain: str) -> tuple[TrustLevel | None, str, str | None]:
    record = await db.read(domains.get, domain)
    assert record is not None
    return record.trust_level, record.trust_reason, record.cause_id


async def test_a_domain_is_promoted_with_its_cause(db: Database, keeper: DomainTrust, said: Any, write: Any) -> None:
    """Lifted again by the same claim it has one line in the journal, with the claim and the reason."""
    claim = await db.write(write, "It rose.", [])

    await keeper.set_promotions([claim], [lift("hillcrest.example", claim, "a", "b")])
    await keeper.set_promotions([claim], [lift("hillcrest.example", claim, "a", "b")])

    assert await told_of(db, "hillcrest.example") == (TrustLevel.LOW, "Supported by 2 sources.", claim)
    details = {
        "before": "unverified",
        "after": "low",
        "reason": "Supported by 2 sources.",
        "task_id": "task_00000000000a",
    }
    assert await lines(db, "trust_changed") == [("hillcrest.example", details, claim, None)]


async def test_a_promotion_is_taken_back_with_its_evidence(db: Database, keeper: DomainTrust, write: Any) -> None:
    """The claim lifts nobody any more: the domain is unverified again, and the journal says so."""
    claim = await db.write(write, "It rose.", [])
    await keeper.set_promotions([claim], [lift("hillcrest.example", claim, "a", "b")])

    await keeper.set_promotions([claim], [])

    assert await told_of(db, "hillcrest.example") == (None, "", None)
    assert await keeper.levels(["hillcrest.example"]) == {"hillcrest.example": TrustLevel.UNVERIFIED}
    assert [(subject, one["before"], one["after"]) for subject, one, _, _ in await lines(db, "trust_changed")] == [
        ("hillcrest.example", "unverified", "low"),
        ("hillcrest.example", "low", "unverified"),
    ]


async def test_a_domain_stays_low_while_another_claim_lifts_it(db: Database, keeper: DomainTrust, write: Any) -> None:
    """The stronger claim is its cause; when that falls the other one is, without a line in the journal."""
    one = await db.write(write, "It rose.", [])
    two = await db.write(write, "It fell.", [])
    await keeper.set_promotions([one], [lift("hillcrest.example", one, "a", "b")])
    await keeper.set_promotions([two], [lift("hillcrest.example", two, "a", "b", "c")])
    stronger = await told_of(db, "hillcrest.example")

    await keeper.set_promotions([two], [])

    assert stronger == (TrustLevel.LOW, "Supported by 3 sources.", two)
    assert await told_of(db, "hillcrest.example") == (TrustLevel.LOW, "Supported by 2 sources.", one)
    assert len(await lines(db, "trust_changed")) == 1


async def test_a_deleted_task_lifts_nobody(db: Database, keeper: DomainTrust, write: Any, clock: Any) -> None:
    """Its evidence is gone, and what followed from it; the journal's lines outlive the task."""
    claim = await db.write(write, "It rose.", [])
    await keeper.set_promotions([claim], [lift("hillcrest.example", claim, "a", "b")])

    await db.write(cleanup.delete_task, "task_00000000000a", is_hard=False, now=clock.now())

    assert await keeper.levels(["hillcrest.example"]) == {"hillcrest.example": TrustLevel.UNVERIFIED}
    assert [one["after"] for _, one, _, _ in await lines(db, "trust_changed")] == ["low", "unverified"]


async def test_what_is_blocked_stays_blocked(db: Database, keeper: DomainTrust, write: Any, clock: Any) -> None:
    """Corroboration must not lift a domain that was found dangerous."""
    claim = await db.write(write, "It rose.", [])
    await db.write(domains.set_trust, "danger.example", TrustLevel.BLOCKED, "Orders.", now=clock.now(), cause_id="e")

    await keeper.set_promotions([claim], [lift("danger.example", claim, "a", "b")])

    assert await told_of(db, "danger.example") == (TrustLevel.BLOCKED, "Orders.", "e")
    assert await lines(db, "trust_changed") == []


async def test_a_report_shows_a_domain_at_one_level_and_says_what_it_was(
    db: Database, keeper: DomainTrust, said: Any, write: Any
) -> None:
    """Judged before and after its promotion, both pages stand at the level of now; what differed is named."""
    early = said("https://news.hillcrest.org/1", "hillcrest.org", "It rose.", *_SAID, TrustLevel.UNVERIFIED)
    late = said("https://news.hillcrest.org/2", "hillcrest.org", "It did rise.", *_SAID, TrustLevel.LOW)
    claim = await db.write(write, "It rose.", [early, late])
    await keeper.set_promotions([claim], [lift("hillcrest.org", claim, "a", "b")])

    report = await Reporter(db, keeper.of_pages).markdown(await db.read(tasks.get, "task_00000000000a"))

    listed = report.partition("## Sources")[2].partition("## Searches")[0]
    told = [line.partition(" — ")[2] for line in listed.splitlines() if line]
    assert told == ["hillcrest.org, low, was unverified when judged", "hillcrest.org, low"]


async def test_what_the_user_or_the_list_decided_is_not_promoted(
    db: Database, keeper: DomainTrust, user_file: Path, write: Any
) -> None:
    """The override and the list hold, and the journal tells of no change; without the override the domain is low."""
    override(user_file, 1, example__com="blocked")
    claim = await db.write(write, "It rose.", [])

    await keeper.set_promotions([claim], [lift(name, claim, "a", "b") for name in ("example.com", "fdso.gov")])

    levels = await keeper.levels(["example.com", "fdso.gov"])
    override(user_file, 2)
    assert levels == {"example.com": TrustLevel.BLOCKED, "fdso.gov": TrustLevel.GOVERNMENT}
    assert await db.read(domains.get, "fdso.gov") is None
    assert await lines(db, "trust_changed") == []
    assert await keeper.levels(["example.com"]) == {"example.com": TrustLevel.LOW}


async def test_blocked_domains_are_those_found_dangerous_and_those_the_user_blocked(
    db: Database, clock: Any, keeper: DomainTrust, user_file: Path
) -> None:
    """With reason, time, cause and the level each would have; one that the user restored is no longer blocked."""
    for name in ("danger.example", "restored.example"):
        reason = "Hidden orders to the model."
        await db.write(domains.set_trust, name, TrustLevel.BLOCKED, reason, now=clock.now(), cause_id="ev_1")
    override(user_file, 1, fdso__gov="blocked", restored__example="low")

    blocked = await keeper.blocked()

    assert [(one.domain, one.reason, one.cause_id, one.original_trust_level, one.blocked_at) for one in blocked] == [
        ("danger.example", "Hidden orders to the model.", "ev_1", None, "2026-03-14T09:30:00.000Z"),
        ("fdso.gov", "Reviewed: blocked.", "user_override", "government", "2026-03-14T09:30:00.000Z"),
    ]


async def test_person_sees_blocked_domains_of_visible_tasks_and_of_the_list(
    db: Database, clock: Any, keeper: DomainTrust, user_file: Path
) -> None:
    """What another's private task found dangerous is not named, and does not show in the level beside an override."""
    reason = "Hidden orders to the model."
    for name in ("danger.example", "listed.example"):
        await db.write(domains.set_trust, name, TrustLevel.BLOCKED, reason, now=clock.now(), cause_id="inj_1")
    override(user_file, 1, listed__example="blocked")

    shown = await keeper.blocked(Person("p_ito", "Ito", Role.RESEARCHER))

    assert [(one.domain, one.cause_id, one.original_trust_level) for one in shown] == [
        ("listed.example", "user_override", TrustLevel.UNVERIFIED)
    ]


async def test_assessing_takes_the_override_for_edges_judged_before_it(keeper: DomainTrust, user_file: Path) -> None:
    """The user vouches for a source: a claim that was rejected for want of trust is weighed with it, and the edge
    itself keeps what was in force when it was judged."""
    rows = [
        EvidenceRow(
            "c", "f_1", "p_1", "example.com", Relation.SUPPORTS, 0.9, TrustLevel.LOW, url="https://x.example.com/"
        ),
        EvidenceRow(
            "c", "f_2", "p_2", "example.com", Relation.SUPPORTS, 0.9, TrustLevel.LOW, url="https://y.example.com/"
        ),
        EvidenceRow(
            "c", "f_3", "p_3", "other.org", Relation.REFUTES, 0.9, TrustLevel.TRUSTED, url="https://other.org/"
        ),
    ]
    override(user_file, 1, x__example__com="academic")

    weighed = keeper.with_overrides(rows)

    assert [row.source_trust_level for row in weighed] == [TrustLevel.ACADEMIC, TrustLevel.LOW, TrustLevel.TRUSTED]
    assert [row.source_trust_level for row in rows] == [TrustLevel.LOW, TrustLevel.LOW, TrustLevel.TRUSTED]


async def test_standings_tell_level_reason_origin_and_rest(
    db: Database, clock: Any, keeper: DomainTrust, user_file: Path
) -> None:
    """Every domain that was met or overridden, with who decided about it."""
    now = clock.now()
    refused = ServiceHealth("domain:fdso.gov", now, BreakerState.OPEN, 2, now, "blocked")
    await db.write(service_health.save, refused)
    await db.write(domains.set_trust, "hillcrest.example", TrustLevel.LOW, "Two sources.", now=now, cause_id="c_1")
    await db.write(service_health.save, ServiceHealth("domain:new.example", now, last_outcome="ok"))
    override(user_file, 1, wire__example="trusted")

    found = await keeper.domain_statuses()

    assert [(one.domain, one.trust_level, one.origin, one.reason, one.cause_id) for one in found] == [
        ("fdso.gov", TrustLevel.GOVERNMENT, "list", "Listed as government (gov).", None),
        ("hillcrest.example", TrustLevel.LOW, "learned", "Two sources.", "c_1"),
        ("new.example", TrustLevel.UNVERIFIED, "none", "The domain is on no list.", None),
        ("wire.example", TrustLevel.TRUSTED, "override", "Reviewed: trusted.", None),
    ]
    assert (found[0].cooldown_until, found[0].failures) == (now, 2)
    assert found[3].otherwise is TrustLevel.UNVERIFIED


async def test_one_domain_can_be_asked_about_before_it_was_met(keeper: DomainTrust) -> None:
    """A host's standing comes from its registrable domain's record and from the list."""
    found = await keeper.domain_status("pubmed.ncbi.nlm.nih.gov")

    assert (found.trust_level, found.origin, found.otherwise) == (TrustLevel.ACADEMIC, "list", TrustLevel.ACADEMIC)


async def test_what_changed_about_a_domain_can_be_read_back(keeper: DomainTrust, user_file: Path) -> None:
    """The newest first: an override and its end, told by their levels and reasons."""
    override(user_file, 1, example__com="blocked")
    await keeper.record_overrides()
    override(user_file, 2, fdso__gov="low")
    await keeper.record_overrides()

    found = await keeper.changes("example.com")

    assert [(one.kind, one.details["before"], one.details["after"], one.details["reason"]) for one in found] == [
        ("trust_override", "blocked", None, "The override was taken back."),
        ("trust_override", None, "blocked", "Reviewed: blocked."),
    ]
