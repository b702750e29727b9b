"""Reviews over a stored graph: edge, verdict, queue and sample follow, and undoing restores all of it exactly."""

import asyncio
import json
from typing import Any

import pytest
from apsw import Connection

from lyra.calibration.book import CalibrationBook
from lyra.errors import InvalidParams, LyraError
from lyra.ids import derived_id
from lyra.model.calibration import CalibrationSample, CalibrationSource
from lyra.model.edge import Edge, Relation
from lyra.model.report import ReviewMark
from lyra.model.trust import TrustLevel
from lyra.research.assessing import Assessor
from lyra.research.reviewing import ReviewInput, ReviewResult, Reviews
from lyra.research.search_run import SearchParts
from lyra.research.whatif import WhatIf
from lyra.settings import Calibration
from lyra.storage import calibrations, claims, edges, quotes
from lyra.storage.database import Database
from tests.graph_queries import run_query

TASK, OTHER = "task_00000000000a", "task_00000000000b"
YES, NO, SILENT = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL
ACADEMIC, LOW = TrustLevel.ACADEMIC, TrustLevel.LOW
BASIS = "two_answers-705aaa71"
CLAIM = "Gliptins have no effect on all-cause mortality."
AGENCY, TRIAL, BLOG = "https://www.nimeth.gov/news", "https://www.jmetd.org/0307", "https://blog.example/a"


@pytest.fixture
def book(db: Database, clock: Any) -> CalibrationBook:
    return CalibrationBook(db, clock, Calibration(), {CalibrationSource.NLI_JUDGE: BASIS})


@pytest.fixture
def reviews(parts: SearchParts, book: CalibrationBook) -> Reviews:
    return Reviews(parts, book)


@pytest.fixture
async def claim(db: Database, parts: SearchParts, write: Any, said: Any) -> str:
    """A claim that two independent sources support and a third leaves open, weighed as a search leaves it."""
    told = [
        said(AGENCY, "nimeth.gov", "Mortality did not change.", YES, 0.8, ACADEMIC),
        said(TRIAL, "jmetd.org", "Gliptins had no effect on mortality.", YES, 0.9, ACADEMIC),
        said(BLOG, "blog.example", "They live longer.", SILENT, 0.6, LOW),
    ]
    claim_id = str(await db.write(write, CLAIM, told))
    await db.write(_answer)
    await weigh(parts, TASK)
    return claim_id


def _answer(connection: Connection) -> None:
    """What the reader said of every edge, a fit's and a rule's work beside it."""
    connection.execute(
        "update edges set bears_raw = 0.6, side_raw = 0.5, bears = 0.8, side = 0.75, rule = 'it repeats the claim',"
        " nli_probabilities = '[0.9,0.05,0.05]', calibration_version = ?",
        (f"{BASIS}+v3",),
    )


async def weigh(parts: SearchParts, task_id: str) -> None:
    """Assess and weigh every claim of a task, as the end of a search does."""
    assessor = Assessor(parts, task_id)
    await assessor.group_pages()
    found = await parts.db.read(claims.of_task, task_id)
    await assessor.assess([one.id for one in found])
    await assessor.update_source_influence()


def edge(claim_id: str, url: str) -> str:
    return derived_id("e", "fragment", derived_id("f", url), "claim", claim_id)


async def asked(db: Database, sql: str) -> list[tuple[Any, ...]]:
    return await db.read(lambda connection: connection.execute(sql).fetchall())


_STATE = (
    "select * from edges order by id",
    "select * from calibration_samples order by seq",
    "select * from review_queue order by claim_id, source, relation",
    "select * from claim_sources order by claim_id, source",
    "select id, alpha, beta, confidence, verdict, verification_status, adoption_status, refutation_status,"
    " refute_searched, supporting_count, refuting_count, neutral_count from claims",
    "select * from claim_years",
    "select * from page_stances",
)


async def state(db: Database) -> list[Any]:
    """Everything that a review touches, but for the reviews themselves and the journal."""
    return [await asked(db, sql) for sql in _STATE]


async def test_a_review_decides_the_edge_and_keeps_what_was_judged(
    db: Database, reviews: Reviews, claim: str, clock: Any
) -> None:
    """Relation and confidence follow; label, answers, probabilities and rule of the reader stay beside them."""
    reviewed = await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes", "reads the wrong arm", "Dr. Oda"))

    kept = "relation, nli_confidence, nli_label, bears_raw, side_raw, bears, side, rule, nli_probabilities"
    assert await asked(db, f"select {kept} from edges where id = '{edge(claim, TRIAL)}'") == [
        ("refutes", 0.98, "supports", 0.6, 0.5, 0.8, 0.75, "it repeats the claim", "[0.9,0.05,0.05]")
    ]
    columns = "edge_id, task_id, claim_id, actual, reason, reviewer, judged_relation, judged_confidence, state"
    assert await asked(db, f"select {columns} from reviews") == [
        (edge(claim, TRIAL), TASK, claim, "refutes", "reads the wrong arm", "Dr. Oda", "supports", 0.9, "in_force")
    ]
    assert (reviewed.replaced, reviewed.review.created_at) == (None, clock.now())


@pytest.mark.parametrize(
    ("actual", "relation", "verdict"),
    [("supports", "supports", "supported"), ("refutes", "refutes", "contested"), ("neutral", "neutral", "unverified")],
)
async def test_the_verdict_follows_at_once(
    db: Database, parts: SearchParts, write: Any, said: Any, reviews: Reviews, actual: str, relation: str, verdict: str
) -> None:
    """Support that is confirmed stays; turned round beside another support it is a contest; neutral takes it away."""
    told = [said(AGENCY, "nimeth.gov", "Mortality did not change.", YES, 0.8, ACADEMIC)]
    told += [said(TRIAL, "jmetd.org", "No effect was seen.", YES, 0.9, ACADEMIC)] if actual == "refutes" else []
    claim_id = await db.write(write, CLAIM, told)
    await weigh(parts, TASK)

    reviewed = await reviews.add_one(ReviewInput(edge(claim_id, AGENCY), actual))

    stored = await asked(db, "select verdict from claims")
    edges_now = await asked(db, f"select relation from edges where id = '{edge(claim_id, AGENCY)}'")
    assert (reviewed.verdict.value, stored, edges_now) == (verdict, [(verdict,)], [(relation,)])


async def test_undoing_restores_everything_exactly(db: Database, reviews: Reviews, claim: str) -> None:
    """Edge, verdict, queue, sources and years are byte for byte what they were, and the sample is withdrawn."""
    before = await state(db)
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))
    between = await state(db)

    undone = await reviews.undo(edge(claim, TRIAL))

    assert (await state(db), between == before) == (before, False)
    assert (undone.review.judged_relation, undone.verdict.value) == (YES, "supported")
    assert await asked(db, "select state from reviews") == [("undone",)]


async def test_undoing_restores_that_no_refutation_was_found(
    db: Database, parts: SearchParts, reviews: Reviews, claim: str
) -> None:
    """A refute search had ended without any: what a review takes back leaves that as it was."""
    await Assessor(parts, TASK).assess([claim], frozenset({claim}))
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))
    found = await asked(db, "select refutation_status from claims")

    await reviews.undo(edge(claim, TRIAL))

    assert (found, await asked(db, "select refutation_status from claims")) == ([("found",)], [("none_found",)])


async def test_a_later_review_replaces_an_earlier_one_and_all_are_kept(
    db: Database, reviews: Reviews, claim: str
) -> None:
    """The last word holds, what the reader made of it is not forgotten, and one undoing leads back to it."""
    before = await state(db)
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes", "no", "a"))
    second = await reviews.add_one(ReviewInput(edge(claim, TRIAL), "neutral", "neither", "b"))

    kept = await asked(
        db, "select actual, reviewer, judged_relation, judged_confidence, state from reviews order by seq"
    )
    samples = await asked(db, "select actual, context from calibration_samples")
    await reviews.undo(edge(claim, TRIAL))

    assert second.replaced is not None
    assert (second.replaced.actual, second.replaced.reviewer) == (NO, "a")
    assert kept == [("refutes", "a", "supports", 0.9, "replaced"), ("neutral", "b", "supports", 0.9, "in_force")]
    assert (samples, await state(db)) == ([("neutral", "neither")], before)
    assert await asked(db, "select state from reviews order by seq") == [("replaced",), ("undone",)]


async def test_learning_uses_what_the_reader_itself_said(db: Database, reviews: Reviews, claim: str) -> None:
    """Its two answers on the bundled calibration: neither the fit in `nli_probabilities` nor the rule's 0.9."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))

    ((stored, actual, basis),) = await asked(db, "select probabilities, actual, basis from calibration_samples")
    assert json.loads(stored) == pytest.approx([0.8 * 0.75, 0.8 * 0.25, 0.2])
    assert (actual, basis) == ("refutes", BASIS)


async def test_an_older_edge_that_a_rule_changed_teaches_nothing(db: Database, reviews: Reviews, claim: str) -> None:
    """What the reader had said cannot be known any more; the review holds all the same."""
    await db.write(lambda connection: connection.execute("update edges set bears_raw = null") and None)

    reviewed = await reviews.add_one(ReviewInput(edge(claim, TRIAL), "neutral"))

    assert (reviewed.added, reviewed.review.actual) == (None, SILENT)
    assert await asked(db, "select count(*) from calibration_samples") == [(0,)]


async def test_a_sample_from_before_comes_back(db: Database, reviews: Reviews, claim: str, clock: Any) -> None:
    """Corrections that were made when edges did not follow stay samples when a review is taken back."""
    old = CalibrationSample(
        "cs_old", CalibrationSource.NLI_JUDGE, "en", BASIS, (0.1, 0.2, 0.7), 0, clock.now(), edge(claim, TRIAL)
    )
    await db.write(calibrations.put_sample, old)
    before = await state(db)
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "neutral"))

    await reviews.undo(edge(claim, TRIAL))

    assert await state(db) == before


async def test_many_at_once_are_answered_one_by_one(db: Database, reviews: Reviews, claim: str) -> None:
    """A bad entry does not spoil the others, and all of a task are settled together."""
    answers = await reviews.add(
        [
            ReviewInput(edge(claim, TRIAL), "neutral"),
            ReviewInput("e_gone", "neutral"),
            ReviewInput(edge(claim, AGENCY), "perhaps"),
            ReviewInput(edge(claim, AGENCY), "neutral"),
            ReviewInput(edge(claim, BLOG), "neutral", "x" * 2001),
        ]
    )

    assert [one.verdict.value if isinstance(one, ReviewResult) else one.message for one in answers] == [
        "unverified",
        "There is no stance edge 'e_gone'.",
        "What is true of a stance is supports, refutes or neutral, not 'perhaps'.",
        "unverified",
        "reason has 2001 characters; at most 2000 are taken.",
    ]
    assert await asked(db, "select count(*) from reviews") == [(2,)]


async def test_twice_in_one_call_the_later_holds(db: Database, reviews: Reviews, claim: str) -> None:
    """Both are kept; one sample is left."""
    await reviews.add([ReviewInput(edge(claim, TRIAL), "refutes"), ReviewInput(edge(claim, TRIAL), "neutral")])

    assert await asked(db, "select actual, state from reviews order by seq") == [
        ("refutes", "replaced"),
        ("neutral", "in_force"),
    ]
    assert await asked(db, "select actual from calibration_samples") == [("neutral",)]


@pytest.mark.parametrize("count", [0, 101])
async def test_a_call_takes_one_to_a_hundred(db: Database, reviews: Reviews, claim: str, count: int) -> None:
    """More is refused whole, before anything is written."""
    with pytest.raises(InvalidParams) as caught:
        await reviews.add([ReviewInput(edge(claim, TRIAL), "neutral")] * count)

    assert caught.value.message == f"There are {count} reviews; 1 to 100 are accepted at once."
    assert await asked(db, "select count(*) from reviews") == [(0,)]


async def test_an_edge_of_another_task_is_refused(db: Database, reviews: Reviews, claim: str) -> None:
    """Where a task is named, its own edges only; the message says whose it is."""
    with pytest.raises(InvalidParams) as caught:
        await reviews.add_one(ReviewInput(edge(claim, TRIAL), "neutral"), task_id=OTHER)

    assert caught.value.message == f"The edge {edge(claim, TRIAL)!r} belongs to another task, {TASK}."


async def test_a_citation_takes_no_stance(db: Database, reviews: Reviews, claim: str, clock: Any) -> None:
    """It is told apart from an edge that is not there."""
    pages = (derived_id("p", TRIAL), derived_id("p", AGENCY))
    cites = Edge("e_cites", "page", pages[0], "page", pages[1], Relation.CITES, clock.now())
    await db.write(edges.insert_many, [cites])

    with pytest.raises(InvalidParams) as caught:
        await reviews.add_one(ReviewInput("e_cites", "supports"))

    assert caught.value.message == "The edge 'e_cites' is a citation: it takes no stance."


@pytest.mark.parametrize("edge_id", ["", "e_gone", "e_\ud800", "' or 1=1 --", "e" * 10_000])
async def test_undoing_what_is_not_there_is_refused(reviews: Reviews, claim: str, edge_id: str) -> None:
    """With the way to find the edges there are."""
    with pytest.raises(InvalidParams) as caught:
        await reviews.undo(edge_id)

    assert caught.value.remedy == "Take edge_id from v_review_queue, or from edges WHERE task_id = '…'."


async def test_undoing_twice_is_refused(reviews: Reviews, claim: str) -> None:
    """Once it is taken back there is nothing left to take back, and nothing changes."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))
    await reviews.undo(edge(claim, TRIAL))

    with pytest.raises(InvalidParams) as caught:
        await reviews.undo(edge(claim, TRIAL))

    assert caught.value.message == f"The edge {edge(claim, TRIAL)!r} has no review to undo."


async def test_reasons_lose_what_steers_a_screen(db: Database, reviews: Reviews, claim: str) -> None:
    """Control characters, half characters and line breaks go; the words stay, in any script."""
    await reviews.add_one(
        ReviewInput(edge(claim, TRIAL), "neutral", "計画の\x1b[2Jみ\ud800\nを述べる\x00 ", " 小田\t医師 ")
    )

    assert await asked(db, "select reason, reviewer from reviews") == [("計画の[2Jみ を述べる", "小田 医師")]


async def test_reviews_are_in_the_journal(db: Database, reviews: Reviews, claim: str) -> None:
    """Who said what of which edge, and that it was taken back."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes", "wrong arm", "Dr. Oda"))
    await reviews.undo(edge(claim, TRIAL))

    rows = await asked(db, "select kind, subject, details from event_log where kind like 'review%' order by id")
    told = json.loads(rows[0][2])
    assert [row[:2] for row in rows] == [("review", edge(claim, TRIAL)), ("review_undone", edge(claim, TRIAL))]
    assert (told["actual"], told["judged"], told["reviewer"], told["reason"]) == (
        "refutes",
        "supports",
        "Dr. Oda",
        "wrong arm",
    )


async def test_reports_know_who_reviewed_a_quote(db: Database, reviews: Reviews, claim: str, clock: Any) -> None:
    """The review in force; one that was taken back leaves no mark."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes", "wrong arm", "Dr. Oda"))
    await reviews.add_one(ReviewInput(edge(claim, AGENCY), "refutes", "", "Dr. Oda"))
    await reviews.undo(edge(claim, AGENCY))

    (told,) = await db.read(quotes.of_task, TASK)

    assert [(one.url, one.review) for one in told.refutes] == [
        (TRIAL, ReviewMark("Dr. Oda", clock.now(), "wrong arm", Relation.SUPPORTS))
    ]
    assert [(one.url, one.review) for one in told.supports] == [(AGENCY, None)]


async def test_the_queue_goes_by_what_turns_a_verdict_then_by_doubt(db: Database, claim: str) -> None:
    """One row per claim, source and relation, the neutral one included; the task's id comes first."""
    found = await run_query(
        db.path,
        f"select * from v_review_queue where task_id = '{TASK}'",
    )

    assert found.columns[:4] == ("task_id", "turns_verdict", "probability", "edge_id")
    assert [(row["turns_verdict"], row["probability"], row["relation"], row["source"]) for row in found.rows] == [
        (1, 0.6, "neutral", "domain:blog.example"),
        (1, 0.8, "supports", "domain:nimeth.gov"),
        (1, 0.9, "supports", "domain:jmetd.org"),
    ]


async def test_what_was_reviewed_leaves_the_queue_and_comes_back(db: Database, reviews: Reviews, claim: str) -> None:
    """At once, in every face, while the rest stays."""
    await reviews.add_one(ReviewInput(edge(claim, BLOG), "neutral"))
    left = [row.edge_id for row in await reviews.queue(TASK, 10)]

    await reviews.undo(edge(claim, BLOG))

    back = [row.edge_id for row in await reviews.queue(TASK, 10)]
    assert (left, back) == (
        [edge(claim, AGENCY), edge(claim, TRIAL)],
        [edge(claim, BLOG), edge(claim, AGENCY), edge(claim, TRIAL)],
    )


async def test_what_if_and_verdict_agree_after_a_review(
    db: Database, parts: SearchParts, reviews: Reviews, claim: str
) -> None:
    """What is left without a source is what the table of sources says, reviewed or not."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))

    answer = await WhatIf(parts).assess_without(TASK, ["nimeth.gov"])

    ((_, change),) = answer.changes
    stored = await asked(db, "select verdict from claims")
    without = await asked(db, "select verdict_without from claim_sources where source = 'domain:nimeth.gov'")
    assert (stored, without) == ([(change.before.verdict.value,)], [(change.after.verdict.value,)])


async def test_two_clients_at_once_lose_nothing(
    db: Database, parts: SearchParts, book: CalibrationBook, claim: str
) -> None:
    """Reviews of two edges of one claim, at the same time: the verdict knows both."""
    one, other = Reviews(parts, book), Reviews(parts, book)

    await asyncio.gather(
        one.add_one(ReviewInput(edge(claim, TRIAL), "neutral")),
        other.add_one(ReviewInput(edge(claim, AGENCY), "neutral")),
    )

    assert await asked(db, "select supporting_count, confidence, verdict from claims") == [(0, 0.5, "unverified")]


async def test_reviews_go_with_their_task(db: Database, reviews: Reviews, claim: str) -> None:
    """Deleting a task takes its reviews and its queue along; samples stay what was learned."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))

    await db.write(lambda connection: connection.execute("delete from tasks where id = ?", (TASK,)) and None)

    counts = "select (select count(*) from reviews), (select count(*) from review_queue)"
    assert await asked(db, counts) == [(0, 0)]


async def test_an_edge_that_goes_takes_its_review_along(db: Database, reviews: Reviews, claim: str) -> None:
    """And reviewing it afterwards is refused like any edge that is not there."""
    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))
    await db.write(
        lambda connection: connection.execute("delete from edges where id = ?", (edge(claim, TRIAL),)) and None
    )

    with pytest.raises(LyraError) as caught:
        await reviews.add_one(ReviewInput(edge(claim, TRIAL), "refutes"))

    assert caught.value.code == "INVALID_PARAMS"
    assert await asked(db, "select count(*) from reviews") == [(0,)]


async def test_a_text_reviewed_as_neutral_says_why_it_has_no_vote(db: Database, reviews: Reviews, claim: str) -> None:
    """Undoing the review takes the reason away again."""
    sql = f"select no_vote from edges where id = '{edge(claim, TRIAL)}'"

    await reviews.add_one(ReviewInput(edge(claim, TRIAL), "neutral"))
    reviewed = await asked(db, sql)
    await reviews.undo(edge(claim, TRIAL))

    assert (reviewed, await asked(db, sql)) == ([("reviewed_neutral",)], [("",)])
