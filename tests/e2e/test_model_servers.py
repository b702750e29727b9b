"""A search with models of a group's server, and without one that is down, seen by an MCP client."""

from pathlib import Path
from typing import Any

from tests.model_server import serving

PAGE = "https://hojokin-matome24.net/kyushoku-gakuryoku-05"
QUESTION = "給食の無償化で学力は上がるか"


def test_a_shared_server_embeds_for_a_search(connect: Any, tmp_path: Path) -> None:
    """Texts of the page and the question go to it, and nothing is amiss."""
    with serving() as server, connect(tmp_path, LYRA_MODELS__EMBEDDING__URL=server.address) as face:
        task = face.call("create_task", query=QUESTION)["task_id"]
        found = face.search(task, PAGE)
        status = face.call("get_status", task_id=task)

    texts = [text for path, request in server.requests if path == "/embed" for text in request["inputs"]]
    assert (found["pages_fetched"], status["warnings"], QUESTION in texts) == (1, [], True)


def test_a_search_goes_on_without_a_server_that_is_down(connect: Any, tmp_path: Path) -> None:
    """The isolated process serves, and every status says why."""
    with connect(tmp_path, LYRA_MODELS__EMBEDDING__URL="http://127.0.0.1:9") as face:
        task = face.call("create_task", query=QUESTION)["task_id"]
        found = face.search(task, PAGE)
        status = face.call("get_status", task_id=task)

    assert found["pages_fetched"] == 1
    assert status["warnings"] == [
        "The embedding endpoint is not used: No model server listens at 127.0.0.1:9. "
        "The isolated process embeds instead."
    ]
