"""Claims whose evidence has changed are assessed again, in whatever task they are; older data is looked at once.

A page that is read again, a work that is found retracted: both may take away votes in tasks that nobody is searching.
"""

import asyncio
from collections.abc import Iterable

from lyra.clock import stamp
from lyra.evidence.notices import is_notice
from lyra.model.page import Page, PageNotice
from lyra.research.assessing import Assessor
from lyra.research.kit import Kit
from lyra.research.page_notice import page_notice
from lyra.storage import pages, votes

_AT_ONCE = 500


async def reassess(kit: Kit) -> None:
    """Assess every claim whose evidence has changed since it was assessed."""
    for task_id, claim_ids in (await kit.db.read(votes.stale)).items():
        assessor = Assessor(kit, task_id)
        await assessor.join()
        await assessor.assess(claim_ids)
        await assessor.weigh_sources()


async def look_at_older_data(kit: Kit) -> None:
    """Find out for pages and edges of an older Lyra what is found out today as they are stored; nothing otherwise."""
    while page_ids := await kit.db.read(votes.pages_not_looked_at, _AT_ONCE):
        for page_id in page_ids:
            page = await kit.db.read(pages.get, page_id)
            if page is not None:
                await kit.db.write(votes.note_page, page_id, await asyncio.to_thread(_notice, page))
    while texts := await kit.db.read(votes.texts_not_looked_at, _AT_ONCE):
        await kit.db.write(votes.note_notices, await asyncio.to_thread(_notices, texts))


def _notices(texts: Iterable[tuple[str, str]]) -> dict[str, bool]:
    return {edge_id: is_notice(text) for edge_id, text in texts}


def _notice(page: Page) -> PageNotice:
    return page_notice(page.title, page.text, updated=page.updated, read_on=stamp(page.fetched_at)[:10])
