"""Ranking candidates with what the task knows of their pages."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.model.page import GroupKind, Page, PageGroup
from lyra.model.search import Candidate, CandidateState, SearchOptions
from lyra.model.task import TaskConfig
from lyra.research.phases.rank import rank
from lyra.research.search_run import SearchRun
from lyra.settings import Settings
from lyra.storage import candidates, page_groups, pages

TITLE = "Saxagliptin and hospitalisation for heart failure"
URLS = ("https://a.example/1", "https://b.example/1", "https://c.example/1")


@pytest.fixture
async def lyra(tmp_path: Path) -> AsyncIterator[Lyra]:
    async with Lyra.open(Settings.model_validate({"data_dir": tmp_path})) as opened:
        yield opened


async def test_pages_known_to_cite_in_a_circle_or_only_themselves_rank_lower(lyra: Lyra) -> None:
    """Three results say the same: the loop's page has half the score of the plain one, the self-reference a fifth."""
    task, _ = await lyra.tasks.create("Do gliptins harm the heart?", TaskConfig())
    search = await lyra.searches.start(task.id, "saxagliptin heart failure", SearchOptions())
    now = datetime(2026, 3, 1, tzinfo=UTC)
    for at, url in enumerate(URLS):
        await lyra.db.write(pages.save, Page(f"p_{at}", url, url[8:17], TITLE, "en", now), ())
        found = Candidate(f"r_{at}", search.id, url, TITLE, "", "made", at, CandidateState.PENDING)
        await lyra.db.write(candidates.add, [found])
    known = [
        PageGroup(GroupKind.LOOP, frozenset({"p_1"})),
        PageGroup(GroupKind.SELF_REFERENCE, frozenset({"p_2"})),
    ]
    await lyra.db.write(page_groups.replace_all, task.id, known)

    await rank(SearchRun(lyra.parts, task, search))

    scores = {one.url: one.score for one in await lyra.db.read(candidates.of_search, search.id)}
    assert scores[URLS[1]] == pytest.approx(0.5 * scores[URLS[0]])
    assert scores[URLS[2]] == pytest.approx(0.2 * scores[URLS[0]])
