"""Reading topics from files."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from simweb.markdown import Heading, Paragraph
from simweb.world import WorldError, load_topic, load_world

TOPIC = """\
topic: tiny
title: A tiny topic
sites:
  - {domain: www.x.org, name: X, kind: academic, template: journal, robots: {disallow: [/p/], crawl_delay_s: 2}}
"""
PAPERS = """\
- {id: a, title: On a, authors: [A B], date: 2020-02-03, venue: V, doi: 10.5555/a, abstract: It works.}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pages/www.x.org").mkdir(parents=True)
    (tmp_path / "topic.yaml").write_text(TOPIC)
    (tmp_path / "papers.yaml").write_text(PAPERS)
    return tmp_path


def test_a_page_of_a_paper_takes_its_data_from_the_paper(folder: Path) -> None:
    """Title, authors, date and abstract are written once, in papers.yaml."""
    (folder / "pages/www.x.org/a.md").write_text("---\npath: /a\npaper: a\n---\nMore.\n")

    page = load_topic(folder).pages[0]

    assert (page.url, page.title, page.author, page.date) == ("https://www.x.org/a", "On a", "A B", date(2020, 2, 3))
    assert page.blocks == (Heading(2, "Abstract"), Paragraph("It works."), Paragraph("More."))
    assert page.site.robots.disallow == ("/p/",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("a.md", "---\npath: /a\n---\nText\n", "www.x.org/a.md: KeyError('title')", id="no title"),
        pytest.param("a.md", "---\npath: /a\npaper: b\n---\n", "www.x.org/a.md: KeyError('b')", id="unknown paper"),
    ],
)
def test_a_broken_page_names_its_file(folder: Path, name: str, text: str, message: str) -> None:
    """An author sees which file is wrong."""
    (folder / "pages/www.x.org" / name).write_text(text)

    with pytest.raises(WorldError) as caught:
        load_topic(folder)

    assert str(caught.value) == message


def test_two_pages_at_one_address_are_refused(folder: Path) -> None:
    """Addresses are unique within a topic."""
    (folder / "pages/www.x.org/a.md").write_text("---\npath: /a\ntitle: A\n---\nText\n")
    (folder / "pages/www.x.org/b.md").write_text("---\npath: /a\ntitle: B\n---\nText\n")

    with pytest.raises(WorldError, match="two pages share an address"):
        load_topic(folder)


def test_a_reference_to_an_unknown_paper_is_refused(folder: Path) -> None:
    """The citation graph has no loose ends."""
    (folder / "papers.yaml").write_text(PAPERS.replace("abstract:", "references: [zz], abstract:"))

    with pytest.raises(WorldError, match=r"a names \['zz'\]"):
        load_topic(folder)


VERSION = "---\npath: /a\ntitle: A\ndate: 2020-01-01\n{more}---\n{text}\n"


def test_a_dated_file_is_an_earlier_version(folder: Path) -> None:
    """`a@2020-01-01.md` is what the page `a.md` was before; the newest file is the page."""
    site = folder / "pages/www.x.org"
    (site / "a.md").write_text(VERSION.format(more="updated: 2021-05-06\n", text="New."))
    (site / "a@2020-01-01.md").write_text(VERSION.format(more="", text="Old."))

    (page,) = load_topic(folder).pages

    assert (page.text, [one.text for one in page.earlier]) == ("New.", ["Old."])


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        pytest.param("a@2020-02-02.md", "", "path or date do not fit", id="the name says another day"),
        pytest.param(
            "a@2022-01-01.md", "updated: 2022-01-01\n", "not in the order of their dates", id="a later version"
        ),
    ],
)
def test_a_version_out_of_place_is_refused(folder: Path, name: str, more: str, message: str) -> None:
    """File name, dates and order of versions agree."""
    site = folder / "pages/www.x.org"
    (site / "a.md").write_text(VERSION.format(more="updated: 2021-05-06\n", text="New."))
    (site / name).write_text(VERSION.format(more=more, text="Old."))

    with pytest.raises(WorldError, match=message):
        load_topic(folder)


def test_an_unknown_format_is_refused(folder: Path) -> None:
    """A page is HTML, a script, a PDF or a scan."""
    (folder / "pages/www.x.org/a.md").write_text("---\npath: /a\ntitle: A\nformat: film\n---\nText\n")

    with pytest.raises(WorldError, match="there is no format film"):
        load_topic(folder)


def test_the_shipped_world_has_its_size() -> None:
    """Twenty-one topics: 1,328 pages on 735 domains and 99 papers; the first three as they were."""
    topics = load_world()

    sizes = {topic.name: (len(topic.pages), len(topic.sites), len(topic.papers)) for topic in topics}
    domains = {page.site.domain for topic in topics for page in topic.pages}
    assert sizes == {
        "alp2": (63, 33, 6),
        "dpp4": (70, 31, 24),
        "kosodate": (67, 36, 8),
        "kosui": (54, 33, 4),
        "lowzone": (59, 36, 5),
        "marrowick": (69, 41, 3),
        "misakino": (56, 31, 3),
        "harigase": (65, 35, 4),
        "hinokawa": (64, 35, 3),
        "orchardlea": (64, 35, 3),
        "kashiro": (67, 40, 3),
        "pellingmoor": (68, 40, 3),
        "quillmere": (60, 40, 4),
        "saltmarsh": (65, 35, 3),
        "sleepband": (51, 31, 5),
        "tokiwadai": (64, 34, 3),
        "unosawa": (69, 39, 3),
        "tsukihara": (65, 37, 3),
        "wexmoor": (62, 37, 3),
        "aldmere": (61, 38, 3),
        "minasato": (65, 38, 3),
        "cresswick": (68, 40, 4),
        "yunosato": (70, 40, 4),
        "brantholme": (70, 43, 3),
        "hatsuse": (66, 40, 3),
    }
    assert len(domains) == 894


def test_the_shipped_world_has_files_of_every_format() -> None:
    """Digital and scanned PDFs and pages that need a script are among the pages."""
    formats = Counter(page.format for topic in load_world() for page in topic.pages)

    assert formats == {"html": 1564, "pdf": 32, "script": 3, "fetched": 1, "scan": 2}


def test_a_topic_has_its_languages() -> None:
    """The topics on Japanese municipalities are Japanese, the medical one is mixed, the others are English."""
    languages = {topic.name: sorted({page.lang for page in topic.pages}) for topic in load_world()}

    assert languages == {
        "alp2": ["en"],
        "dpp4": ["en", "ja"],
        "kosodate": ["ja"],
        "kosui": ["ja"],
        "lowzone": ["en"],
        "marrowick": ["en"],
        "misakino": ["ja"],
        "harigase": ["ja"],
        "hinokawa": ["ja"],
        "orchardlea": ["en"],
        "kashiro": ["ja"],
        "pellingmoor": ["en"],
        "quillmere": ["en"],
        "saltmarsh": ["en"],
        "sleepband": ["en"],
        "tokiwadai": ["ja"],
        "unosawa": ["ja"],
        "tsukihara": ["ja"],
        "wexmoor": ["en"],
        "aldmere": ["en"],
        "minasato": ["ja"],
        "cresswick": ["en"],
        "yunosato": ["ja"],
        "brantholme": ["en"],
        "hatsuse": ["ja"],
    }


def test_pages_of_the_world_have_a_past() -> None:
    """83 pages were archived, 53 of them at least thrice; 73 have earlier versions."""
    pages = [page for topic in load_world() for page in topic.pages]

    assert Counter(len(page.archived) for page in pages if page.archived) == {1: 5, 2: 25, 3: 52, 4: 1}
    assert sum(bool(page.earlier) for page in pages) == 73
