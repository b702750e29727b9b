"""A collection read in bulk on the command line becomes the graph that a search over the same pages has made."""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.e2e.conftest import SMALL_READER

QUESTION = "saxagliptin heart failure hospitalisation"
HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."
# One page after another, and nothing that a collection does not hold.
PLAIN = {
    **SMALL_READER,
    "LYRA_NETWORK__CONCURRENCY": "1",
    "LYRA_ACADEMIC__ENABLED": "false",
    "LYRA_WAYBACK__ENABLED": "false",
}


def new_task(lyra: Any, home: Path) -> str:
    return str(lyra("task", "new", QUESTION, "-H", HYPOTHESIS, "--json", data_dir=home, **SMALL_READER).json["task_id"])


def pages_as_warc(home: Path, target: Path) -> int:
    """The archived answers of the pages that a search has read, in the order in which it read them."""
    connection = apsw.Connection(str(home / "lyra.db"))
    read = connection.execute("select details -> '$.page.archive' from event_log where kind = 'page_read' order by id")
    places = [json.loads(str(place)) for (place,) in read]
    connection.close()
    with target.open("wb") as out:
        for place in places:
            with (home / "archive" / place["path"]).open("rb") as file:
                file.seek(place["offset"])
                out.write(file.read(place["length"]))
    return len(places)


def test_a_bulk_import_is_the_graph_of_the_search(lyra: Any, tmp_path: Path) -> None:
    """The pages of a search, packed as a WARC file, read by two processes and imported elsewhere: the same digest. The
    new task can be replayed from its archive and checked quote by quote."""
    searched, home, warc = tmp_path / "searched", tmp_path / "home", tmp_path / "pages.warc.gz"
    first = new_task(lyra, searched)
    lyra("search", first, QUESTION, "--max-pages", "5", "--json", data_dir=searched, **PLAIN)
    count = pages_as_warc(searched, warc)
    task = new_task(lyra, home)

    read = lyra("bulk", str(warc), "--task", task, "--workers", "2", "--json", data_dir=home, **SMALL_READER)
    imported = lyra("bulk", "import", "--task", task, "--json", data_dir=home, **SMALL_READER)
    replayed = lyra("replay", task, "--json", data_dir=home, **SMALL_READER)

    known = lyra("replay", first, "--json", data_dir=searched, **SMALL_READER).json
    assert (read.code, read.json["read"], read.json["failed"]) == (0, count, [])
    assert imported.json["digest"] == known["digest_stored"]
    assert (imported.json["imported"], imported.json["not_archived"]) == (count, [])
    assert imported.json["recalled"]["read"] > imported.json["asked"].get("read", 0)
    assert (replayed.json["is_same"], replayed.json["digest"]) == (True, known["digest_stored"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("bulk", "nowhere", "--task", "{task}"), "There is no file or folder {tmp}/nowhere."),
        (("bulk", "ftp://host/x", "--task", "{task}"), "ftp:// is no store that can be read."),
        (("bulk", "{tmp}", "--task", "task_000000000000"), "There is no task 'task_000000000000'."),
        (
            ("bulk", "import", "--task", "{task}"),
            "The folder is none that `lyra bulk` has written, or its plan.json is damaged.",
        ),
    ],
    ids=["no folder", "no store", "no task", "nothing read"],
)
def test_what_cannot_be_read_is_refused_by_name(
    lyra_here: Any, tmp_path: Path, words: tuple[str, ...], error: str
) -> None:
    """A typed error with a remedy, before anything is begun."""
    task = new_task(lyra_here, tmp_path / "home")
    given = [word.format(task=task, tmp=tmp_path).replace("nowhere", f"{tmp_path}/nowhere") for word in words]

    done = lyra_here(*given, "--json", data_dir=tmp_path / "home")

    assert (done.code, done.json["ok"]) != (0, True)
    assert done.json["error"] == error.format(tmp=tmp_path)
    assert done.json["remedy"]
