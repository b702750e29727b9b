"""Claims, their mentions and assessments."""

from dataclasses import replace
from datetime import timedelta

from lyra.model.claim import AdoptionStatus, AssessedClaim, VerificationStatus
from lyra.storage import claims, quotes, status


async def test_known_claims_are_left_as_they_are(db, make, graph):
    """The same statement found again is the same claim: no new row, no lost assessment."""
    before = await db.read(claims.get, graph.c1.id)

    added = await db.write(
        claims.insert_many, [graph.c1, make.claim("Linagliptin is neutral.", search_id=make.search_id)]
    )

    assert added == 1
    assert await db.read(claims.get, graph.c1.id) == before


async def test_claims_of_a_task_come_in_the_order_they_entered(db, make, graph):
    """Whole objects, hypotheses among them; the other task's claim is not."""
    assert await db.read(claims.of_task, make.task_id) == (graph.c1, graph.c2, graph.c3, graph.c4)


async def test_an_assessment_comes_back_with_the_source(db, make, graph):
    """The claim, what the graph says of it, and the address where it is stated."""
    found = await db.read(claims.get, graph.c1.id)

    assert found == AssessedClaim(graph.c1, make.assessment(graph.c1, 2, 1), "https://www.pmda.go.jp/gliptin")


async def test_assessed_claims_come_best_supported_first(db, make, graph):
    """A hypothesis nobody spoke of stands at one half, between supported and refuted."""
    found = await db.read(claims.assessed_of_task, make.task_id)

    assert [known.claim.id for known in found] == [graph.c4.id, graph.c1.id, graph.c3.id, graph.c2.id]


async def test_the_time_of_adoption_moves_only_with_the_adoption(db, make, graph, later):
    """A rejected claim is kept with the time it was rejected, however often it is assessed again."""
    rejected = make.assessment(
        graph.c2, 1, 2, adoption_status=AdoptionStatus.NOT_ADOPTED, verification_status=VerificationStatus.REJECTED
    )
    await db.write(claims.save_assessments, [rejected], later)

    await db.write(claims.save_assessments, [rejected], later + timedelta(days=1))

    sql = "select adoption_status, adoption_changed_at from claims where id = ?"
    stored = await db.read(lambda c: c.execute(sql, (graph.c2.id,)).fetchone())
    assert stored == ("not_adopted", "2026-03-14T10:30:00.000Z")


async def test_claims_found_by_a_search_are_those_on_its_pages(db, make, graph):
    """First found by it or stated on a page it reached; a hypothesis without mention is not found."""
    found = await db.read(claims.claims_found, make.search_id, 10)
    first = await db.read(claims.claims_found, make.search_id, 1)

    assert [known.claim.id for known in found] == [graph.c1.id, graph.c2.id]
    assert [known.claim.id for known in first] == [graph.c1.id]


async def test_mentions_are_stored_once(db, make, graph):
    """The same place found again is the same mention."""
    mention = make.mention(graph.c1, graph.f1)

    await db.write(claims.add_mentions, [mention])

    assert await db.read(claims.mentions_of, [graph.c1.id, graph.c3.id]) == (mention,)


async def test_quotes_of_a_task_show_both_sides_strongest_first(db, make, graph):
    """What the report prints: the judged words where there are some, else the fragment, with address and place."""
    found = {report.claim.id: report for report in await db.read(quotes.of_task, make.task_id)}

    sides = found[graph.c2.id]
    assert [quoted.quote for quoted in sides.supports] == [
        "More patients on saxagliptin were admitted for heart failure."
    ]
    assert [(quoted.quote, quoted.char_start, quoted.trust_level) for quoted in sides.refutes] == [
        ("did not rise", 29, "unverified"),
        ("シタグリプチンはHbA1cを0.7ポイント下げた。", 0, "government"),
    ]
    assert (found[graph.c3.id].supports, found[graph.c3.id].refutes) == ((), ())


async def test_refutations_of_a_search_are_those_on_its_pages(db, make, graph):
    """What a refute search shows: the claim's text and the words against it, strongest first."""
    found = await db.read(quotes.refutations, make.search_id, 2)

    assert [(text, quoted.fragment_id, quoted.nli_confidence) for text, quoted in found] == [
        (graph.c2.claim_text, graph.f4.id, 0.9),
        (graph.c1.claim_text, graph.f3.id, 0.7),
    ]


async def test_domains_with_many_rejections_raise_an_alert(db, make, graph, later):
    """Two of five judged claims (40 %) are over the limit of 30 %; four judged claims are too few to say."""
    rows = [make.claim(f"Statement {number} of the trial.") for number in range(5)]
    await db.write(claims.insert_many, rows)
    await db.write(claims.add_mentions, [make.mention(row, graph.f4) for row in rows])
    states = [VerificationStatus.REJECTED] * 2 + [VerificationStatus.VERIFIED] * 3
    judged = [make.assessment(row, 1, 0, verification_status=s) for row, s in zip(rows, states, strict=True)]
    await db.write(claims.save_assessments, judged[:4], later)
    before = await db.read(status.verification_alerts, make.task_id)
    await db.write(claims.save_assessments, judged, later)

    after = await db.read(status.verification_alerts, make.task_id)

    assert before == ()
    assert [(alert.domain, alert.judged, alert.rejected) for alert in after] == [("example.com", 5, 2)]


async def test_just_thirty_percent_of_rejections_raise_no_alert(db, make, graph, later):
    """SPEC §1 decision 9: more than 30 % are told, three of ten are not."""
    rows = [make.claim(f"Statement {number} of the trial.") for number in range(10)]
    await db.write(claims.insert_many, rows)
    await db.write(claims.add_mentions, [make.mention(row, graph.f4) for row in rows])
    states = [VerificationStatus.REJECTED] * 3 + [VerificationStatus.VERIFIED] * 7
    judged = [make.assessment(row, 1, 0, verification_status=s) for row, s in zip(rows, states, strict=True)]
    await db.write(claims.save_assessments, judged, later)
    at_the_limit = await db.read(status.verification_alerts, make.task_id)
    await db.write(claims.save_assessments, [replace(judged[3], verification_status=VerificationStatus.PENDING)], later)

    above = await db.read(status.verification_alerts, make.task_id)

    assert at_the_limit == ()
    assert [(alert.domain, alert.judged, alert.rejected) for alert in above] == [("example.com", 9, 3)]
