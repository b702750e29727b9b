"""A collection read in bulk on the command line becomes the graph that a search over the same pages has made."""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
import yaml

from tests import tiny_gguf, tiny_models
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
    new task can be replayed from its archive, and packed for others, who find every quote in the archived bytes."""
    searched, home, warc = tmp_path / "searched", tmp_path / "home", tmp_path / "pages.warc.gz"
    first = new_task(lyra, searched)
    lyra("search", first, QUESTION, "--max-pages", "5", "--json", data_dir=searched, **PLAIN)
    count = pages_as_warc(searched, warc)
    task = new_task(lyra, home)

    read = lyra("bulk", str(warc), "--task", task, "--workers", "2", "--json", data_dir=home, **SMALL_READER)
    imported = lyra("bulk", "import", "--task", task, "--json", data_dir=home, **SMALL_READER)
    replayed = lyra("replay", task, "--json", data_dir=home, **SMALL_READER)
    packed = lyra("pack", task, "-o", str(tmp_path / "task.lyrapack"), "--json", data_dir=home)
    verified = lyra("verify", str(tmp_path / "task.lyrapack"), "--digest", packed.json["sha256"], "--json")

    known = lyra("replay", first, "--json", data_dir=searched, **SMALL_READER).json
    assert (read.code, read.json["read"], read.json["failed"]) == (0, count, [])
    assert imported.json["digest"] == known["digest_stored"]
    assert (imported.json["imported"], imported.json["not_archived"]) == (count, [])
    assert imported.json["recalled"]["read"] > imported.json["asked"].get("read", 0)
    assert (replayed.json["is_same"], replayed.json["digest"]) == (True, known["digest_stored"])
    assert (verified.code, verified.json["ok"], verified.json["problems"]) == (0, True, [])
    assert verified.json["quotes_found"] == verified.json["quotes"] > 0


def test_files_that_were_not_archived_are_no_proof(lyra: Any, tmp_path: Path) -> None:
    """A task that was imported without its bytes can be packed; what is missing is named, and is no change."""
    home, task = tmp_path / "home", new_task(lyra, tmp_path / "home")
    (tmp_path / "note.md").write_text(f"# Note\n\n{HYPOTHESIS}\n", "utf-8")
    lyra("bulk", str(tmp_path / "note.md"), "--task", task, "--json", data_dir=home)
    lyra("bulk", "import", "--task", task, "--no-archive", "--json", data_dir=home)

    packed = lyra("pack", task, "-o", str(tmp_path / "task.lyrapack"), "--json", data_dir=home)

    verified = lyra("verify", str(tmp_path / "task.lyrapack"), "--json")
    address = (tmp_path / "note.md").as_uri()
    assert (packed.json["records"], packed.json["missing"]) == (0, [address])
    assert (packed.code, verified.code, verified.json["quotes_found"]) == (1, 1, 0)
    assert (verified.json["problems"], [one["where"] for one in verified.json["missing"]]) == ([], [address])


def test_a_chosen_language_model_judges_in_bulk(lyra: Any, tmp_path: Path) -> None:
    """It refutes whatever it is asked: by its word, in the workers' rows and in the graph."""
    origin, home = tmp_path / "origin", tmp_path / "home"
    origin.mkdir()
    base = tiny_gguf.write_model(origin / "base.gguf")
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": tiny_models.pinned(origin, "generator")}), "utf-8")
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", base)
    strong = {"LYRA_MODELS__CATALOGUE": str(catalogue), "LYRA_MODELS__ADAPTER": str(adapter)}
    strong |= {"LYRA_MODELS__STRONG": "auto"}
    lyra("models", "pull", "talker", "--from", str(base), data_dir=home, **strong)
    lyra("models", "use", "talker", data_dir=home, **strong)
    task = new_task(lyra, home)
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nSaxagliptin raised hospital admissions for heart failure by a quarter.\n", "utf-8")

    read = lyra("bulk", str(note), "--task", task, "--workers", "1", "--json", data_dir=home, **strong)
    imported = lyra("bulk", "import", "--task", task, "--json", data_dir=home, **strong)

    found = "select reader, relation from edges e join claims c on c.id = e.target_id where c.claim_text = '{}'"
    decided = lyra("query", found.format(HYPOTHESIS), "--json", data_dir=home).json["rows"]
    assert (read.code, read.json["read"]) == (0, 1)
    assert (imported.json["asked"]["read"], imported.json["has_other_models"]) == (0, False)
    assert decided == [{"reader": "strong", "relation": "refutes"}]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("bulk", "nowhere", "--task", "{task}"), "There is no file or folder {tmp}/nowhere."),
        (("bulk", "ftp://host/x", "--task", "{task}"), "ftp:// is not a store that Lyra can read."),
        (("bulk", "{tmp}", "--task", "task_000000000000"), "There is no task 'task_000000000000'."),
        (
            ("bulk", "import", "--task", "{task}"),
            "`lyra bulk` has not written this folder, or its plan.json is damaged.",
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
