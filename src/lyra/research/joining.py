"""Which pages of a task count as one source: one story in one wording, or citations in a circle."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lyra.evidence.page_groups import PageText, citation_loops, merge_groups, self_references, stories
from lyra.model.page import Fragment, GroupKind, PageGroup
from lyra.storage import candidates, edges, embeddings, links, pages, searches
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection


async def page_groups(db: Database, task_id: str, model_id: str) -> tuple[PageGroup, ...]:
    """Narratives, loops and self-references among the task's pages, from the texts, vectors and links stored.

    While the vectors of another model are being replaced by those of `model_id`, those of the model that has more of
    the task decide.
    """
    tellings = await db.read(_tellings, task_id, model_id)
    told = await asyncio.to_thread(stories, tellings)
    cited = await db.read(edges.cites, {telling.page_id for telling in tellings})
    alone = self_references(await db.read(links.of_task, task_id))
    return (
        *(
            PageGroup(GroupKind.NARRATIVE, pages_, tuple(one for one in told if one <= pages_))
            for pages_ in merge_groups(told)
        ),
        *(PageGroup(GroupKind.LOOP, pages_) for pages_ in citation_loops(cited)),
        *(PageGroup(GroupKind.SELF_REFERENCE, frozenset({page_id})) for page_id in alone),
    )


def joined(groups: Iterable[PageGroup]) -> tuple[frozenset[str], ...]:
    """The page ids that count as one source: those of a loop, and of each story of a narrative. A page that cites only
    its publisher is one with it anyway."""
    counted = [one for one in groups if one.kind is not GroupKind.SELF_REFERENCE]
    return tuple(pages_ for one in counted for pages_ in one.stories or (one.pages,))


def fragments_read(connection: "Connection", task_id: str) -> tuple[Fragment, ...]:
    """Every fragment the task has read, whether or not it spoke so far: a later claim may be what it is about."""
    read = {
        one.page_id: None
        for search in searches.of_task(connection, task_id)
        for one in candidates.of_search(connection, search.id)
        if one.page_id and one.state.is_read
    }
    found = {one.id: one for one in pages.fragments_of_task(connection, task_id)}
    found |= {one.id: one for page_id in read for one in pages.fragments_of(connection, page_id)}
    return tuple(found.values())


def _tellings(connection: "Connection", task_id: str, model_id: str) -> list[PageText]:
    found = fragments_read(connection, task_id)
    ids = [one.id for one in found]
    fullest = embeddings.fullest_model(connection, "fragment", ids, model_id)
    vectors = embeddings.get_many(connection, "fragment", ids, fullest)
    return [PageText(one.id, one.page_id, one.text_content, vectors[one.id]) for one in found if one.id in vectors]
