"""Searching with the engine settings that every installation begins with, through MCP."""

import json
from pathlib import Path
from typing import Any

import pytest

from lyra.settings import Engines
from simweb import SimWeb

DEFAULTS = Engines()
# The other tests ask two engines once; these settings are the product's own again.
ORDINARY = {
    "LYRA_ENGINES__ENABLED": json.dumps(DEFAULTS.enabled),
    "LYRA_ENGINES__PER_SEARCH": str(DEFAULTS.per_search),
    "LYRA_ENGINES__QUERIES_PER_SEARCH": str(DEFAULTS.queries_per_search),
}
QUERY = "DPP-4阻害薬の類天疱瘡のリスク"


@pytest.fixture
def refuted(connect: Any, web: SimWeb, tmp_path: Path) -> Any:
    """A refute search whose task may fetch two pages; the server still runs."""
    with connect(tmp_path, **ORDINARY) as face:
        budget = {"max_pages": 2, "max_seconds": 1200}
        task = face.call("create_task", query="DPP-4阻害薬は類天疱瘡を起こすか", config={"budget": budget})["task_id"]
        face.search(task, QUERY, refute=True, sources=["web"])
        yield face, task


def test_a_search_by_default_asks_three_engines_and_derives(refuted: Any) -> None:
    """The client's query, every suffix of a refutation, and branches while they bring something new.

    Each is in the graph with its cause, and the status counts them by rule.
    """
    face, task = refuted

    rows = face.rows("select text, rule, parent, engines from derived_queries order by created_at")
    (row,) = face.call("get_status", task_id=task)["searches"]

    assert {tuple(json.loads(one["engines"])) for one in rows} == {("duckduckgo", "mojeek", "marginalia")}
    assert {one["parent"] for one in rows} == {QUERY}
    assert [one["text"].removeprefix(f"{QUERY} ") for one in rows if one["rule"].startswith("refute:")] == [
        "課題",
        "批判",
        "問題点",
        "反論",
        "誤り",
    ]
    assert ("DPP-4 inhibitors bullous pemphigoid risk", "mirror:en") in [(one["text"], one["rule"]) for one in rows]
    assert row["queries_sent"]["asked"] == 1
    assert row["queries_sent"]["refute"] == 5
    assert sum(row["queries_sent"].values()) == len(rows)
