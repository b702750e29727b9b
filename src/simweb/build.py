"""Builds the hosts of the simulated internet from its topics: the composition root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from simweb.apis import doi, openalex, pubmed, semantic_scholar
from simweb.apis.papers import Papers
from simweb.engines import duckduckgo, mojeek
from simweb.engines.index import Document, Index
from simweb.faults import Fault
from simweb.hosts import Host
from simweb.model import Page, Paper, Topic
from simweb.ranking import Weights
from simweb.render import Renderer, environment
from simweb.sites import SiteHost

_UNINDEXED = ("unlinked",)


def hosts_of(topics: Sequence[Topic]) -> dict[str, Host]:
    """Every host name of the world with what answers for it."""
    papers = list(chain.from_iterable(topic.papers for topic in topics))
    pages = [*chain.from_iterable(topic.pages for topic in topics), *pubmed.pages(papers)]
    return {**_sites(topics, pages), **_engines(pages), **_services(papers, pages)}


def faults_of(topics: Iterable[Topic]) -> list[tuple[str, Fault]]:
    """The faults that the world itself has."""
    return [fault for topic in topics for site in topic.sites for fault in site.faults]


def _sites(topics: Sequence[Topic], pages: Sequence[Page]) -> dict[str, Host]:
    renderer = Renderer(pages)
    sites = [*chain.from_iterable(topic.sites for topic in topics), pubmed.SITE]
    return {
        site.domain: SiteHost(site, [page for page in pages if page.site.domain == site.domain], renderer)
        for site in sites
    }


def _engines(pages: Sequence[Page]) -> dict[str, Host]:
    templates = environment()
    duck = duckduckgo.DuckDuckGo(_index(pages, "duckduckgo", None), templates)
    moj = mojeek.Mojeek(_index(pages, "mojeek", mojeek.WEIGHTS), templates)
    return {**dict.fromkeys(duckduckgo.HOSTS, duck), **dict.fromkeys(mojeek.HOSTS, moj)}


def _services(papers: Sequence[Paper], pages: Sequence[Page]) -> dict[str, Host]:
    scholar = semantic_scholar.SemanticScholar(Papers(papers, "semantic_scholar", merges_versions=True))
    alex = openalex.OpenAlex(Papers(papers, "openalex"))
    resolver = doi.DoiResolver(papers, pages)
    return {
        **dict.fromkeys(semantic_scholar.HOSTS, scholar),
        **dict.fromkeys(openalex.HOSTS, alex),
        **dict.fromkeys(doi.HOSTS, resolver),
    }


def _index(pages: Sequence[Page], engine: str, weights: Weights | None) -> Index:
    crawled = (page for page in pages if engine not in page.site.hidden_from and page.kind not in _UNINDEXED)
    return Index((Document(page.url, page.title, page.text, page.changed) for page in crawled), weights)
