"""The phases of a search by the names under which they are stored, and where a restart takes each of them up."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from apsw import Connection

from lyra.app import Lyra
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.research.pipeline import has_ranked
from lyra.settings import Network, Politeness, Settings
from lyra.settings.apis import Academic
from lyra.settings.processes import Jobs
from lyra.settings.rungs import Browser, Tor
from simweb import SimWeb

PHASE_LOG = """
create table phases_seen (name text);
create trigger phase_seen after update of phase on queries when new.phase <> old.phase
begin
    insert into phases_seen values (new.phase);
end
"""


@pytest.fixture
async def lyra(web: SimWeb, tmp_path: Path) -> AsyncIterator[Lyra]:
    settings = Settings(
        data_dir=tmp_path,
        network=Network(proxy=web.proxy_url, ca_bundle=web.ca_path, timeout_s=5),
        politeness=Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000),
        browser=Browser(executable=tmp_path / "no-browser"),
        academic=Academic(enabled=False),
        jobs=Jobs(poll_s=0.05),
        tor=Tor(mode="off"),
    )
    async with Lyra.open(settings, with_worker=True) as opened:
        yield opened


async def test_a_restart_takes_up_each_phase_that_a_search_really_stores(lyra: Lyra) -> None:
    """Up to ranking everything is done again, from fetching on it goes on: by the very names that are written."""

    def log_phases(connection: Connection) -> None:
        connection.execute(PHASE_LOG)

    await lyra.db.write(log_phases)
    task, _ = await lyra.tasks.create("Do DPP-4 inhibitors cause heart failure?", TaskConfig())
    search = await lyra.searches.start(task.id, "saxagliptin heart failure", SearchOptions(max_pages=1))

    await lyra.searches.wait(search.id, 100)

    seen = await lyra.db.read(
        lambda connection: [name for (name,) in connection.execute("select name from phases_seen order by rowid")]
    )
    begun_anew = [name for name in (search.phase, *seen) if not has_ranked(replace(search, phase=name))]
    assert begun_anew == ["queued", "discover", "identify", "read papers", "rank"]
    assert seen == [
        *begun_anew[1:],
        "fetch",
        "read papers named in pages",
        "compare with the past",
        "assess",
        "done",
    ]
