"""How well searching finds: the truth files' queries at the default budget, measured against the pages planted."""

import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.model.search import Candidate, Search, SearchOptions, SentQuery
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.storage import candidates, derived_queries, pages, searches
from lyra_bench.measure.evidence import UNHURT, no_file, topic_names
from lyra_bench.planted import Ground, Row
from simweb import SimWeb
from simweb.truth import Truth, load_truth

if TYPE_CHECKING:
    from apsw import Connection

_SEARCH_LIMIT_S = 600.0


async def measure_search(
    topic: str | None = None, *, queries: int | None = None, keep: Path | None = None
) -> dict[str, Any]:
    """Recall of the planted pages by topic, and what it took: one topic or all, the first `queries` of each kind."""
    topics = {name: await _measure(name, queries, keep) for name in topic_names(topic)}
    found = sum(figures["pages_found"] for figures in topics.values())
    planted = sum(figures["pages_planted"] for figures in topics.values())
    return {"recall": round(found / planted, 3) if planted else None, "topics": topics}


async def _measure(topic: str, queries: int | None, keep: Path | None) -> dict[str, Any]:
    truth = load_truth(topic)
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch, SimWeb() as web:
        flags = {
            **UNHURT,
            "data_dir": keep / topic if keep else Path(scratch),
            "network.proxy": web.proxy_url,
            "network.ca_bundle": web.ca_path,
        }
        settings = settings_module.load(flags, environ={}, path=no_file(Path(scratch)))
        async with Lyra.open(settings, with_worker=True) as lyra:
            started = time.perf_counter()
            task_id = await _research(lyra, truth, queries)
            seconds = time.perf_counter() - started
            told = await lyra.db.read(_told, task_id)
    return {**figures(truth, *told), "seconds": round(seconds, 1)}


async def _research(lyra: Lyra, truth: Truth, most: int | None) -> str:
    """The truth file's queries one after another, in one task with the default budget."""
    research = lyra.settings.research
    language = next(iter(truth.queries))
    texts = [truth.claim(name).text[language] for name in truth.hypotheses]
    config = TaskConfig(
        budget=Budget(research.max_pages, research.max_seconds), hypotheses=tuple(map(Hypothesis, texts))
    )
    task, _ = await lyra.tasks.create(truth.question[language], config)
    plan = [(query, kind == "refute") for kind, found in truth.queries.items() for query in found[:most]]
    for query, refute in plan:
        spent = await lyra.tasks.get(task.id)
        if spent.pages_used >= research.max_pages or spent.seconds_used >= research.max_seconds:
            break
        search = await lyra.searches.start(task.id, query, SearchOptions(refute=refute))
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)
    return task.id


def figures(
    truth: Truth, asked: Sequence[Search], sent: Sequence[SentQuery], read: Sequence[Row], found: Sequence[Candidate]
) -> dict[str, Any]:
    """Recall and cost. `read` are fragments (`url work_id text`) of pages read, `found` every address found."""
    ground = Ground(truth)
    planted = {one.url for claim in truth.claims for one in (*claim.supports, *claim.refutes)} - set(truth.unreachable)
    # A paper read by its abstract is every page that presents it.
    seen = {one.url for row in read for _, _, one in ground.at(row)} & planted
    claims = {claim.id for row in read for claim, _, _ in ground.held_by(row)}
    fetched = sum(1 for one in found if one.state.value == "fetched")
    requests = sum(len(one.engines) for one in sent)
    return {
        "recall": round(len(seen) / len(planted), 3) if planted else None,
        "pages_planted": len(planted),
        "pages_found": len(seen),
        "missed": sorted(planted - seen),
        "claims_planted": len(truth.claims),
        "claims_found": len(claims),
        "searches": len(asked),
        "queries_sent": len(sent),
        "engine_requests": requests,
        "pages_fetched": fetched,
        "abstracts_read": sum(1 for one in found if one.state.value == "abstract"),
        "queries_per_claim": _each(len(sent), len(claims)),
        "engine_requests_per_claim": _each(requests, len(claims)),
        "pages_per_claim": _each(fetched, len(claims)),
        "by_rule": _by_rule(sent),
    }


def _each(count: int, claims: int) -> float | None:
    return round(count / claims, 2) if claims else None


def _by_rule(sent: Sequence[SentQuery]) -> Mapping[str, dict[str, int]]:
    """Queries and new addresses of each family of rules."""
    queries = Counter(one.family for one in sent)
    fresh: Counter[str] = Counter()
    for one in sent:
        fresh[one.family] += one.new_results
    return {family: {"queries": count, "new_addresses": fresh[family]} for family, count in sorted(queries.items())}


def _told(
    connection: "Connection", task_id: str
) -> tuple[tuple[Search, ...], tuple[SentQuery, ...], tuple[Row, ...], tuple[Candidate, ...]]:
    asked = searches.of_task(connection, task_id)
    sent = tuple(one for search in asked for one in derived_queries.of_search(connection, search.id))
    found = tuple(one for search in asked for one in candidates.of_search(connection, search.id))
    read: list[Row] = []
    for page_id in dict.fromkeys(one.page_id for one in found if one.page_id and one.state.is_read):
        page = pages.get(connection, page_id)
        if page is not None:
            fragments = pages.fragments_of(connection, page_id)
            read += [{"url": page.url, "work_id": page.work_id, "text": one.text_content} for one in fragments]
    return asked, sent, tuple(read), found
