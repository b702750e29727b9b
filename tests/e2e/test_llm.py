"""A search with the user's own language model: the second stage of both judgements, seen through the faces."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

# A page of the kind that rules cannot place: short, written for search engines (0.469 by the rules).
DOUBTFUL = "https://hojokin-matome24.net/kyushoku-gakuryoku-05"


def test_the_second_stage_judges_pages_and_papers(
    connect: Any, lyra: Callable[..., Any], llm_server: Any, tmp_path: Path
) -> None:
    """With an LLM configured the journal names stage 2 for the doubtful page and for every paper walked from."""
    llm_server.says = lambda _: '{"score": 3}'

    with connect(tmp_path, LYRA_LLM__ENDPOINT=llm_server.endpoint, LYRA_LLM__BUDGET_SHARE="1") as face:
        task = face.call("create_task", query="給食の無償化で学力は上がるか")["task_id"]
        page = face.search(task, DOUBTFUL)
        papers = face.search(task, "saxagliptin heart failure hospitalisation", sources=["academic"])
        stored = face.rows(f"select quality from pages where url = '{DOUBTFUL}'")
    told = lyra("log", task, "--json", data_dir=tmp_path).json["events"]

    (quality,) = [one["details"] for one in told if one["kind"] == "quality"]
    citations = [one["details"] for one in told if one["kind"] == "citations"]
    asked = sum(one["papers"] for one in citations) + 1
    assert (page["problems"], papers["problems"]) == ([], [])
    assert (quality["stage"], quality["model"], quality["url"]) == (2, "qwen2.5:3b", DOUBTFUL)
    assert (quality["rules"], quality["llm"], quality["quality"]) == (0.469, 0.3, 0.368)
    assert stored == [{"quality": 0.368}]
    assert [(one["stage"], one["unread"]) for one in citations] == [(2, 0)] * 3
    assert len(llm_server.requests) == asked


def test_a_search_goes_on_without_a_configured_llm_that_is_down(connect: Any, llm_server: Any, tmp_path: Path) -> None:
    """The page keeps the rules' score, and the client is told which judge was missing."""
    llm_server.status = 503

    with connect(tmp_path, LYRA_LLM__ENDPOINT=llm_server.endpoint, LYRA_LLM__BUDGET_SHARE="1") as face:
        task = face.call("create_task", query="給食の無償化で学力は上がるか")["task_id"]
        page = face.search(task, DOUBTFUL)
        stored = face.rows(f"select quality from pages where url = '{DOUBTFUL}'")

    assert page["pages_fetched"] == 1
    assert page["problems"] == ["llm failed: The LLM server answered with status 503."]
    assert stored == [{"quality": 0.469}]


def test_an_llm_on_another_machine_stops_the_start(lyra: Callable[..., Any], tmp_path: Path) -> None:
    """Before anything is sent: the setting is named, and why."""
    done = lyra("doctor", data_dir=tmp_path, LYRA_LLM__ENDPOINT="http://192.0.2.1:11434/v1")

    assert done.code == 2
    assert "must be on this machine (127.0.0.1, ::1 or localhost)" in done.err


def test_a_model_that_talks_nonsense_makes_the_graph_no_worse(connect: Any, llm_server: Any, tmp_path: Path) -> None:
    """With every use switched on the claims are those without a model, and the answer names who was asked."""
    llm_server.says = lambda request: ("lorem ipsum ", '{"verdict": "true"}')[len(llm_server.requests) % 2]
    uses = {f"LYRA_LLM__USES__{use}": "true" for use in ("CLAIMS", "SUMMARIES", "ENTITIES", "MIRRORS")}

    def claims(folder: Path, **settings: str) -> tuple[Any, list[Any]]:
        with connect(folder, **settings) as face:
            task = face.call("create_task", query="給食の無償化で学力は上がるか")["task_id"]
            found = face.search(task, DOUBTFUL)
            return found.get("llm"), face.rows("select claim_text from claims order by claim_text")

    without = claims(tmp_path / "without")
    with_model = claims(tmp_path / "with", LYRA_LLM__ENDPOINT=llm_server.endpoint, LYRA_LLM__BUDGET_SHARE="1", **uses)

    assert without[0] is None
    assert with_model[1] == without[1]
    assert with_model[0].startswith("qwen2.5:3b at 127.0.0.1:")
