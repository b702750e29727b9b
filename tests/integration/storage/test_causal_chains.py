"""The causal chain of a claim, from the query to the edge."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from lyra.model.edge import Relation
from lyra.model.event import Event
from lyra.model.page import ArchiveRef
from lyra.model.report import Discovery
from lyra.model.search import CandidateState, SentQuery
from lyra.storage import candidates, causal_chains, derived_queries, edges, journal, pages, searches
from lyra.storage.database import Database

FETCH = {"rung": "http", "outcome": "ok", "status_code": 200, "record_id": "<urn:uuid:1>"}


async def test_every_step_from_query_to_edge_is_told(db: Database, graph: Any, make: Any) -> None:
    """Whoever doubts a claim can follow each step back: who was asked, what was read, which model judged it how."""
    first = make.candidate(graph.p[0].url)
    await db.write(journal.append, [Event("fetch", make.now, graph.p[0].url, FETCH, cause_id=first.id)])

    found = await db.read(causal_chains.of_claim, make.task_id, graph.c1.id)

    top = found[0]
    assert top.discoveries == (
        Discovery(make.search_id, "DPP-4 阻害薬 心不全", "mojeek", 1, "fetched", fetch=FETCH, fetched_at=make.now),
    )
    assert (top.page.url, top.fragment.id) == (graph.p[0].url, graph.f1.id)
    assert top.stated == (graph.f1.text_content,)
    assert top.judgement is not None
    assert (top.judgement.relation, top.judgement.confidence, top.judgement.model_id) == (
        Relation.SUPPORTS,
        0.9,
        "stance-1",
    )
    assert top.judgement.trust_level == "government"


async def test_the_strongest_judgement_comes_first_and_silence_only_when_asked(
    db: Database, graph: Any, make: Any
) -> None:
    """Neutral judgements are most of all; they are shown to whoever wants to know what else was looked at."""
    spoken = await db.read(causal_chains.of_claim, make.task_id, graph.c2.id)
    everything = await db.read(causal_chains.of_claim, make.task_id, graph.c2.id, with_neutral=True)

    assert [one.fragment.id for one in spoken] == [graph.f4.id, graph.f2b.id, graph.f1.id]
    assert [one.judgement.relation.value for one in everything if one.judgement] == [
        "refutes",
        "supports",
        "refutes",
        "neutral",
    ]


async def test_a_page_found_twice_tells_both_ways(db: Database, graph: Any, make: Any, later: datetime) -> None:
    """Another search that met the same page is part of the history, with its own engine and derived query."""
    again = make.search("s_00000000000b", query="saxagliptin trial", created_at=later)
    hit = make.candidate(
        graph.p[1].url,
        search_id=again.id,
        engine="duckduckgo",
        rank=4,
        state=CandidateState.REUSED,
        page_id=graph.p[1].id,
        derived_query="saxagliptin trial 批判",
    )
    await db.write(searches.insert, again)
    await db.write(candidates.add, [hit])

    (found,) = [
        one for one in await db.read(causal_chains.of_claim, make.task_id, graph.c1.id) if one.page.id == graph.p[1].id
    ]

    assert [(one.query, one.engine, one.rank, one.state) for one in found.discoveries] == [
        ("DPP-4 阻害薬 心不全", "mojeek", 1, "fetched"),
        ("saxagliptin trial", "duckduckgo", 4, "reused"),
    ]
    assert found.discoveries[1].derived_query == "saxagliptin trial 批判"


async def test_every_rung_and_the_rule_of_a_derived_query_are_told(
    db: Database, graph: Any, make: Any, later: datetime
) -> None:
    """What was refused before the page opened belongs to its history, and so does why another query was asked."""
    asked, derived = "DPP-4阻害薬 心不全", "DPP-4 inhibitors heart failure"
    search = make.search("s_00000000000b", query=asked, created_at=later)
    hit = make.candidate(graph.p[1].url, search_id=search.id, page_id=graph.p[1].id, derived_query=derived)
    sent = SentQuery("dq_1", search.id, derived, asked, "mirror:en", "mirror", later)
    refused = {"rung": "http", "outcome": "blocked", "status_code": 403, "reason": "Status 403."}
    served = {"rung": "headless", "outcome": "ok", "status_code": 200}
    await db.write(searches.insert, search)
    await db.write(candidates.add, [hit])
    await db.write(derived_queries.save, [sent])
    tried = [Event("fetch", later, graph.p[1].url, note, cause_id=hit.id) for note in (refused, served)]
    await db.write(journal.append, tried)

    (found,) = [
        one for one in await db.read(causal_chains.of_claim, make.task_id, graph.c1.id) if one.page.id == graph.p[1].id
    ]

    last = found.discoveries[-1]
    assert (last.derived_query, last.rule) == (derived, "mirror:en")
    assert (last.climbed, last.fetch) == ((refused,), served)


async def test_a_paper_reached_by_citation_names_the_other(
    db: Database, graph: Any, make: Any, later: datetime
) -> None:
    """Rank 0 came from the index itself; any other abstract came by a citation from or to one of those."""
    search = make.search("s_00000000000b", created_at=later)
    state = CandidateState.ABSTRACT
    found = [
        make.candidate(graph.p[0].url, search_id=search.id, rank=0, state=state, page_id=graph.p[0].id),
        make.candidate(graph.p[1].url, search_id=search.id, rank=2, state=state, page_id=graph.p[1].id),
    ]
    await db.write(searches.insert, search)
    await db.write(candidates.add, found)

    told = {
        one.page.id: one.discoveries[-1].cited_with
        for one in await db.read(causal_chains.of_claim, make.task_id, graph.c1.id)
    }

    assert told == {graph.p[0].id: None, graph.p[1].id: graph.p[0].url, graph.p[2].id: None}


async def test_a_changed_page_is_told_as_it_was_read(db: Database, graph: Any, make: Any, later: datetime) -> None:
    """The archived record of the version that was judged, not of the one that stands there now."""
    page = replace(
        graph.p[3],
        archive=ArchiveRef("20260314/a.warc.gz", 5, 9, "<urn:uuid:old>"),
        text=graph.f4.text_content,
        content_hash="old",
    )
    fragment = make.fragment(page, page.text)
    await db.write(pages.save, page, (fragment,))
    await db.write(edges.insert_many, [make.stance(fragment, graph.c3, Relation.REFUTES, 0.8)])
    new = replace(
        page,
        archive=ArchiveRef("20260315/b.warc.gz", 7, 9, "<urn:uuid:new>"),
        text="Nothing of it is left.",
        content_hash="new",
        fetched_at=later,
    )
    await db.write(pages.save, new, (make.fragment(new, new.text),))

    (found,) = await db.read(causal_chains.of_claim, make.task_id, graph.c3.id)

    assert (found.page.warc_path, found.page.warc_record_id) == ("20260314/a.warc.gz", "<urn:uuid:old>")
    assert (found.page.fetched_at, found.page.content_hash) == (make.now, None)


async def test_the_journal_of_a_task_holds_what_its_searches_led_to(db: Database, graph: Any, make: Any) -> None:
    """Requests are noted under their cause; those of other tasks, or of none, stay out; one may page."""
    hit = make.candidate(graph.p[0].url)
    await db.write(
        journal.append,
        [
            Event("answer", make.now, "mojeek", {"outcome": "results"}, make.task_id, make.search_id, make.search_id),
            Event("fetch", make.now, "https://www.mojeek.com/search", FETCH, cause_id=make.search_id),
            Event("fetch", make.now, graph.p[0].url, FETCH, cause_id=hit.id),
            Event("fetch", make.now, "https://elsewhere.example/", FETCH, cause_id="i_other"),
            Event("answer", make.now, "mojeek", {}, make.other_task_id),
        ],
    )

    whole = await db.read(causal_chains.events, make.task_id, after=0, limit=100)
    rest = await db.read(causal_chains.events, make.task_id, after=whole[0].id or 0, limit=1)

    assert [(one.kind, one.subject) for one in whole] == [
        ("answer", "mojeek"),
        ("fetch", "https://www.mojeek.com/search"),
        ("fetch", graph.p[0].url),
    ]
    assert [one.subject for one in rest] == ["https://www.mojeek.com/search"]
