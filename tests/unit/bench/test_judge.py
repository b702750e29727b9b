"""The judge measured on pairs that two annotators labelled."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lyra.claims.windows import Setting
from lyra.errors import InvalidParams
from lyra.model.edge import Relation, Stance
from lyra_bench.measure.judge import TestPair, figures, measure_judge, read_pairs, share

YES, NO, SILENT = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL
NOTHING = {"of": "0/0", "value": None, "interval": None}
ALL_OF_ONE = {"of": "1/1", "value": 1.0, "interval": [0.207, 1.0]}
NONE_OF_ONE = {"of": "0/1", "value": 0.0, "interval": [0.0, 0.793]}


def row(number: int, label: str, second: str, **changes: str) -> dict[str, str]:
    return {
        "id": f"p{number}",
        "lang": "en",
        "origin": "new",
        "kind": "plain",
        "title": "Rain in Oslo",
        "passage": f"It rained on day {number}.",
        "claim": "It rained.",
        "label": label,
        "second_label": second,
    } | changes


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), "utf-8")
    return path


class Agreeing:
    """A judge for whom every passage supports its claim; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[tuple[str, str]], Sequence[Setting] | None]] = []

    async def judge(self, pairs: Sequence[tuple[str, str]], settings: Sequence[Setting] | None = None) -> list[Stance]:
        self.asked.append((list(pairs), settings))
        return [Stance(YES, 0.9, 0.9, (0.9, 0.05, 0.05), "agreeing@1", "none")] * len(pairs)


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        pytest.param(0, 0, NOTHING, id="nothing to count"),
        pytest.param(5, 10, {"of": "5/10", "value": 0.5, "interval": [0.237, 0.763]}, id="half"),
        pytest.param(0, 10, {"of": "0/10", "value": 0.0, "interval": [0.0, 0.278]}, id="none"),
        pytest.param(10, 10, {"of": "10/10", "value": 1.0, "interval": [0.722, 1.0]}, id="all"),
    ],
)
def test_a_share_has_its_wilson_interval(part: int, whole: int, expected: dict[str, Any]) -> None:
    """At 95 %, never beyond 0 and 1."""
    assert share(part, whole) == expected


def test_mistakes_are_told_apart() -> None:
    """Of what takes a side: opposite or missed; of what is neutral: false support or false refutation."""
    found = figures([(YES, YES), (NO, YES), (SILENT, NO), (YES, SILENT), (NO, SILENT), (SILENT, SILENT)])

    assert {name: found[name]["of"] for name in found if name != "pairs"} == {
        "right": "2/6",
        "opposite": "1/3",
        "missed": "1/3",
        "false_support": "1/3",
        "false_refutation": "1/3",
    }
    assert found["pairs"] == 6


def test_a_pair_has_the_label_of_both_annotators_or_none(tmp_path: Path) -> None:
    """Where they differ nothing is right or wrong."""
    path = write(tmp_path / "pairs.jsonl", row(1, "C", "C"), row(2, "E", "N", lang="ja"))

    found = read_pairs(path)

    assert found == [
        TestPair("p1", "en", "new", "plain", "Rain in Oslo", "It rained on day 1.", "It rained.", NO),
        TestPair("p2", "ja", "new", "plain", "Rain in Oslo", "It rained on day 2.", "It rained.", None),
    ]


async def test_agreed_pairs_are_judged_with_their_titles_and_counted_apart(tmp_path: Path) -> None:
    """By origin, language and kind; pairs on which the annotators differ are not asked about."""
    path = write(
        tmp_path / "pairs.jsonl",
        row(1, "E", "E"),
        row(2, "E", "N"),
        row(3, "N", "N", lang="ja", origin="shipped", kind="numbers"),
    )
    judge, told = Agreeing(), list[tuple[int, int]]()

    found = await measure_judge(judge, path, lambda done, of: told.append((done, of)))

    english = {"pairs": 1, "right": ALL_OF_ONE, "opposite": NONE_OF_ONE, "missed": NONE_OF_ONE}
    english |= {"false_support": NOTHING, "false_refutation": NOTHING}
    japanese = {"pairs": 1, "right": NONE_OF_ONE, "opposite": NOTHING, "missed": NOTHING}
    japanese |= {"false_support": ALL_OF_ONE, "false_refutation": NONE_OF_ONE}
    assert found == {
        "pairs": 3,
        "annotators_agree": {"of": "2/3", "value": 0.667, "interval": [0.208, 0.939]},
        "newly written": {"en": english | {"by_kind": {"plain": english}}},
        "shipped topics": {"ja": japanese | {"by_kind": {"numbers": japanese}}},
    }
    pairs = [("It rained on day 1.", "It rained."), ("It rained on day 3.", "It rained.")]
    assert (judge.asked, told) == ([(pairs, [Setting("Rain in Oslo"), Setting("Rain in Oslo")])], [(2, 2)])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param([row(1, "E", "X")], "pairs.jsonl, line 1: 'label' and 'second_label' must be E, C or N.", id="X"),
        pytest.param(
            [row(1, "E", "E"), row(2, "E", "E", claim=" ")], "pairs.jsonl, line 2: 'claim' must be a text.", id="blank"
        ),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, rows: list[dict[str, str]], message: str) -> None:
    """Before anything is judged."""
    path = write(tmp_path / "pairs.jsonl", *rows)

    with pytest.raises(InvalidParams) as caught:
        read_pairs(path)

    assert caught.value.message == message


def test_a_test_set_that_is_not_there_is_refused_with_its_place(tmp_path: Path) -> None:
    """An installed package has none."""
    with pytest.raises(InvalidParams) as caught:
        read_pairs(tmp_path / "pairs.jsonl")

    assert caught.value.message == f"There is no test set at {tmp_path / 'pairs.jsonl'}."
    assert caught.value.remedy == "It is part of the source tree, not of the package: give its path with --file."


def test_an_empty_test_set_is_refused(tmp_path: Path) -> None:
    """No rows give no figures."""
    with pytest.raises(InvalidParams, match=r"pairs\.jsonl has no rows"):
        read_pairs(write(tmp_path / "pairs.jsonl"))
