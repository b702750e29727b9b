"""Browser rungs over the simulated web: what scripts build is read, kept and proved, as politely as by any rung."""

import asyncio
import hashlib
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from warcio.archiveiterator import ArchiveIterator

from lyra.fetch.ladder import FetchContext
from lyra.fetch.sessions import Cookie
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest
from lyra.settings.rungs import Browser
from simweb import Fault, SimWeb

pytestmark = pytest.mark.asyncio(loop_scope="module")

DASHBOARD = "https://www.jinkotokei.go.jp/dashboard/iju"
HALO_PAD = "https://www.kinetix-devices.com/products/halo-pad"
REPORT = "https://www.nemso.gov/reports/tr-2025-118.pdf"
HEART_FAILURE = "https://www.fdso.gov/safety/dpp4-heart-failure"
INTERNAL = "https://www.fdso.gov/internal/draft-heart-failure-review"
ROBOTS = "https://www.fdso.gov/robots.txt"
STANDARD = "https://www.oipa-alliance.org/standards/alp-2"
SHIFT_JIS = "https://www.med.seito-u.ac.jp/naibunpi/kaisetsu/dpp4"

BUILD = (
    "fetch('/film.bin'); fetch('/refused.json'); fetch('/figures.json').then(answer => answer.json())"
    ".then(found => { document.querySelector('main').textContent = found.rate + ' percent'; });"
)


def asked(web: SimWeb, host: str) -> list[str]:
    """Documents asked of a host, without what they load."""
    return [one.url for one in web.requests if one.host == host and one.headers.get("sec-fetch-dest") == "document"]


def records_of(file: Path) -> list[tuple[str, str, bytes]]:
    """Id, address and body of every answer in a WARC file."""
    with file.open("rb") as stream:
        return [
            (
                str(record.rec_headers.get_header("WARC-Record-ID")),
                str(record.rec_headers.get_header("WARC-Target-URI")),
                record.content_stream().read(),
            )
            for record in ArchiveIterator(stream)
            if record.rec_type == "response"
        ]


def await_request(web: SimWeb, host: str) -> None:
    """Return as soon as a host has been asked for a page."""
    deadline_s = time.monotonic() + 10
    while not asked(web, host) and time.monotonic() < deadline_s:
        time.sleep(0.02)


async def test_script_page_is_read_with_what_scripts_built(desk: Any, web: SimWeb) -> None:
    """The body is the page as it stood at the end, Japanese and all, and its own archive record holds those bytes."""
    result = await desk.get(DASHBOARD)

    _, body = await desk.stores.archive.read(result.archive)
    assert (result.outcome, result.status_code, result.rung) == (FetchOutcome.OK, 200, "headless")
    assert '<div id="app" data-state="ready"><p>市町村を選ぶと、転入と転出の推移' in result.body.decode()
    assert result.header("content-type") == "text/html; charset=utf-8"
    assert body == result.body
    assert result.final_url == DASHBOARD
    assert web.politeness_violations() == ()


async def test_visit_leaves_a_picture_and_the_digest_of_all_it_loaded(desk: Any, web: SimWeb) -> None:
    """Dynamic pages are proved by screenshot, resource list and HAR under the record that was read (A12)."""
    result = await desk.get(HALO_PAD)

    kept = await desk.stores.captures.of_record(result.archive.record_id)
    folder: Path = desk.settings.archive_dir
    style = hashlib.sha256(b"body{font-family:sans-serif;max-width:60rem;margin:auto}\n").hexdigest()
    listed = (folder / kept.resources).read_text()
    assert (folder / kept.screenshot).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert f"sha256:{style}" in listed
    assert listed.count("sha256:") == len(listed.splitlines())
    assert (folder / kept.har).exists()


async def test_what_a_page_loaded_is_archived_with_it(stage_desk: Any, stage: Any) -> None:
    """Scripts, styles and the texts that scripts asked for are answers in the WARC file, with their bytes; a film is
    not, nor is what the server refused."""
    stage.show("/look.css", "p { color: navy }", head="200 OK\r\nContent-Type: text/css")
    stage.show("/build.js", BUILD, head="200 OK\r\nContent-Type: text/javascript")
    stage.show("/figures.json", '{"rate": 27}', head="200 OK\r\nContent-Type: application/json")
    stage.show("/film.bin", "…", head="200 OK\r\nContent-Type: video/mp4")
    page = "<link rel=stylesheet href=/look.css><main></main><script src=/build.js></script>"

    result = await stage_desk.get(stage.show("/built", page))

    kept = [record for file in stage_desk.settings.archive_dir.rglob("*.warc.gz") for record in records_of(file)]
    loaded = {url.removeprefix("http://stage.example"): body for id_, url, body in kept if id_ in result.assets}
    assert b"<main>27 percent</main>" in result.body
    assert loaded == {
        "/look.css": b"p { color: navy }",
        "/build.js": BUILD.encode(),
        "/figures.json": b'{"rate": 27}',
    }


async def test_visit_tells_where_it_comes_from_in_every_header(desk: Any, web: SimWeb) -> None:
    """Referer and Sec-Fetch-Site agree, as when a reader follows a link from a result page; none betrays a robot."""
    result = await desk.get(HALO_PAD, referer="https://www.google.com/search?q=halo+pad")

    (visit,) = [one for one in web.requests if one.url == HALO_PAD]
    told = {name: visit.headers[name] for name in ("referer", "sec-fetch-site", "sec-fetch-user", "sec-fetch-mode")}
    assert result.outcome is FetchOutcome.OK
    assert told == {
        "referer": "https://www.google.com/",
        "sec-fetch-site": "cross-site",
        "sec-fetch-user": "?1",
        "sec-fetch-mode": "navigate",
    }
    assert "Headless" not in visit.headers["user-agent"]
    assert asked(web, "www.google.com") == []


async def test_pdf_comes_as_the_bytes_it_is(desk: Any, web: SimWeb) -> None:
    """What is no page to render is taken as it came, never as a viewer shows it."""
    result = await desk.get(REPORT)
    plain = await desk.http.fetch(FetchRequest(REPORT), FetchContext())

    assert (result.outcome, result.header("content-type")) == (FetchOutcome.OK, "application/pdf")
    assert result.body == plain.body


async def test_other_encodings_are_rendered_as_utf_8(desk: Any) -> None:
    """A Shift_JIS page reads the same after rendering, and the bytes that came are kept in a record of their own."""
    result = await desk.get(SHIFT_JIS)

    assert "阻害薬" in result.body.decode("utf-8")
    assert result.header("content-type") == "text/html; charset=utf-8"


async def test_challenge_is_recognised_and_kept(desk: Any, web: SimWeb) -> None:
    """A check that does not pass by itself is an outcome with its page, not a page."""
    web.faults.set("www.fdso.gov/safety/*", Fault("challenge"))

    result = await desk.get(HEART_FAILURE, lane=FetchLane.SERP, gate="engine:test")

    _, body = await desk.stores.archive.read(result.archive)
    assert (result.outcome, result.challenge, result.status_code) == (FetchOutcome.CHALLENGE, "cloudflare", 403)
    assert b"Just a moment..." in body


async def test_check_that_passes_by_itself_opens_the_domain_for_http_too(
    desk: Any, web: SimWeb, open_desk: Any
) -> None:
    """A browser that waits gets the page behind the check, and what it was given lets plain HTTP in afterwards."""
    web.faults.set("www.fdso.gov/safety/*", Fault("challenge", asks="script"))
    patient = desk.settings.model_copy(update={"browser": Browser(quiet_s=0.2)})

    async with AsyncExitStack() as stack:
        refused = await desk.http.fetch(FetchRequest(HEART_FAILURE, FetchLane.SERP, "engine:test"), FetchContext())
        result = await (await open_desk(stack, patient)).get(HEART_FAILURE)
    after = await desk.http.fetch(FetchRequest("https://www.fdso.gov/safety/dpp4-joint-pain"), FetchContext())

    assert [one.outcome for one in (refused, result, after)] == [
        FetchOutcome.CHALLENGE,
        FetchOutcome.OK,
        FetchOutcome.OK,
    ]
    assert b"saxagliptin" in result.body


async def test_page_that_never_answers_times_out(desk: Any, web: SimWeb) -> None:
    """A hanging server ends in a typed outcome within the limit, and the browser goes on."""
    web.faults.set("www.nimeth.gov/*", Fault("slow", delay_s=30))

    result = await desk.hasty(1.0).get("https://www.nimeth.gov/", lane=FetchLane.PAGE)
    after = await desk.get(HEART_FAILURE)

    assert (result.outcome, result.status_code) == (FetchOutcome.TIMED_OUT, None)
    assert result.reason == "www.nimeth.gov has not answered within 1 s."
    assert after.outcome is FetchOutcome.OK


async def test_browser_killed_in_the_middle_is_replaced(desk: Any, web: SimWeb) -> None:
    """The visit under way fails with a reason; the next one finds a new browser."""
    web.faults.set("www.nimeth.gov/*", Fault("slow", delay_s=30, times=1))
    visit = asyncio.create_task(desk.get("https://www.nimeth.gov/about"))
    await asyncio.to_thread(await_request, web, "www.nimeth.gov")

    psutil.Process(desk.pool.pid).kill()
    broken = await visit
    after = await desk.get(HEART_FAILURE)

    assert (broken.outcome, broken.rung) == (FetchOutcome.FAILED, "headless")
    assert after.outcome is FetchOutcome.OK


async def test_private_address_is_refused_before_anything_starts(desk: Any, web: SimWeb) -> None:
    """This machine and its networks are not asked, in any spelling."""
    results = [await desk.get(url) for url in ("http://127.0.0.1:9222/json", "http://0x7f.1/", "http://[::1]/")]

    assert [one.outcome for one in results] == [FetchOutcome.REFUSED_ADDRESS] * 3
    assert [one.was_sent for one in results] == [False] * 3


async def test_robots_bind_browsers_too(desk: Any, web: SimWeb) -> None:
    """What robots.txt disallows is not opened in a browser either."""
    result = await desk.get(INTERNAL, FetchContext(desk.obedient))

    assert result.outcome is FetchOutcome.ROBOTS_DENIED
    assert [one.url for one in web.requests] == [ROBOTS]


async def test_redirect_to_another_domain_asks_its_robots_first(desk: Any, web: SimWeb) -> None:
    """A page that leads elsewhere is left; the new address waits its turn and its rules are asked before it is."""
    result = await desk.get(f"https://www.google.com/url?q={STANDARD}", FetchContext(desk.obedient))

    order = [one.url for one in web.requests if one.host == "www.oipa-alliance.org"][:2]
    assert (result.outcome, result.final_url) == (FetchOutcome.OK, STANDARD)
    assert order == ["https://www.oipa-alliance.org/robots.txt", STANDARD]


async def test_redirects_without_end_end(desk: Any, web: SimWeb) -> None:
    """Ten redirects, then a failure that says so."""
    web.faults.set("www.harborcourier.com/*", Fault("redirect_loop"))

    result = await desk.get("https://www.harborcourier.com/news")

    assert result.outcome is FetchOutcome.FAILED
    assert result.reason == "More than 10 redirects, the last to https://www.harborcourier.com/news."


async def test_wrong_certificate_is_a_failure_with_its_reason(desk: Any, web: SimWeb) -> None:
    """The simulated authority is trusted, but not for everything: an expired certificate stays expired."""
    web.faults.set("www.daily-meridian.com", Fault("certificate_expired"))

    result = await desk.get("https://www.daily-meridian.com/")

    assert result.outcome is FetchOutcome.FAILED
    assert result.reason == (
        "www.daily-meridian.com: its certificate has expired or is not valid yet (ERR_CERT_DATE_INVALID)."
    )


async def test_result_page_is_served_without_robots(desk: Any, web: SimWeb) -> None:
    """Engines that want a browser are asked through their own gate."""
    result = await desk.get(
        "https://www.google.com/search?q=DPP-4", FetchContext(), lane=FetchLane.SERP, gate="engine:google"
    )

    assert (result.outcome, result.rung) == (FetchOutcome.OK, "headless")
    assert asked(web, "www.google.com") == ["https://www.google.com/search?q=DPP-4"]
    assert b"DPP-4" in result.body


async def test_form_is_posted_as_given(desk: Any, web: SimWeb) -> None:
    """Some engines take their query as a form."""
    result = await desk.get(
        "https://html.duckduckgo.com/html/",
        lane=FetchLane.SERP,
        gate="engine:duckduckgo",
        method="POST",
        body=b"q=DPP-4",
    )

    (sent,) = [one for one in web.requests if one.path == "/html/"]
    assert (result.outcome, sent.method) == (FetchOutcome.OK, "POST")
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"


async def test_cookies_of_a_visit_serve_http_on_the_same_domain_only(desk: Any, web: SimWeb) -> None:
    """What a browser was given goes along with later HTTP requests to that domain, and to no other."""
    web.faults.set("www.jinkotokei.go.jp/*", Fault("script_gate", times=1))

    await desk.get("https://www.jinkotokei.go.jp/tokei/shussei-r7", lane=FetchLane.SERP, gate="engine:test")
    await desk.http.fetch(FetchRequest("https://www.jinkotokei.go.jp/tokei/shussei-r7"), FetchContext())
    await desk.http.fetch(FetchRequest("https://www.nimeth.gov/"), FetchContext())
    by_http, other = web.requests[-2:]
    await desk.get("https://www.jinkotokei.go.jp/tokei/shussei-r7")

    (by_browser,) = [one for one in web.requests[-4:] if one.path == "/tokei/shussei-r7" and one is not by_http]
    assert [one.headers["cookie"] for one in (by_http, by_browser)] == ["js=1", "js=1"]
    assert "cookie" not in other.headers


async def test_saved_session_goes_into_the_browser(desk: Any, web: SimWeb) -> None:
    """A session won elsewhere, such as by a person, opens the page for the next visit."""
    cookie = Cookie("sid", "a1b2c3", ".kinetix-devices.com", is_secure=True)
    await desk.stores.sessions.save(HALO_PAD, [cookie])

    await desk.get(HALO_PAD)

    (visit,) = [one for one in web.requests if one.url == HALO_PAD]
    assert visit.headers["cookie"] == "sid=a1b2c3"
