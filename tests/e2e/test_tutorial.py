"""The tutorial's hand part: its commands, as they stand in the page, on the simulated web that it starts."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-research.md"
_EXAMPLE_ID = "task_1a2b3c4d5e6f"
_PAGES = "--max-pages 5"
_LEFT_OUT = ". .venv/bin/activate\n"  # the test runs the installation that it is part of
_SLOW = re.compile(r"^lyra doctor.*\n", re.MULTILINE)  # loads every model, and has tests of its own


def blocks() -> list[str]:
    """The commands of the hand part: the server, the environment, and one for each step."""
    page = _PAGE.read_text("utf-8")
    part = page[page.index("## Do the same by hand") : page.index("## Let an AI client")]
    return re.findall(r"```sh\n(.*?)```", part, re.DOTALL)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a `lyra` command, as after set-up."""
    command = tmp_path / ".venv" / "bin" / "lyra"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lyra "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.fixture
def port(place: Path) -> Iterator[int]:
    """The simulated web of the page's first command, on a port that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    command = blocks()[0].replace("8899", str(number)).split()
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        json.loads(process.stdout.readline())
        yield number
        process.send_signal(signal.SIGINT)


def run(place: Path, script: str) -> str:
    # Papers by their abstracts are the larger half of a search and no part of what the page shows.
    env = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    env |= {"PATH": f"{place / '.venv' / 'bin'}:{env['PATH']}", "LYRA_ACADEMIC__ENABLED": "false"}
    env["LYRA_MODELS__STRONG"] = "off"
    done = subprocess.run(["sh", "-e"], input=script, cwd=place, env=env, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    return done.stdout


def test_the_hand_part_works_as_it_is_printed(place: Path, port: int) -> None:
    """Offline, from the first question to the report with its quotes."""
    _, environment, first, *rest = blocks()
    environment = environment.removeprefix(_LEFT_OUT).replace("8899", str(port))

    asked = run(place, environment + _SLOW.sub("", first))
    task_id = re.search(r"task_[0-9a-f]{12}", asked).group()  # type: ignore[union-attr]
    steps = "".join(rest).replace(_EXAMPLE_ID, task_id).replace(_PAGES, "--max-pages 1")  # quicker
    told = run(place, environment + steps)

    report = (place / "report.md").read_text("utf-8")
    assert "Saxagliptin increases hospitalisation for heart failure." in told
    assert f"{task_id} is completed" in told
    assert "#:~:text=" in report
    assert (place / "first-research" / "lyra.db").is_file()
