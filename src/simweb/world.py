"""Reads topics from their folders: `topic.yaml`, `papers.yaml` and one Markdown file a page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from simweb.faults import Fault
from simweb.markdown import Heading, Paragraph, parse, to_text
from simweb.model import Page, Paper, Robots, Site, Topic

WORLD = Path(__file__).parent / "world"

_FAULT_FIELDS = ("status", "retry_after_s", "delay_s", "after_bytes")


class WorldError(Exception):
    """A topic's files contradict themselves; the message names the file."""


def load_world(folder: Path = WORLD) -> tuple[Topic, ...]:
    """All topics under a folder, by name."""
    return tuple(load_topic(path.parent) for path in sorted(folder.glob("*/topic.yaml")))


def load_topic(folder: Path) -> Topic:
    description = yaml.safe_load((folder / "topic.yaml").read_text("utf-8"))
    sites = tuple(_site(item) for item in description["sites"])
    papers = _papers(folder / "papers.yaml")
    by_domain = {site.domain: site for site in sites}
    by_id = {paper.id: paper for paper in papers}
    pages = tuple(_page(path, by_domain, by_id) for path in sorted((folder / "pages").glob("*/*.md")))
    urls = [page.url for page in pages]
    if len(urls) != len(set(urls)):
        raise WorldError(f"{folder.name}: two pages share an address")
    return Topic(description["topic"], description["title"], sites, pages, papers)


def _site(item: Mapping[str, Any]) -> Site:
    robots = item.get("robots", {})
    return Site(
        domain=item["domain"],
        name=item["name"],
        kind=item["kind"],
        language=item.get("language", "en"),
        template=item["template"],
        tagline=item.get("tagline", ""),
        sections=tuple(item.get("sections", ())),
        robots=Robots(tuple(robots.get("disallow", ())), robots.get("crawl_delay_s")),
        faults=tuple((f"{item['domain']}{fault['path']}", _fault(fault)) for fault in item.get("faults", ())),
        moved=tuple(dict(item.get("moved", {})).items()),
        has_soft_404=item.get("soft_404", False),
        hidden_from=tuple(item.get("hidden_from", ())),
    )


def _fault(item: Mapping[str, Any]) -> Fault:
    return Fault(item["kind"], **{name: item[name] for name in _FAULT_FIELDS if name in item})


def _papers(path: Path) -> tuple[Paper, ...]:
    if not path.exists():
        return ()
    papers = tuple(_paper(item) for item in yaml.safe_load(path.read_text("utf-8")))
    ids = {paper.id for paper in papers}
    for paper in papers:
        unknown = {*paper.references, *paper.influential, *filter(None, [paper.version_of])} - ids
        if unknown:
            raise WorldError(f"{path.parent.name}/papers.yaml: {paper.id} names {sorted(unknown)}")
    return papers


def _paper(item: Mapping[str, Any]) -> Paper:
    given: dict[str, Any] = {
        **{name: item[name] for name in ("kind", "language", "version_of") if name in item},
        **{name: str(item[name]) for name in ("doi", "pmid", "arxiv") if name in item},
        **{name: tuple(item[name]) for name in ("references", "influential", "indexed_in") if name in item},
    }
    return Paper(
        id=item["id"],
        title=item["title"],
        authors=tuple(item["authors"]),
        date=item["date"],
        venue=item["venue"],
        abstract=" ".join(item.get("abstract", "").split()),
        cited_elsewhere=item.get("cited_elsewhere", 0),
        is_retracted=item.get("retracted", False),
        **given,
    )


def _page(path: Path, sites: Mapping[str, Site], papers: Mapping[str, Paper]) -> Page:
    name = f"{path.parent.name}/{path.name}"
    try:
        site = sites[path.parent.name]
        _, front, body = path.read_text("utf-8").split("---\n", 2)
        about = yaml.safe_load(front)
        paper = papers[about["paper"]] if "paper" in about else None
        return _compose(site, about, body, paper)
    except (KeyError, ValueError) as exc:
        raise WorldError(f"{name}: {exc!r}") from exc


def _compose(site: Site, about: Mapping[str, Any], body: str, paper: Paper | None) -> Page:
    """A page from its front matter; one that presents a paper takes title, authors and abstract from it."""
    blocks = parse(body) if body.strip() else ()
    lang = about.get("lang", paper.language if paper else site.language)
    title = about["title"] if paper is None else about.get("title", paper.title)
    if paper is not None and paper.abstract:
        blocks = (Heading(2, "抄録" if lang == "ja" else "Abstract"), Paragraph(paper.abstract), *blocks)
    published: date | None = about.get("date", paper.date if paper else None)
    return Page(
        site=site,
        path=about["path"],
        title=title,
        blocks=blocks,
        text=to_text(blocks),
        date=published,
        updated=about.get("updated"),
        author=about.get("author", ", ".join(paper.authors) if paper else ""),
        lang=lang,
        kind=about.get("kind", "paper" if paper else "article"),
        description=about.get("description", ""),
        charset=about.get("charset", "utf-8"),
        declares_charset_in=about.get("declares_charset_in", "header"),
        cites=tuple(about.get("cites", ())),
        source_credit=about.get("source_credit", ""),
        paper=paper,
    )
