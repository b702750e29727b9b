"""Edges, the rows from which claims are assessed, and the digest by year."""

from dataclasses import replace

import pytest

from lyra.errors import StorageError
from lyra.model.edge import AnswerProbabilities, EvidenceRow, JudgedPart, JudgedText, PartRole, Relation, Review
from lyra.model.trust import TrustLevel
from lyra.storage import edges, pages, reviews

DIGEST = """
select year, supports, refutes, round(support_weight, 3), round(refute_weight, 3)
from claim_years
where claim_id = ?
"""


async def test_an_edge_comes_back_as_it_was_stored(db, make, graph):
    """Probabilities, model, calibration and cause survive; a second judgement of the pair is ignored."""
    edge = make.stance(
        graph.f5,
        graph.c2,
        Relation.NEUTRAL,
        0.4,
        probabilities=(0.3, 0.3, 0.4),
        calibration_version="platt-1",
        cause_id="s_1",
        target_trust_level=TrustLevel.ACADEMIC,
    )
    again = replace(edge, id="e_other", relation=Relation.SUPPORTS)

    added = [await db.write(edges.insert_many, [edge]), await db.write(edges.insert_many, [again])]

    found = [known for known in await db.read(edges.of_task, make.task_id) if known.id in (edge.id, again.id)]
    assert added == [1, 0]
    assert found == [edge]


@pytest.mark.parametrize(
    ("reader", "answers"),
    [
        pytest.param("large", AnswerProbabilities(0.95, 0.125, 0.8, 0.25), id="as readers judge"),
        pytest.param("small", AnswerProbabilities(0.0, 1.0, 0.0, 1.0), id="wholly sure"),
        pytest.param(None, None, id="judged before there were readers"),
        pytest.param("small", None, id="a reader whose answers are unknown"),
    ],
)
async def test_reader_and_both_answers_come_back(db, make, graph, reader, answers):
    """Each chance in its own column; a judgement without them has none."""
    edge = make.stance(graph.f5, graph.c2, Relation.NEUTRAL, 0.4, reader=reader, answers=answers)

    await db.write(edges.insert_many, [edge])

    assert [known for known in await db.read(edges.of_task, make.task_id) if known.id == edge.id] == [edge]


async def test_what_the_reader_was_given_comes_back_and_can_be_asked_for_in_sql(db, make, graph):
    """Text and parts, each with its places; Japanese as it is written."""
    parts = (
        JudgedPart(PartRole.TITLE, 0, 2),
        JudgedPart(PartRole.BEFORE, 3, 7, 10, 14, "f_before"),
        JudgedPart(PartRole.DECIDING, 7, 12, 0, 5),
    )
    judged = JudgedText("表題。前の文。増えた。", parts)
    edge = make.stance(graph.f5, graph.c2, Relation.NEUTRAL, 0.4, judged_text=judged)
    await db.write(edges.insert_many, [edge])

    stored = await db.read(lambda c: c.execute("select judged_text from edges where judged_text is not null").get)

    assert stored == (
        '{"text":"表題。前の文。増えた。","parts":[{"role":"title","start":0,"end":2},'
        '{"role":"before","start":3,"end":7,"fragment_start":10,"fragment_end":14,"fragment_id":"f_before"},'
        '{"role":"deciding","start":7,"end":12,"fragment_start":0,"fragment_end":5}],'
        '"marked":"[表題。前の文。] 増えた。"}'
    )
    assert [known for known in await db.read(edges.of_task, make.task_id) if known.id == edge.id] == [edge]


async def test_answers_can_be_asked_for_in_sql(db, make, graph):
    """The columns bear the names of the answers."""
    answers = AnswerProbabilities(bears_raw=0.95, side_raw=0.125, bears=0.8, side=0.25)
    edge = make.stance(graph.f5, graph.c2, Relation.NEUTRAL, 0.4, reader="large", answers=answers)
    await db.write(edges.insert_many, [edge])

    found = await db.read(
        lambda c: c.execute(
            "select reader, bears_raw, side_raw, bears, side from edges where reader is not null"
        ).fetchall()
    )

    assert found == [("large", 0.95, 0.125, 0.8, 0.25)]


@pytest.mark.parametrize("name", ["bears_raw", "side_raw", "bears", "side"])
@pytest.mark.parametrize("value", [-0.1, 1.1])
async def test_the_schema_refuses_answers_that_are_no_chances(db, make, graph, name, value):
    """Each of the four lies between 0 and 1."""
    answers = replace(AnswerProbabilities(0.95, 0.125, 0.8, 0.25), **{name: value})
    edge = make.stance(graph.f5, graph.c2, Relation.NEUTRAL, 0.4, reader="large", answers=answers)

    with pytest.raises(StorageError):
        await db.write(edges.insert_many, [edge])

    assert edge.id not in [known.id for known in await db.read(edges.of_task, make.task_id)]


async def test_edges_of_a_task_are_those_of_its_claims(db, make, graph):
    """Eight judgements; citations and the other task's judgement are not among them."""
    found = await db.read(edges.of_task, make.task_id)

    assert len(found) == 8
    assert {edge.target_id for edge in found} == {graph.c1.id, graph.c2.id, graph.c4.id}


async def test_evidence_rows_name_page_domain_work_and_text(db, make, graph):
    """All that assessing needs in one row: the trial's fragment belongs to a work, the blog's only to a domain,
    and the blog cites another."""
    rows = await db.read(edges.evidence_of_claims, [graph.c2.id])

    trial = EvidenceRow(
        graph.c2.id, graph.f2b.id, graph.p[1].id, "nejm.org", Relation.SUPPORTS, 0.6, TrustLevel.ACADEMIC,
        "doi:10.1056/savor", True, graph.f2b.text_hash, "https://www.nejm.org/savor",
    )  # fmt: skip
    blog = EvidenceRow(
        graph.c2.id, graph.f4.id, graph.p[3].id, "example.com", Relation.REFUTES, 0.9, TrustLevel.UNVERIFIED,
        None, False, graph.f4.text_hash, "https://blog.example.com/gliptins", cites=("domain:example.jp",),
    )  # fmt: skip
    assert [row for row in rows if row.fragment_id in (graph.f2b.id, graph.f4.id)] == sorted(
        [trial, blog], key=lambda row: row.fragment_id
    )
    assert len(await db.read(edges.evidence_of_task, make.task_id)) == 8


async def test_near_duplicates_share_the_key_of_their_original(db, make, graph):
    """Syndicated copies must count as one text."""
    await db.write(pages.set_near_duplicates, [(graph.f4.id, graph.f1.id)])

    rows = await db.read(edges.evidence_of_claims, [graph.c2.id])

    keys = {row.fragment_id: row.duplicate_key for row in rows}
    assert keys[graph.f4.id] == keys[graph.f1.id] == graph.f1.text_hash


async def test_a_copy_names_the_source_of_its_original(db, graph):
    """Of a paper the work, of a page its publisher."""
    await db.write(pages.set_near_duplicates, [(graph.f4.id, graph.f2b.id), (graph.f1.id, graph.f3.id)])

    rows = await db.read(edges.evidence_of_claims, [graph.c2.id])

    copied = {row.fragment_id: row.copied_from for row in rows}
    assert (copied[graph.f4.id], copied[graph.f1.id]) == (("work:doi:10.1056/savor",), ("domain:example.jp",))
    assert copied[graph.f3.id] == ()


@pytest.mark.parametrize(
    ("quote", "copied", "goes_by"),
    [
        pytest.param("The pills lowered HbA1c.", ("work:doi:10.1056/savor",), "f2", id="words of the first"),
        pytest.param("Patients were as frequently ill.", ("domain:example.org",), "f5", id="words of the second"),
        pytest.param("None of this convinces us here.", (), "digest", id="words of its own"),
    ],
)
async def test_a_digest_repeats_the_text_that_its_words_are_from(db, make, graph, quote, copied, goes_by):
    """A text that holds two others was judged by the words of one, or by none of theirs."""
    first = make.fragment(graph.p[1], "The pills lowered HbA1c. They did so for two years.", 2)
    second = make.fragment(graph.p[4], "Patients were as frequently ill. This held in every group.", 1)
    digest = make.fragment(graph.p[3], f"{first.text_content} {second.text_content} None of this convinces us here.", 1)
    await db.write(pages.save, graph.p[1], [graph.f2, graph.f2b, first])
    await db.write(pages.save, graph.p[4], [graph.f5, second])
    await db.write(pages.save, graph.p[3], [graph.f4, digest])
    await db.write(pages.set_near_duplicates, [(digest.id, first.id)])
    await db.write(pages.set_contained_originals, {digest.id: (first.id, second.id)})
    await db.write(edges.insert_many, [make.stance(digest, graph.c3, Relation.SUPPORTS, 0.9, quote=quote)])

    (row,) = await db.read(edges.evidence_of_claims, [graph.c3.id])

    hashes = {"f2": first.text_hash, "f5": second.text_hash, "digest": digest.text_hash}
    assert (row.copied_from, row.duplicate_key) == (copied, hashes[goes_by])


async def test_judged_pairs_are_fragment_and_claim(db, make, graph):
    """A restart must not judge a pair twice."""
    pairs = await db.read(edges.judged_pairs, make.other_task_id)

    assert pairs == {(graph.f2b.id, graph.other.id)}


async def test_citations_among_pages_are_found(db, graph):
    """Only pairs within the given pages: loops are looked for among them."""
    p = [page.id for page in graph.p]

    among = await db.read(edges.cites, [p[2], p[3], p[0]])

    assert set(among) == {(p[2], p[3]), (p[3], p[2])}


@pytest.mark.parametrize(
    ("field", "value"),
    [("relation", Relation.CITES), ("target_id", "c_unknown"), ("source_id", "f_unknown"), ("nli_confidence", 1.5)],
)
async def test_the_schema_refuses_impossible_edges(db, make, graph, field, value):
    """A fragment cites nothing, an edge has both its ends, and a probability is at most one."""
    edge = replace(make.stance(graph.f5, graph.c1, Relation.SUPPORTS, 0.9), **{field: value})

    with pytest.raises(StorageError):
        await db.write(edges.insert_many, [edge])

    assert len(await db.read(edges.evidence_of_claims, [graph.c1.id])) == 3


async def test_the_digest_by_year_follows_every_change(db, make, graph):
    """claim_years always says what the edges say: after insertion, review, its undoing, and words that are gone."""

    async def digest():
        return await db.read(lambda c: c.execute(DIGEST, (graph.c1.id,)).fetchall())

    edge = make.stance(graph.f2b, graph.c1, Relation.REFUTES, 0.75)
    told = (Relation.REFUTES, "It says so.", "person", Relation.REFUTES, 0.75, make.now)
    review = Review("r_1", edge.id, make.task_id, graph.c1.id, *told)
    moved = replace(graph.p[2], text="This page has moved.")

    stages = [await digest()]
    await db.write(edges.insert_many, [edge])
    stages.append(await digest())
    await db.write(reviews.put, review)
    stages.append(await digest())
    await db.write(reviews.undo, review, make.now)
    stages.append(await digest())
    await db.write(pages.save, moved, [make.fragment(moved, "This page has moved.")])
    stages.append(await digest())

    both = (2013, 1, 1, 0.8, 0.75)
    rest = [(2014, 0, 1, 0.0, 0.7), (2021, 1, 0, 0.9, 0.0)]
    assert stages == [
        [(2013, 1, 0, 0.8, 0.0), *rest],
        [both, *rest],
        [(2013, 1, 1, 0.8, 0.98), *rest],
        [both, *rest],
        [both, rest[1]],
    ]


async def test_edges_go_with_their_ends(db, graph):
    """A deleted page takes its citations both ways, its fragments and their judgements."""
    await db.write(lambda c: c.execute("delete from pages where id = ?", (graph.p[1].id,)))

    left = await db.read(
        lambda c: c.execute("select relation, count(*) from edges group by relation order by relation").fetchall()
    )
    assert left == [("cites", 2), ("neutral", 1), ("refutes", 3), ("supports", 2)]


async def test_a_paper_has_its_own_names_and_whom_its_words_credit(db, make, graph):
    """What else its words name is left out: a paper is told by its identity."""
    named = ("person:jane doe", "institution:data guardian", "own:nejm")
    edge = make.stance(graph.f2b, graph.c1, Relation.SUPPORTS, 0.9, origins=named)
    await db.write(edges.insert_many, [edge])

    rows = await db.read(edges.evidence_of_claims, [graph.c1.id])

    found = {row.fragment_id: row.origins for row in rows}
    assert found[graph.f2b.id] == ("institution:data guardian",)
