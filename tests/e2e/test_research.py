"""A research session through MCP: task, searches in two languages, refutation, status, exploration."""

import json
import re
from typing import Any

import pytest

from lyra.storage import graph_views
from simweb import Fault, SimWeb
from simweb.truth import Truth

SEARCH_FIELDS = {
    "ok",
    "_lyra_meta",
    "search_id",
    "query",
    "status",
    "reason",
    "phase",
    "pages_fetched",
    "useful_fragments",
    "harvest_rate",
    "claims_found",
    "satisfaction_score",
    "novelty_score",
    "budget_remaining",
    "problems",
    "hypotheses",
    "changed",
    "meaning",
}
CLAIM_FIELDS = {
    "id",
    "text",
    "confidence",
    "uncertainty",
    "controversy",
    "alpha",
    "beta",
    "supporting_count",
    "refuting_count",
    "neutral_count",
    "evidence_count",
    "verdict",
    "independent_sources",
    "text_confidence",
    "report_confidence",
    "refutation_status",
    "adoption_status",
    "source_url",
    "is_primary_source",
    "source_trust_level",
    "verification_status",
    "verification_details",
}
STATUS_FIELDS = {
    "ok",
    "_lyra_meta",
    "task_id",
    "status",
    "query",
    "searches",
    "metrics",
    "budget",
    "auth_queue",
    "warnings",
    "blocked_domains",
    "unverified_domains",
    "verification_alerts",
    "not_adopted",
    "hypotheses",
    "meaning",
}


def size(answer: Any) -> int:
    return len(json.dumps(answer, ensure_ascii=False).encode())


def test_hypotheses_enter_the_graph_at_once(researched: Any, truth: Truth) -> None:
    """The client's atomic claims are claims of the task, in the order given, before anything is searched."""
    ids = ", ".join(f"'{one}'" for one in researched.hypotheses)

    rows = researched.face.rows(f"select id, claim_text, is_hypothesis from claims where id in ({ids})")

    assert {row["id"]: (row["claim_text"], row["is_hypothesis"]) for row in rows} == {
        claim_id: (truth.claim(name).text["en"], 1)
        for claim_id, name in zip(researched.hypotheses, truth.hypotheses, strict=True)
    }


@pytest.mark.parametrize(("which", "pages"), [("english", 5), ("japanese", 4)])
def test_search_answers_with_everything_the_contract_names(researched: Any, which: str, pages: int) -> None:
    """SPEC §2: status, figures, claims with their Bayesian numbers, budget; unknown fields never leave (L7)."""
    answer = getattr(researched, which)

    assert set(answer) - {"truncated", "more"} == SEARCH_FIELDS
    assert answer["pages_fetched"] == pages
    assert answer["reason"] == f"{pages} pages were fetched, the limit of this search"
    sometimes = {"source_url", "source_trust_level", "is_retracted"}
    assert {frozenset(claim) - sometimes for claim in answer["claims_found"]} == {frozenset(CLAIM_FIELDS - sometimes)}


def test_english_and_japanese_give_claims_in_their_language(researched: Any) -> None:
    """A Japanese query reads Japanese pages and keeps their words; an English one English words."""
    rows = researched.face.rows(
        "select distinct c.language, q.query from claims c join queries q on q.id = c.search_id"
        f" where c.task_id = '{researched.task_id}' order by c.language"
    )

    assert {(row["language"], row["query"]) for row in rows} >= {
        ("en", "saxagliptin heart failure hospitalisation"),
        ("ja", "DPP-4阻害薬 類天疱瘡 リスク"),
    }


def test_a_long_list_of_claims_is_cut_and_says_how_to_get_the_rest(researched: Any) -> None:
    """A search shows what fits in 6 KB; `more` is a query that the client can use as it stands."""
    answer = researched.english

    sql = answer["more"].partition("query_graph ")[2].rstrip(".")
    first = researched.face.call("query_graph", sql=sql)
    rows = researched.face.rows(sql.removesuffix(" LIMIT 50"))

    assert (answer["truncated"], first["rows"]) == (True, rows[:50])
    assert {claim["id"] for claim in answer["claims_found"]} <= {row["id"] for row in rows}


def test_a_search_leads_with_the_hypotheses_and_what_it_changed(researched: Any) -> None:
    """The same rows as in get_status; what changed is named with both verdicts, and in no later search again."""
    english, status = researched.english, researched.face.call("get_status", task_id=researched.task_id)

    assert list(english)[:3] == ["ok", "hypotheses", "changed"]
    assert [row["id"] for row in english["hypotheses"]] == list(researched.hypotheses)
    assert {row["id"]: row["verdict"] for row in english["hypotheses"]} | {
        row["id"]: row["verdict_after"] for row in english["changed"]
    } == {row["id"]: row["verdict"] for row in english["hypotheses"]}
    assert {row["verdict_before"] for row in english["changed"]} == {"unverified"}
    assert [row["id"] for row in status["hypotheses"]] == list(researched.hypotheses)
    assert set(status["hypotheses"][0]) == {
        "id", "text", "verdict", "confidence", "interval", "supporting_count", "refuting_count", "independent_sources",
    }  # fmt: skip


def test_claims_are_those_of_the_query(researched: Any) -> None:
    """Each search shows what bears on its own words, not the claims that the task knows best."""
    english, japanese = researched.english["claims_found"], researched.japanese["claims_found"]

    assert [claim["text"] for claim in english if "saxagliptin" not in claim["text"].lower()] == []
    assert "類天疱瘡" in japanese[0]["text"]


def test_every_answer_is_bounded_and_carries_its_meta(researched: Any) -> None:
    """No answer is larger than 24 KB, and each says which domains nobody vouches for."""
    status = researched.face.call("get_status", task_id=researched.task_id)
    answers = [researched.english, researched.japanese, researched.refuting, status]

    metas = [answer["_lyra_meta"] for answer in answers]

    assert max(map(size, answers)) <= 24_000
    assert max(map(size, answers[:3])) <= 6_300  # 6,000 without the spaces of this writing
    expected = ["blocked_domains", "security_warnings", "untrusted", "unverified_domains"]
    assert [sorted(meta) for meta in metas] == [expected] * 4
    assert metas[-1]["unverified_domains"] == status["unverified_domains"]


def test_text_and_structured_content_are_the_same_answer(researched: Any) -> None:
    """A client that reads only text loses nothing."""
    result = researched.face.result("get_status", task_id=researched.task_id)

    assert json.loads(result.content[0].text) == result.structured_content


def test_a_search_reads_papers_by_abstract_and_pages_by_fetching(researched: Any) -> None:
    """Abstracts come from the academic APIs and do not use up the pages of the search."""
    rows = researched.face.rows(
        "select s.state, count(*) as n from serp_items s join queries q on q.id = s.query_id"
        f" where q.id = '{researched.english['search_id']}' and s.state in ('fetched', 'abstract') group by s.state"
    )

    states = {row["state"]: row["n"] for row in rows}
    assert states["fetched"] == 5
    assert states["abstract"] == 7


def test_a_refute_search_settles_the_claims_it_was_about(researched: Any) -> None:
    """SPEC §13: after it the named claim is `found` or `none_found`; one it did not concern is left alone."""
    named, other = researched.hypotheses[3], researched.hypotheses[5]

    rows = researched.face.rows(
        f"select id, refutation_status, confidence, report_confidence from claims where id in ('{named}', '{other}')"
    )

    status = {row["id"]: row["refutation_status"] for row in rows}
    assert status[named] in {"found", "none_found"}
    assert status[other] != "none_found"


def test_refutations_come_with_the_words_and_where_they_stand(researched: Any) -> None:
    """Each refutation of a refute search quotes a page that the search reached."""
    quotes = [(one["source_url"], one["quote"]) for one in researched.refuting["refutations"]]

    texts = researched.face.rows(
        "select p.url, f.text_content as text from fragments f join pages p on p.id = f.page_id"
        " join edges e on e.source_id = f.id where e.relation = 'refutes'"
        f" and e.task_id = '{researched.task_id}'"
    )
    on_page = {url: " ".join(row["text"] for row in texts if row["url"] == url) for url, _ in quotes}
    assert [quote for url, quote in quotes if quote not in on_page[url]] == []


def test_refute_adds_only_fixed_words_to_the_clients_query(researched: Any) -> None:
    """SPEC §3: no invention; every query put to an engine begins with the client's own words."""
    rows = researched.face.rows(
        f"select text, rule, parent from derived_queries where query_id = '{researched.refuting['search_id']}'"
    )

    query = "saxagliptin heart failure not increased"
    assert {row["parent"] for row in rows} == {query}
    assert [(row["text"], row["rule"]) for row in rows][:3] == [
        (query, "asked"),
        (f"{query} limitations", "refute:limitations"),
        (f"{query} criticism", "refute:criticism"),
    ]
    assert [row["text"] for row in rows if not row["text"].startswith(query)] == []


def test_status_is_numbers_never_advice(researched: Any) -> None:
    """SPEC §2: everything about a task in one answer, the figures of its searches as they ended."""
    status = researched.face.call("get_status", task_id=researched.task_id)

    searched = {row["id"]: row for row in status["searches"]}
    english = searched[researched.english["search_id"]]
    assert set(status) - {"evidence_summary"} == STATUS_FIELDS
    assert (english["status"], english["phase"], english["pages_fetched"]) == (
        researched.english["status"],
        "done",
        5,
    )
    assert english["useful_fragments"] == researched.english["useful_fragments"]
    assert status["budget"]["pages_limit"] == 120
    assert status["metrics"]["total_searches"] == len(searched)


def test_long_poll_of_a_quiet_task_answers_at_once(researched: Any) -> None:
    """With nothing running there is nothing to wait for, whatever the client allows."""
    status = researched.face.call("get_status", task_id=researched.task_id, wait_seconds=600)

    assert {row["status"] for row in status["searches"]} <= {"satisfied", "partial", "exhausted", "failed", "cancelled"}


def test_progress_grows_with_every_notification(researched: Any) -> None:
    """The protocol demands a figure that grows; the words say phase, pages and useful fragments."""
    runs: list[list[float]] = []
    for done, _, message in researched.face.heard:
        if message.startswith("queued"):
            runs.append([])
        if not message.endswith("searches ended"):
            runs[-1].append(done)

    assert [run for run in runs if run != sorted(set(run))] == []
    assert ": 5 pages, " in " ".join(message for _, _, message in researched.face.heard)


def test_views_answer_about_the_task(researched: Any) -> None:
    """The evidence of each claim, counted as the claim's own row says."""
    rows = researched.face.rows(
        "select v.claim_id, v.support_count, v.refute_count, c.supporting_count, c.refuting_count"
        " from v_claim_evidence_summary v join claims c on c.id = v.claim_id"
        f" where v.task_id = '{researched.task_id}' and v.support_count + v.refute_count > 0"
    )

    assert rows != []
    assert [row for row in rows if row["support_count"] < row["supporting_count"]] == []


def test_schema_names_tables_and_the_purpose_of_views(researched: Any) -> None:
    """`include_schema` is how a client learns what it may ask."""
    answer = researched.face.call("query_graph", sql="select 1 as one", options={"include_schema": True})

    schema = {table["name"]: table for table in answer["schema"]}
    assert answer["rows"] == [{"one": 1}]
    assert {"claims", "edges", "fragments", "pages", "v_claim_evidence_summary", "v_contradictions"} <= set(schema)
    assert schema["v_contradictions"]["purpose"] == graph_views.purposes()["v_contradictions"]


@pytest.mark.parametrize("words", ["saxagliptin", "類天疱瘡"])
def test_full_text_search_finds_both_languages(researched: Any, words: str) -> None:
    """One index serves English and Japanese."""
    rows = researched.face.rows(
        "select f.text_content from fragments_fts join fragments f on f.seq = fragments_fts.rowid"
        f" where fragments_fts match '{words}'"
    )

    assert rows != []
    assert [row for row in rows if not re.search(words, row["text_content"], re.IGNORECASE)] == []


@pytest.mark.parametrize(
    "sql",
    [
        "attach database '/tmp/x.db' as x",
        "pragma user_version = 9",
        "select load_extension('x')",
        "with w as (select 1) delete from claims",
        "select 1; select 2",
        "select * from jobs",
        "select * from serp_cache",
        "update claims set claim_text = 'x'",
    ],
)
def test_sql_that_does_more_than_read_the_graph_is_refused(researched: Any, sql: str) -> None:
    """The guards of the graph hold through the face."""
    answer = researched.face.refused("query_graph", sql=sql)

    assert (answer["error_code"], answer["retryable"]) == ("INVALID_PARAMS", False)


def test_sql_bomb_is_stopped_as_a_timeout(researched: Any) -> None:
    """A recursive statement without end is stopped by its limits and told so."""
    bomb = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"

    answer = researched.face.refused("query_graph", sql=bomb)

    assert (answer["error_code"], answer["retryable"]) == ("TIMEOUT", True)


def test_large_results_are_cut_to_the_limit_of_an_answer(researched: Any) -> None:
    """Whole pages of text do not fit in 24 KB: fewer rows come, with the way to the rest."""
    sql = "select f.text_content as words, p.title, p.url from fragments f join pages p on p.id = f.page_id"

    answer = researched.face.call("query_graph", sql=sql, options={"limit": 200})

    assert 12_000 < size(answer) <= 24_000
    assert answer["truncated"] is True
    assert answer["row_count"] == len(answer["rows"])
    assert "OFFSET" in answer["more"]


@pytest.mark.parametrize(
    ("query", "target"),
    [("saxagliptin raises the risk of heart failure", "claims"), ("類天疱瘡の発症リスク", "fragments")],
)
def test_search_by_meaning_gives_near_things_first(researched: Any, query: str, target: str) -> None:
    """Similarity falls from hit to hit, none lies below the floor, and each preview is short."""
    answer = researched.face.call(
        "vector_search", query=query, target=target, task_id=researched.task_id, top_k=5, min_similarity=0.3
    )

    similarities = [hit["similarity"] for hit in answer["results"]]
    assert len(similarities) == 5
    assert similarities == sorted(similarities, reverse=True)
    assert similarities[-1] >= 0.3
    assert max(len(hit["text_preview"]) for hit in answer["results"]) <= 200
    assert answer["total_searched"] >= 5


def test_a_claim_is_nearest_to_its_own_words(researched: Any, truth: Truth) -> None:
    """Looking for a hypothesis by its own text finds exactly it."""
    answer = researched.face.call(
        "vector_search", query=truth.claim("hf-saxagliptin").text["en"], task_id=researched.task_id, top_k=1
    )

    assert (answer["results"][0]["id"], answer["results"][0]["similarity"]) == (researched.hypotheses[3], 1.0)


def test_a_query_may_be_an_address(researched: Any) -> None:
    """An address is fetched without asking any engine; the papers it names are read by their abstracts."""
    page = "https://www.nimeth.gov/health-topics/dpp-4-inhibitors"

    answer = researched.face.search(researched.task_id, page)

    rows = researched.face.rows(f"select url, engine, state from serp_items where query_id = '{answer['search_id']}'")
    assert [row for row in rows if row["state"] != "abstract"] == [
        {"url": page, "engine": "client", "state": "fetched"}
    ]
    assert {row["engine"] for row in rows} == {"client", "openalex+semantic_scholar"}


def test_a_query_may_be_a_doi(researched: Any) -> None:
    """A paper is asked of the academic indexes and read by its abstract; no page is fetched for it."""
    answer = researched.face.search(researched.task_id, "doi:10.5555/jdts.2020.31.204")

    rows = researched.face.rows(
        f"select url, state from serp_items where query_id = '{answer['search_id']}' and rank = 0"
    )
    assert rows == [{"url": "https://doi.org/10.5555/jdts.2020.31.204", "state": "abstract"}]
    assert answer["pages_fetched"] == 0


def test_a_page_behind_a_challenge_waits_for_a_person(researched: Any, web: SimWeb) -> None:
    """A challenge is no empty page: the search says who is needed, and the page is queued and counted in the status."""
    page = "https://www.evidencecompass.org/reviews/dpp4-inhibitors-add-on-to-insulin"
    web.faults.set("www.evidencecompass.org", Fault("challenge"))

    answer = researched.face.refused("search", task_id=researched.task_id, query=page, options={"wait_seconds": 60})

    queue = researched.face.call("get_status", task_id=researched.task_id)["auth_queue"]
    assert (answer["error_code"], answer["error"]) == (
        "AUTH_REQUIRED",
        "None of 1 results could be read; a person is needed for 1 (evidencecompass.org).",
    )
    assert (queue["pending_count"], queue["domains"]) == (1, ["evidencecompass.org"])


def test_a_page_that_breaks_off_is_a_failure_and_no_matter_for_a_person(researched: Any, web: SimWeb) -> None:
    """Nobody refused us: the search ends, says that the page failed, and is no AUTH_REQUIRED."""
    web.faults.set("www.evidencecompass.org", Fault("truncated"))

    answer = researched.face.search(
        researched.task_id, "https://www.evidencecompass.org/reviews/insulin-plus-oral-drugs"
    )

    assert (answer["status"], answer["pages_fetched"]) == ("exhausted", 0)
    assert answer["reason"].startswith("all 1 results were worked through: 0 read, 1 failed")


def test_a_search_that_reads_other_pages_meanwhile_has_not_failed(researched: Any, web: SimWeb) -> None:
    """One site wants a person, the others are read: the search ends as any other, and says what waits."""
    web.faults.set("www.evidencecompass.org", Fault("challenge"))

    answer = researched.face.search(researched.task_id, "DPP-4 inhibitors add-on to insulin review", max_pages=20)

    page = "https://www.evidencecompass.org/reviews/insulin-plus-oral-drugs"
    assert (answer["status"], answer["pages_fetched"]) == ("satisfied", 7)
    assert answer["reason"].endswith("; 1 waits for a person (get_auth_queue)")
    assert answer["problems"] == [f"{page} challenge: Status 403: cloudflare blocks the page (header cf-mitigated)."]


def test_a_stopped_task_sums_up_and_can_be_searched_again(researched: Any) -> None:
    """stop_task ends nothing for good: the graph stays, and the next search goes on with it."""
    before = researched.face.call("get_status", task_id=researched.task_id)["metrics"]

    stopped = researched.face.call("stop_task", task_id=researched.task_id, reason="completed")
    status = researched.face.call("get_status", task_id=researched.task_id)
    again = researched.face.search(researched.task_id, "https://www.nimeth.gov/news/dpp4-mortality")

    after = researched.face.call("get_status", task_id=researched.task_id)
    assert (stopped["final_status"], status["status"], after["status"]) == ("completed", "completed", "exploring")
    assert stopped["summary"]["total_claims"] == status["evidence_summary"]["total_claims"] == before["total_claims"]
    assert stopped["summary"]["total_searches"] == before["total_searches"]
    assert again["search_id"] in {row["id"] for row in after["searches"]}
    assert after["metrics"]["total_claims"] >= before["total_claims"]
