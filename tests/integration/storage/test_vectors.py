"""Embeddings and the search over them."""

import asyncio
import math
import threading

import numpy as np
import pytest

from lyra.errors import InvalidParams
from lyra.model.graph_query import SimilarAnswer, SimilarHit
from lyra.model.search import CandidateState
from lyra.storage import candidates, claims, embeddings, pages
from lyra.storage.database import Database
from lyra.storage.vectors import Vectors

MODEL = "minilm"


def turned(degrees: float) -> list[float]:
    """A vector of length two, so that only its direction can matter."""
    angle = math.radians(degrees)
    return [2 * math.cos(angle), 2 * math.sin(angle)]


@pytest.fixture
async def vectors(db, graph):
    rows = [
        (graph.c1.id, turned(0)),
        (graph.c2.id, turned(60)),
        (graph.c3.id, turned(90)),
        (graph.other.id, turned(10)),
    ]
    await db.write(embeddings.put_many, "claim", rows, MODEL)
    return Vectors(db)


async def test_a_vector_is_stored_once_per_model(db, graph):
    """A text's embedding does not change; another model's lies beside it. Missing ones are named in order."""
    rows = [(graph.c1.id, [0.5, 0.25])]
    added = [await db.write(embeddings.put_many, "claim", rows, model) for model in (MODEL, MODEL, "other")]

    missing = await db.read(embeddings.missing, "claim", [graph.c2.id, graph.c1.id, graph.c3.id], MODEL)

    stored = await db.read(embeddings.get_many, "claim", [graph.c1.id, graph.c2.id], MODEL)
    assert added == [1, 0, 1]
    assert missing == (graph.c2.id, graph.c3.id)
    assert {key: vector.tolist() for key, vector in stored.items()} == {graph.c1.id: [0.5, 0.25]}


async def test_the_nearest_come_first_with_previews(vectors, graph):
    """Cosine of 0° and 10° and 60°; 90° lies below the floor of 0.45."""
    answer = await vectors.search(turned(0), "claim", MODEL, min_similarity=0.45)

    assert [(hit.id, round(hit.similarity, 3), hit.text_preview) for hit in answer.hits] == [
        (graph.c1.id, 1.0, "Sitagliptin lowers HbA1c by 0.7 points."),
        (graph.other.id, 0.985, "Saxagliptin raises admissions for heart failure."),
        (graph.c2.id, 0.5, "DPP-4阻害薬は心不全による入院を増やす。"),
    ]
    assert answer.total_searched == 4


async def test_a_task_has_only_its_own_claims(vectors, graph, make):
    """total_searched counts what was in scope."""
    answer = await vectors.search(turned(0), "claim", MODEL, task_id=make.task_id, top_k=1)
    unknown = await vectors.search(turned(0), "claim", MODEL, task_id="task_ffffffffffff")

    assert ([hit.id for hit in answer.hits], answer.total_searched) == ([graph.c1.id], 3)
    assert unknown == SimilarAnswer((), 0)


async def test_fragments_that_speak_of_its_claims_belong_to_a_task(db, vectors, graph, make):
    """Judged or mentioning; a fragment of another task's page is out of scope, and found without a task."""
    page = make.page("https://example.net/aside")
    aside = make.fragment(page, "An aside about metformin.")
    await db.write(pages.save, page, [aside])
    rows = [(graph.f1.id, turned(20)), (graph.f4.id, turned(40)), (aside.id, turned(0))]
    await db.write(embeddings.put_many, "fragment", rows, MODEL)

    scoped = await vectors.search(turned(0), "fragment", MODEL, task_id=make.task_id)
    everywhere = await vectors.search(turned(0), "fragment", MODEL)

    assert ([hit.id for hit in scoped.hits], scoped.total_searched) == ([graph.f1.id, graph.f4.id], 2)
    assert everywhere.hits[0] == SimilarHit(aside.id, 1.0, "An aside about metformin.")


@pytest.mark.parametrize(
    ("state", "found"),
    [
        pytest.param(CandidateState.FETCHED, 1, id="fetched"),
        pytest.param(CandidateState.REUSED, 1, id="reused"),
        pytest.param(CandidateState.ABSTRACT, 1, id="read by its abstract"),
        pytest.param(CandidateState.SKIPPED, 0, id="not read by this task"),
    ],
)
async def test_what_a_task_has_read_belongs_to_it_though_nothing_was_judged(db, graph, make, state, found):
    """A fragment that no claim met yet is the one that a client would not find otherwise."""
    page = make.page("https://example.net/aside")
    aside = make.fragment(page, "An aside about metformin.")
    await db.write(pages.save, page, [aside])
    await db.write(candidates.add, [make.candidate(page.url, state=state, page_id=page.id)])
    await db.write(embeddings.put_many, "fragment", [(aside.id, turned(0))], MODEL)

    answer = await Vectors(db).search(turned(0), "fragment", MODEL, task_id=make.task_id)

    assert answer == SimilarAnswer((SimilarHit(aside.id, 1.0, "An aside about metformin."),)[:found], found)


async def test_the_matrix_follows_what_is_added_and_removed(db, vectors, graph):
    """New vectors are read from where the last search stopped; removed ones are no longer found."""
    before = await vectors.search(turned(0), "claim", MODEL)
    await db.write(embeddings.put_many, "claim", [(graph.c4.id, turned(1))], MODEL)
    grown = await vectors.search(turned(0), "claim", MODEL)
    await db.write(lambda c: c.execute("delete from claims where id = ?", (graph.c1.id,)))

    shrunk = await vectors.search(turned(0), "claim", MODEL)

    assert [answer.total_searched for answer in (before, grown, shrunk)] == [4, 5, 4]
    assert [answer.hits[0].id for answer in (before, grown, shrunk)] == [graph.c1.id, graph.c1.id, graph.c4.id]


async def test_a_removed_last_vector_does_not_hide_the_next(db, vectors, graph):
    """Row numbers are never used twice, so a vector stored after a deletion is seen."""
    await vectors.search(turned(0), "claim", MODEL)
    await db.write(lambda c: c.execute("delete from embeddings where target_id = ?", (graph.other.id,)))
    await db.write(embeddings.put_many, "claim", [(graph.c4.id, turned(0))], MODEL)

    answer = await vectors.search(turned(0), "claim", MODEL, top_k=2)

    assert {hit.id for hit in answer.hits} == {graph.c1.id, graph.c4.id}


async def test_long_texts_are_shown_by_their_beginning(db, vectors, make, graph):
    """A preview has at most 200 characters."""
    long = make.claim("心不全 " * 200)
    await db.write(claims.insert_many, [long])
    await db.write(embeddings.put_many, "claim", [(long.id, turned(180))], MODEL)

    answer = await vectors.search(turned(180), "claim", MODEL, top_k=1)

    assert len(answer.hits[0].text_preview) <= 200
    assert answer.hits[0].text_preview.endswith("…")


async def test_an_empty_graph_has_no_neighbours(db):
    """Before anything was embedded the answer is empty, not an error."""
    assert await Vectors(db).search(turned(0), "claim", MODEL) == SimilarAnswer((), 0)


@pytest.mark.parametrize(
    ("query", "target", "message"),
    [
        ([1.0, 0.0, 0.0], "claim", "The query vector has shape (3,); this model's vectors have 2 numbers."),
        ([1.0, 0.0], "page", "There is no vector of 'page'."),
    ],
)
async def test_wrong_questions_are_refused(vectors, query, target, message):
    """A vector of another model or a kind without vectors."""
    with pytest.raises(InvalidParams) as refused:
        await vectors.search(query, target, MODEL)

    assert refused.value.message == message


async def test_the_empty_vector_is_near_nothing(vectors):
    """A query without any known word has length zero; that is no division by zero."""
    answer = await vectors.search([0.0, 0.0], "claim", MODEL, min_similarity=0.1)

    assert answer == SimilarAnswer((), 4)


async def test_a_search_takes_as_many_steps_however_many_vectors(path):
    """One matrix product, no loop in Python: a hundred times as many vectors do not even double the calls."""
    random = np.random.default_rng(7)
    rows = random.standard_normal((20_000, 384), dtype=np.float32)
    steps: list[str] = []
    threading.setprofile(lambda frame, event, arg: steps.append(event) if "call" in event else None)
    database = await Database.open(path, readers=1)
    counted = {}
    for many in (200, 20_000):
        stored = [(f"f_{number}", row) for number, row in enumerate(rows[:many])]
        await database.write(embeddings.put_many, "fragment", stored, MODEL)
        vectors = Vectors(database)
        await vectors.search(rows[0], "fragment", MODEL)
        steps.clear()
        answer = await vectors.search(rows[1], "fragment", MODEL, min_similarity=0.9)
        counted[answer.total_searched] = len(steps)
    threading.setprofile(None)
    await database.close()

    assert list(counted) == [200, 20_000]
    assert 0 < counted[200] < 200
    assert counted[20_000] < 2 * counted[200]


async def test_the_best_of_many_equals_a_full_sort(db, make, graph):
    """Choosing the top without sorting everything gives what sorting would."""
    random = np.random.default_rng(11)
    texts = [make.claim(f"Claim number {i}.") for i in range(300)]
    rows = random.standard_normal((300, 8), dtype=np.float32)
    await db.write(claims.insert_many, texts)
    await db.write(embeddings.put_many, "claim", [(t.id, r) for t, r in zip(texts, rows, strict=True)], "eight")
    query = random.standard_normal(8, dtype=np.float32)
    cosines = rows @ query / np.linalg.norm(rows, axis=1) / np.linalg.norm(query)

    answer = await Vectors(db).search(query, "claim", "eight", top_k=20, min_similarity=0.0)

    assert [hit.id for hit in answer.hits] == [texts[i].id for i in np.argsort(-cosines)[:20]]


async def test_questions_that_wait_are_answered_together_and_each_for_itself(vectors, graph):
    """Asked at once, each gets what it gets alone; one that cannot be answered spoils no other."""
    alone = [await vectors.search(turned(angle), "claim", MODEL, min_similarity=-1) for angle in (0, 40, 80)]

    asked = [vectors.search(turned(angle), "claim", MODEL, min_similarity=-1) for angle in (0, 40, 80)]
    together = await asyncio.gather(*asked, vectors.search([1.0], "claim", MODEL), return_exceptions=True)

    assert [[hit.id for hit in one.hits] for one in together[:3]] == [[hit.id for hit in one.hits] for one in alone]
    assert [one.total_searched for one in together[:3]] == [one.total_searched for one in alone]
    assert isinstance(together[3], InvalidParams)


async def test_a_question_whose_asker_went_away_holds_up_no_other(vectors, graph):
    """Cancelled while it was asked for all that waited; the next takes its turn."""
    first = asyncio.create_task(vectors.search(turned(0), "claim", MODEL))
    second = asyncio.create_task(vectors.search(turned(0), "claim", MODEL))
    await asyncio.sleep(0)

    first.cancel()
    found = await second

    assert [hit.id for hit in found.hits] == [hit.id for hit in (await vectors.search(turned(0), "claim", MODEL)).hits]
