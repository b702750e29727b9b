"""Reports in a real Chromium: links that find their words, printed pages, and HTML without scripts or requests."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from curl_cffi import requests
from patchright.async_api import Browser, Route, async_playwright

from lyra.errors import ChromeNotReady
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.fetch.browser import machine
from lyra.report import figures, pdf
from lyra.report.appendix import appendix
from lyra.report.content import report
from lyra.report.export import deep_link
from lyra.report.formats import ReportFormat, render
from lyra.report.html import html
from lyra.text import sentences
from lyra.translate import in_language
from simweb import SimWeb
from tests.report_data import ARABIC, HOSTILE, LONG, claim, findings, hostile_findings, supporting

SPACE = b'<div style="height:6000px"></div>'
FLAGS = ["--no-sandbox"] if machine.is_root() else []
PAGES = (
    "https://en.wikipedia.org/wiki/Dipeptidyl_peptidase-4_inhibitor",
    "https://journal.cardiomet-trials.org/articles/cardian-53",
    "https://www.jmetd.org/article/2018/1102",
    "https://www.med.seito-u.ac.jp/naibunpi/kaisetsu/dpp4",
    "https://www.jdts-journal.jp/ronbun/27-315",
    "https://www.chiiki-seisaku-gakkai.jp/ronbun/2023/0311",
)


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    with SimWeb() as web:
        yield web


def quotes_of(body: bytes, content_type: str, url: str) -> list[str]:
    """What Lyra may quote of a page: every sentence, and every fragment as a whole."""
    texts = [one.text_content for one in to_fragments("p", read_document(body, content_type=content_type, url=url))]
    single = [text[start:end] for text in texts for start, end in sentences(text)]
    return list(dict.fromkeys([*single, *texts]))


async def is_found(browser: Browser, link: str, body: bytes, content_type: str) -> bool:
    """Whether a browser that opens the link scrolls past the empty space in front of the page."""
    cut = body.index(b">", body.index(b"<body")) + 1
    spaced = body[:cut] + SPACE + body[cut:] + SPACE

    async def answer(route: Route) -> None:
        await route.fulfill(status=200, body=spaced, headers={"Content-Type": content_type})

    page = await browser.new_page()
    await page.route("**/*", answer)
    await page.goto(link)
    for _ in range(40):  # the browser looks for the words shortly after the page has loaded
        if await page.evaluate("scrollY"):
            break
        await asyncio.sleep(0.02)
    found = await page.evaluate("scrollY > 0")
    await page.close()
    return bool(found)


@pytest.mark.parametrize("url", PAGES)
async def test_deep_links_find_their_words(web: SimWeb, url: str) -> None:
    """Every sentence and fragment of the page, English and Japanese, in tables too."""
    got = requests.get(url, proxy=web.proxy_url, verify=str(web.ca_path))
    quotes = quotes_of(got.content, got.headers["content-type"], url)

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=machine.executable(None), args=FLAGS)
        dead = [
            words
            for words in quotes
            if not await is_found(browser, deep_link(url, words), got.content, got.headers["content-type"])
        ]

    assert len(quotes) > 5
    assert dead == []


@pytest.mark.parametrize("count", [0, 3_000])
@pytest.mark.parametrize("text", [HOSTILE, LONG, ARABIC], ids=["hostile", "long", "right to left"])
def test_report_has_at_most_twelve_pages(count: int, text: str) -> None:
    """Whatever the task holds; the answer is on the first page and the evidence begins on the second."""
    printed = pypdfium2.PdfDocument(pdf.print_pdf(html(report(hostile_findings(count, text))), None))

    first, second = (printed[number].get_textpage().get_text_range() for number in (0, 1))
    assert len(printed) <= 12
    assert ("Answer" in first, "Evidence" in second) == (True, True)
    assert first.rstrip().endswith(f"1 / {len(printed)}")


def test_japanese_glyphs_are_embedded() -> None:
    """Every font of the PDF is in the file, and the text can be read back."""
    known = claim(
        "給食費の無償化は出生数を増やす。", 0.8, (supporting("効果は認められなかった。"),), is_hypothesis=True
    )

    with in_language("ja"):
        printed = render(report(findings(known)), ReportFormat.PDF, None)

    text = pypdfium2.PdfDocument(printed)[0].get_textpage().get_text_range()
    assert "給食費の無償化は出生数を増やす。" in text.replace("\r\n", "")
    assert len(re.findall(rb"/FontFile[23] ", printed)) == len(re.findall(rb"/Type /FontDescriptor", printed))


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
    assert sizes == [(1620, 90), (1620, 162)]


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
    assert (rows, drawn) == (10, 3)
