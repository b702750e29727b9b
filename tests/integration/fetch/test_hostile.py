"""Servers that misbehave on purpose: every trick ends in a typed outcome, within its limits, without an exception."""

import asyncio
import gzip
import random
from typing import Any

import pytest

from lyra.clock import SystemClock
from lyra.errors import SettingsError
from lyra.fetch.addresses import CheckedAddress
from lyra.fetch.headers import OutgoingRequest
from lyra.fetch.http import HttpClient
from lyra.model.page import FetchOutcome
from lyra.settings import Network, Politeness
from lyra_bench.fuzz.answers import answer

CLOSE = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, respect_robots=False)
SITE = "http://public.example"


def ok(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def moved(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@pytest.fixture
async def bench(build: Any, rogue: Any) -> Any:
    return await build(Network(proxy=rogue.url, timeout_s=5, max_body_bytes=200_000, max_redirects=10), CLOSE)


async def test_endless_body_ends_at_the_limit(bench: Any, rogue: Any) -> None:
    """A body without end is cut where the limit is, and only its beginning is kept as evidence."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(ok(b""))
        while True:
            writer.write(b"<p>more</p>" * 1000)
            await writer.drain()

    rogue.scripts["/endless"] = endless

    result = await bench.get(f"{SITE}/endless")

    _, kept = await bench.archive.read(result.archive)
    assert (result.outcome, result.reason) == (
        FetchOutcome.TOO_LARGE,
        "The body from public.example is larger than 200,000 bytes.",
    )
    assert len(kept) == 65_536


async def test_announced_size_over_the_limit_is_not_even_read(bench: Any, rogue: Any) -> None:
    """A length that is too large ends the transfer at once."""
    rogue.answers("/huge", ok(b"x", "Content-Length: 9999999999"))

    result = await bench.get(f"{SITE}/huge")

    assert (result.outcome, result.reason) == (
        FetchOutcome.TOO_LARGE,
        "The body from public.example is larger than 200,000 bytes.",
    )


async def test_announced_size_that_is_too_small_cuts_the_body(bench: Any, rogue: Any) -> None:
    """HTTP ends a body where its length says so; what follows is noise on the connection."""
    rogue.answers("/lie", ok(b"<p>five</p>and then some", "Content-Length: 11"))

    result = await bench.get(f"{SITE}/lie")

    assert (result.outcome, result.body) == (FetchOutcome.OK, b"<p>five</p>")


async def test_trickle_runs_into_the_time_limit(build: Any, rogue: Any) -> None:
    """A server that sends a byte now and then cannot hold a fetch beyond its time."""
    bench = await build(Network(proxy=rogue.url, timeout_s=0.4), CLOSE)
    is_over = asyncio.Event()

    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(ok(b"<", "Content-Length: 1000"))
        await writer.drain()
        await is_over.wait()

    rogue.scripts["/slow"] = trickle

    result = await bench.get(f"{SITE}/slow")

    is_over.set()
    assert (result.outcome, result.status_code, result.is_partial) == (FetchOutcome.TIMED_OUT, 200, True)


async def test_compressed_bomb_is_bounded_by_its_true_size(bench: Any, rogue: Any) -> None:
    """Twenty megabytes of zeros in twenty kilobytes: the limit counts what comes out."""
    bomb = gzip.compress(b"\0" * 20_000_000)
    rogue.answers("/bomb", ok(bomb, "Content-Encoding: gzip", f"Content-Length: {len(bomb)}"))

    result = await bench.get(f"{SITE}/bomb")

    assert (len(bomb) < 200_000, result.outcome) == (True, FetchOutcome.TOO_LARGE)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"complete nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nbroken",
        b"HTTP/1.1 200 OK\r\n" + b"X-Pad: " + b"a" * 400_000 + b"\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
    ],
    ids=["nothing", "not-http", "not-gzip", "broken-chunks", "huge-header", "no-status"],
)
async def test_broken_answers_fail_with_a_reason(bench: Any, rogue: Any, raw: bytes) -> None:
    """Whatever a broken server sends, the fetch ends as FAILED with a sentence that names the host."""
    rogue.answers("/broken", raw)

    result = await bench.get(f"{SITE}/broken")

    assert result.outcome is FetchOutcome.FAILED
    assert "public.example" in result.reason


async def test_hundred_redirects_are_not_followed(bench: Any, rogue: Any) -> None:
    """A loop ends after ten hops; the last answer is in the archive."""
    rogue.answers("/loop", moved("/loop"))

    result = await bench.get(f"{SITE}/loop")

    assert (result.outcome, result.status_code) == (FetchOutcome.FAILED, 302)
    assert result.reason == "More than 10 redirects, the last to http://public.example/loop."
    assert len(rogue.seen) == 11


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:9/admin",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://2130706433/",
        "//10.0.0.1/",
        "http://localhost/",
        "file:///etc/passwd",
        "gopher://public.example/",
        "http://user:pass@other.example/",
        "http://[broken/",
    ],
)
async def test_redirect_to_a_forbidden_address_is_refused(bench: Any, rogue: Any, location: str) -> None:
    """A public page cannot send Lyra to a private address or another protocol: the hop is never sent."""
    rogue.answers("/trap", moved(location))

    result = await bench.get(f"{SITE}/trap")

    assert result.outcome is FetchOutcome.REFUSED_ADDRESS
    assert rogue.seen == [f"{SITE}/trap"]


@pytest.mark.parametrize("host", ["files.fdso.gov", "other.example"], ids=["same domain", "another domain"])
async def test_redirect_to_a_host_whose_rules_are_unknown_asks_for_them_first(
    build: Any, rogue: Any, host: str
) -> None:
    """Each host has rules of its own, also within one domain: they are read before the page, and here forbid it."""
    bench = await build(Network(proxy=rogue.url, timeout_s=5), CLOSE.model_copy(update={"respect_robots": True}))
    rogue.answers("/robots.txt", ok(b"User-agent: *\nDisallow: /private"))
    rogue.answers("/a", moved(f"http://{host}/private"))
    rogue.answers("/private", ok(b"<p>secret</p>"))

    result = await bench.get("http://www.fdso.gov/a")

    assert rogue.seen == ["http://www.fdso.gov/robots.txt", "http://www.fdso.gov/a", f"http://{host}/robots.txt"]
    assert (result.outcome, result.body) == (FetchOutcome.ROBOTS_DENIED, b"")


async def test_redirect_across_domains_waits_at_the_other_gate(bench: Any, rogue: Any) -> None:
    """Each domain of a chain has its turn, and the answer of the last one counts."""
    rogue.answers("/a", moved("http://other.example/b", 301))
    rogue.answers("/b", ok(b"<p>arrived</p>"))

    result = await bench.get(f"{SITE}/a")

    leases = await bench.db.read(
        lambda connection: [row[0] for row in connection.execute("select name from leases order by name")]
    )
    assert (result.outcome, result.final_url) == (FetchOutcome.OK, "http://other.example/b")
    assert leases == ["domain:other.example", "domain:public.example"]


async def test_cookies_live_through_a_chain_and_no_longer(bench: Any, rogue: Any) -> None:
    """Sites that set a cookie and redirect work; the next visit is a stranger again."""
    rogue.answers("/set", b"HTTP/1.1 302 Found\r\nSet-Cookie: s=1\r\nLocation: /got\r\nContent-Length: 0\r\n\r\n")
    rogue.answers("/got", ok(b"<p>welcome</p>"))

    await bench.get(f"{SITE}/set")
    await bench.get(f"{SITE}/got")

    assert ["\r\ncookie: s=1\r\n" in head for head in rogue.heads] == [False, True, False]


async def test_markup_under_a_pdfs_name_is_noted(bench: Any, rogue: Any) -> None:
    """A landing page served as a PDF is handed on as what it is, with a note."""
    rogue.answers("/paper.pdf", b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n<!doctype html><p>Buy</p>")

    result = await bench.get(f"{SITE}/paper.pdf")

    assert (result.outcome, result.reason) == (FetchOutcome.OK, "Declared application/pdf, but the body is html.")


async def test_plain_http_shows_the_browser_without_h2c(bench: Any, rogue: Any) -> None:
    """Chrome never offers an upgrade to HTTP/2 on plain http; a client that does is not Chrome."""
    rogue.answers("/", ok(b"<p>hello</p>"))

    await bench.get(f"{SITE}/")

    (head,) = rogue.heads
    assert ("upgrade: h2c" in head, "chrome/" in head) == (False, True)


async def test_hostile_validators_cannot_split_the_request(bench: Any, rogue: Any) -> None:
    """An ETag comes from the server: line breaks in it must not become headers of the next request."""
    rogue.answers("/", ok(b"<p>hello</p>"))

    await bench.get(f"{SITE}/", etag='"a"\r\nX-Injected: 1')

    assert '\r\nif-none-match: "a"x-injected: 1\r\n' in rogue.heads[0]


async def test_connection_goes_only_to_the_pinned_address(rogue: Any) -> None:
    """What was judged is what is asked: the name below exists nowhere, the pinned address answers for it."""
    rogue.answers("/page", ok(b"<p>pinned</p>"))
    port = int(rogue.url.rpartition(":")[2])
    url = f"http://rebinding.example:{port}/page"
    client = HttpClient(Network(), SystemClock())

    async with client.session() as session:
        exchange = await client.exchange(
            session,
            OutgoingRequest("GET", url, ()),
            CheckedAddress(url, "rebinding.example", port, ("127.0.0.1",)),
            5.0,
        )
    await client.close()

    assert (exchange.status_code, exchange.body, exchange.ip_address) == (200, b"<p>pinned</p>", "127.0.0.1")


async def test_name_that_resolves_inside_is_refused_before_connecting(rogue: Any) -> None:
    """Without a proxy names are resolved and judged by us."""

    async def inside(host: str, port: int) -> tuple[str, ...]:
        return ("192.168.1.10",)

    client = HttpClient(Network(), SystemClock(), resolve=inside)

    refused = await client.check("http://intranet.example/")

    assert refused.reason == (
        "intranet.example resolves to 192.168.1.10, a loopback, private or otherwise internal address."
    )


async def test_environment_does_not_choose_the_proxy(build: Any, rogue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only settings decide how requests leave the machine, not variables left over from another program."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    rogue.answers("/direct", ok(b"<p>direct</p>"))
    bench = await build(Network(allow_private_addresses=True), CLOSE)

    result = await bench.get(f"{rogue.url}/direct")

    assert (result.outcome, result.body) == (FetchOutcome.OK, b"<p>direct</p>")


async def test_unknown_browser_is_an_error_of_the_settings(build: Any, rogue: Any) -> None:
    """A typing error in the settings is told to the user, not written off as a failed page."""
    bench = await build(Network(proxy=rogue.url, impersonate="netscape4"), CLOSE)

    with pytest.raises(SettingsError) as caught:
        await bench.get(f"{SITE}/")

    assert caught.value.message == "network.impersonate: 'netscape4' is not a browser that curl can imitate."


def test_missing_authorities_are_an_error_of_the_settings(tmp_path: Any) -> None:
    """A CA file that does not exist is noticed when the client is built."""
    with pytest.raises(SettingsError) as caught:
        HttpClient(Network(ca_bundle=tmp_path / "nowhere.pem"), SystemClock())

    assert caught.value.code == "INVALID_PARAMS"


async def test_cancelled_fetch_gives_its_turn_back(bench: Any, rogue: Any) -> None:
    """Cancellation passes through, and the domain is free again for the next."""
    is_asked = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter) -> None:
        is_asked.set()
        await asyncio.Event().wait()

    rogue.scripts["/silent"] = silent
    rogue.answers("/next", ok(b"<p>next</p>"))
    fetch = asyncio.create_task(bench.get(f"{SITE}/silent"))
    await is_asked.wait()

    fetch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetch
    result = await bench.get(f"{SITE}/next")

    assert result.outcome is FetchOutcome.OK


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        pytest.param(b"Set-Cookie: a=\xff\r\n", (("Set-Cookie", "a=ÿ"),), id="cookie that is not text"),
        pytest.param(b"Set-Cookie: a=b; Path=/\xc3\x28\r\n", (("Set-Cookie", "a=b; Path=/Ã("),), id="path of a cookie"),
        pytest.param(b"X-Odd: \xff\xfe\r\n", (("X-Odd", "ÿþ"),), id="header that is not text"),
    ],
)
async def test_odd_bytes_in_the_head_do_not_end_the_fetch(
    bench: Any, rogue: Any, lines: bytes, kept: tuple[tuple[str, str], ...]
) -> None:
    """One such byte raised an untyped error and ended the whole search; the page is read, as browsers do."""
    rogue.answers("/odd", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + lines + b"\r\n<p>Words.</p>")

    result = await bench.get(f"{SITE}/odd")

    assert (result.outcome, result.body) == (FetchOutcome.OK, b"<p>Words.</p>")
    assert result.headers == (("Content-Type", "text/html"), *kept)


@pytest.mark.parametrize(
    "line", [pytest.param(b"\rno colon", id="no colon"), pytest.param(b"\r folded", id="goes on with nothing")]
)
async def test_a_line_that_is_no_header_is_left_out(bench: Any, rogue: Any, line: bytes) -> None:
    """Behind a bare carriage return curl lets it through; it raised a ValueError or an IndexError."""
    rogue.answers("/torn", b"HTTP/1.1 200 OK\r\n" + line + b"\n\r\n<p>Words.</p>")

    result = await bench.get(f"{SITE}/torn")

    assert (result.outcome, result.headers) == (FetchOutcome.OK, ())


@pytest.mark.parametrize("number", range(40))
async def test_drawn_nonsense_ends_in_an_outcome(bench: Any, rogue: Any, number: int) -> None:
    """A small fixed share of what `lyra bench fuzz` asks: any answer is a result, none an exception."""
    rogue.answers("/drawn", answer(random.Random(f"drawn {number}")))

    result = await bench.get(f"{SITE}/drawn", rungs=("http",))

    assert isinstance(result.outcome, FetchOutcome)
