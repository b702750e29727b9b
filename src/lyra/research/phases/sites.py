"""Pages of the client's priority domains that no engine named: from their sitemaps, and along their own links.

§3.1.2: sitemaps are used to find what matters, and a domain is walked breadth first to a depth of two.
"""

import asyncio
from datetime import UTC, datetime

from lyra.fetch.markup import PageLink, own_links
from lyra.ids import derived_id
from lyra.model.page import FetchResult
from lyra.model.search import Candidate
from lyra.policy.sitemaps import SitemapEntry, named_in, pages_of, words_of
from lyra.research.search_run import SearchRun
from lyra.search.query import recognise_target
from lyra.storage import caches, candidates
from lyra.urls import canonical, origin_of, registrable_domain

SITEMAP = "sitemap"
LINKS = "links"
MAX_DEPTH = 2
_FROM_SITEMAP = 5
_FROM_PAGE = 3
_RANKED = 400
# A page that only an address or a link speaks for comes after what an engine found about as good.
_DISCOUNT = 0.5
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


async def add_listed_pages(run: SearchRun) -> None:
    """Candidates from the sitemaps of the task's priority domains, the most promising by their addresses' words.

    None for a query that names what it wants.
    """
    if _names_its_page(run):
        return
    for domain in run.task.priority_domains:
        listed = await _listed_of(run, domain)
        worded = [(one, words) for one in listed if (words := words_of(one.url))][:_RANKED]
        if not worded:
            continue
        ranked = await run.parts.ranker.rank(run.search.query, [words for _, words in worded])
        best = [worded[each.index] for each in ranked[:_FROM_SITEMAP] if each.score > 0]
        added = await run.parts.db.write(candidates.add, [_listed(run, one, words) for one, words in best])
        await run.log("site_pages", domain, source=SITEMAP, seen=len(listed), added=added)


async def add_linked_pages(run: SearchRun, parent: Candidate, result: FetchResult) -> None:
    """Candidates from the links of a priority domain's page to its own site, at most two steps from the start.

    None for a query that names what it wants.
    """
    depth = depth_of(parent) + 1
    domain = registrable_domain(result.final_url or parent.url)
    if depth > MAX_DEPTH or domain not in run.task.priority_domains or _names_its_page(run):
        return
    links = await asyncio.to_thread(own_links, result.body, result.final_url or parent.url)
    if not links:
        return
    ranked = await run.parts.ranker.rank(run.search.query, [link.words for link in links[:_RANKED]])
    best = [(links[each.index], each.score) for each in ranked[:_FROM_PAGE] if each.score > 0]
    found = [_linked(run, parent, link, depth, score) for link, score in best]
    added = await run.parts.db.write(candidates.add, found)
    await run.log("site_pages", parent.url, source=LINKS, seen=len(links), added=added)


def depth_of(candidate: Candidate) -> int:
    """Steps along links from a page that an engine or a sitemap named."""
    return candidate.rank if candidate.engine == LINKS else 0


def _names_its_page(run: SearchRun) -> bool:
    """An address or a paper's identifier has no words to choose other pages by, and asks for that page alone."""
    return recognise_target(run.search.query) is not None


async def _listed_of(run: SearchRun, domain: str) -> tuple[SitemapEntry, ...]:
    """What a domain lists, by a host that an engine has named or by the usual ones."""
    known = await run.parts.db.read(candidates.of_search, run.search.id)
    met = dict.fromkeys(origin_of(one.url) for one in known if registrable_domain(one.url) == domain)
    for origin in [*met][:1] or [f"https://www.{domain}", f"https://{domain}"]:
        listed = await _listed_on(run, origin, run.search.id)
        if listed:
            return listed
    return ()


async def _listed_on(run: SearchRun, origin: str, cause_id: str) -> tuple[SitemapEntry, ...]:
    """What a site lists. Asking for the usual address brings its robots.txt, which may name others."""
    usual = await _sitemaps(run, origin)
    listed = await pages_of(usual, run.parts.getter, cause_id)
    named = await _sitemaps(run, origin)
    return listed if named == usual else await pages_of(named, run.parts.getter, cause_id) or listed


async def _sitemaps(run: SearchRun, origin: str) -> tuple[str, ...]:
    """The sitemaps a remembered robots.txt names, else the usual address."""
    remembered = await run.parts.db.read(caches.robots, origin, _EVER)
    return named_in(remembered.body if remembered and remembered.status_code == 200 else "", origin)


def _listed(run: SearchRun, one: SitemapEntry, words: str) -> Candidate:
    url = canonical(one.url)
    return Candidate(
        derived_id("r", run.search.id, url), run.search.id, url, words, "", SITEMAP, rank=1, date=one.changed
    )


def _linked(run: SearchRun, parent: Candidate, link: PageLink, depth: int, score: float) -> Candidate:
    return Candidate(
        id=derived_id("r", run.search.id, link.url),
        search_id=run.search.id,
        url=link.url,
        title=link.words,
        snippet="",
        engine=LINKS,
        rank=depth,
        score=_DISCOUNT * min(parent.score or score, score),
        referer=parent.url,
    )
