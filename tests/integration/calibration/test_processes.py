"""Several processes on one data directory: no sample is lost, one version is in force, and all see it."""

import json
import subprocess
import sys
from pathlib import Path

from lyra.app import Lyra
from lyra.calibration.book import CalibrationBook
from lyra.model.calibration import CalibrationSource
from lyra.settings import Models, Settings
from lyra.storage.database import Database

from .conftest import Rows, overconfident

NLI = CalibrationSource.NLI_JUDGE

# Adds samples through a Lyra of its own: `data_dir count seed`.
_FEED = """
import asyncio, json, sys
from pathlib import Path
from lyra.app import Lyra
from lyra.model.calibration import CalibrationSource
from lyra.settings import Models, Settings

async def main():
    async with Lyra.open(Settings(data_dir=Path(sys.argv[1]), models=Models(strong="off"))) as lyra:
        for prediction, actual in json.loads(sys.stdin.read()):
            await lyra.calibration.add_sample(CalibrationSource.NLI_JUDGE, prediction, actual)

asyncio.run(main())
"""


def feeding(data_dir: Path, count: int, seed: int) -> "subprocess.Popen[str]":
    """A process that adds these samples."""

    process = subprocess.Popen([sys.executable, "-c", _FEED, str(data_dir)], stdin=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps(overconfident(count, seed)))
    process.stdin.close()
    return process


async def test_two_processes_add_samples_at_once(path: Path, db: Database, book: CalibrationBook, rows: Rows) -> None:
    """Eighty samples are kept, and one set of fits is in force."""
    processes = [feeding(path.parent, 40, seed) for seed in (1, 2)]

    codes = [process.wait(timeout=60) for process in processes]

    assert codes == [0, 0]
    assert rows("select count(*) from calibration_samples") == [(80,)]
    assert rows("select count(*) from calibration_parameters where is_active = 1") == [(1,)]


async def test_a_running_judge_takes_up_what_another_process_has_fitted(tmp_path: Path) -> None:
    """At its next batch, without a restart."""
    pair = ("Sitagliptin lowered HbA1c by 0.7 points.", "Sitagliptin lowers HbA1c.")
    async with Lyra.open(Settings(data_dir=tmp_path, models=Models(strong="off"))) as lyra:
        (before,) = await lyra.judge.judge([pair])
        code = feeding(tmp_path, 50, 3).wait(timeout=60)

        (after,) = await lyra.judge.judge([pair])

    assert (code, after.calibration_version) == (0, f"{before.calibration_version}+v1")
