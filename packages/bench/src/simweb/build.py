"""Builds the hosts of the simulated internet from its topics: the composition root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from jinja2 import Environment

from simweb.apis import archive, doi, openalex, pubmed, registries, semantic_scholar, tor_check
from simweb.apis.papers import Papers
from simweb.engines import duckduckgo, google, marginalia, mojeek
from simweb.engines.bing import Bing
from simweb.engines.brave import Brave
from simweb.engines.ecosia import Ecosia
from simweb.engines.index import Document, Index
from simweb.engines.qwant import Qwant
from simweb.engines.serp import ResultsHost
from simweb.engines.startpage import Startpage
from simweb.engines.wikipedia import WikipediaHost
from simweb.faults import Fault
from simweb.hosts import Host
from simweb.model import Page, Paper, Site, Topic
from simweb.ranking import Weights
from simweb.render import Renderer, environment
from simweb.sites import SiteHost

_UNINDEXED = ("unlinked",)
_WIKIPEDIA = ".wikipedia.org"
_RESULTS_HOSTS: tuple[type[ResultsHost], ...] = (
    google.Google,
    Bing,
    Brave,
    Startpage,
    Ecosia,
    Qwant,
    marginalia.Marginalia,
)


def hosts_of(topics: Sequence[Topic]) -> dict[str, Host]:
    """Every host name of the world with what answers for it."""
    papers = list(chain.from_iterable(topic.papers for topic in topics))
    pages = [*chain.from_iterable(topic.pages for topic in topics), *pubmed.pages(papers)]
    renderer, templates = Renderer(pages), environment()
    return {
        **_sites(topics, pages, renderer, templates),
        **_engines(pages, templates),
        **_services(papers, pages, renderer),
    }


def faults_of(topics: Iterable[Topic]) -> list[tuple[str, Fault]]:
    """The faults that the world itself has."""
    return [fault for topic in topics for site in topic.sites for fault in site.faults]


def _sites(
    topics: Sequence[Topic], pages: Sequence[Page], renderer: Renderer, templates: Environment
) -> dict[str, Host]:
    """A site that several topics describe is one site, with the pages of all and the first description."""
    sites: dict[str, Site] = {}
    for site in (*chain.from_iterable(topic.sites for topic in topics), pubmed.SITE):
        sites.setdefault(site.domain, site)
    by_domain: dict[str, list[Page]] = {domain: [] for domain in sites}
    for page in pages:
        by_domain[page.site.domain].append(page)
    return {domain: _site(site, by_domain[domain], renderer, templates) for domain, site in sites.items()}


def _site(site: Site, pages: Sequence[Page], renderer: Renderer, templates: Environment) -> Host:
    if not site.domain.endswith(_WIKIPEDIA):
        return SiteHost(site, pages, renderer)
    return WikipediaHost(site, pages, renderer, _index(pages, "wikipedia", None), templates)


def _engines(pages: Sequence[Page], templates: Environment) -> dict[str, Host]:
    duck = duckduckgo.DuckDuckGo(_index(pages, "duckduckgo", None), templates)
    moj = mojeek.Mojeek(_index(pages, "mojeek", mojeek.WEIGHTS), templates)
    hosts: dict[str, Host] = {**dict.fromkeys(duckduckgo.HOSTS, duck), **dict.fromkeys(mojeek.HOSTS, moj)}
    for kind in _RESULTS_HOSTS:
        engine = kind(_index(pages, kind.id, kind.weights), templates)
        hosts |= dict.fromkeys(kind.hosts, engine)
        if isinstance(engine, google.Google):
            hosts |= dict.fromkeys(google.CONSENT_HOSTS, google.GoogleConsent(engine))
    api = marginalia.MarginaliaApi(_index(pages, "marginalia", marginalia.Marginalia.weights))
    return {**hosts, **dict.fromkeys(marginalia.API_HOSTS, api)}


def _services(papers: Sequence[Paper], pages: Sequence[Page], renderer: Renderer) -> dict[str, Host]:
    scholar = semantic_scholar.SemanticScholar(Papers(papers, "semantic_scholar", merges_versions=True))
    alex = openalex.OpenAlex(Papers(papers, "openalex"))
    resolver = doi.DoiResolver(papers, pages)
    kept = archive.Archive(pages, renderer)
    return {
        **dict.fromkeys(semantic_scholar.HOSTS, scholar),
        **dict.fromkeys(openalex.HOSTS, alex),
        **dict.fromkeys(doi.HOSTS, resolver),
        **dict.fromkeys(archive.HOSTS, kept),
        **dict.fromkeys(tor_check.HOSTS, tor_check.TorCheck()),
        **registries.hosts(),
    }


def _index(pages: Sequence[Page], engine: str, weights: Weights | None) -> Index:
    crawled = (
        page
        for page in pages
        if engine not in page.site.hidden_from and page.kind not in _UNINDEXED and not page.is_gone
    )
    return Index((_document(page) for page in crawled), weights)


def _document(page: Page) -> Document:
    file_type = "pdf" if page.format in ("pdf", "scan") else "html"
    return Document(page.url, page.title, page.text, page.changed, page.site.name, file_type)
