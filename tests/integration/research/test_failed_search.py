"""What a client is told of a search that failed: the error it ended with, and what mends it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.errors import StorageError
from lyra.model.search import Candidate, CandidateState, SearchOptions, SearchStatus
from lyra.model.task import TaskConfig
from lyra.settings import Settings
from lyra.storage import candidates, searches

FULL = "The disk that holds lyra.db is full; the last change was undone."


async def test_a_full_disk_in_the_middle_of_a_search_is_told_as_one(tmp_path: Path) -> None:
    """Exit code 5 and the remedy of a full disk, not “wait”: waiting frees no space."""
    async with Lyra.open(Settings(data_dir=tmp_path)) as lyra:
        task, _ = await lyra.tasks.create("学校給食費の無償化は出生数を増やすか", TaskConfig())
        search = await lyra.searches.start(task.id, "給食費 無償化", SearchOptions())
        now = datetime(2026, 11, 15, tzinfo=UTC)
        await lyra.db.write(searches.end, search.id, SearchStatus.FAILED, FULL, now, error_code=StorageError.code)

        with pytest.raises(StorageError) as caught:
            await lyra.searches.wait(search.id, 0)

    assert (caught.value.exit_code, caught.value.message) == (5, FULL)
    assert caught.value.remedy == "Free some space, or repair what `lyra doctor` names; then search again."


async def test_a_page_that_was_given_up_is_named_in_the_status_and_the_answer(tmp_path: Path) -> None:
    """The search itself says only “1 failed”; a page that failed otherwise is told by its search."""
    async with Lyra.open(Settings(data_dir=tmp_path)) as lyra:
        task, _ = await lyra.tasks.create("Is florbix safe?", TaskConfig())
        search = await lyra.searches.start(task.id, "florbix", SearchOptions())
        reasons = {
            "https://bomb.example/": "The page could not be read: the process that reads it ended twice (SIGKILL).",
            "https://gone.example/": "failed: 404",
        }
        found = [
            Candidate(f"r_{url}", search.id, url, "", "", "mojeek", 1, CandidateState.FAILED, reason=reason)
            for url, reason in reasons.items()
        ]
        await lyra.db.write(candidates.add, found)

        report = await lyra.status.report(task.id)
        unanswered = await lyra.status.unasked_sources(task.id)

    told = ("https://bomb.example/ was given up after two tries to read it (SIGKILL)",)
    assert (report.warnings, unanswered) == (told, told)
