"""The composition root: everything is built once over a data directory, and closed again."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from lyra.app import Lyra
from lyra.errors import DatabaseTooNew, StorageError
from lyra.ml.card import read_card
from lyra.model.job import JobState
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.model_store.pull import pin_folder, pull
from lyra.model_store.store import ModelStore
from lyra.settings import Settings
from lyra.storage import jobs
from tests import tiny_models


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path / "data", "jobs": {"poll_s": 0.01}})


async def test_opening_makes_the_data_directory_and_closing_leaves_it_whole(settings: Settings) -> None:
    """What was written is there for the next one; no thread of ours outlives the block."""
    before = _own_threads()
    async with Lyra.open(settings) as lyra:
        task, _ = await lyra.tasks.create("Are gliptins safe?", TaskConfig())
    async with Lyra.open(settings) as lyra:
        found = await lyra.tasks.recent(10)

    assert [one.id for one in found] == [task.id]
    assert _own_threads() - before == set()


def _own_threads() -> set[threading.Thread]:
    """Threads of ours, also those that other tests of this process have left."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("lyra-")}


async def test_no_model_is_loaded_before_it_is_needed(settings: Settings) -> None:
    """A client that only asks for the status pays for no inference."""
    async with Lyra.open(settings) as lyra:
        task, _ = await lyra.tasks.create("Are gliptins safe?", TaskConfig())
        await lyra.status.wait(task.id, 0)
        pid = lyra.models.status().pid

    assert pid is None


async def test_without_a_worker_searches_stay_in_the_queue(settings: Settings) -> None:
    """A command that only looks does not start to work."""
    async with Lyra.open(settings) as lyra:
        task, _ = await lyra.tasks.create("Are gliptins safe?", TaskConfig())
        await lyra.searches.start(task.id, "saxagliptin", SearchOptions())
        await lyra.searches.wait((await lyra.status.report(task.id)).searches[0].id, 0.3)

        (job,) = await lyra.db.read(jobs.of_task, task.id)

    assert job.state is JobState.QUEUED


async def test_two_may_open_one_new_directory_at_once(settings: Settings) -> None:
    """Each client starts its own server, and both may be the first."""

    async def create(name: str) -> str:
        async with Lyra.open(settings) as lyra:
            return (await lyra.tasks.create(name, TaskConfig()))[0].id

    made = await asyncio.gather(*(create(f"Question {number}?") for number in range(4)))

    async with Lyra.open(settings) as lyra:
        found = await lyra.tasks.recent(10)
    assert {one.id for one in found} == set(made)


async def test_a_newer_database_is_refused_and_nothing_stays_open(settings: Settings) -> None:
    """The same data directory opens again once Lyra is up to date."""
    async with Lyra.open(settings):
        pass
    connection = apsw.Connection(str(settings.database_path))
    known = connection.pragma("user_version")
    connection.pragma("user_version", known + 1)

    with pytest.raises(DatabaseTooNew):
        await _open(settings)
    connection.pragma("user_version", known)
    connection.close()

    assert await _open(settings) is True


async def test_a_directory_that_cannot_be_made_is_a_typed_error(tmp_path: Path) -> None:
    """Below a file there is no directory."""
    (tmp_path / "file").touch()

    with pytest.raises(StorageError):
        await _open(Settings(data_dir=tmp_path / "file" / "data"))


async def _open(settings: Settings) -> bool:
    async with Lyra.open(settings):
        return True


async def test_a_reader_of_ones_own_judges_in_place_of_the_large_one(settings: Settings, tmp_path: Path) -> None:
    """It decides what the small one leaves open, and its answer is calibrated by its own card."""
    origin = tiny_models.nli_folder(tmp_path / "nli")
    own = await pull(pin_folder("mine", "reader", origin), settings, lambda *_: None, lambda *_: None, origin)
    ModelStore(settings.models_dir).use("mine")
    async with Lyra.open(settings) as lyra:
        (stance,) = await lyra.judge.judge([("The rain fell in Kyoto on Monday.", "It was rainy in Kyoto.")])

    assert (stance.reader, stance.model_id) == ("large", own.model_id)
    assert lyra.models.troubles() == ()


async def test_a_reader_that_lost_its_calibration_is_left_out(settings: Settings, tmp_path: Path) -> None:
    """The small reader judges, and the status says why."""
    origin = tiny_models.nli_folder(tmp_path / "nli")
    own = await pull(pin_folder("mine", "reader", origin), settings, lambda *_: None, lambda *_: None, origin)
    ModelStore(settings.models_dir).use("mine")
    ModelStore(settings.models_dir).write_card(own.directory, read_card(own.directory) | {"calibration": {}})

    async with Lyra.open(settings) as lyra:
        (stance,) = await lyra.judge.judge([("The rain fell in Kyoto on Monday.", "It was rainy in Kyoto.")])
        troubles = lyra.models.troubles()

    assert stance.reader == "small"
    assert troubles == ("The large reader is out of use: The model mine is not calibrated, so it may not judge.",)
