"""What reports read beside claims and quotes: who is independent, and the page of a PDF on which words stand."""

from typing import Any

from lyra.model.claim import ClaimSource, SourceDependence
from lyra.model.edge import Relation
from lyra.storage import claim_sources, claims, edges, pages, quotes, sources, tasks
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
