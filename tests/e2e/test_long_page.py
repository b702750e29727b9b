"""A page of very many paragraphs on loopback, through both faces: bounded, said, stopped and read once in the end."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.loopback import ON_LOOPBACK, pages_on_loopback, wait_for
from tests.e2e.test_durability import ask

HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."
PARAGRAPHS = [
    f"In ward {number} saxagliptin increased the risk of hospitalisation for heart failure in {number + 3} patients."
    for number in range(1_200)
]
BOUNDED = {**ON_LOOPBACK, "LYRA_EVIDENCE__HYPOTHESIS_PAIRS_PER_PAGE": "40"}
HYPOTHESIS_EDGES = "select count(*) from edges e join claims c on c.id = e.target_id where c.is_hypothesis"


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    text = "".join(f"<p>{one}</p>" for one in PARAGRAPHS)
    with pages_on_loopback({"/cases": f"<html lang='en'><title>Cases</title><article>{text}</article></html>"}) as site:
        yield f"{site}/cases"


def is_being_judged(data_dir: Path) -> bool:
    """The page is stored, and nothing it says is."""
    return ask(data_dir, "select count(*) from fragments") == [(1_200,)]


def begin(face: Any, page: str) -> str:
    """A task with a search that is in the middle of the page."""
    task = str(face.call("create_task", query="Is it safe?", config={"hypotheses": [{"text": HYPOTHESIS}]})["task_id"])
    face.call("search", task_id=task, query=page, options={"wait_seconds": 0})
    return task


def test_what_was_not_judged_of_a_page_is_in_the_answer_and_the_journal(
    lyra_here: Any, page: str, tmp_path: Path
) -> None:
    """The command line says how many pairs were judged; no more edges are there."""
    words = ("task", "new", "Is it safe?", "--hypothesis", HYPOTHESIS, "--json")
    task = lyra_here(*words, data_dir=tmp_path, **BOUNDED).json["task_id"]

    found = lyra_here("search", task, page, "--json", data_dir=tmp_path, **BOUNDED)

    log = lyra_here("log", task, "--json", data_dir=tmp_path, **BOUNDED)
    (told,) = [one for one in log.json["events"] if one["kind"] == "partly_judged"]
    wanted = told["details"]["wanted"]
    assert found.json["problems"] == [f"{page} was judged in part: 40 of its {wanted} pairs of passage and hypothesis"]
    assert (told["details"]["judged"], ask(tmp_path, HYPOTHESIS_EDGES)) == (40, [(40,)])


def test_stop_task_ends_a_long_page_and_a_later_search_reads_it(connect: Any, page: str, tmp_path: Path) -> None:
    """The task is stopped in the middle; nothing of the page counts until it is read whole, once."""
    with connect(tmp_path, **ON_LOOPBACK) as face:
        task = begin(face, page)
        wait_for(lambda: is_being_judged(tmp_path))
        stopped = face.call("stop_task", task_id=task, reason="user_cancelled")
        left = ask(tmp_path, "select count(*) from edges")
        jobs = ask(tmp_path, "select state from jobs")
    with connect(tmp_path, **BOUNDED) as face:
        again = face.search(task, page)

    assert (stopped["final_status"], left, jobs) == ("cancelled", [(0,)], [("cancelled",)])
    assert (again["pages_fetched"], ask(tmp_path, HYPOTHESIS_EDGES)) == (0, [(40,)])


def test_a_server_that_ends_in_a_long_page_loses_and_doubles_nothing(connect: Any, page: str, tmp_path: Path) -> None:
    """SIGTERM in the middle: it ends in order, and the next server reads the page as if it were the first."""
    with connect(tmp_path, **ON_LOOPBACK) as face:
        task = begin(face, page)
        wait_for(lambda: is_being_judged(tmp_path))
        face.process.send_signal(signal.SIGTERM)
        face.process.wait(30)
    left = (ask(tmp_path, "select count(*) from edges"), ask(tmp_path, "select state, attempts from jobs"))
    with connect(tmp_path, **BOUNDED) as face:
        ended = face.call("get_status", task_id=task, wait_seconds=60, until="done")

    assert left == ([(0,)], [("queued", 0)])
    assert [(one["status"], one["pages_fetched"]) for one in ended["searches"]] == [("partial", 1)]
    assert ask(tmp_path, HYPOTHESIS_EDGES) == [(40,)]
