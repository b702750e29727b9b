"""Fetching over the simulated web: politeness, robots, rests, archive and journal as they meet."""

import asyncio
import gzip
from datetime import timedelta
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from lyra.clock import parse_stamp
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest
from lyra.redact.key import redactor_of
from lyra.settings import Network, Politeness
from simweb import Fault, SimWeb

ROBOTS = "https://www.fdso.gov/robots.txt"
HEART_FAILURE = "https://www.fdso.gov/safety/dpp4-heart-failure"
JOINT_PAIN = "https://www.fdso.gov/safety/dpp4-joint-pain"
JOINT_PAIN_MOVED = "https://www.fdso.gov/safety/dpp4-joint-pain-2015"
INTERNAL = "https://www.fdso.gov/internal/draft-heart-failure-review"
SHIFT_JIS = "https://www.med.seito-u.ac.jp/naibunpi/kaisetsu/dpp4"
CLOSE = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)


def asked(web: SimWeb, host: str = "www.fdso.gov") -> list[str]:
    return [visit.url for visit in web.requests if visit.host == host]


def responses(file: Path) -> list[tuple[str, str]]:
    with file.open("rb") as stream:
        return [
            (record.http_headers.get_statuscode(), record.rec_headers.get_header("WARC-Target-URI"))
            for record in ArchiveIterator(stream)
            if record.rec_type == "response"
        ]


async def test_page_comes_whole_and_archived(bench: Any, web: SimWeb) -> None:
    """The bytes of a page, the way they came and their archive record agree."""
    result = await bench.get(HEART_FAILURE)

    headers, body = await bench.archive.read(result.archive)
    assert (result.outcome, result.status_code) == (FetchOutcome.OK, 200)
    assert (result.final_url, result.rung, result.reason) == (HEART_FAILURE, "http", None)
    assert b"saxagliptin" in result.body
    assert body == result.body
    assert ("content-type", "text/html; charset=utf-8") in headers
    assert asked(web) == [ROBOTS, HEART_FAILURE]


async def test_twenty_fetches_at_once_reach_a_domain_one_after_another(bench: Any, web: SimWeb) -> None:
    """Never two requests at once to one domain (A17), and one robots.txt for them all."""
    urls = [f"{HEART_FAILURE}?copy={number}" for number in range(20)]

    results = await asyncio.gather(*(bench.get(url) for url in urls))

    assert [result.outcome for result in results] == [FetchOutcome.OK] * 20
    assert web.politeness_violations() == ()
    assert sorted(asked(web)) == sorted([ROBOTS, *urls])


async def test_two_processes_share_the_gate(build: Any, network: Network, web: SimWeb) -> None:
    """Politeness holds across the processes of one data directory: two fetchers, two databases, one file."""
    first, second = await build(network), await build(network)

    await asyncio.gather(*(bench.get(f"{JOINT_PAIN}?n={n}") for n in range(5) for bench in (first, second)))

    assert web.politeness_violations() == ()
    assert len([url for url in asked(web) if "?n=" in url]) == 10


async def test_engine_and_pages_of_one_domain_never_overlap(bench: Any, web: SimWeb) -> None:
    """An engine's gate has its own name, but its host is also a domain that pages may come from."""
    serp = FetchRequest("https://www.mojeek.com/search?q=DPP-4", FetchLane.SERP, "engine:mojeek")

    await asyncio.gather(*(bench.fetcher(serp) for _ in range(3)), bench.get("https://www.mojeek.com/robots.txt"))

    assert web.politeness_violations() == ()


async def test_domains_are_fetched_side_by_side_within_the_limit(build: Any, network: Network, web: SimWeb) -> None:
    """Different domains do not wait for one another, but only `concurrency` requests are under way at once."""
    bench = await build(network.model_copy(update={"concurrency": 2}))
    web.faults.set("*", Fault("slow", delay_s=0.1))
    hosts = ["www.fdso.gov", "www.nimeth.gov", "www.daily-meridian.com", "www.harborcourier.com"]

    await asyncio.gather(*(bench.get(f"https://{host}/", lane=FetchLane.SERP) for host in hosts))

    begins = sorted(visit.arrived_s for visit in web.requests)
    ends = sorted(visit.ended_s for visit in web.requests)
    assert len(begins) == 4
    assert begins[1] < ends[0]
    assert begins[2] >= ends[0]
    assert begins[3] >= ends[1]


async def test_refusal_with_retry_after_puts_the_domain_to_rest(bench: Any, web: SimWeb) -> None:
    """A 429 that names its time rests the whole domain, without another request, for at least thirty minutes."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=429, retry_after_s=60))

    refused = await bench.get(HEART_FAILURE)
    web.faults.clear()
    resting = await bench.get(JOINT_PAIN)

    assert (refused.outcome, refused.status_code, refused.retry_after_s) == (FetchOutcome.BLOCKED, 429, 1800.0)
    assert resting.outcome is FetchOutcome.COOLING_DOWN
    assert resting.reason == "fdso.gov rests after refusing requests."
    assert 1790 < resting.retry_after_s <= 1800
    assert asked(web) == [ROBOTS, HEART_FAILURE]


async def test_second_forbidden_page_in_a_row_rests_the_domain(bench: Any, web: SimWeb) -> None:
    """One 403 may concern one page; two in a row concern the visitor (settings: cooldown_after)."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403))

    outcomes = [(await bench.get(url)).outcome for url in (HEART_FAILURE, JOINT_PAIN, "https://www.fdso.gov/")]

    assert outcomes == [FetchOutcome.BLOCKED, FetchOutcome.BLOCKED, FetchOutcome.COOLING_DOWN]


async def test_fetches_in_line_see_the_refusal_of_the_one_before(bench: Any, web: SimWeb) -> None:
    """Those who already waited at the gate when the refusal came do not send either."""
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=429, retry_after_s=60))

    results = await asyncio.gather(*(bench.get(f"{HEART_FAILURE}?n={n}") for n in range(5)))

    outcomes = sorted(result.outcome for result in results)
    assert outcomes == [FetchOutcome.BLOCKED] + [FetchOutcome.COOLING_DOWN] * 4
    assert len(asked(web)) == 2


async def test_challenge_is_a_value_with_its_page_archived(bench: Any, web: SimWeb) -> None:
    """A challenge is neither a page nor an error: it has its outcome, its reason and its record."""
    web.faults.set("www.fdso.gov/safety/*", Fault("challenge"))

    result = await bench.get(HEART_FAILURE)

    _, body = await bench.archive.read(result.archive)
    assert (result.outcome, result.status_code) == (FetchOutcome.CHALLENGE, 403)
    assert result.challenge == "cloudflare"
    assert result.reason == "Status 403: cloudflare blocks the page (header cf-mitigated)."
    assert b"Just a moment..." in body


async def test_robots_denial_sends_no_page_request(bench: Any, web: SimWeb) -> None:
    """What robots.txt disallows is never asked for."""
    result = await bench.get(INTERNAL)

    assert result.outcome is FetchOutcome.ROBOTS_DENIED
    assert result.reason == "robots.txt of www.fdso.gov disallows this address."
    assert asked(web) == [ROBOTS]


async def test_robots_bind_pages_only(bench: Any, web: SimWeb) -> None:
    """Result pages and APIs are asked through their own doors."""
    result = await bench.get(INTERNAL, lane=FetchLane.SERP, gate="engine:test")

    assert result.outcome is FetchOutcome.OK
    assert asked(web) == [INTERNAL]


async def test_robots_may_be_switched_off(build: Any, network: Network, web: SimWeb) -> None:
    """The user's setting decides; then robots.txt is not even fetched."""
    bench = await build(network, CLOSE.model_copy(update={"respect_robots": False}))

    result = await bench.get(INTERNAL)

    assert result.outcome is FetchOutcome.OK
    assert asked(web) == [INTERNAL]


async def test_robots_in_trouble_disallow_for_now(bench: Any, web: SimWeb) -> None:
    """A server error for robots.txt means: not now, come back in ten minutes (RFC 9309)."""
    web.faults.set("www.fdso.gov/robots.txt", Fault("status", status=503))

    results = [await bench.get(url) for url in (HEART_FAILURE, JOINT_PAIN)]

    assert [(r.outcome, r.retry_after_s) for r in results] == [(FetchOutcome.ROBOTS_DENIED, 600.0)] * 2
    assert asked(web) == [ROBOTS]


async def test_missing_robots_allow_everything(bench: Any, web: SimWeb) -> None:
    """No robots.txt, no rules."""
    web.faults.set("www.fdso.gov/robots.txt", Fault("status", status=404))

    assert (await bench.get(INTERNAL)).outcome is FetchOutcome.OK


async def test_crawl_delay_is_kept(bench: Any, web: SimWeb) -> None:
    """The pause a site asks for in robots.txt holds even where our own would be shorter."""
    await bench.get("https://www.nimeth.gov/")

    next_at, done_at = await bench.db.read(
        lambda connection: connection.execute(
            "select (select next_at from leases where name = 'domain:nimeth.gov'), max(created_at) from event_log"
        ).fetchone()
    )
    pause = parse_stamp(next_at) - parse_stamp(done_at)
    assert timedelta(seconds=0.5) < pause <= timedelta(seconds=1)


async def test_revisit_is_not_modified(bench: Any, web: SimWeb) -> None:
    """A page we have is not sent again (A9): ETag and date go out, 304 comes back without a body."""
    first = await bench.get(HEART_FAILURE)

    second = await bench.get(HEART_FAILURE, etag=first.header("etag"), last_modified=first.header("last-modified"))

    assert (second.outcome, second.status_code, second.body) == (FetchOutcome.NOT_MODIFIED, 304, b"")
    assert web.requests[-1].headers["if-none-match"] == first.header("etag")


async def test_shift_jis_bytes_stay_as_they_came(bench: Any) -> None:
    """The body is bytes: decoding is the extractor's work, and the archive must prove the original."""
    result = await bench.get(SHIFT_JIS)

    assert result.header("content-type") == "text/html; charset=shift_jis"
    assert "阻害薬" in result.body.decode("shift_jis")


async def test_redirect_from_http_to_https_is_followed(bench: Any, web: SimWeb) -> None:
    """The hop within the domain is followed, each answer is archived, the final address is named."""
    result = await bench.get("http://www.fdso.gov/safety/dpp4-joint-pain")

    assert (result.outcome, result.final_url) == (FetchOutcome.OK, JOINT_PAIN)
    assert asked(web)[-1] == JOINT_PAIN
    assert web.politeness_violations() == ()


async def test_redirect_within_known_rules_costs_no_second_turn(bench: Any, web: SimWeb) -> None:
    """A moved page on a site whose rules are known is followed at once, as a browser would."""
    result = await bench.get(JOINT_PAIN_MOVED)

    assert (result.outcome, result.url, result.final_url) == (FetchOutcome.OK, JOINT_PAIN_MOVED, JOINT_PAIN)
    assert asked(web) == [ROBOTS, JOINT_PAIN_MOVED, JOINT_PAIN]


async def test_missing_page_is_not_found(bench: Any) -> None:
    """404 is an answer about the page, with a reason."""
    result = await bench.get("https://www.fdso.gov/never-written")

    assert (result.outcome, result.reason) == (FetchOutcome.NOT_FOUND, "Status 404: there is no such page.")


async def test_unknown_host_fails_with_the_proxys_word(bench: Any) -> None:
    """A name that does not exist is a failure, said as such."""
    result = await bench.get("https://nirgends.example/a")

    assert result.outcome is FetchOutcome.FAILED
    assert result.reason == (
        "robots.txt could not be read: "
        "The proxy could not reach nirgends.example (CONNECT tunnel failed, response 502)."
    )


async def test_foreign_authority_is_not_trusted(build: Any, network: Network) -> None:
    """Without the CA of the proxy its certificates are refused: nobody can stand in between unseen."""
    bench = await build(
        network.model_copy(update={"ca_bundle": None}), CLOSE.model_copy(update={"respect_robots": False})
    )

    result = await bench.get(HEART_FAILURE)

    assert (result.outcome, result.status_code, result.archive) == (FetchOutcome.FAILED, None, None)
    assert result.reason.startswith(
        "The certificate of www.fdso.gov is not valid: expired, for another name, or of an authority nobody knows ("
    )


async def test_reset_connection_fails(bench: Any, web: SimWeb) -> None:
    """A connection that breaks before an answer is a failure without a record."""
    web.faults.set("www.fdso.gov/safety/*", Fault("reset"))

    result = await bench.get(HEART_FAILURE)

    assert (result.outcome, result.status_code, result.archive) == (FetchOutcome.FAILED, None, None)
    assert result.reason.startswith("The connection to www.fdso.gov was reset (")


async def test_truncated_body_fails_and_says_so(bench: Any, web: SimWeb) -> None:
    """Half a page is no page: no body is handed on, but the record keeps what came and marks it."""
    web.faults.set("www.fdso.gov/safety/*", Fault("truncated", after_bytes=300))

    result = await bench.get(HEART_FAILURE)

    assert (result.outcome, result.status_code, result.body, result.is_partial) == (FetchOutcome.FAILED, 200, b"", True)
    assert result.archive is not None


async def test_slow_server_times_out(build: Any, network: Network, web: SimWeb) -> None:
    """The limit on time holds for the whole answer."""
    bench = await build(network.model_copy(update={"timeout_s": 0.3}))
    web.faults.set("www.fdso.gov/safety/*", Fault("slow", delay_s=5))

    result = await bench.get(HEART_FAILURE)

    assert (result.outcome, result.reason) == (
        FetchOutcome.TIMED_OUT,
        "www.fdso.gov did not answer in full within 0.3 s.",
    )
    assert result.elapsed_s >= 0.3


async def test_body_over_the_limit_is_too_large(build: Any, network: Network) -> None:
    """A size limit below the page's size stops the transfer."""
    bench = await build(network.model_copy(update={"max_body_bytes": 1000}))

    result = await bench.get(HEART_FAILURE)

    assert (result.outcome, result.body, result.is_partial) == (FetchOutcome.TOO_LARGE, b"", True)


async def test_referer_of_a_result_page_is_coherent(bench: Any, web: SimWeb) -> None:
    """The visit that comes from a result page shows its origin and crosses sites."""
    await bench.get(HEART_FAILURE, referer="https://html.duckduckgo.com/html/?q=heart")

    sent = web.requests[-1].headers
    assert (sent["referer"], sent["sec-fetch-site"]) == ("https://html.duckduckgo.com/", "cross-site")


async def test_the_journal_says_whether_a_request_named_where_it_came_from(bench: Any) -> None:
    """By the headers that were sent, not by what was known: from https to http nothing may be named."""
    results = "https://html.duckduckgo.com/html/?q=heart"
    for url, referer in ((HEART_FAILURE, results), (HEART_FAILURE, None), ("http://www.nimeth.gov/", results)):
        await bench.get(url, referer=referer)

    noted = await bench.db.read(
        lambda connection: connection.execute(
            "select details ->> 'is_referred' from event_log where kind = 'fetch' order by id"
        ).fetchall()
    )
    assert noted == [(1,), (0,), (0,)]


async def test_api_answer_keeps_its_error_and_asks_for_patience(bench: Any, web: SimWeb) -> None:
    """An API's refusal is handed on with its body; its gate then rests for the time the API asked for."""
    web.faults.set("api.openalex.org", Fault("status", status=429, retry_after_s=300))
    request = FetchRequest("https://api.openalex.org/works?search=dpp-4", FetchLane.API, "api:openalex")

    first, second = await bench.fetcher(request), await bench.fetcher(request)

    assert (first.outcome, first.retry_after_s) == (FetchOutcome.BLOCKED, 300.0)
    assert (second.outcome, second.reason) == (
        FetchOutcome.COOLING_DOWN,
        "api:openalex wants a longer pause between requests.",
    )
    assert 290 < second.retry_after_s <= 300
    assert len(asked(web, "api.openalex.org")) == 1


async def test_key_never_reaches_archive_or_journal(build: Any, network: Network) -> None:
    """A key or a signature in header or address is sent, and nowhere kept; its keyed hash is, the same everywhere."""
    bench = await build(network, CLOSE, ("openalex-key-77",))
    request = FetchRequest(
        "https://api.openalex.org/works?search=dpp-4&code=JP&sig=nVaG3kXo8mSp2Yq0ZTfRw1bJ&api_key=openalex-key-77",
        FetchLane.API,
        "api:openalex",
        headers=(("x-api-key", "openalex-key-77"),),
        cause_id="c_1",
    )

    await bench.fetcher(request)

    files = [gzip.decompress(path.read_bytes()) for path in bench.settings.archive_dir.rglob("*.warc.gz")]
    assert len(files) == 1
    redactor = redactor_of(bench.settings.data_dir)
    signature, key = (redactor.mask(one) for one in ("nVaG3kXo8mSp2Yq0ZTfRw1bJ", "openalex-key-77"))
    kept = f"/works?search=dpp-4&code=JP&sig={signature}&api_key={key}"
    assert files[0].count(b"openalex-key-77") + files[0].count(b"nVaG3kXo8mSp2Yq0ZTfRw1bJ") == 0
    assert f"WARC-Target-URI: https://api.openalex.org{kept}\r\n".encode() in files[0]
    assert f"GET {kept} HTTP/1.1\r\n".encode() in files[0]
    assert await bench.events("c_1") == [("fetch", f"https://api.openalex.org{kept}", "ok")]


async def test_every_exchange_is_archived_and_journalled(bench: Any, web: SimWeb) -> None:
    """Robots, page, refusal and result page: one response record each, and one event each under its cause."""
    web.faults.set("www.fdso.gov/safety/dpp4-joint-pain", Fault("status", status=403))

    await bench.get(HEART_FAILURE, cause_id="c_9")
    await bench.get(JOINT_PAIN, cause_id="c_9")
    await bench.get("https://www.mojeek.com/search?q=DPP-4", lane=FetchLane.SERP, gate="engine:mojeek", cause_id="c_9")

    (file,) = bench.settings.archive_dir.rglob("*.warc.gz")
    assert responses(file) == [
        ("200", ROBOTS),
        ("200", HEART_FAILURE),
        ("403", JOINT_PAIN),
        ("200", "https://www.mojeek.com/search?q=DPP-4"),
    ]
    assert await bench.events("c_9") == [
        ("fetch_robots", ROBOTS, "ok"),
        ("fetch", HEART_FAILURE, "ok"),
        ("policy_change", "domain:fdso.gov", "None"),
        ("fetch", JOINT_PAIN, "blocked"),
        ("fetch", "https://www.mojeek.com/search?q=DPP-4", "ok"),
    ]
