"""The analysis views, row by row, on a graph small enough to check by hand."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lyra.evidence.assess import verdict_of
from lyra.model.edge import JudgedPart, JudgedText, PartRole, Relation
from lyra.storage import citation_flows, claims, edges, graph_views, judged_texts, pages
from lyra.storage.connection import connect
from lyra.storage.database import Database
from tests.graph_queries import run_query

THIS_YEAR = datetime.now(UTC).year


async def ask(db: Database, make: Any, view: str, columns: str, order: str) -> list[tuple[Any, ...]]:
    sql = f"select {columns} from {view} where task_id = '{make.task_id}' order by {order}"
    answer = await run_query(db.path, sql)
    return [tuple(row.values()) for row in answer.rows]


async def test_claim_evidence_summary_shows_the_stored_assessment(db, make, graph):
    """Counts and confidence are those of the assessment, rounded to three places; 1 of 3 against is controversial."""
    columns = "claim_id, support_count, refute_count, neutral_count, bayesian_confidence, is_controversial"

    rows = await ask(db, make, "v_claim_evidence_summary", columns, "support_count desc, neutral_count desc, claim_id")

    unassessed = (graph.c3.id, 0, 0, 0, 0.5, 0)
    assert rows == [
        (graph.c1.id, 2, 1, 0, 0.596, 1),
        (graph.c2.id, 1, 2, 1, 0.404, 1),
        (graph.c4.id, 1, 0, 0, 0.655, 0),
        unassessed,
    ]


@pytest.mark.parametrize("controversy", [2.7 / 9.0, 0.3000000007])
async def test_seven_to_three_is_not_yet_controversial(db, make, graph, controversy):
    """2.7 of 9.0 is 0.3 and not over it, as the verdict says; binary fractions must not make it more."""
    assessment = make.assessment(graph.c1, 7, 3)
    evidence = replace(assessment.evidence, controversy=controversy)
    assessment = replace(assessment, evidence=evidence, verdict=verdict_of(evidence))
    await db.write(claims.save_assessments, [assessment], make.now)

    rows = await ask(db, make, "v_claim_evidence_summary", "claim_id, verdict, is_controversial", "support_count desc")

    assert rows[0] == (graph.c1.id, "supported", 0)


async def test_contradictions_show_both_sides_words_and_sources(db, make, graph):
    """A reader sees the strongest quote of each side with its address, and every fragment, strongest first."""
    columns = (
        "claim_id, supporting_fragments, refuting_fragments, controversy_score, supporting_quote, supporting_url, "
        "refuting_quote, refuting_url"
    )

    rows = await ask(db, make, "v_contradictions", columns, "support_count desc")

    assert rows == [
        (
            graph.c1.id,
            f'["{graph.f1.id}","{graph.f2.id}"]',
            f'["{graph.f3.id}"]',
            0.333,
            "シタグリプチンはHbA1cを0.7ポイント下げた。",
            "https://www.pmda.go.jp/gliptin",
            "HbA1cの低下は認められなかった。",
            "https://news.example.jp/shinfuzen",
        ),
        (
            graph.c2.id,
            f'["{graph.f2b.id}"]',
            f'["{graph.f4.id}","{graph.f1.id}"]',
            0.333,
            "More patients on saxagliptin were admitted for heart failure.",
            "https://www.nejm.org/savor",
            "did not rise",
            "https://blog.example.com/gliptins",
        ),
    ]


async def given(db: Database, fragment_id: str, claim_id: str, *parts: tuple[PartRole | None, str]) -> None:
    """The edge keeps that its reader was given these words; what has no role only joins."""
    at = [sum(len(words) for _, words in parts[:number]) for number in range(len(parts) + 1)]
    judged = JudgedText(
        "".join(words for _, words in parts),
        tuple(JudgedPart(role, at[number], at[number + 1]) for number, (role, _) in enumerate(parts) if role),
    )
    await db.write(
        lambda connection: connection.execute(
            "update edges set judged_text = ? where source_id = ? and target_id = ?",
            (judged_texts.to_column(judged), fragment_id, claim_id),
        ).fetchall()
    )


LOWERED = "シタグリプチンはHbA1cを0.7ポイント下げた。"
TITLE, HEADING, HEADER, CONTEXT, DECIDING = (
    PartRole.TITLE,
    PartRole.HEADING,
    PartRole.HEADER,
    PartRole.CONTEXT,
    PartRole.DECIDING,
)


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        pytest.param(((DECIDING, LOWERED),), LOWERED, id="alone"),
        pytest.param(
            ((TITLE, "SAVOR"), (None, ". "), (HEADING, "Results"), (None, ". "), (DECIDING, "It fell."), (None, "\n"),
             (CONTEXT, "Weight did not."), (None, " "), (CONTEXT, "Sleep did.")),
            "[SAVOR. Results.] It fell. [Weight did not. Sleep did.]",
            id="between two contexts",
        ),
        pytest.param(
            ((TITLE, "糖尿病"), (None, "。"), (DECIDING, "値は下がった。"), (CONTEXT, "体重は変わらない。")),
            "[糖尿病。] 値は下がった。 [体重は変わらない。]",
            id="Japanese",
        ),
        pytest.param(
            ((HEADER, "Drug"), (None, ": "), (DECIDING, "sitagliptin"), (None, ", "), (HEADER, "HbA1c"), (None, ": "),
             (DECIDING, "-0.7"), (None, ".")),
            "[Drug:] sitagliptin, [HbA1c:] -0.7.",
            id="row of a table",
        ),
    ],
)  # fmt: skip
async def test_quotes_in_views_stand_in_the_context_that_was_judged(db, make, graph, parts, shown):
    """What was read beside the quote is in square brackets; a quote that was read alone, or of which that was not
    kept, stands as it is."""
    await given(db, graph.f1.id, graph.c1.id, *parts)

    sides = await ask(db, make, "v_contradictions", "supporting_in_context, refuting_in_context", "support_count desc")
    origins = await ask(db, make, "v_claim_origins", "in_context", "published_date desc")

    assert sides[0] == (shown, "HbA1cの低下は認められなかった。")
    assert origins == [(shown,), ("More patients on saxagliptin were admitted for heart failure.",)]


async def test_one_page_is_no_contradiction(db, make, graph):
    """A page that says both things stands on its stronger side; with another page against it there is one again."""
    told = make.fragment(graph.p[4], "They are not well tolerated.", 1)
    await db.write(pages.save, graph.p[4], [graph.f5, told])
    await db.write(edges.insert_many, [make.stance(told, graph.c4, Relation.REFUTES, 0.4)])
    columns = "claim_id, supporting_url, refuting_url"

    alone = await ask(db, make, "v_contradictions", columns, f"claim_id = '{graph.c4.id}' desc")
    await db.write(edges.insert_many, [make.stance(graph.f4, graph.c4, Relation.REFUTES, 0.5)])
    contradicted = await ask(db, make, "v_contradictions", columns, f"claim_id = '{graph.c4.id}' desc")

    assert graph.c4.id not in {row[0] for row in alone}
    assert contradicted[0] == (graph.c4.id, "https://old.example.org/early", "https://blog.example.com/gliptins")


async def test_unsupported_claims_have_fewer_than_two_stances(db, make, graph):
    """One text is not enough evidence; a hypothesis nobody spoke of has none."""
    rows = await ask(db, make, "v_unsupported_claims", "claim_id, evidence_count, uncertainty", "evidence_count")

    assert rows == [(graph.c3.id, 0, 0.289), (graph.c4.id, 1, 0.25)]


async def test_evidence_chain_multiplies_the_confidence_of_both_steps(db, make, graph):
    """c1's origin (f1) refutes c2 with 0.6, so each support of c1 (0.9, 0.8) leads on to c2."""
    columns = "source_fragment_id, intermediate_claim_id, derived_claim_id, chain_confidence, derived_relation"

    rows = await ask(db, make, "v_evidence_chain", columns, "chain_confidence desc")

    assert rows == [
        (graph.f1.id, graph.c1.id, graph.c2.id, 0.54, "refutes"),
        (graph.f2.id, graph.c1.id, graph.c2.id, 0.48, "refutes"),
    ]


async def test_hub_pages_support_two_claims_or_more(db, make, graph):
    """Only the trial supports two claims of this task; the other task's claim does not count."""
    rows = await ask(
        db, make, "v_hub_pages", "page_id, title, claims_supported, citation_count, cited_by_count", "page_id"
    )

    assert rows == [(graph.p[1].id, "nejm.org", 2, 1, 1)]


async def test_citation_flow_goes_two_hops(db, make, graph):
    """Direct citations are hop 1; what a cited page cites is hop 2, unless it leads back or is direct as well."""
    columns = "citing_page_id, cited_page_id, citation_source, hop_distance, via_page_id"
    p = [page.id for page in graph.p]
    await db.write(citation_flows.replace_all, make.task_id)

    rows = await ask(db, make, "v_citation_flow", columns, "hop_distance")

    assert sorted(rows, key=lambda row: (row[3], p.index(row[0]))) == [
        (p[0], p[1], "openalex", 1, None),
        (p[1], p[4], "semantic_scholar", 1, None),
        (p[2], p[3], "page", 1, None),
        (p[3], p[2], "page", 1, None),
        (p[0], p[4], "semantic_scholar", 2, p[1]),
    ]


async def test_citation_clusters_join_pages_that_cite_one_another(db, make, graph):
    """News and blog cite each other: one cluster of two with two citations inside."""
    pair = sorted([graph.p[2].id, graph.p[3].id])

    rows = await ask(
        db, make, "v_citation_clusters", "cluster_id, page_ids, internal_citations, cluster_size", "cluster_id"
    )

    assert rows == [(pair[0], f'["{pair[0]}","{pair[1]}"]', 2, 2)]


async def test_orphan_sources_are_cited_by_nobody(db, make, graph):
    """The agency's page is the only one that no page cites; it supports one claim."""
    rows = await ask(db, make, "v_orphan_sources", "page_id, title, domain, claims_supported", "page_id")

    assert rows == [(graph.p[0].id, "pmda.go.jp", "pmda.go.jp", 1)]


async def test_evidence_timeline_counts_by_year_of_publication(db, make, graph):
    """Neutral edges are no evidence; two fragments of the trial speak of two claims."""
    columns = "year, fragment_count, claim_count, avg_confidence, support_count, refute_count"

    rows = await ask(db, make, "v_evidence_timeline", columns, "year")

    assert rows == [
        (2004, 1, 1, 0.5, 1, 0),
        (2013, 2, 2, 0.7, 2, 0),
        (2014, 1, 1, 0.7, 0, 1),
        (2021, 1, 2, 0.75, 1, 1),
        (2022, 1, 1, 0.9, 0, 1),
    ]


async def test_claim_temporal_support_is_the_share_of_agreeing_years(db, make, graph):
    """c1 is supported on the whole and in two years of three; c2 refuted on the whole and in two of three."""
    columns = "claim_id, earliest_year, latest_year, year_span, temporal_consistency"

    rows = await ask(db, make, "v_claim_temporal_support", columns, "year_span desc")

    assert rows == [
        (graph.c2.id, 2013, 2022, 9, 0.667),
        (graph.c1.id, 2013, 2021, 8, 0.667),
        (graph.c4.id, 2004, 2004, 0, 1.0),
    ]


async def test_emerging_consensus_needs_a_rising_slope(db, make, graph):
    """c1: supports 1, 0, 1 in 2013, 2014, 2021 rise by 6/114 a year; c2's fall; one year gives no slope."""
    rows = await ask(db, make, "v_emerging_consensus", "claim_id, support_trend, years_observed", "claim_id")

    assert rows == [(graph.c1.id, 0.053, 3)]


async def test_outdated_evidence_lies_more_than_two_years_before_the_newest(db, make, graph):
    """The task's newest evidence is of 2022, so only the claim of 2004 is outdated; years count to today."""
    columns = "claim_id, newest_evidence_year, years_since_update"

    rows = await ask(db, make, "v_outdated_evidence", columns, "claim_id")

    assert rows == [(graph.c4.id, 2004, THIS_YEAR - 2004)]


async def test_source_authority_is_the_mean_of_three_shares(db, make, graph):
    """Citations made and received relative to the task's most (logs), and recency with a half-life of five years."""
    columns = "title, authority_score, citation_count, cited_by_count, year"

    rows = await ask(db, make, "v_source_authority", columns, "authority_score desc")

    assert rows == [
        ("nejm.org", 0.762, 1, 100, 2013),
        ("example.com", 0.717, 1, 1, 2022),
        ("pmda.go.jp", 0.624, 1, 0, 2021),
        ("example.jp", 0.493, 1, 1, 2014),
        ("example.org", 0.078, 0, 1, 2004),
    ]


async def test_controversy_by_era_finds_the_turn(db, make, graph):
    """In the 2010s c1 is contested (0.7 of 1.5 against); in the 2020s refutations first outweigh supports."""
    columns = "decade, controversial_claims, consensus_claims, shift_detected"

    rows = await ask(db, make, "v_controversy_by_era", columns, "decade")

    assert rows == [(2000, 0, 1, 0), (2010, 1, 1, 0), (2020, 0, 2, 1)]


async def test_citation_age_gap_counts_pairs_of_years(db, make, graph):
    """A page of 2014 that cites one of 2022 has a negative gap: it was changed later."""
    rows = await ask(db, make, "v_citation_age_gap", "citing_year, cited_year, age_gap, frequency", "citing_year")

    assert rows == [(2013, 2004, 9, 1), (2014, 2022, -8, 1), (2021, 2013, 8, 1), (2022, 2014, 8, 1)]


async def test_evidence_freshness_tells_support_from_refutation(db, make, graph):
    """c1's recent evidence supports (2021), c2's refutes (2021, 2022), c4 has none within two years of 2022."""
    columns = "claim_id, avg_evidence_age, has_recent_support, has_recent_refutation"

    rows = await ask(db, make, "v_evidence_freshness", columns, "avg_evidence_age")

    assert rows == [
        (graph.c2.id, round(THIS_YEAR - 6056 / 3, 1), 0, 1),
        (graph.c1.id, THIS_YEAR - 2016.0, 1, 0),
        (graph.c4.id, THIS_YEAR - 2004.0, 0, 0),
    ]


async def test_claim_origins_lead_back_to_the_quote(db, make, graph):
    """Claim, fragment, page, exact quote, address, heading, date and trust in one row."""
    columns = "claim_id, fragment_id, page_id, quote, url, heading_context, published_date, trust_level"

    rows = await ask(db, make, "v_claim_origins", columns, "published_date")

    assert rows == [
        (
            graph.c2.id,
            graph.f2b.id,
            graph.p[1].id,
            "More patients on saxagliptin were admitted for heart failure.",
            "https://www.nejm.org/savor",
            "Results",
            "2013-10-03",
            "academic",
        ),
        (
            graph.c1.id,
            graph.f1.id,
            graph.p[0].id,
            "シタグリプチンはHbA1cを0.7ポイント下げた。",
            "https://www.pmda.go.jp/gliptin",
            "Results",
            "2021-05-01",
            "government",
        ),
    ]


@pytest.mark.parametrize("view", sorted(graph_views.rendered()))
async def test_every_view_begins_with_the_task_and_reads_only_its_rows(db, graph, view):
    """`WHERE task_id = …` must reach the index: no view may walk through all tasks to answer for one."""
    connection = connect(db.path, read_only=True)
    sql = f"select * from {view} where task_id = 'task_00000000000a'"

    columns = connection.execute(f"select name from pragma_table_info('{view}')").fetchall()
    plan = [row[3] for row in connection.execute(f"explain query plan {sql}")]

    connection.close()
    big = ("SCAN claims", "SCAN claim_years", "SCAN task_pages", "SCAN fragments", "SCAN pages", "SCAN c ", "SCAN e ")
    assert columns[0] == ("task_id",)
    assert [step for step in plan if step.startswith(big)] == []


async def test_a_changed_view_is_made_anew_on_opening(path: Path):
    """A view left by another version is replaced; one that this version does not know is dropped."""
    database = await Database.open(path)
    await database.write(lambda c: c.execute("drop view v_hub_pages"))
    await database.write(lambda c: c.execute("create view v_hub_pages as select 1 as old"))
    await database.write(lambda c: c.execute("create view v_forgotten as select 1 as old"))
    await database.write(lambda c: c.execute("update meta set value = 'another' where key = 'views'"))
    await database.close()

    database = await Database.open(path)

    names = await database.read(
        lambda c: c.execute("select name from sqlite_schema where type = 'view' order by name").fetchall()
    )
    columns = await database.read(lambda c: c.execute("select name from pragma_table_info('v_hub_pages')").fetchall())
    await database.close()
    assert [name for (name,) in names] == ["domains", *sorted(graph_views.rendered())]
    assert columns[0] == ("task_id",)
