"""The ladder over the simulated web: Tor's stand-in, the web archive, and what the journal and the policy say of it."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from apsw import Connection

from lyra.model.page import FetchLane, FetchOutcome, FetchRequest
from lyra.settings import Network
from lyra.settings.rungs import Tor
from simweb import SimWeb
from simweb.faults import Fault

HEART_FAILURE = "https://www.fdso.gov/safety/dpp4-heart-failure"
JOINT_PAIN = "https://www.fdso.gov/safety/dpp4-joint-pain"
GONE = "https://topwirelessguides.net/alp2-speed-05"
EXPIRED = "https://legacy.padspec-archive.org/alp-1/overview"


@pytest.fixture
async def climbing(build: Any, web: SimWeb, network: Network) -> Any:
    """A fetcher whose Tor is the simulated web's SOCKS door, with the archive as its last rung."""
    tor = Tor(socks_address=web.socks_url.removeprefix("socks5h://"), control_address="127.0.0.1:1")
    return await build(network, tor=tor, has_archive=True)


async def steps(bench: Any, cause_id: str) -> list[tuple[str, str, str, str | None]]:
    """Rung, outcome, why it was climbed to and where the fetch went next, as the journal tells."""

    def of_cause(connection: Connection) -> list[tuple[str, str, str, str | None]]:
        rows = connection.execute(
            "select details from event_log where cause_id = ? and kind = 'fetch' order by id", (cause_id,)
        )
        told = [json.loads(details) for (details,) in rows]
        return [(one["rung"], one["outcome"], one["why"], one["next"]) for one in told]

    found: list[tuple[str, str, str, str | None]] = await bench.db.read(of_cause)
    return found


async def test_refused_page_is_opened_over_tor(climbing: Any, web: SimWeb) -> None:
    """A server that refuses the direct way may let Tor in; every step stands in the journal with its reason."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403, exits="direct"))

    result = await climbing.get(HEART_FAILURE, cause_id="c_tor")

    assert (result.outcome, result.rung, result.tried) == (FetchOutcome.OK, "tor", ("http", "tor"))
    assert await steps(climbing, "c_tor") == [
        ("http", "blocked", "the lightest way first", "tor"),
        ("tor", "ok", "refused by status 403; another way may be let in", None),
    ]


async def test_names_are_resolved_inside_tor_on_a_circuit_of_the_domain(climbing: Any, web: SimWeb) -> None:
    """No name is asked of this machine's resolver, and no domain shares a circuit with another (sticky for 15 min)."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403, exits="direct"))

    await climbing.get(HEART_FAILURE)
    await climbing.get(JOINT_PAIN, rungs=("tor",))

    over_tor = [visit for visit in web.requests if visit.exit == "tor"]
    circuits = {visit.circuit for visit in over_tor}
    assert [visit.path for visit in over_tor] == ["/safety/dpp4-heart-failure", "/safety/dpp4-joint-pain"]
    assert [circuit.rpartition(".")[0] for circuit in circuits] == ["fdso.gov"]
    assert web.journal.dns_leaks() == ()


async def test_circuit_is_given_up_where_it_was_of_no_use(climbing: Any, web: SimWeb) -> None:
    """After a refusal over Tor the next request of the domain leaves by another circuit."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403))

    await climbing.get(HEART_FAILURE, rungs=("tor",))
    await climbing.get(JOINT_PAIN, rungs=("tor",))

    circuits = [visit.circuit for visit in web.requests if visit.exit == "tor"]
    assert len(set(circuits)) == 2


async def test_engines_are_never_asked_over_tor(climbing: Any, web: SimWeb) -> None:
    """A result page may not be fetched over Tor, even where a request names that rung (§4.3)."""
    result = await climbing.fetcher(
        FetchRequest("https://www.mojeek.com/search?q=x", FetchLane.SERP, gate="engine:mojeek", rungs=("tor",))
    )

    assert (result.outcome, web.requests) == (FetchOutcome.UNAVAILABLE, ())


async def test_tor_that_is_not_there_is_named_and_passed(build: Any, network: Network, web: SimWeb) -> None:
    """Without any Tor the page's own refusal is told, and the journal says what the machine lacks."""
    bench = await build(network, tor=Tor(socks_address="127.0.0.1:1", control_address="127.0.0.1:1"))
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403))

    result = await bench.get(HEART_FAILURE, cause_id="c_none")

    assert (result.outcome, result.tried) == (FetchOutcome.BLOCKED, ("http",))
    assert (await bench.events("c_none"))[-1] == ("fetch", HEART_FAILURE, "unavailable")


async def test_page_that_cannot_be_opened_is_read_from_the_archive(climbing: Any) -> None:
    """A copy is marked as one, with its date and address, and carries no validators of the archive's."""
    result = await climbing.get(EXPIRED)

    assert (result.outcome, result.rung, result.final_url) == (FetchOutcome.OK, "wayback", EXPIRED)
    assert result.snapshot_at == datetime(2021, 12, 31, 12, tzinfo=UTC)
    assert result.memento_url == f"https://web.archive.org/web/20211231120000id_/{EXPIRED}"
    assert (result.header("etag"), result.header("last-modified")) == (None, None)
    assert b"wm-ipp" not in result.body


async def test_archive_without_a_copy_leaves_the_sites_own_word(climbing: Any, web: SimWeb) -> None:
    """A 404 stays a 404 where the archive knows nothing; the archive's ignorance is only in the journal."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=404))

    result = await climbing.get(HEART_FAILURE, cause_id="c_gone")

    assert (result.outcome, result.rung, result.status_code) == (FetchOutcome.NOT_FOUND, "http", 404)
    assert [(rung, outcome) for rung, outcome, _, _ in await steps(climbing, "c_gone")] == [
        ("http", "not_found"),
        ("wayback", "not_found"),
    ]


async def test_archive_is_not_told_of_an_address_that_holds_a_secret(climbing: Any, web: SimWeb) -> None:
    """What opens a page for its holder would be a stranger's to read; the step stands in the journal."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=404))
    signed = f"{HEART_FAILURE}?expires=1893456000&sig=0a9f8e7d6c5b4a39281706f5e4d3c2b1"

    result = await climbing.get(signed, cause_id="c_signed")

    assert (result.outcome, result.rung, result.status_code) == (FetchOutcome.NOT_FOUND, "http", 404)
    assert [(rung, outcome) for rung, outcome, _, _ in await steps(climbing, "c_signed")] == [
        ("http", "not_found"),
        ("wayback", "unavailable"),
    ]
    assert [visit for visit in web.requests if visit.host == "web.archive.org"] == []


async def test_a_page_that_is_gone_for_good_is_read_from_its_copies(climbing: Any) -> None:
    """Status 410 says that the page was there: no rule that spares the archive holds, not even for a link of the site
    itself."""
    result = await climbing.get(GONE, referer="https://topwirelessguides.net/", cause_id="c_gone")

    assert (result.outcome, result.rung, result.final_url) == (FetchOutcome.OK, "wayback", GONE)
    assert result.snapshot_at == datetime(2025, 12, 1, 12, tzinfo=UTC)
    assert [(rung, outcome, nxt) for rung, outcome, _, nxt in await steps(climbing, "c_gone")] == [
        ("http", "not_found", "wayback"),
        ("wayback", "ok", None),
    ]


async def test_a_recheck_of_a_page_that_is_gone_wants_no_copy(climbing: Any) -> None:
    """That it is gone is what it wants to know."""
    result = await climbing.get(GONE, is_live_only=True)

    assert (result.outcome, result.status_code) == (FetchOutcome.NOT_FOUND, 410)


async def test_dead_link_within_a_site_is_not_looked_up(climbing: Any, web: SimWeb) -> None:
    """The archive's small share is not spent on what a site itself links wrongly."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=404))

    await climbing.get(HEART_FAILURE, referer="https://www.fdso.gov/", cause_id="c_own")

    assert [rung for rung, *_ in await steps(climbing, "c_own")] == ["http"]


async def test_refusal_that_was_overcome_closes_nothing(climbing: Any, web: SimWeb) -> None:
    """A fetch counts as one answer: the domain is asked directly again at once."""
    web.faults.set("www.fdso.gov/safety/dpp4-heart-failure", Fault("status", status=429, retry_after_s=1, times=1))

    first = await climbing.get(HEART_FAILURE)
    second = await climbing.get(JOINT_PAIN)

    assert (first.rung, first.outcome, second.rung, second.outcome) == ("tor", FetchOutcome.OK, "http", FetchOutcome.OK)


async def test_pause_a_server_asks_for_holds_during_the_climb(climbing: Any, web: SimWeb) -> None:
    """The next rung comes after the Retry-After, not before."""
    web.faults.set("www.fdso.gov/safety/dpp4-heart-failure", Fault("status", status=429, retry_after_s=1, times=1))

    await climbing.get(HEART_FAILURE)

    refused, served = [visit for visit in web.requests if visit.path == "/safety/dpp4-heart-failure"]
    assert served.arrived_s - (refused.ended_s or 0.0) >= 1.0


async def test_policy_learns_where_to_begin_and_says_so(climbing: Any, web: SimWeb) -> None:
    """After Tor has opened two pages that the direct way could not, fetches of the domain begin there."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403, exits="direct"))
    for number in range(14):  # ordinary pages of the day, of which Tor may have a fifth
        await climbing.get(f"https://www.fdso.gov/?page={number}")

    await climbing.get(HEART_FAILURE)
    await climbing.get(JOINT_PAIN)

    account = await climbing.policy.account("fdso.gov")
    assert (account.first_rung, account.changes[0].parameter, account.changes[0].after) == ("tor", "first_rung", "tor")
    assert account.today.by_rung == {"http": 16, "tor": 2}
