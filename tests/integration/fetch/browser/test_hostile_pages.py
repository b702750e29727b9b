"""Pages that want to hold, escape or abuse the browser: each ends in its time with an honest outcome."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from lyra.fetch.browser.interceptor import VisitRequest
from lyra.model.page import FetchOutcome

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Plain http has no cache storage, but databases; two of these would fit into the quota, three do not. The page changes
# until its database has answered, so that the visit does not end before.
_STORE = """
const ticking = setInterval(() => ticks.append('·'), 20);
const before = localStorage.getItem('mark'); localStorage.setItem('mark', '1');
const asked = indexedDB.open('hoard', 1);
asked.onupgradeneeded = () => asked.result.createObjectStore('parts');
asked.onsuccess = () => { const part = new Blob([new Uint8Array(4e7)]);
  const write = asked.result.transaction('parts', 'readwrite');
  for (let i = 0; i < 3; i++) write.objectStore('parts').put(part, i);
  const tell = () => { clearInterval(ticking);
    told.textContent = `kept before: ${before}, now ${write.error ? write.error.name : 'stored'}` };
  write.oncomplete = tell; write.onabort = tell };
"""
REST = "<h1>Rest</h1><p id='end'></p><script>{script}; end.textContent = 'went on'</script>"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("alert('stay'); confirm('stay?'); prompt('name?')", id="dialogs"),
        pytest.param("window.print()", id="printing"),
        pytest.param("window.onbeforeunload = () => 'do not go'", id="beforeunload"),
        pytest.param("for (let i = 0; i < 5; i++) window.open('/popup' + i)", id="popups"),
        pytest.param(
            "a = document.createElement('a'); a.href = '/gone.bin'; a.download = 'x'; a.click()", id="download"
        ),
        pytest.param("location.href = '/file.bin'", id="attachment"),
        pytest.param("setInterval(() => document.body.append('·'), 20)", id="never the same"),
        pytest.param("setInterval(() => fetch('/tick').catch(() => 0), 60)", id="never silent"),
    ],
)
async def test_page_that_would_hold_the_visit_is_read_all_the_same(stage_desk: Any, stage: Any, script: str) -> None:
    """Dialogs are dismissed, windows closed, downloads denied, and waiting ends: the page's words are there."""
    stage.show("/file.bin", "…", head="200 OK\r\nContent-Type: text/html\r\nContent-Disposition: attachment")
    url = stage.show("/hold", REST.format(script=script))

    result = await stage_desk.get(url)

    assert (result.outcome, result.rung) == (FetchOutcome.OK, "headless")
    assert b"went on" in result.body


async def test_script_that_never_returns_ends_with_the_time(stage_desk: Any, stage: Any) -> None:
    """A page in an endless loop is given up within the limit, and the next page is served."""
    loop = stage.show("/loop", "<p>before</p><script>for (;;) {}</script>")
    fine = stage.show("/fine", "<h1>Fine</h1><p>The next page.</p>")

    stuck = await stage_desk.hasty(3.0).get(loop)
    after = await stage_desk.get(fine)

    assert stuck.outcome is FetchOutcome.TIMED_OUT
    assert stuck.reason == "stage.example has not come to rest within 3 s."
    assert after.outcome is FetchOutcome.OK


async def test_page_that_reloads_itself_for_ever_is_a_failure(stage_desk: Any, stage: Any) -> None:
    """Redirects by script are redirects: ten, then the end."""
    url = stage.show("/reload", "<script>location.href = '/reload?' + Math.random()</script>")

    result = await stage_desk.get(url)

    assert result.outcome is FetchOutcome.FAILED
    assert (result.reason or "")[:29] == "More than 10 redirects, the l"


async def test_page_that_grows_too_large_is_said_to_be(stage_desk: Any, stage: Any) -> None:
    """What scripts pile up counts against the same limit as what comes over the wire."""
    url = stage.show("/pile", "<body><script>document.body.append('x'.repeat(3000000))</script>")

    result = await stage_desk.get(url)

    assert result.outcome is FetchOutcome.TOO_LARGE
    assert result.reason == "The rendered page is larger than 2000000 bytes."


_HOARD = "() => { const a = []; for (;;) a.push(new Uint8Array(5e6).fill(1)) }"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"<script>({_HOARD})()</script>", id="at once"),
        # Taking the picture resizes the window: by then the words have been read.
        pytest.param(f"<p>Words.</p><p style='height: 4000px'><script>onresize = {_HOARD}</script>", id="at the end"),
    ],
)
async def test_page_that_takes_too_much_memory_is_ended(stage_desk: Any, stage: Any, open_desk: Any, body: str) -> None:
    """A script that allocates for ever fails as a page that is too large; the next page finds a fresh browser."""
    url = stage.show("/hoard", body)
    fine = stage.show("/fine", "<h1>Fine</h1><p>The next page.</p>")
    browser = stage_desk.settings.browser.model_copy(update={"max_memory_mb": 600})
    settings = stage_desk.settings.model_copy(
        update={"browser": browser, "data_dir": stage_desk.settings.data_dir / "m"}
    )

    async with AsyncExitStack() as stack:
        desk = await open_desk(stack, settings)
        hoarded = await desk.get(url)
        pid_after = desk.pool.pid
        after = await desk.get(fine)

    assert (hoarded.outcome, hoarded.reason) == (
        FetchOutcome.TOO_LARGE,
        "The page made the browser take more memory than 600 MB (browser.max_memory_mb).",
    )
    assert pid_after is None
    assert after.outcome is FetchOutcome.OK


async def test_what_a_page_stores_is_bounded_and_gone_after_the_visit(stage_desk: Any, stage: Any) -> None:
    """All sites together may store 100 MB, and the next visit to the same origin finds nothing of it, in the same
    browser."""
    head = "200 OK\r\nContent-Type: text/html"
    url = stage.show("/store", f"<p id=told>waiting</p><p id=ticks></p><script>{_STORE}</script>", head=head)

    first = await stage_desk.patient().get(url)
    pid = stage_desk.pool.pid
    second = await stage_desk.patient().get(url)

    assert stage_desk.pool.pid == pid
    assert [one.outcome for one in (first, second)] == [FetchOutcome.OK] * 2
    assert [b"kept before: null, now QuotaExceededError" in one.body for one in (first, second)] == [True, True]


async def test_attachment_is_taken_as_bytes(stage_desk: Any, stage: Any) -> None:
    """A download that is the page itself is read, not stored by the browser."""
    head = "200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: attachment; filename=notes.txt"
    url = stage.show("/notes.txt", "転出超過の推移", head=head)

    result = await stage_desk.get(url)

    assert (result.outcome, result.body.decode()) == (FetchOutcome.OK, "転出超過の推移")


async def test_automation_does_not_show(stage_desk: Any, stage: Any) -> None:
    """`navigator.webdriver` stays false (SPEC §5, minimal stealth)."""
    url = stage.show("/who", "<p id=w></p><script>w.textContent = 'webdriver: ' + navigator.webdriver</script>")

    result = await stage_desk.get(url)

    assert b"webdriver: false" in result.body


class _Inside:
    """A server of this machine that no page may reach."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen.append((await reader.readuntil(b"\r\n")).decode())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nAccess-Control-Allow-Origin: *\r\n\r\nsecret")
        writer.close()


async def test_page_cannot_reach_this_machine(stage_desk: Any, stage: Any) -> None:
    """Frames, pictures, scripts, workers and redirects to loopback are stopped, whatever part of the page asks."""
    inside = _Inside()
    server = await asyncio.start_server(inside.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    target = f"http://127.0.0.1:{port}"
    stage.show("/hop", "", head=f"302 Found\r\nLocation: {target}/hop")
    worker = f"fetch('{target}/worker').then(r => r.text()).then(postMessage, () => postMessage('stopped'))"
    url = stage.show(
        "/spy",
        f"<img src='{target}/picture'><iframe src='{target}/frame'></iframe><img src='/hop'><p id=got>…</p>"
        f"<script>fetch('http://localhost:{port}/js').then(r => r.text(), () => 'stopped').then(t => got.append(t));"
        f"new Worker(URL.createObjectURL(new Blob([`{worker}`]))).onmessage = e => got.append(e.data)</script>",
    )

    result = await stage_desk.get(url)

    server.close()
    assert result.outcome is FetchOutcome.OK
    assert inside.seen == []
    assert b"secret" not in result.body
    assert "…stoppedstopped" in result.body.decode()


async def test_browser_itself_cannot_reach_this_machine(stage_desk: Any) -> None:
    """Even where no rung had judged the address, the guard stands before loopback."""
    inside = _Inside()
    server = await asyncio.start_server(inside.serve, "127.0.0.1", 0)
    request = VisitRequest(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", 10)

    result = await stage_desk.pool.visit(request, lambda _: asyncio.sleep(0, True))

    server.close()
    assert (result.failure, result.exchanges, inside.seen) == (FetchOutcome.FAILED, (), [])


async def test_page_that_leads_to_this_machine_is_refused(stage_desk: Any, stage: Any) -> None:
    """A redirect by header or script to a private address ends there with the reason."""
    by_header = stage.show("/inwards", "", head="302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/")
    by_script = stage.show("/inwards2", "<script>location.href = 'http://192.168.0.1/admin'</script>")

    results = [await stage_desk.get(url) for url in (by_header, by_script)]

    assert [one.outcome for one in results] == [FetchOutcome.REFUSED_ADDRESS] * 2
    assert results[1].reason == "192.168.0.1 is a loopback, private or otherwise internal address."


async def test_advertisers_are_not_asked(stage_desk: Any, stage: Any) -> None:
    """What only tracks a reader is not loaded (settings: browser.blocked)."""
    url = stage.show("/ads", "<p>News</p><script src='http://stats.doubleclick.net/t.js'></script>")
    stage.seen.clear()

    result = await stage_desk.get(url)

    assert result.outcome is FetchOutcome.OK
    assert [one for one in stage.seen if "doubleclick" in one] == []


async def test_browser_asks_nobody_of_its_own_accord(stage_desk: Any, stage: Any) -> None:
    """Nothing about the research leaves the machine but the requests of the pages themselves."""
    url = stage.show("/quiet", "<h1>Quiet</h1><p>Nothing else is asked.</p>")
    stage.seen.clear()

    await stage_desk.get(url)

    assert [one for one in stage.seen if not one.startswith("http://stage.example/")] == []


async def test_two_processes_share_the_browser_each_with_its_own_rules(
    stage_desk: Any, stage: Any, open_desk: Any
) -> None:
    """Whoever joins visits by its own settings (here: no images), and leaves the other's browser running."""
    url = stage.show("/picture", "<p>A picture</p><img src='/p.png'><link rel=icon href='data:,'>")
    browser = stage_desk.settings.browser.model_copy(update={"blocked": ("images", "fonts", "media", "ads")})
    settings = stage_desk.settings.model_copy(update={"browser": browser})
    await stage_desk.get(url)
    stage.seen.clear()

    async with AsyncExitStack() as stack:
        joined = await open_desk(stack, settings)
        without = await joined.get(url)
    seen_without = list(stage.seen)
    again = await stage_desk.get(url)

    assert [one.outcome for one in (without, again)] == [FetchOutcome.OK] * 2
    assert ("http://stage.example/p.png" in seen_without, seen_without.count(url)) == (False, 1)
    assert ("http://stage.example/p.png" in stage.seen, stage.seen.count(url)) == (True, 2)
