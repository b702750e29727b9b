"""What reports read beside claims and quotes: who is independent, and the page of a PDF on which words stand."""

from datetime import timedelta
from typing import Any

from lyra.model.claim import ClaimSource, SourceDependence
from lyra.model.edge import Relation, Review
from lyra.model.report import ReviewProgress
from lyra.storage import claim_sources, claims, edges, pages, quotes, reviews, sources, tasks
from lyra.storage.database import Database


async def test_independent_sources_are_read_with_their_members(db: Database, make: Any) -> None:
    """By claim and name, of one task."""
    claim = make.claim("Gliptins cause pancreatitis.")
    members = ("domain:a.example", "domain:b.example")
    stored = SourceDependence(claim.id, "domain:a.example", members, 2, 1, make.assessment(claim, 0, 0))

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        claims.insert_many(connection, [claim])
        claim_sources.put(connection, make.task_id, [stored])

    await db.write(store)

    assert await db.read(claim_sources.of_task, make.task_id) == (
        ClaimSource(claim.id, "domain:a.example", members, 2, 1),
    )
    assert await db.read(claim_sources.of_task, make.other_task_id) == ()


async def test_pages_are_read_with_the_sources_they_speak_for(db: Database, make: Any, graph: Any) -> None:
    """A paper by its work, a page by its publisher, which may belong to several sources; of the claims asked for."""
    without = make.assessment(graph.c1, 0, 0)
    stored = [
        SourceDependence(graph.c1.id, "domain:pmda.go.jp", ("domain:pmda.go.jp", "domain:example.jp"), 1, 1, without),
        SourceDependence(graph.c1.id, "work:doi:10.1056/savor", ("domain:example.jp", "work:doi:10.1056/savor"), 1, 1,
                         without),
        SourceDependence(graph.c2.id, "domain:pmda.go.jp", ("domain:pmda.go.jp",), 0, 1, without),
    ]  # fmt: skip
    await db.write(claim_sources.put, make.task_id, stored)

    found = await db.read(claim_sources.of_pages, [graph.c1.id])

    assert found == {
        graph.c1.id: {
            graph.p[0].id: ["domain:pmda.go.jp"],
            graph.p[1].id: ["work:doi:10.1056/savor"],
            graph.p[2].id: ["domain:pmda.go.jp", "work:doi:10.1056/savor"],
        }
    }


async def test_progress_of_reviews_counts_corrections_in_their_order(db: Database, make: Any) -> None:
    """One confirmed what was judged, the later one corrected it; nothing waits."""
    page = make.page("https://www.fdso.gov/a", "fdso.gov", text="No signal was found. A signal was found.")
    texts = ("No signal was found.", "A signal was found.")
    fragments = [make.fragment(page, text, position) for position, text in enumerate(texts)]
    claim = make.claim("Gliptins cause pancreatitis.")
    stances = [make.stance(one, claim, Relation.REFUTES, 0.9) for one in fragments]
    made = [
        Review(
            f"r_{number}",
            edge.id,
            make.task_id,
            claim.id,
            actual,
            "",
            "Oda",
            Relation.REFUTES,
            0.9,
            make.now + timedelta(minutes=number),
        )
        for number, (edge, actual) in enumerate(zip(stances, (Relation.REFUTES, Relation.SUPPORTS), strict=True))
    ]

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        pages.save(connection, page, fragments)
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, stances)
        for one in made:
            reviews.put(connection, one)

    await db.write(store)

    assert await db.read(reviews.progress, make.task_id) == ReviewProgress((False, True), 0, 0)


async def test_page_counts_as_its_publisher_and_quote_has_its_page_number(db: Database, make: Any) -> None:
    """A PDF that is no known work; the quote stands on its third page."""
    page = make.page("https://www.fdso.gov/a.pdf", "fdso.gov", text="No signal was found.")
    fragment = make.fragment(page, "No signal was found.", page_number=3)
    claim = make.claim("Gliptins cause pancreatitis.")

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        pages.save(connection, page, [fragment])
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, [make.stance(fragment, claim, Relation.REFUTES, 0.9)])

    await db.write(store)

    (known,) = await db.read(quotes.of_task, make.task_id)
    assert known.refutes[0].page_number == 3
    assert await db.read(sources.keys_of_task, make.task_id) == {page.id: "domain:fdso.gov"}
