"""Reports in a real Chromium: links that find their words, printed pages, and HTML without scripts or requests."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pypdfium2.raw as raw
import pytest
from curl_cffi import requests
from patchright.async_api import Page, Route, async_playwright

from lyra.errors import ChromeNotReady
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.fetch.browser import machine
from lyra.report import figures, pdf
from lyra.report.appendix import appendix
from lyra.report.content import report
from lyra.report.formats import ReportFormat, render
from lyra.report.html import html
from lyra.report.links import deep_link
from lyra.text import sentences
from lyra.translate import in_language
from simweb import SimWeb
from tests.report_data import ARABIC, HOSTILE, LONG, claim, findings, hostile_findings, supporting

SPACE = b'<div style="height:6000px"></div>'
FLAGS = ["--no-sandbox"] if machine.is_root() else []
PAGES = (
    "https://journal.cardiomet-trials.org/articles/cardian-53",
    "https://www.jdts-journal.jp/ronbun/27-315",
    "https://www.chiiki-seisaku-gakkai.jp/ronbun/2023/0311",
)


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb() as web:
        yield web


def quotes_of(body: bytes, content_type: str, url: str) -> list[str]:
    """What Lyra may quote of a page: sentences and whole fragments, the first of each."""
    texts = [one.text_content for one in to_fragments("p", read_document(body, content_type=content_type, url=url))]
    single = [text[start:end] for text in texts for start, end in sentences(text)]
    return list(dict.fromkeys([*single[:8], *texts[:5]]))


async def dead_links(page: Page, url: str, body: bytes, content_type: str) -> list[str]:
    """The quotes whose link does not scroll past the empty space that is put in front of the page."""
    cut = body.index(b">", body.index(b"<body")) + 1
    spaced = body[:cut] + SPACE + body[cut:] + SPACE

    async def answer(route: Route) -> None:
        await route.fulfill(status=200, body=spaced, headers={"Content-Type": content_type})

    await page.route("**/*", answer)
    dead = []
    for words in quotes_of(body, content_type, url):
        await page.goto("about:blank")
        await page.goto(deep_link(url, words))
        if not await scrolls(page):
            dead.append(words)
    await page.unroute("**/*")
    return dead


async def scrolls(page: Page) -> bool:
    """The browser looks for the words shortly after the page has loaded."""
    for _ in range(50):
        if await page.evaluate("scrollY > 0"):
            return True
        await asyncio.sleep(0.02)
    return False


async def test_deep_links_find_their_words(web: SimWeb) -> None:
    """Sentences and fragments of English and Japanese pages, in tables and in other encodings too."""
    got = {url: requests.get(url, proxy=web.proxy_url, verify=str(web.ca_path)) for url in PAGES}

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=machine.executable(None), args=FLAGS)
        page = await browser.new_page()
        dead = {url: await dead_links(page, url, one.content, one.headers["content-type"]) for url, one in got.items()}

    assert dead == {url: [] for url in PAGES}


@pytest.mark.parametrize(
    ("count", "text", "pages"),
    [(0, LONG, 2), (3_000, HOSTILE, 7), (3_000, LONG, 9), (3_000, ARABIC, 6)],
    ids=["nothing", "hostile", "long", "right to left"],
)
def test_report_has_at_most_twelve_pages(count: int, text: str, pages: int) -> None:
    """Whatever the task holds; the answer is on the first page."""
    printed = pypdfium2.PdfDocument(pdf.print_pdf(html(report(hostile_findings(count, text))), None))

    first = printed[0].get_textpage().get_text_range()
    assert len(printed) <= pages + 1  # fonts of other machines are narrower or wider
    assert ("Answer" in first, "to draw." in first) == (True, True)
    assert first.startswith(f"task_0123456789ab 1 / {len(printed)}")


def test_evidence_begins_below_a_short_answer() -> None:
    """The heading, and the table with its first row: the first page is not left empty."""
    known = claim("It is safe.", 0.8, (supporting("Quite safe."),), is_hypothesis=True)

    printed = pypdfium2.PdfDocument(pdf.print_pdf(html(report(findings(known))), None))

    first = printed[0].get_textpage().get_text_range()
    assert first.index("to draw.") < first.index("Evidence\r\n") < first.index("“Quite safe.”")


def test_japanese_glyphs_are_embedded() -> None:
    """Every font of the PDF is in the file, and the text can be read back."""
    known = claim(
        "給食費の無償化は出生数を増やす。", 0.8, (supporting("効果は認められなかった。"),), is_hypothesis=True
    )

    with in_language("ja"):
        printed = render(report(findings(known)), ReportFormat.PDF, None)

    page = pypdfium2.PdfDocument(printed)[0]
    words = [one for one in page.get_objects() if one.type == raw.FPDF_PAGEOBJ_TEXT]
    text = page.get_textpage().get_text_range()
    assert "給食費の無償化は出生数を増やす。" in text.replace("\r\n", "")
    assert {raw.FPDFFont_GetIsEmbedded(raw.FPDFTextObj_GetFont(one.raw)) for one in words} == {1}


def test_japanese_without_a_font_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than printed as empty boxes; the package is named."""
    empty = tmp_path / "fc-list"
    empty.write_text("#!/bin/sh\n")
    empty.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(ChromeNotReady) as caught:
        pdf.print_pdf("<p>日本語</p>", None)

    assert caught.value.message == "This machine has no font with Japanese letters."
    assert "fonts-noto-cjk" in str(caught.value.remedy)


def test_docx_has_pictures_of_its_figures() -> None:
    """PNGs in the order of the figures, as wide as the figure is drawn."""
    shown = [figures.StanceBars(()), figures.SourceGroups((figures.SourceGroup("a.example", ("a",), 1, 0),))]

    drawn = pdf.pictures(shown, None)

    sizes = [(int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) for png in drawn]
    assert [png[:8] for png in drawn] == [b"\x89PNG\r\n\x1a\n"] * 2
    assert sizes == [(1620, 90), (1620, 200)]


async def test_html_works_without_scripts_and_asks_for_nothing(tmp_path: Path) -> None:
    """In a browser without scripts the figures and their data are there, and nothing but the file was requested."""
    file = tmp_path / "report.html"
    file.write_text(html(report(hostile_findings(30, HOSTILE))), encoding="utf-8")
    (tmp_path / "appendix.html").write_text(html(appendix(hostile_findings(30, HOSTILE))), encoding="utf-8")
    asked: list[str] = []

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=machine.executable(None), args=FLAGS)
        page = await (await browser.new_context(java_script_enabled=False, color_scheme="dark")).new_page()
        page.on("request", lambda request: asked.append(request.url))
        for name in ("report.html", "appendix.html"):
            await page.goto((tmp_path / name).as_uri())
        await page.goto(file.as_uri())
        await page.locator("summary").first.click()
        rows = await page.locator("figure").first.locator("details tbody tr").count()
        drawn = await page.locator("figure svg").count()

    assert [one.rpartition("/")[2] for one in asked] == ["report.html", "appendix.html", "report.html"]
    assert (rows, drawn) == (8, 3)
