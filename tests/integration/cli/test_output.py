"""Files that a user names: written where their folder is, and nowhere else."""

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    "words",
    [("report", "{task}", "-o"), ("export", "{task}", "-o"), ("archive", "index", "--output")],
    ids=["report", "export", "index"],
)
def test_no_folder_is_made_for_a_named_file(lyra: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A mistyped path is an error that says what to do, not a new folder, at the root or anywhere."""
    task = lyra("task", "new", "q", "--json").json["task_id"]
    wanted = tmp_path / "typo" / "deeper" / "file"

    done = lyra(*(word.format(task=task) for word in words), str(wanted))

    assert done.code == 2
    assert done.err.splitlines()[0] == f"lyra: {wanted} cannot be written: there is no folder {wanted.parent}."
    assert "Make the folder first" in done.err
    assert not (tmp_path / "typo").exists()


def test_a_report_goes_to_its_own_folder(lyra: Any, home: Path) -> None:
    """Without a name it lies below the data directory, whose folders are Lyra's to make."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, "--json")

    assert (done.code, done.json["path"]) == (0, str(home / "reports" / f"{task}.md"))
    assert (home / "reports" / f"{task}.md").is_file()
