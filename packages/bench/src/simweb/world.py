"""Reads topics from their folders: `topic.yaml`, `papers.yaml` and one Markdown file a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from simweb.faults import Fault
from simweb.markdown import Heading, Paragraph, parse, to_text
from simweb.model import Page, Paper, Robots, Site, Topic

WORLD = Path(__file__).parent / "world"

FORMATS = ("html", "script", "fetched", "pdf", "scan")

_FAULT_FIELDS = (
    "status", "retry_after_s", "delay_s", "after_bytes", "pause_s", "charset", "expanded_bytes", "times", "share",
    "exits", "asks",
)  # fmt: skip
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class WorldError(Exception):
    """A topic's files contradict themselves; the message names the file."""


def load_world(folder: Path = WORLD) -> tuple[Topic, ...]:
    """All topics under a folder, by name."""
    return tuple(load_topic(path.parent) for path in sorted(folder.glob("*/topic.yaml")))


def load_topic(folder: Path) -> Topic:
    description = read_yaml((folder / "topic.yaml").read_text("utf-8"))
    sites = tuple(_site(item) for item in description["sites"])
    papers = _papers(folder / "papers.yaml")
    by_domain = {site.domain: site for site in sites}
    by_id = {paper.id: paper for paper in papers}
    pages = _pages(sorted((folder / "pages").glob("*/*.md")), by_domain, by_id)
    urls = [page.url for page in pages]
    if len(urls) != len(set(urls)):
        raise WorldError(f"{folder.name}: two pages share an address")
    return Topic(description["topic"], description["title"], sites, pages, papers)


def read_yaml(text: str) -> Any:
    """YAML's plain values, by the fast parser where the machine has it."""
    return yaml.load(text, Loader=_LOADER)


def _site(item: Mapping[str, Any]) -> Site:
    robots = item.get("robots", {})
    asked = {"pause_s": robots["crawl_delay_s"]} if "crawl_delay_s" in robots else {}
    return Site(
        domain=item["domain"],
        name=item["name"],
        kind=item["kind"],
        language=item.get("language", "en"),
        template=item["template"],
        tagline=item.get("tagline", ""),
        sections=tuple(item.get("sections", ())),
        robots=Robots(tuple(robots.get("disallow", ())), robots.get("crawl_delay_s")),
        faults=tuple(
            (f"{item['domain']}{fault['path']}", _fault({**asked, **fault})) for fault in item.get("faults", ())
        ),
        moved=tuple(dict(item.get("moved", {})).items()),
        has_soft_404=item.get("soft_404", False),
        hidden_from=tuple(item.get("hidden_from", ())),
    )


def _fault(item: Mapping[str, Any]) -> Fault:
    return Fault(item["kind"], **{name: item[name] for name in _FAULT_FIELDS if name in item})


def _papers(path: Path) -> tuple[Paper, ...]:
    if not path.exists():
        return ()
    papers = tuple(_paper(item) for item in read_yaml(path.read_text("utf-8")))
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
        is_retracted=item.get("retracted", "retracted_on" in item),
        retracted_on=item.get("retracted_on"),
        **given,
    )


def _pages(paths: Iterable[Path], sites: Mapping[str, Site], papers: Mapping[str, Paper]) -> tuple[Page, ...]:
    """The pages as they stand; `name@2021-04-01.md` beside `name.md` is what the page was from that day on."""
    loaded = ((path, _page(path, sites, papers)) for path in sorted(paths, key=_file_order))
    grouped = groupby(loaded, key=lambda pair: _file_order(pair[0])[:2])
    return tuple(_with_history(list(group)) for _, group in grouped)


def _file_order(path: Path) -> tuple[str, str, str]:
    name, _, since = path.stem.partition("@")
    return path.parent.name, name, since or "now"


def _with_history(versions: list[tuple[Path, Page]]) -> Page:
    path, page = versions[-1]
    earlier = tuple(version for _, version in versions[:-1])
    for file, version in versions[:-1]:
        if version.path != page.path or f"@{version.changed}" not in file.name:
            raise WorldError(f"{file.parent.name}/{file.name}: path or date do not fit {path.name} and the file's name")
    days = [version.changed for version in (*earlier, page)]
    if earlier and (None in days or days != sorted(days, key=str)):
        raise WorldError(f"{path.parent.name}/{path.name}: its versions are not in the order of their dates")
    return replace(page, earlier=earlier)


def _page(path: Path, sites: Mapping[str, Site], papers: Mapping[str, Paper]) -> Page:
    name = f"{path.parent.name}/{path.name}"
    try:
        site = sites[path.parent.name]
        _, front, body = path.read_text("utf-8").split("---\n", 2)
        about = read_yaml(front)
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
    form = about.get("format", "html")
    if form not in FORMATS:
        raise ValueError(f"there is no format {form}")
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
        format=form,
        columns=about.get("columns", 1),
        appears_after_s=float(about.get("appears_after_s", 0)),
        is_gone=about.get("gone", False),
        hidden=about.get("hidden", ""),
        archived=tuple(sorted(about.get("archived", ()))),
    )
