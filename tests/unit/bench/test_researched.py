"""What research on a topic left behind survives a run that is broken off."""

import json
from collections import Counter
from pathlib import Path

import pytest

from lyra_bench.measure.acceptance import researching
from lyra_bench.measure.acceptance.bench import Bench
from lyra_bench.measure.acceptance.researched import Asked, Researched, read, write

ONE = Researched(
    topic="kosui",
    seconds=12.5,
    searches=(Asked("水草 刈取り", "satisfied", 0.5),),
    failures=("水草: no answer",),
    named=("水草",),
    claims=({"id": "c_1", "is_hypothesis": 1, "has_candidate": 1},),
    metrics={"primary_source_ratio": 0.38, "timeline_share": None},
    archived=(3, 4),
    kinds=Counter({"news": 2}),
    judged_kinds={"government": 1},
    queued=("a.example", "a.example"),
    solved=1,
    notified=(0, "no terminal"),
    compared=(1, 1, 0),
    cache=(4, 0),
    hosts=("a.example",),
    requests=9,
    violations=0,
    unasked=("湖",),
)


def test_a_topic_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    """For the same way of researching; for another one it is not there."""
    write(tmp_path, "seed 1", ONE)

    found = [
        read(tmp_path, key, topic) for key, topic in (("seed 1", "kosui"), ("seed 2", "kosui"), ("seed 1", "alp2"))
    ]

    assert json.dumps(found[0].__dict__ if found[0] else None, default=str) == json.dumps(ONE.__dict__, default=str)
    assert found[1:] == [None, None]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"key": "seed 1"}', '{"key": "seed 1", "researched": {"topic": "x"}}']
)
def test_a_broken_file_is_measured_again(tmp_path: Path, text: str) -> None:
    """A run that was killed while it wrote leaves nothing to trip over."""
    (tmp_path / "researched-kosui.json").write_text(text, "utf-8")

    assert read(tmp_path, "seed 1", "kosui") is None


async def test_a_later_run_goes_on_with_the_topics_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each topic is researched once, and told with its place."""
    asked: list[str] = []
    told: list[str] = []

    async def research(_: Bench, topic: str) -> Researched:
        asked.append(topic)
        return ONE

    monkeypatch.setattr(researching, "_research", research)
    monkeypatch.setattr(Bench, "topics", ["kosui"])
    for _ in range(2):
        await researching.researched(Bench(tmp_path, kept=tmp_path, tell=told.append))

    assert asked == ["kosui"]
    assert told == [
        "topic 1 of 1, kosui: researching",
        "topic 1 of 1, kosui: 12 s, 1 searches",
        "topic 1 of 1, kosui: kept from an earlier run",
        "topic 1 of 1, kosui: 12 s, 1 searches",
    ]
