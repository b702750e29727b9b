"""Several servers over one data directory: each client starts its own, and they share queue, manners and graph."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simweb import SimWeb

QUERIES = (
    "https://www.fdso.gov/safety/dpp4-heart-failure",
    "https://www.fdso.gov/safety/dpp4-pancreatitis",
    "gliptin tablets cost at the pharmacy",
)


@pytest.fixture
def slow_web() -> Iterator[SimWeb]:
    """A web slow enough for requests of two processes to overlap where nothing holds them apart."""
    with SimWeb(latency_s=0.05) as web:
        yield web


def test_two_servers_are_one_polite_visitor(connect: Any, slow_web: SimWeb, tmp_path: Path) -> None:
    """Six searches over two servers on the same sites: never two requests at once, and nothing is stored twice."""
    with connect(tmp_path, web=slow_web) as one, connect(tmp_path, web=slow_web) as two:
        task = one.call("create_task", query="Are DPP-4 inhibitors safe?")["task_id"]
        started = [
            face.call("search", task_id=task, query=query, options={"wait_seconds": 0, "max_pages": 2})["search_id"]
            for query in QUERIES
            for face in (one, two)
        ]
        rows = [one.ended(task, search) for search in started]
        pages = two.rows("select url, count(*) as copies from pages group by url")
        fragments = two.rows("select page_id, position, count(*) as copies from fragments group by page_id, position")

    robots = Counter(visit.url for visit in slow_web.requests if visit.path == "/robots.txt")
    assert slow_web.politeness_violations() == ()
    assert {row["status"] for row in rows} <= {"satisfied", "partial", "exhausted"}
    assert {row["copies"] for row in pages} == {1}
    assert {row["copies"] for row in fragments} == {1}
    assert set(robots.values()) == {1}
