"""Searching through the whole pipeline on the simulated web: every engine, every cause, every wall."""

import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from apsw import Connection

from lyra.app import Lyra
from lyra.errors import AllEnginesBlocked, InvalidParams
from lyra.evidence.timeline import TimelineEventKind
from lyra.model.job import Job, JobState
from lyra.model.search import Search, SearchOptions, Source, Vertical
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.report.export.evidence import evidence
from lyra.research.phases.discover import discover
from lyra.research.phases.papers import NAMED
from lyra.research.pipeline import Pipeline
from lyra.research.search_run import SearchRun
from lyra.settings import Engines, Network, Settings
from lyra.settings.apis import Academic
from lyra.storage import candidates, claims, derived_queries, pages, searches, service_health
from simweb import Fault, SimWeb
from tests.graph_queries import run_query

from .conftest import QUICK

CHROMIUM = next((name for name in ("chromium", "google-chrome", "chrome") if shutil.which(name)), None)
QUERY = "gliptin tablets price at the pharmacy"
HTTP_ENGINES = ("duckduckgo", "marginalia", "mojeek", "wikipedia")
BROWSER_ENGINES = ("bing", "brave", "ecosia", "google", "qwant", "startpage")


@pytest.fixture
async def lyra(web: SimWeb, tmp_path: Path) -> AsyncIterator[Lyra]:
    settings = Settings(
        data_dir=tmp_path,
        network=Network(proxy=web.proxy_url, ca_bundle=web.ca_path),
        politeness=QUICK,
        academic=Academic(kept_per_search=0, results_per_query=2),
        engines=Engines(site_search=("www.cpsb.gov",), site_search_qps=1000),
    )
    async with Lyra.open(settings) as opened:
        yield opened


async def started(
    lyra: Lyra, query: str, priority_domains: tuple[str, ...] = (), language: str | None = None, **options: Any
) -> tuple[Search, Job]:
    config = TaskConfig(budget=Budget(), priority_domains=priority_domains, language=language)
    task, _ = await lyra.tasks.create("What do gliptins cost?", config)
    wanted = SearchOptions(**{"max_pages": 1, "sources": (Source.WEB,), **options})
    search = await lyra.searches.start(task.id, query, wanted)
    now = lyra.clock.now()
    return search, Job("j_1", "search", JobState.QUEUED, now, payload={"search_id": search.id}, task_id=task.id)


async def searched(lyra: Lyra, query: str, **options: Any) -> Search:
    """A search worked through to its end, as a worker does it."""
    search, job = await started(lyra, query, **options)
    await Pipeline(lyra.parts).run(job)
    return await lyra.searches.get(search.id)


async def discovered(lyra: Lyra, query: str, **options: Any) -> Search:
    """A search as far as its first phase: engines are asked, no page is read."""
    search, _ = await started(lyra, query, **options)
    await discover(SearchRun(lyra.parts, await lyra.tasks.get(search.task_id), search))
    return search


async def events(lyra: Lyra, search: Search, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Subject and details of what the journal says of a search."""

    def read(connection: Connection) -> list[tuple[str, dict[str, Any]]]:
        rows = connection.execute(
            "select subject, details from event_log where search_id = ? and kind = ? order by id", (search.id, kind)
        )
        return [(str(subject), json.loads(details)) for subject, details in rows]

    return await lyra.db.read(read)


async def handed_over(lyra: Lyra, search: Search) -> list[tuple[str, str]]:
    """Domain and kind of what waits for a person."""

    def read(connection: Connection) -> list[tuple[str, str]]:
        rows = connection.execute(
            "select domain, auth_type from intervention_queue where search_id = ? order by domain", (search.id,)
        )
        return [(str(domain), str(kind)) for domain, kind in rows]

    return await lyra.db.read(read)


async def test_every_plain_engine_answers_through_search(lyra: Lyra) -> None:
    """Each is asked once, answers with results of others, and its page is kept in the archive."""
    search = await searched(lyra, "DPP-4 inhibitors", engines=HTTP_ENGINES)

    answers = dict(await events(lyra, search, "answer"))
    assert {who: said["outcome"] for who, said in answers.items()} == dict.fromkeys(HTTP_ENGINES, "results")
    assert [who for who, said in answers.items() if not str(said["record_id"]).startswith("<urn:uuid:")] == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chrome or Chromium on this machine")
async def test_every_browser_engine_answers_through_search(lyra: Lyra) -> None:
    """The six engines without plain pages are asked through a real browser."""
    search = await discovered(lyra, "DPP-4 inhibitors", engines=BROWSER_ENGINES)

    answers = {who: (said["outcome"], said["count"]) for who, said in await events(lyra, search, "answer")}
    assert answers == dict.fromkeys(BROWSER_ENGINES, ("results", 10))


async def test_every_query_sent_is_recorded_with_its_cause(lyra: Lyra) -> None:
    """The table and the journal name text, rule, parent and what spoke for it; nothing else was sent."""
    search = await discovered(lyra, "DPP-4阻害薬の類天疱瘡のリスク", engines=("mojeek",), max_pages=30)

    sent = await lyra.db.read(derived_queries.of_search, search.id)
    told = [(text, said["rule"], said["parent"]) for text, said in await events(lyra, search, "query")]
    assert [(one.text, one.rule, one.parent) for one in sent] == told
    assert sent[0].text == "DPP-4阻害薬の類天疱瘡のリスク"
    assert "mirror:en" in [one.rule for one in sent]
    assert {one.parent for one in sent} == {search.query}
    assert {one.category for one in sent} == {"academic"}


async def test_the_task_language_decides_which_derived_query_goes_first(lyra: Lyra) -> None:
    """After the client's own words comes what the rules derive, and of that the task's language first."""
    query = "saxagliptin heart failure hospitalisation"
    first = {
        language: await discovered(lyra, query, language=language, engines=("mojeek",), max_pages=30)
        for language in ("de", "ja")
    }

    sent = {language: await lyra.db.read(derived_queries.of_search, search.id) for language, search in first.items()}

    assert {language: found[1].rule for language, found in sent.items()} == {"de": "mirror:de", "ja": "mirror:ja"}


async def test_an_engine_that_asks_for_a_human_goes_to_one(lyra: Lyra, web: SimWeb) -> None:
    """The search goes on with the other engine; the wall waits in the queue with its kind."""
    web.faults.set("html.duckduckgo.com", Fault("challenge"))

    search = await discovered(lyra, QUERY, engines=("duckduckgo", "mojeek"))

    assert await handed_over(lyra, search) == [("duckduckgo.com", "captcha")]
    outcomes = [(who, said["outcome"]) for who, said in await events(lyra, search, "answer")]
    assert outcomes[:2] == [("duckduckgo", "blocked"), ("mojeek", "results")]


async def test_walls_of_all_engines_still_go_to_a_person(lyra: Lyra, web: SimWeb) -> None:
    """The search fails with a time to come back, and what a person could open is not lost with it."""
    web.faults.set("html.duckduckgo.com", Fault("challenge"))

    search, _ = await started(lyra, QUERY, engines=("duckduckgo",))
    with pytest.raises(AllEnginesBlocked) as caught:
        await discover(SearchRun(lyra.parts, await lyra.tasks.get(search.task_id), search))

    assert caught.value.retry_after_s == 1800.0
    assert await handed_over(lyra, search) == [("duckduckgo.com", "captcha")]
    assert [text for text, _ in await events(lyra, search, "query")] == [QUERY]


async def test_a_client_learns_why_every_engine_rests(lyra: Lyra, web: SimWeb) -> None:
    """The first search is refused, the second asks nobody: both errors name each engine with its reason."""
    for host in ("html.duckduckgo.com", "www.mojeek.com"):
        web.faults.set(host, Fault("status", status=429, retry_after_s=900))
    told = []
    for query in (QUERY, f"{QUERY} again"):
        search, job = await started(lyra, query, engines=("duckduckgo", "mojeek"))
        with pytest.raises(AllEnginesBlocked) as refused:
            await Pipeline(lyra.parts).run(job)
        await Pipeline(lyra.parts).failed(job, refused.value)
        with pytest.raises(AllEnginesBlocked) as caught:
            await lyra.searches.wait(search.id, 0)
        told.append(caught.value.details["problems"])

    served = "The engine gave no result page (blocked: Status 429: the server has had too many requests.)."
    assert told == [
        [f"{engine} blocked: {served}" for engine in ("duckduckgo", "mojeek")],
        [f"{engine} blocked: its circuit is open: {served}" for engine in ("duckduckgo", "mojeek")],
    ]


async def test_what_an_engine_learnt_is_shown(lyra: Lyra, web: SimWeb) -> None:
    """A refusal lowers the averages of that engine alone, and `lyra engines` says why it weighs less."""
    web.faults.set("www.mojeek.com", Fault("challenge"))

    await discovered(lyra, QUERY, engines=("duckduckgo", "mojeek"))
    told = await lyra.parts.federation.report(QUERY)

    known = {one.name.removeprefix("engine:"): one for one in await lyra.db.read(service_health.all, "engine")}
    assert (known["mojeek"].success_1h, known["duckduckgo"].success_1h) == (0.7, 1.0)
    rows = {row["engine"]: row for row in told["engines"]}
    assert (rows["mojeek"]["weight"], rows["mojeek"]["failures_in_row"]) == (0.72, 1)
    assert rows["mojeek"]["why"] == "base 0.9 × category 1 × health 0.80 × yield 1.00"


async def test_a_site_the_client_named_is_searched_by_its_own_form(lyra: Lyra) -> None:
    """A priority domain on the user's allow-list is asked itself; what it finds are candidates like any other."""
    search = await discovered(lyra, "charging pad recall", priority_domains=("cpsb.gov",), engines=("mojeek",))

    answers = [(who, said["outcome"]) for who, said in await events(lyra, search, "answer")]
    found = await lyra.db.read(candidates.of_search, search.id)
    assert answers == [("site:www.cpsb.gov", "results"), ("mojeek", "results")]
    assert "site:www.cpsb.gov" in {one.engine for one in found}


async def test_a_site_that_refuses_is_asked_for_through_the_engines(lyra: Lyra, web: SimWeb) -> None:
    """The journal names the refusal, and the query that went round it."""
    web.faults.set("www.cpsb.gov", Fault("status", status=403))

    search = await discovered(lyra, "charging pad recall", priority_domains=("cpsb.gov",), engines=("mojeek",))

    sent = await lyra.db.read(derived_queries.of_search, search.id)
    assert [(one.text, one.rule) for one in sent[1:2]] == [
        ("charging pad recall site:www.cpsb.gov", "site:www.cpsb.gov")
    ]
    outcomes = dict(await events(lyra, search, "answer"))
    assert outcomes["site:www.cpsb.gov"]["outcome"] == "blocked"


async def test_a_vertical_is_the_clients_choice(lyra: Lyra) -> None:
    """Its templates are sent as the options ask, recorded under its name."""
    search = await discovered(lyra, QUERY, engines=("mojeek",), vertical=Vertical.POLICY)

    sent = await lyra.db.read(derived_queries.of_search, search.id)
    assert [one.text for one in sent if one.rule == "vertical:policy"] == [
        f"site:gov {QUERY}",
        f"site:gov.uk {QUERY}",
        f"site:europa.eu {QUERY}",
        f"{QUERY} consultation filetype:pdf",
    ]


@pytest.mark.parametrize(
    ("query", "language", "asked"),
    [
        pytest.param("charging pad recall", None, [], id="English"),
        pytest.param("charging pad recall", "ja", ["site:www.mod.go.jp"], id="English for a Japanese task"),
        pytest.param("充電器 リコール", None, ["site:www.mod.go.jp"], id="Japanese"),
    ],
)
async def test_sites_of_a_vertical_are_asked_in_their_language(
    web: SimWeb, tmp_path: Path, query: str, language: str | None, asked: list[str]
) -> None:
    """A site that answers in Japanese alone is asked in Japanese, or for a task in that language."""
    settings = Settings(
        data_dir=tmp_path,
        network=Network(proxy=web.proxy_url, ca_bundle=web.ca_path),
        politeness=QUICK,
        engines=Engines(site_search=("www.mod.go.jp",), site_search_qps=1000),
    )

    async with Lyra.open(settings) as lyra:
        search = await discovered(lyra, query, language=language, engines=("mojeek",), vertical=Vertical.DEFENCE)
        answers = await events(lyra, search, "answer")

    assert [who for who, _ in answers if who.startswith("site:")] == asked


async def test_both_academic_apis_answer_through_search(lyra: Lyra) -> None:
    """One question to each, side by side; a paper both know is one work."""
    search, _ = await started(lyra, "sitagliptin registry survival", sources=(Source.ACADEMIC,))
    works = await discover(SearchRun(lyra.parts, await lyra.tasks.get(search.task_id), search))

    answers = {who: said["outcome"] for who, said in await events(lyra, search, "answer")}
    assert answers == {"semantic_scholar": "results", "openalex": "results"}
    registry = next(work for work in works if work.id == "doi:10.5555/jmetd.2014.0666")
    assert (registry.source_api, registry.is_retracted) == ("openalex+semantic_scholar", True)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        pytest.param(Fault("status", status=429, retry_after_s=0), "blocked", id="storm"),
        pytest.param(Fault("captcha"), "blocked", id="wall"),
        pytest.param(Fault("soft_404"), "failed", id="html-for-json"),
        pytest.param(Fault("truncated", after_bytes=40), "failed", id="cut"),
    ],
)
async def test_an_api_out_of_order_leaves_the_other(lyra: Lyra, web: SimWeb, fault: Fault, outcome: str) -> None:
    """What one index does not give the other may; the journal says which did not answer, and how."""
    web.faults.set("api.semanticscholar.org", fault)

    search = await discovered(lyra, "sitagliptin registry survival", sources=(Source.ACADEMIC,))

    answers = {who: said["outcome"] for who, said in await events(lyra, search, "answer")}
    assert answers == {"semantic_scholar": outcome, "openalex": "results"}


async def test_a_retracted_paper_is_noted(lyra: Lyra) -> None:
    """The journal names the work and who said so; its page carries it into the timeline."""
    search = await searched(lyra, "10.5555/jmetd.2014.0666", sources=(Source.ACADEMIC,))

    assert [(subject, said["said_by"]) for subject, said in await events(lyra, search, "retraction")] == [
        ("doi:10.5555/jmetd.2014.0666", "openalex+semantic_scholar")
    ]


async def test_citations_nobody_would_keep_are_not_asked_for(lyra: Lyra, web: SimWeb) -> None:
    """With `academic.kept_per_search = 0`, as here, a paper costs no request but its own."""
    await searched(lyra, "10.5555/cmt.2013.0417")

    asked = sorted(visit.path for visit in web.requests if visit.host.startswith("api."))
    assert asked == ["/graph/v1/paper/batch", "/works"]


async def test_a_retraction_names_the_index_that_told_of_it(lyra: Lyra, web: SimWeb) -> None:
    """A paper known from one index, which has no flag, is called retracted by the other."""
    web.faults.set("api.openalex.org", Fault("reset"))
    await searched(lyra, "10.5555/jmetd.2014.0666")
    web.faults.clear()
    web.faults.set("api.semanticscholar.org", Fault("reset"))

    search = await searched(lyra, "10.5555/jmetd.2014.0666")

    told = [(subject, said["said_by"]) for subject, said in await events(lyra, search, "retraction")]
    assert told == [("doi:10.5555/jmetd.2014.0666", "openalex")]


async def test_a_page_that_is_a_paper_leads_to_its_own_record(lyra: Lyra) -> None:
    """A journal's page that no index had named counts as its work, and its retraction is known."""
    search = await searched(lyra, "https://www.jmetd.org/article/2014/0666")

    page = await lyra.db.read(pages.by_url, "https://www.jmetd.org/article/2014/0666")
    read = {one.url for one in await lyra.db.read(candidates.of_search, search.id) if one.reason == NAMED}
    assert page is not None
    assert page.work_id == "doi:10.5555/jmetd.2014.0666"
    assert "https://doi.org/10.5555/jmetd.2014.0666" in read
    assert {said["url"] for _, said in await events(lyra, search, "retraction")} == {
        "https://www.jmetd.org/article/2014/0666",
        "https://doi.org/10.5555/jmetd.2014.0666",
    }


async def test_a_retracted_paper_has_edges_and_no_vote_in_every_face(lyra: Lyra) -> None:
    """The registry study and what its page tells of the retraction count for nothing, and everybody is told why."""
    hypothesis = Hypothesis("Sitagliptin lowers mortality in type 2 diabetes.")
    config = TaskConfig(budget=Budget(), hypotheses=(hypothesis,))
    task, (claim_id,) = await lyra.tasks.create("Do gliptins prolong life?", config)
    wanted = SearchOptions(max_pages=1, sources=(Source.WEB,))
    search = await lyra.searches.start(task.id, "https://www.jmetd.org/article/2014/0666", wanted)
    job = Job("j_1", "search", JobState.QUEUED, lyra.clock.now(), payload={"search_id": search.id}, task_id=task.id)

    await Pipeline(lyra.parts).run(job)

    statement = (
        "select distinct p.url, e.no_vote from edges e join pages p on p.id = e.page_id"
        f" where e.task_id = '{task.id}' and p.work_id = 'doi:10.5555/jmetd.2014.0666' order by p.url"
    )
    asked = await run_query(lyra.db.path, statement)
    found = await lyra.db.read(claims.get, claim_id)
    exported = evidence(await lyra.reporter.records(task))
    told = next(one for one in exported["claims"] if one["id"] == claim_id)
    chains = (await lyra.history.of_claim(task.id, claim_id)).chains
    histories = {one.claim_id: one for one in await lyra.reporter.timelines(task)}
    retracted = {event.date for event in histories[claim_id].events if event.kind is TimelineEventKind.RETRACTED}
    what_if = await lyra.what_if.assess_without(task.id, ["10.5555/jmetd.2014.0666"])
    assert [tuple(row.values()) for row in asked.rows] == [
        ("https://doi.org/10.5555/jmetd.2014.0666", "retracted"),
        ("https://www.jmetd.org/article/2014/0666", "retracted"),
    ]
    assert found is not None
    figures = found.assessment.evidence
    # The trial of another drug that its API gave, too, takes no side.
    assert (figures.supporting_count, figures.refuting_count, found.assessment.verdict.value) == (0, 0, "unverified")
    assert {(one["no_vote"], one["no_vote_reason"]) for one in told["supports"]} == {
        ("retracted", "the work was retracted")
    }
    assert {one.judgement.no_vote for one in chains if one.judgement and "2014" in one.page.url} == {"retracted"}
    assert retracted == {"2016-05-12"}
    assert [change.is_decisive for _, change in what_if.changes] == [False] * len(what_if.changes)
    assert "not counted: the work was retracted" in await lyra.reporter.markdown(task)


async def test_a_list_of_papers_is_not_the_first_of_them(lyra: Lyra) -> None:
    """PubMed's own pages name papers before anything else: those are read, and the list stays a list."""
    lists = ("https://pubmed.ncbi.nlm.nih.gov/", "https://pubmed.ncbi.nlm.nih.gov/search?q=sitagliptin")

    for address in lists:
        await searched(lyra, address)

    found = [await lyra.db.read(pages.by_url, address) for address in lists]
    assert [(one.page_type, one.work_id) for one in found if one is not None] == [("paper", None), ("paper", None)]


async def test_a_paper_is_claimed_as_soon_as_an_index_knows_it(lyra: Lyra, web: SimWeb) -> None:
    """The indexes were silent when the journal's page was read; a later search of the task makes up for it."""
    web.faults.set("api.*", Fault("reset"))
    first, job = await started(lyra, "https://www.jmetd.org/article/2014/0666")
    await Pipeline(lyra.parts).run(job)
    web.faults.clear()

    second = await lyra.searches.start(first.task_id, "10.5555/jmetd.2014.0666", first.options)
    await Pipeline(lyra.parts).run(replace(job, payload={"search_id": second.id}))

    page = await lyra.db.read(pages.by_url, "https://www.jmetd.org/article/2014/0666")
    assert page is not None
    assert page.work_id == "doi:10.5555/jmetd.2014.0666"


async def test_academic_indexes_are_asked_without_operators(lyra: Lyra, web: SimWeb) -> None:
    """They know none: `site:` would be a word that no paper has."""
    await discovered(lyra, 'gliptin "heart failure" -rats site:nih.gov', sources=(Source.ACADEMIC,))

    asked = {visit.host: parse_qs(urlsplit(visit.url).query) for visit in web.requests}
    assert asked["api.semanticscholar.org"]["query"] == ["gliptin heart failure"]
    assert asked["api.openalex.org"]["search"] == ["gliptin heart failure"]


@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        pytest.param("🎉🎉🎉", "empty", id="emoji"),
        pytest.param('"heart failure', "results", id="unbalanced-quote"),
        pytest.param("site:", "results", id="bare-operator"),
        pytest.param("- +", "empty", id="signs"),
        pytest.param("心不全 " * 300, "results", id="long"),
    ],
)
async def test_odd_queries_end_in_an_honest_answer(lyra: Lyra, query: str, outcome: str) -> None:
    """Emoji, unbalanced quotes, bare operators and more than a thousand characters are asked, not failed on."""
    search = await discovered(lyra, query, engines=("mojeek",))

    first, *_ = [said["outcome"] for _, said in await events(lyra, search, "answer")]
    assert first == outcome


async def test_five_thousand_characters_are_refused_at_the_door(lyra: Lyra) -> None:
    """The limit is a setting; a longer query is the caller's mistake and bothers no engine."""
    with pytest.raises(InvalidParams) as caught:
        await discovered(lyra, "心" * 5_000)

    assert caught.value.code == "INVALID_PARAMS"


@pytest.mark.parametrize("query", ['“"”', "「」", "''", "-", "!!!", "。"])
async def test_a_query_without_a_word_leaves_no_search_behind(lyra: Lyra, query: str) -> None:
    """No engine could be asked it: it is refused at the door."""
    task, _ = await lyra.tasks.create("What do gliptins do?", TaskConfig())

    with pytest.raises(InvalidParams) as caught:
        await lyra.searches.start(task.id, query, SearchOptions())

    assert caught.value.message == "The query is empty."
    assert await lyra.db.read(searches.of_task, task.id) == ()


async def test_a_paper_named_in_pages_is_read_once_for_a_task(lyra: Lyra, web: SimWeb) -> None:
    """A second search that reads the same page neither asks the indexes nor reads those abstracts again."""
    first, job = await started(lyra, "https://www.fdso.gov/safety/dpp4-heart-failure")
    await Pipeline(lyra.parts).run(job)
    web.journal.clear()

    second = await lyra.searches.start(first.task_id, first.query, first.options)
    await Pipeline(lyra.parts).run(replace(job, payload={"search_id": second.id}))

    read = [await lyra.db.read(candidates.of_search, one.id) for one in (first, second)]
    named = [{one.url for one in found if one.reason == NAMED} for found in read]
    assert named == [{"https://doi.org/10.5555/cmt.2013.0417", "https://doi.org/10.5555/cmt.2015.0388"}, set()]
    assert [visit for visit in web.requests if visit.host.startswith("api.")] == []


async def test_an_engine_that_stands_in_is_recorded_with_the_query(lyra: Lyra, web: SimWeb) -> None:
    """One row a query: the engines first asked, and the one asked in their place, with why."""
    web.faults.set("html.duckduckgo.com", Fault("status", status=500))

    search = await discovered(lyra, QUERY)

    asked = (await lyra.db.read(derived_queries.of_search, search.id))[0]
    assert (asked.rule, asked.engines) == ("asked", ("duckduckgo", "mojeek", "wikipedia", "marginalia"))
    assert asked.why == "the client's query; marginalia: stands in for an engine that gave no answer"
