"""What a topic of the simulated web consists of, as written in its files."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from urllib.parse import quote

from simweb.faults import Fault
from simweb.markdown import Block


@dataclass(frozen=True)
class Robots:
    """What a site's robots.txt says to every robot."""

    disallow: tuple[str, ...] = ()
    crawl_delay_s: float | None = None


@dataclass(frozen=True)
class Site:
    """One host with its look; `hidden_from` names the engines that have not indexed it."""

    domain: str
    name: str
    kind: str
    language: str
    template: str
    tagline: str = ""
    sections: tuple[str, ...] = ()
    robots: Robots = field(default_factory=Robots)
    faults: tuple[tuple[str, Fault], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    has_soft_404: bool = False
    hidden_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """One page; `text` is its main text, without title or any of the site's furniture.

    `format` is how it is served: `html`, `script` (the text appears only when its script runs), `fetched` (the script
    asks the site for the text), both `appears_after_s` later, `pdf` or `scan` (a PDF of pictures). `earlier` holds the
    versions it had before, oldest first; `archived` the days on which the web archive took it; `hidden` is text that
    no reader sees.
    """

    site: Site
    path: str
    title: str
    blocks: tuple[Block, ...]
    text: str
    date: dt.date | None = None
    updated: dt.date | None = None
    author: str = ""
    lang: str = "en"
    kind: str = "article"
    description: str = ""
    charset: str = "utf-8"
    declares_charset_in: str = "header"
    cites: tuple[str, ...] = ()
    source_credit: str = ""
    paper: Paper | None = None
    format: str = "html"
    columns: int = 1
    appears_after_s: float = 0.0
    is_gone: bool = False
    hidden: str = ""
    archived: tuple[dt.date, ...] = ()
    earlier: tuple[Page, ...] = ()

    @property
    def url(self) -> str:
        return f"https://{self.site.domain}{quote(self.path)}"

    @property
    def changed(self) -> dt.date | None:
        """The day of the last change."""
        return self.updated or self.date


@dataclass(frozen=True)
class Paper:
    """One scholarly work as the indexes know it; `references` and `influential` hold ids of other papers."""

    id: str
    title: str
    authors: tuple[str, ...]
    date: dt.date
    venue: str
    abstract: str = ""
    kind: str = "article"
    language: str = "en"
    doi: str = ""
    pmid: str = ""
    arxiv: str = ""
    references: tuple[str, ...] = ()
    influential: tuple[str, ...] = ()
    cited_elsewhere: int = 0
    is_retracted: bool = False
    retracted_on: dt.date | None = None
    version_of: str = ""
    indexed_in: tuple[str, ...] = ("semantic_scholar", "openalex", "pubmed")

    @property
    def year(self) -> int:
        return self.date.year


@dataclass(frozen=True)
class Topic:
    """Everything written about one research question."""

    name: str
    title: str
    sites: tuple[Site, ...]
    pages: tuple[Page, ...]
    papers: tuple[Paper, ...]
