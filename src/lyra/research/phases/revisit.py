"""In a recheck: the pages that a search has its evidence from are visited again, before anything else it finds."""

from dataclasses import replace

from lyra.ids import derived_id
from lyra.model.search import CandidateState
from lyra.research.search_run import SearchRun
from lyra.storage import candidates, rechecks


async def revisit(run: SearchRun) -> None:
    """Put the known pages first among the candidates; nothing where the search repeats none."""
    if run.search.repeats_id is None:
        return
    known = await run.parts.db.read(rechecks.pages_to_visit, run.search)
    wanted = [replace(one, id=derived_id("r", run.search.id, one.url)) for one in known]
    await run.parts.db.write(candidates.add, wanted)
    urls = {one.url for one in wanted}
    found = await run.parts.db.read(candidates.of_search, run.search.id)
    first = [one.id for one in found if one.url in urls and one.state is CandidateState.PENDING]
    await run.parts.db.write(candidates.put_first, run.search.id, first)
