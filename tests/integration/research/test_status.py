"""What the status of a task tells besides the task."""

from pathlib import Path

import psutil

from lyra.app import Lyra
from lyra.model.task import TaskConfig
from lyra.settings import Settings


async def test_a_restart_of_the_models_is_told(tmp_path: Path) -> None:
    """A worker killed in the middle costs no result, but the client hears of it."""
    async with Lyra.open(Settings(data_dir=tmp_path)) as lyra:
        task, _ = await lyra.tasks.create("給食費の無償化は出生数を増やすか", TaskConfig())
        await lyra.models.embedder.embed(["給食費"])
        psutil.Process(lyra.models.status().pid).kill()
        await lyra.models.embedder.embed(["出生数"])

        report = await lyra.status.report(task.id)

    assert report.warnings == (
        "The inference process ended unexpectedly (times: 1; last: killed by SIGKILL); "
        "the same model is started again when it is needed.",
    )
