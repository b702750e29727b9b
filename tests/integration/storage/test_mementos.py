"""Which pages are worth asking the web archive about."""

from typing import Any

import pytest

from lyra.model.edge import Relation
from lyra.model.event import Event
from lyra.model.search import CandidateState
from lyra.storage import candidates, claims, edges, journal, mementos, pages, searches, tasks
from lyra.storage.database import Database

URL = "https://www.oipa-alliance.org/standards/alp-2"


@pytest.fixture
async def weighty(db: Database, make: Any) -> str:
    """A page that says it was updated and speaks for a claim; this search has met it without fetching it again."""
    page = make.page(URL, "oipa-alliance.org", date="2021-09-14", updated="2026-05-06", text="It can be replayed.")
    fragment, claim = make.fragment(page, "It can be replayed."), make.claim("ALP-2 can be replayed.")

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        searches.insert(connection, make.search())
        pages.save(connection, page, [fragment])
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, [make.stance(fragment, claim, Relation.SUPPORTS, 0.9)])
        candidates.add(connection, [make.candidate(URL, state=CandidateState.REUSED, page_id=page.id)])

    await db.write(store)
    return str(page.id)


async def test_a_page_known_from_another_task_is_worth_it(db: Database, make: Any, weighty: str) -> None:
    """Whoever read it first may have had no share left for its past."""
    assert await db.read(mementos.pages_to_compare, make.search_id, (), 5) == (weighty,)


async def test_the_archive_is_asked_once_a_task(db: Database, make: Any, weighty: str) -> None:
    """A page without copies is not looked up by every search anew."""
    asked = Event("past", make.now, URL, {"copies": 0, "asked": 1}, task_id=make.task_id, search_id=make.search_id)
    await db.write(journal.append, [asked])

    assert await db.read(mementos.pages_to_compare, make.search_id, (), 5) == ()
