"""Reading topics from files."""

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


def test_the_shipped_world_has_its_size() -> None:
    """The medical topic has 70 pages on 31 domains and 24 papers."""
    topic = next(topic for topic in load_world() if topic.name == "dpp4")

    domains = {page.site.domain for page in topic.pages}
    japanese = [page for page in topic.pages if page.lang == "ja"]
    assert (len(topic.pages), len(domains), len(topic.papers)) == (70, 31, 24)
    assert len(japanese) == 18
