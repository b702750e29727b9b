"""`scripts/test.sh`: what becomes of tests that fail beside others, with a small suite in place of Lyra's."""

import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "scripts" / "test.sh"
_PASSES = "def test_passes():\n    assert True\n"
_FAILS_ONCE = """
from pathlib import Path

def test_once():
    seen = Path(__file__).with_name("seen")
    is_second = seen.exists()
    seen.touch()
    assert is_second
"""


def run(folder: Path, suite: str) -> tuple[int, list[str]]:
    (folder / "test_suite.py").write_text(suite)
    done = subprocess.run(["sh", str(_SCRIPT), sys.executable, "-q"], cwd=folder, capture_output=True, text=True)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith(("test:", "test_suite.py::"))]


@pytest.mark.parametrize(
    ("suite", "code", "told"),
    [
        pytest.param(_PASSES, 0, [], id="all pass"),
        pytest.param(
            _FAILS_ONCE,
            0,
            [
                "test: failed beside others, once more alone:",
                "test_suite.py::test_once",
                "test: depends on what runs beside it, to be mended:",
                "test_suite.py::test_once",
            ],
            id="passes alone",
        ),
        pytest.param(
            "def test_fails():\n    assert False\n",
            1,
            ["test: failed beside others, once more alone:", "test_suite.py::test_fails"],
            id="fails alone too",
        ),
        pytest.param(
            "".join(f"{_FAILS_ONCE.replace('once', f'once_{at}').replace('seen', f'seen_{at}')}" for at in range(4)),
            1,
            [],
            id="four fail",
        ),
        pytest.param("def test_broken(:\n", 2, [], id="cannot be read"),
    ],
)
def test_what_fails_beside_others_is_run_once_more_alone(
    tmp_path: Path, suite: str, code: int, told: list[str]
) -> None:
    """It passes only where it passes alone, is named then, and at most three tests have that chance."""
    found = run(tmp_path, suite)

    assert found == (code, told)
