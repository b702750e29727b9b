"""A14 and A15: engines that fail and engines that do not, and the own searches of sites."""

from collections.abc import Sequence
from typing import Any

from lyra.app import Lyra
from lyra.errors import LyraError
from lyra.model.search import SearchOutcome
from lyra.search.federation import FederationOptions
from lyra.storage.rows import column
from lyra.urls import canonical
from lyra_bench.measure.acceptance.bench import Bench
from lyra_bench.measure.acceptance.criterion import Figures, share
from simweb import SimWeb
from simweb.faults import Fault
from simweb.model import Page, Topic
from simweb.truth import load_truth

_ENGINES = ("duckduckgo", "mojeek", "marginalia", "wikipedia")
_FAULTS = {
    "403": Fault("status", status=403),
    "429": Fault("status", status=429),
    "503": Fault("status", status=503),
    "captcha": Fault("captcha"),
    "challenge": Fault("challenge"),
    "reset": Fault("reset"),
    "soft 404": Fault("soft_404"),
}
# No answer at all says nothing of an engine: its circuit is left alone.
_UNHEARD = "reset"
# What no page of the simulated web says: an engine that finds nothing is no sick one.
_NOTHING = "qzxvwk jjkqpt"
_ONE_QUERY = {"engines.queries_per_search": 1, "engines.last_mile_below": 0}
_SEARCHED_KINDS = ("government", "academic")


async def faults(bench: Bench) -> Figures:
    """Every plain engine under every fault, and as many times sound: what is told of it."""
    sick: list[tuple[str, bool]] = []
    logged = heard = 0
    kinds = list(_FAULTS)[:3] if bench.is_quick else list(_FAULTS)
    queries = [query for topic in bench.topics for query in next(iter(load_truth(topic).queries.values()))]
    for kind in kinds:
        outcomes, transitions = await _ask_sick(bench, kind, queries[0])
        sick += [(f"{engine}, {kind}", outcome) for engine, outcome in outcomes.items()]
        logged += transitions
        heard += sum(outcomes.values()) if kind != _UNHEARD else 0
    sound = await _ask_sound(bench, [*queries[: len(kinds) - 1], _NOTHING])
    true = sum(found for _, found in sick)
    false = sum(found for _, found in sound)
    return Figures(
        {
            "precision": share(true, true + false),
            "recall": share(true, len(sick)),
            "transitions_logged": share(logged, heard),
        },
        details={
            "faulty": len(sick),
            "sound": len(sound),
            "missed": [name for name, found in sick if not found],
            "false": [name for name, found in sound if found],
        },
    )


async def _ask_sick(bench: Bench, kind: str, query: str) -> tuple[dict[str, bool], int]:
    """Whether each engine is told to be unhealthy after two questions, and how many circuits opened in the journal."""
    with SimWeb(latency_s=0.0, seed=bench.seed) as web:
        web.faults.set("*", _FAULTS[kind])
        settings = bench.settings(web, f"engines-{kind.replace(' ', '-')}", _ONE_QUERY)
        async with Lyra.open(settings) as lyra:
            found = {engine: await _is_unhealthy(lyra, engine, query) for engine in _ENGINES}
            for engine in _ENGINES:
                await _is_unhealthy(lyra, engine, f"{query} again")
            opened = set(await lyra.db.read(_opened))
    return found, sum(found[engine] and f"engine:{engine}" in opened for engine in _ENGINES)


def _opened(connection: Any) -> list[str]:
    sql = """
        select distinct subject from event_log
        where kind = 'policy_change' and subject glob 'engine:*' and details ->> 'parameter' = 'circuit'
    """
    return [str(one) for one in column(connection, sql)]


async def _ask_sound(bench: Bench, queries: Sequence[str]) -> list[tuple[str, bool]]:
    with SimWeb(latency_s=0.0, seed=bench.seed) as web:
        async with Lyra.open(bench.settings(web, "engines-sound", _ONE_QUERY)) as lyra:
            return [
                (f"{engine}, {query}", await _is_unhealthy(lyra, engine, query))
                for engine in _ENGINES
                for query in queries
            ]


async def _is_unhealthy(lyra: Lyra, engine: str, query: str) -> bool:
    try:
        answer = await lyra.parts.federation.search(query, FederationOptions(engines=(engine,), wanted=1))
    except LyraError:
        return True
    return not any(one.outcome.is_answer for one in answer.answers if one.engine == engine)


async def site_search(bench: Bench) -> Figures:
    """Sites of authorities and academies are asked for one of their own pages, and for the topic's first query."""
    with SimWeb(latency_s=0.0, seed=bench.seed) as web:
        topics = {topic.name: topic for topic in web.topics if topic.name in bench.topics}
        own = {name: _searchable(topic) for name, topic in topics.items()}
        hosts = [host for pages in own.values() for host in pages]
        more = {**_ONE_QUERY, "engines.site_search": hosts, "engines.site_search_qps": 50.0}
        successes, site_urls, engine_urls = 0, set[str](), set[str]()
        async with Lyra.open(
            bench.settings(web, "sites", {**more, "engines.enabled": ["duckduckgo", "mojeek"]})
        ) as lyra:
            sites = lyra.parts.federation.sites
            for name, pages in own.items():
                query = next(iter(load_truth(name).queries.values()))[0]
                engine_urls |= await _engine_urls(lyra, query)
                for host, page in pages.items():
                    successes += (await sites.ask(host, page.title)).outcome is SearchOutcome.RESULTS
                    site_urls |= {canonical(item.url) for item in (await sites.ask(host, query)).items}
    fresh = len(site_urls - engine_urls)
    return Figures(
        {"success": share(successes, len(hosts)), "extra_harvest": share(fresh, len(engine_urls))},
        details={"sites": len(hosts), "addresses_of_sites": len(site_urls), "addresses_of_engines": len(engine_urls)},
    )


def _searchable(topic: Topic) -> dict[str, Page]:
    """A page of each site of an authority or academy: the kinds of site that the shipped allow-list holds."""
    listed = [page for page in topic.pages if page.kind != "unlinked" and not page.is_gone and page.format == "html"]
    return {page.site.domain: page for page in listed if page.site.kind in _SEARCHED_KINDS}


async def _engine_urls(lyra: Lyra, query: str) -> set[str]:
    try:
        answer = await lyra.parts.federation.search(query, FederationOptions(wanted=20))
    except LyraError:
        return set()
    return {canonical(one.url) for one in answer.candidates}
