"""A4, A5, A7, A8, A10 to A13, A16 and A19: research on every topic of the simulated web, with faults on the way."""

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lyra.app import Lyra
from lyra.errors import LyraError
from lyra.fetch.sessions import Cookie
from lyra.model.handoff import Handoff, HandoffStatus
from lyra.model.page import GroupKind
from lyra.model.search import Search, SearchOptions
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.research.assessing import find_page_groups
from lyra.research.handoffs import GivenSession
from lyra.research.phases.archive_copies import compare_page
from lyra.research.search_run import SearchRun
from lyra.storage import mementos, pages, searches
from lyra.storage.rows import read_dicts
from lyra.urls import canonical, registrable_domain
from lyra_bench.measure import measures
from lyra_bench.measure.acceptance.bench import Bench
from lyra_bench.measure.acceptance.criterion import Figures, share
from lyra_bench.measure.acceptance.fetching import captures
from lyra_bench.measure.acceptance.researched import Asked, Researched, read, write
from lyra_bench.measure.evidence import read_graph
from simweb import SimWeb
from simweb.faults import Fault, Kind
from simweb.truth import Truth, load_truth
from simweb.world import WORLD, load_topic

_SEARCH_LIMIT_S = 600.0
_AFTER_PERSON_S = 600.0
_LEAST_WAIT_S = 30.0
# Enough for every query, also on a machine that is busy with other things.
_BUDGET = Budget(300, 7200.0)
_SNAPSHOTS = 3
# Of every hundred requests three meet one of these; and so many news sites of a topic stand behind a wall for people.
_FAULTS, _FAULT_SHARE = ("status", "reset", "slow", "truncated"), 0.03
_HUMAN_WALLS: tuple[Kind, ...] = ("captcha", "login_wall", "captcha")
_PRIMARY_KINDS = ("government", "academic", "standards")
# Which simulated wall a queued page stands behind, by what it is queued as.
_WALLS = {"login": "login_wall", "consent": "consent", "captcha": "captcha"}
# What a request costs with the pauses that ship: one every 5 s to a domain, four domains at a time.
_PAUSE_S, _AT_ONCE = 5.0, 4
_CLAIMS = """
with refute_pages as (
    select s.page_id from queries q join serp_items s on s.query_id = q.id
    where q.task_id = :task_id and q.options ->> 'refute' and s.page_id is not null
)
select c.id, c.is_hypothesis, c.adoption_status, c.independent_sources, c.refutation_status,
    (select count(*) from edges e where e.target_id = c.id and e.task_id = c.task_id) as judged,
    (
        select count(*) from edges e
        where e.target_id = c.id and e.relation in ('supports', 'refutes') and coalesce(e.quote, '') <> ''
    ) as quoted,
    (
        select count(distinct coalesce(p.work_id, p.domain)) from edges e join pages p on p.id = e.page_id
        where e.target_id = c.id and e.relation = 'supports' and e.no_vote = ''
    ) as sources,
    (
        select count(distinct coalesce(p.work_id, p.domain)) from edges e join pages p on p.id = e.page_id
        where e.target_id = c.id and e.relation = 'supports' and e.no_vote = ''
            and e.source_trust_level in ('primary', 'government', 'academic')
    ) as primaries,
    (
        select count(distinct coalesce(p.work_id, p.domain)) from edges e join pages p on p.id = e.page_id
        where e.target_id = c.id and e.relation = 'supports' and e.no_vote = ''
            and e.source_trust_level not in ('primary', 'government', 'academic')
    ) as secondaries,
    exists (
        select 1 from edges e
        where e.target_id = c.id
            and (e.relation = 'refutes' or (c.refutation_status <> 'not_searched' and e.page_id in refute_pages))
    ) as has_candidate,
    c.supporting_count > 0 and c.refuting_count > 0 as has_both,
    exists (select 1 from v_contradictions v where v.claim_id = c.id and v.task_id = c.task_id) as is_shown
from claims c
where c.task_id = :task_id
"""
_PAGES = """
select distinct p.id, p.domain, p.warc_path, p.warc_offset + p.warc_length as ends_at
from queries q
join serp_items s on s.query_id = q.id and s.state in ('fetched', 'reused', 'abstract')
join pages p on p.id = s.page_id
where q.task_id = :task_id
"""
_JUDGED = """
select distinct p.id, p.domain
from edges e
join pages p on p.id = e.page_id
where e.task_id = :task_id
"""
_SERP_REQUESTS = """
select count(*) as asked from event_log
where kind = 'fetch' and details ->> 'lane' = 'serp' and cause_id = :search_id
"""


async def researched(bench: Bench) -> list[Researched]:
    """Every topic, one after another; those that an earlier run kept are taken from there."""
    found: list[Researched] = []
    key = f"seed {bench.seed}, {bench.queries} queries of each kind, {bench.topic_minutes:g} minutes a topic"
    for number, topic in enumerate(bench.topics, 1):
        known = read(bench.kept, key, topic) if bench.kept else None
        place = f"topic {number} of {len(bench.topics)}, {topic}"
        bench.tell(f"{place}: {'kept from an earlier run' if known else 'researching'}")
        one = known or await _research(bench, topic)
        if bench.kept and known is None:
            write(bench.kept, key, one)
        bench.tell(f"{place}: {one.seconds:.0f} s, {len(one.searches)} searches")
        found.append(one)
    return found


async def _research(bench: Bench, topic: str) -> Researched:
    truth = load_truth(topic)
    with SimWeb(seed=bench.seed) as web:
        _plant(web, topic, bench.seed)
        async with Lyra.open(bench.settings(web, f"research-{topic}"), with_worker=True) as lyra:
            began = time.monotonic()
            task_id, failures, unstarted, unasked = await _ask(lyra, truth, bench)
            seconds = time.monotonic() - began
            queued = await lyra.handoffs.queue.pending(task_id)
            notified = await _notify(lyra, queued)
            solved = await _solve(lyra, web, task_id, queued)
            asked = await lyra.db.read(searches.of_task, task_id)
            compared = await _compare(lyra, topic, task_id, asked)
            cache = await _again(lyra, truth, asked)
            read = await lyra.db.read(read_dicts, _PAGES, {"task_id": task_id})
            metrics = await lyra.meter.read(task_id)
            judged = await lyra.db.read(read_dicts, _JUDGED, {"task_id": task_id})
            graph = await lyra.db.read(read_graph, task_id)
            groups = await find_page_groups(lyra.db, task_id, lyra.models.embedder.model_id)
            urls = {str(row["page_id"]): str(row["url"]) for row in graph.fragments}
            by_url = [
                {urls[one] for one in group.pages if one in urls} for group in groups if group.kind is GroupKind.LOOP
            ]
            loops = measures.groups_found([set(one.pages) for one in truth.loops], frozenset(urls.values()), by_url)
            stopped = await lyra.tasks.stop(task_id, "completed")
            claims = await lyra.db.read(read_dicts, _CLAIMS, {"task_id": task_id})
            archive_dir = lyra.settings.archive_dir
        visits = web.requests
        violations = len(web.politeness_violations())
    return Researched(
        topic=topic,
        seconds=seconds,
        searches=tuple(Asked(one.query, one.status.value, one.harvest_rate) for one in asked),
        failures=tuple(failures),
        named=stopped.unsatisfied_queries,
        claims=claims,
        metrics={one.name: one.value for one in metrics if not one.labels},
        archived=(sum(_is_archived(row, archive_dir) for row in read), len(read)),
        kinds=_kinds(topic, [str(row["domain"]) for row in read]),
        judged_kinds=_kinds(topic, [str(row["domain"]) for row in judged]),
        queued=tuple(one.domain for one in queued),
        solved=solved,
        notified=notified,
        compared=compared,
        cache=cache,
        hosts=tuple(sorted({visit.host for visit in visits})),
        requests=len(visits),
        violations=violations,
        planted_loops=(loops.part, loops.whole),
        unstarted=tuple(unstarted),
        unasked=tuple(unasked),
    )


def _plant(web: SimWeb, topic: str, seed: int) -> None:
    """Faults on the way, and walls that only a person can open, by the seed."""
    web.faults.scatter(_FAULTS, _FAULT_SHARE)  # type: ignore[arg-type]
    hosts = sorted(site.domain for site in load_topic(WORLD / topic).sites if site.kind == "news")
    drawn = random.Random(seed).sample(hosts, min(len(_HUMAN_WALLS), len(hosts)))
    for host, kind in zip(drawn, _HUMAN_WALLS, strict=False):
        web.faults.set(f"{host}/*", Fault(kind))


async def _ask(lyra: Lyra, truth: Truth, bench: Bench) -> tuple[str, list[str], list[str], list[str]]:
    """The truth file's queries with its hypotheses; a search that fails is named and the next one asked.

    Those for which no time is left are the last of what comes back.
    """
    language = next(iter(truth.queries))
    texts = [truth.claim(name).text[language] for name in truth.hypotheses]
    task, _ = await lyra.tasks.create(
        truth.question[language], TaskConfig(budget=_BUDGET, hypotheses=tuple(map(Hypothesis, texts)))
    )
    failures: list[str] = []
    unstarted: list[str] = []
    wanted = [(kind, query) for kind, queries in truth.queries.items() for query in queries[: bench.queries]]
    ends = time.monotonic() + 60 * bench.topic_minutes
    for number, (kind, query) in enumerate(wanted):
        left = ends - time.monotonic()
        if left <= 0:
            return task.id, failures, unstarted, [query for _, query in wanted[number:]]
        bench.tell(f"  query {number + 1} of {len(wanted)}, {left / 60:.0f} minutes left: {query}")
        try:
            search = await lyra.searches.start(task.id, query, SearchOptions(refute=kind == "refute"))
        except LyraError as exc:
            unstarted.append(query)
            failures.append(f"{query}: {exc.message}")
            continue
        try:
            await lyra.searches.wait(search.id, max(left, _LEAST_WAIT_S))
        except LyraError as exc:
            failures.append(f"{query}: {exc.message}")
    return task.id, failures, unstarted, []


async def _notify(lyra: Lyra, queued: Sequence[Handoff]) -> tuple[int, str]:
    """How many queued pages were told to a person on this machine, and why not."""
    reports = [await lyra.notifier.notify("auth_required", one.domain, {"url": one.url}) for one in queued]
    why = "; ".join(sorted({text for one in reports for text in one.not_shown.values()}))
    return sum(one.is_shown for one in reports), why


async def _solve(lyra: Lyra, web: SimWeb, task_id: str, queued: Sequence[Handoff]) -> int:
    """Open every queued page as a person would, with the cookie that its form gives; how many stayed open."""
    for domain in dict.fromkeys(one.domain for one in queued):
        item = next(one for one in queued if one.domain == domain)
        host = urlsplit(item.url).hostname or ""
        name, value = web.doors.cookie(_WALLS.get(item.auth_type, "challenge"), host)
        session = GivenSession((Cookie(name, value, f".{domain}"),))
        await lyra.handoffs.resolve_domain(domain, HandoffStatus.RESOLVED, "bench", session)
    await lyra.status.wait(task_id, _AFTER_PERSON_S, until_done=True)
    left = {one.url for one in await lyra.handoffs.queue.pending(task_id)}
    return sum(one.url not in left for one in queued)


async def _compare(lyra: Lyra, topic: str, task_id: str, asked: Sequence[Search]) -> tuple[int, int, int]:
    """Pages read that have archived earlier versions: all, those with a copy, and those whose change was found."""
    versioned = [page for page in load_topic(WORLD / topic).pages if page.earlier and page.archived]
    run = SearchRun(lyra.parts, await lyra.tasks.get(task_id), asked[0])
    count = copied = changed = 0
    for page in versioned:
        stored = await lyra.db.read(pages.by_url, canonical(page.url))
        if stored is None:
            continue
        if not await lyra.db.read(mementos.of_page, stored.id):
            await compare_page(run, stored.id, _SNAPSHOTS)
        copies = await lyra.db.read(mementos.of_page, stored.id)
        count += 1
        copied += bool(copies)
        changed += any(any(vars_of(one.revision)) for one in copies)
    return count, copied, changed


def vars_of(revision: Any) -> list[Any]:
    """What a comparison found, field by field."""
    return [getattr(revision, name) for name in getattr(revision, "__slots__", ()) or vars(revision)]


async def _again(lyra: Lyra, truth: Truth, asked: Sequence[Search]) -> tuple[int, int]:
    """The first query once more in a task of its own: requests for result pages then and now."""
    first = asked[0]
    task, _ = await lyra.tasks.create(truth.question[next(iter(truth.queries))], TaskConfig(budget=_BUDGET))
    try:
        search = await lyra.searches.start(task.id, first.query, SearchOptions(max_pages=1))
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)
    except LyraError:
        return 0, 0
    counts = [
        int((await lyra.db.read(read_dicts, _SERP_REQUESTS, {"search_id": one}))[0]["asked"])
        for one in (first.id, search.id)
    ]
    return counts[0], counts[1]


def _is_archived(row: Mapping[str, Any], archive_dir: Path) -> bool:
    """Whether the archive file that a page names is there and long enough to hold its record."""
    if row["warc_path"] is None:
        return False
    path = archive_dir / str(row["warc_path"])
    return path.exists() and path.stat().st_size >= int(row["ends_at"])


def _kinds(topic: str, domains: Sequence[str]) -> Counter[str]:
    """Pages read by the kind of their site, as the simulated web describes it; papers are academic."""
    known = {registrable_domain(site.domain): site.kind for site in load_topic(WORLD / topic).sites}
    return Counter(known.get(domain, "academic" if domain in ("doi.org", "nih.gov") else "other") for domain in domains)


def _adopted(runs: Sequence[Researched]) -> list[Mapping[str, Any]]:
    return [row for run in runs for row in run.claims if row["adoption_status"] == "adopted"]


async def support(bench: Bench) -> Figures:
    adopted = _adopted(await bench.once("research", researched))
    fine = [row for row in adopted if row["independent_sources"] >= 3 or (row["primaries"] and row["secondaries"])]
    missing = [row for row in adopted if not row["quoted"]]
    return Figures(
        {"supported": share(len(fine), len(adopted)), "citations_missing": len(missing)},
        details={
            "adopted_claims": len(adopted),
            "with_two_sources_of_one_kind": sum(row["independent_sources"] == 2 for row in adopted if row not in fine),
            "adopted_hypotheses": f"{sum(bool(row['is_hypothesis']) for row in fine)} of "
            f"{sum(bool(row['is_hypothesis']) for row in adopted)}",
        },
    )


async def satisfied(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    ended = [(run.topic, one.query) for run in runs for one in run.searches]
    unstarted = [(run.topic, query) for run in runs for query in run.unstarted]
    unsatisfied = {(run.topic, one.query) for run in runs for one in run.searches if one.status != "satisfied"}
    named = {(run.topic, query) for run in runs for query in run.named}
    return Figures(
        {
            "satisfied": share(len(ended) - len(unsatisfied), len(ended) + len(unstarted)),
            "named": 1.0 if not unsatisfied else share(len(unsatisfied & named), len(unsatisfied)),
        },
        details={
            "searches": len(ended),
            "not_started": len(unstarted),
            "no_time_for": sorted(f"{run.topic}: {query}" for run in runs for query in run.unasked),
            "unsatisfied": sorted(f"{topic}: {query}" for topic, query in unsatisfied),
            "failures": [failure for run in runs for failure in run.failures],
        },
    )


async def duration(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    minutes = [(run.seconds + run.requests * _PAUSE_S / _AT_ONCE) / 60 for run in runs]
    no_gpu = "the bundled models run on the processor; a GPU would serve a language model of the user's own"
    no_llm = "no language model was set up (llm.endpoint)"
    return Figures(
        {"minutes_cpu": round(max(minutes), 1), "minutes_gpu": None, "llm_share": None},
        {"minutes_gpu": no_gpu, "llm_share": no_llm},
        {"minutes_without_pauses": {run.topic: round(run.seconds / 60, 1) for run in runs}},
    )


async def people(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    queued = sum(len(run.queued) for run in runs)
    shown = sum(run.notified[0] for run in runs)
    values: dict[str, float | None] = {
        "notified": share(shown, queued),
        "window_raised": None,
        "interventions": max((len(set(run.queued)) for run in runs), default=0),
        "solved": share(sum(run.solved for run in runs), queued),
        "person_minutes": None,
    }
    missing = {
        "window_raised": "needs a desktop on which a person sees windows; tests/integration/handoff does it on Xvfb",
        "person_minutes": "needs a person",
    }
    if queued and not shown:
        values["notified"] = None
        missing["notified"] = f"no channel on this machine: {runs[0].notified[1]}"
    return Figures(values, missing, {"queued": queued})


async def harvest(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    rates = [one.harvest_rate for run in runs for one in run.searches if one.status != "failed"]
    kinds = sum((run.counted_kinds for run in runs), Counter[str]())
    return Figures(
        {
            "harvest": round(sum(rates) / len(rates), 4) if rates else None,
            "top_kind_share": share(max(kinds.values(), default=0), kinds.total()),
            "duplicate_share": _largest(runs, "duplicate_rate"),
        },
        details={"lowest_harvest": round(min(rates, default=0.0), 4), "kinds": dict(kinds.most_common())},
    )


async def refutation(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    rows = [row for run in runs for row in run.claims]
    important = [
        row for row in rows if row["is_hypothesis"] or row["adoption_status"] == "adopted" or row["judged"] > 1
    ]
    adopted = _adopted(runs)
    both = [row for row in rows if row["has_both"]]
    return Figures(
        {
            "refutation_candidates": share(sum(bool(row["has_candidate"]) for row in important), len(important)),
            "two_sources": share(sum(row["sources"] >= 2 for row in adopted), len(adopted)),
            "both_sides_shown": share(sum(bool(row["is_shown"]) for row in both), len(both)),
        },
        details={
            "important_claims": len(important),
            "adopted_claims": len(adopted),
            "with_both_sides": len(both),
            "candidates_of": {
                "hypotheses": _with_candidate([row for row in important if row["is_hypothesis"]]),
                "adopted": _with_candidate(adopted),
                "found_and_not_adopted": _with_candidate(
                    [row for row in important if not row["is_hypothesis"] and row["adoption_status"] != "adopted"]
                ),
            },
            "refute_search": dict(Counter(str(row["refutation_status"]) for row in important)),
        },
    )


def _with_candidate(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"{sum(bool(row['has_candidate']) for row in rows)} of {len(rows)}"


async def completeness(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    adopted = _adopted(runs)
    kept, read = (sum(run.archived[at] for run in runs) for at in (0, 1))
    shots, visits = await captures(bench)
    missing = {} if visits else dict.fromkeys(shots, "no page was served by a browser: none is installed here")
    return Figures(
        {
            "adopted_with_edge": share(sum(row["judged"] > 0 for row in adopted), len(adopted)),
            "warc": share(kept, read),
            **shots,
        },
        missing,
        {"adopted_claims": len(adopted), "pages": read, "browser_pages": visits},
    )


async def quality(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    found, planted = (sum(run.planted_loops[at] for run in runs) for at in (0, 1))
    missing = {} if planted else {"loops_found": "no planted loop was read"}
    return Figures(
        {
            "primary": _mean(runs, "primary_source_ratio"),
            "loops_found": share(found, planted),
            "timeline": _mean(runs, "timeline_share"),
            "narrative": _largest(runs, "narrative_share"),
            "aggregators": _mean(runs, "aggregator_share"),
        },
        missing,
        {
            "loops": f"{found}/{planted}",
            "by_topic": {run.topic: run.metrics.get("primary_source_ratio") for run in runs},
            "primary_by_kind_of_site": {run.topic: _primary_share(run.judged_kinds) for run in runs},
            "primary_in_the_simulated_web": {run.topic: _primary_share(_web_kinds(run.topic)) for run in runs},
        },
    )


def _primary_share(kinds: Mapping[str, int]) -> float | None:
    """Pages of authorities, academies and standards bodies among all."""
    return share(sum(kinds.get(kind, 0) for kind in _PRIMARY_KINDS), sum(kinds.values()))


def _web_kinds(topic: str) -> Counter[str]:
    return _kinds(
        topic, [registrable_domain(urlsplit(page.url).hostname or "") for page in load_topic(WORLD / topic).pages]
    )


async def wayback(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    count, copied, changed = (sum(run.compared[at] for run in runs) for at in (0, 1, 2))
    missing = (
        {} if count else dict.fromkeys(("difference", "lost"), "no page with an archived earlier version was read")
    )
    return Figures(
        {"difference": share(changed, count), "lost": share(count - copied, count)}, missing, {"pages": count}
    )


async def serp_cache(bench: Bench) -> Figures:
    runs: list[Researched] = await bench.once("research", researched)
    first, again = (sum(run.cache[at] for run in runs) for at in (0, 1))
    hits = share(first - again, first)
    return Figures({"hits": None if hits is None else max(0.0, hits)}, details={"first": first, "again": again})


def _values(runs: Sequence[Researched], name: str) -> list[float]:
    return [value for run in runs if (value := run.metrics.get(name)) is not None]


def _mean(runs: Sequence[Researched], name: str) -> float | None:
    values = _values(runs, name)
    return round(sum(values) / len(values), 4) if values else None


def _largest(runs: Sequence[Researched], name: str) -> float | None:
    """The worst topic."""
    return max(_values(runs, name), default=None)
