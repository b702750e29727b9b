"""A task's harvest is one figure, whoever shows it (SPEC §3)."""

from collections.abc import Callable
from typing import Any

from apsw import Connection

from lyra.answers.research import StatusAnswer
from lyra.app import Lyra
from lyra.model.edge import Relation
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.trust import TrustLevel
from lyra.settings import Settings
from lyra.storage import candidates, pages, searches

TASK = "task_00000000000a"


async def test_status_and_metrics_show_the_same_harvest(
    settings: Settings, write: Callable[..., str], said: Any, clock: Any
) -> None:
    """Two pages with a useful fragment each, one of them read by a second search too, and a third with none: 2/3."""
    useful = [
        said("https://www.fdso.gov/a", "fdso.gov", "They do.", Relation.SUPPORTS, 0.9, TrustLevel.GOVERNMENT),
        said("https://b.example/b", "b.example", "They do not.", Relation.REFUTES, 0.9, TrustLevel.LOW),
    ]
    silent = said("https://c.example/c", "c.example", "Tea is hot.", Relation.NEUTRAL, 0.9, TrustLevel.LOW)

    def read_again(connection: Connection) -> None:
        """A second search reads a known page and one on which nothing is useful."""
        pages.save(connection, silent.page, [silent.fragment])
        searches.insert(connection, Search("s_2", TASK, "q", SearchOptions(), SearchStatus.PARTIAL, clock.now()))
        for one, state in ((useful[0], CandidateState.REUSED), (silent, CandidateState.FETCHED)):
            found = Candidate(f"i_{one.url}", "s_2", one.url, "", "", "mojeek", 1, state, page_id=one.page.id)
            candidates.add(connection, [found])

    async with Lyra.open(settings) as lyra:
        await lyra.db.write(write, "Gliptins prolong life.", useful)
        await lyra.db.write(read_again)

        shown = StatusAnswer.from_report(await lyra.status.report(TASK)).cli_fields()["metrics"]["harvest_rate"]
        metrics = {one.name: one.value for one in await lyra.meter.read(TASK)}

    assert (shown, metrics["harvest_rate"]) == (0.667, 0.6667)
