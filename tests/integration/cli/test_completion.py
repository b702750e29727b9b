"""What a shell offers on Tab."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def offered(words: str, **environ: str) -> list[str]:
    """The lines that `lyra` gives to bash for the last word."""
    count = str(len(words.split(" ")) - 1)
    asked = {"_LYRA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": count}
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lyra"))],
        env={**own, **asked, **environ}, capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


def test_tasks_are_offered_where_an_id_is_asked(lyra: Any, home: Path) -> None:
    """The ids of the data directory, narrowed by what was typed."""
    first = lyra("task", "new", "Are gliptins safe?", "--json").json["task_id"]
    second = lyra("task", "new", "給食費の無償化は出生数を増やすか。", "--json").json["task_id"]

    everything = offered("lyra watch ", LYRA_DATA_DIR=str(home))
    narrowed = offered(f"lyra --data-dir {home} report {second[:-2]}", LYRA_DATA_DIR="/nowhere")

    assert sorted(everything) == sorted([first, second])
    assert narrowed == [second]


def test_a_broken_database_offers_nothing_and_says_nothing(tmp_path: Path) -> None:
    """A prompt is no place for errors."""
    (tmp_path / "lyra.db").write_bytes(b"no database " * 500)

    assert offered("lyra report task_", LYRA_DATA_DIR=str(tmp_path)) == []


def test_topics_and_commands_are_offered() -> None:
    """The demonstration's topics; commands by their beginning."""
    assert (offered("lyra demo "), offered("lyra wat")) == (["dpp4", "kosodate", "alp2"], ["watch"])
