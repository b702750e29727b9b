"""The project's own habits: what runs before a commit is what continuous integration runs."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def hooks() -> dict[str, dict[str, object]]:
    """The local hooks by id."""
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert local["repo"] == "local"  # nothing is fetched
    return {hook["id"]: hook for hook in local["hooks"]}


def test_the_hooks_run_what_make_check_runs() -> None:
    """The same commands in the same order, from the project's own environment."""
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert recipe is not None
    commands = [line.strip().removeprefix("@").replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]

    entries = [hook["entry"] for hook in hooks().values() if "stages" not in hook]

    assert entries == commands


@pytest.mark.parametrize(
    ("subject", "code"), [pytest.param("x" * 65, 0, id="65 characters"), pytest.param("x" * 66, 1, id="66 characters")]
)
def test_a_long_subject_is_refused(tmp_path: Path, subject: str, code: int) -> None:
    """The body may be as long as it needs to be."""
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\n{'y' * 200}\n", "utf-8")

    done = subprocess.run(f"{hooks()['commit-subject']['entry']} {message}", shell=True, check=False)

    assert done.returncode == code
