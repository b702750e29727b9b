"""Queries sent for searches, and yields counted in the graph."""

from datetime import timedelta
from typing import Any

from lyra.model.search import CandidateState, PageYield, SentQuery
from lyra.storage import candidates, derived_queries, pages
from lyra.storage.database import Database


def sent(make: Any, text: str, rule: str = "asked", family: str = "asked", category: str = "academic") -> SentQuery:
    return SentQuery(
        f"dq_{text}", make.search_id, text, "parent", rule, family, make.now, category=category, engines=("mojeek",)
    )


async def found(db: Database, make: Any, url: str, query: str, engine: str) -> None:
    """A page that was read for a query and gave nothing."""
    page = make.page(url)
    await db.write(pages.save, page, ())
    candidate = make.candidate(url, engine=engine, derived_query=query, page_id=page.id, state=CandidateState.FETCHED)
    await db.write(candidates.add, [candidate])


async def test_what_was_sent_is_told_in_order_and_once(db: Database, graph: Any, make: Any) -> None:
    """After a restart the same queries are sent again: their figures are renewed, not doubled."""
    first, second = sent(make, "saxagliptin"), sent(make, "サキサグリプチン", "mirror:ja", "mirror:ja")
    await db.write(derived_queries.save, [first, second])

    await db.write(derived_queries.save, [first])

    assert await db.read(derived_queries.of_search, make.search_id) == (first, second)


async def test_yield_counts_pages_with_a_stance(db: Database, graph: Any, make: Any) -> None:
    """Pages that support or refute a claim of the task are useful; pages that say nothing only cost."""
    await db.write(derived_queries.save, [sent(make, "q", family="synonym")])
    await found(db, make, "https://barren.example/1", "q", "brave")
    since = make.now - timedelta(days=3650)

    engines = await db.read(derived_queries.engine_yields, "academic", since)
    families = await db.read(derived_queries.family_yields, since)
    branches = await db.read(derived_queries.branch_yields, make.search_id)

    assert engines["brave"] == PageYield(read=1, useful=0)
    assert engines["mojeek"] == PageYield(read=5, useful=5)
    assert families == {"synonym": PageYield(1, 0)}
    assert branches == {"q": PageYield(1, 0)}


async def test_another_category_learns_apart(db: Database, graph: Any, make: Any) -> None:
    """What engines find for papers says nothing of what they find for the news."""
    await db.write(derived_queries.save, [sent(make, "q", category="academic")])

    assert await db.read(derived_queries.engine_yields, "news", make.now - timedelta(days=3650)) == {}


async def test_queries_are_counted_by_search_and_rule(db: Database, graph: Any, make: Any) -> None:
    """For the status: how many of each kind, in the order in which they were sent."""
    asked = sent(make, "saxagliptin")
    pages_ = [sent(make, f"saxagliptin {number}", f"page:{number}", "page") for number in (2, 3)]
    await db.write(derived_queries.save, [asked, *pages_, sent(make, "サキサグリプチン", "mirror:ja", "mirror:ja")])

    told = await db.read(derived_queries.counts, make.task_id)

    assert {name: list(of.items()) for name, of in told.items()} == {
        make.search_id: [("asked", 1), ("page", 2), ("mirror:ja", 1)]
    }
    assert await db.read(derived_queries.counts, make.other_task_id) == {}
