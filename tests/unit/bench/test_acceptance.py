"""The acceptance criteria: whether one is met follows from its figures alone; what was not measured is not met."""

import re
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra_bench.cli.acceptance import acceptance
from lyra_bench.measure.acceptance.bench import Bench
from lyra_bench.measure.acceptance.criteria import CRITERIA, chosen, measure_acceptance
from lyra_bench.measure.acceptance.criterion import Criterion, Figures, is_met, result_fields, share
from lyra_bench.measure.acceptance.machine import required

BARS = {"found": (">=", 0.8), "lost": ("<=", 0.0)}


@pytest.mark.parametrize(
    ("values", "met"),
    [
        ({"found": 0.8, "lost": 0.0}, True),
        ({"found": 0.79, "lost": 0.0}, False),
        ({"found": 0.9, "lost": 1.0}, False),
        ({"found": 0.9, "lost": None}, None),
        ({"found": 0.1, "lost": None}, False),
        ({}, None),
    ],
)
def test_a_criterion_is_met_where_every_figure_reaches_its_bar(values: dict[str, float], met: bool | None) -> None:
    """One that misses decides; one that was not measured leaves it open."""
    assert is_met(values, BARS) is met


def test_there_are_twenty_one_criteria_and_each_says_how() -> None:
    """In the order of the specification, each with a bar for every figure."""
    assert [one.id for one in CRITERIA] == [f"A{number}" for number in range(1, 22)]
    assert [one.id for one in CRITERIA if not one.bars or len(one.how) < 60] == []


def test_some_criteria_can_be_chosen_by_name() -> None:
    """In any spelling and order; they are measured in theirs."""
    assert [one.id for one in chosen(" a7,A3 ")] == ["A3", "A7"]
    with pytest.raises(InvalidParams, match=re.escape("There is no criterion 'A22'.")):
        chosen("A3,A22")


async def _three(_: Bench) -> Figures:
    return Figures({"found": 0.75, "lost": None}, {"lost": "no disk"}, {"of": 4})


def test_the_result_names_what_was_not_measured() -> None:
    """A reader sees figure, bar, met, how, and the reason of a gap."""
    criterion = Criterion("A1", "Finding", {"found": (">=", 0.7), "lost": ("<=", 0.0)}, "By looking.", _three)

    found = result_fields(
        criterion, Figures({"found": 0.75}, {"lost": "no disk"}), 1.25, "2026-03-14T09:30:00.000Z", is_quick=True
    )

    assert found == {
        "title": "Finding",
        "value": {"found": 0.75, "lost": None},
        "bar": {"found": ">= 0.7", "lost": "<= 0"},
        "met": None,
        "how": "By looking.",
        "not_measured": {"lost": "no disk"},
        "seconds": 1.2,
        "measured_at": "2026-03-14T09:30:00.000Z",
        "is_quick": True,
    }


async def test_measuring_counts_what_is_met_missed_and_open(tmp_path: Path) -> None:
    """A measurement that breaks is told with its error and not met."""

    async def breaks(_: Bench) -> Figures:
        raise InvalidParams("There is no test set.")

    told: list[str] = []
    criteria = [
        Criterion("A1", "Fine", {"found": (">=", 0.7)}, "By looking.", _three),
        Criterion("A2", "Poor", {"found": (">=", 0.8)}, "By looking.", _three),
        Criterion("A3", "Broken", {"found": (">=", 0.8)}, "By looking.", breaks),
    ]

    found = await measure_acceptance(criteria, tell=told.append)

    assert (found["met"], found["missed"], found["not_measured"], found["of"]) == (1, 1, 1, 3)
    assert found["criteria"]["A3"]["not_measured"] == {"all": "INVALID_PARAMS: There is no test set."}
    assert found["criteria"]["A1"]["value"] == 0.75
    assert told[0] == "A1 Fine"


async def test_each_finished_criterion_is_kept_at_once() -> None:
    """What breaks a run off later takes none of them away; `of` is how many were to be measured."""

    async def interrupted(_: Bench) -> Figures:
        raise KeyboardInterrupt

    kept: list[dict[str, Any]] = []
    criteria = [
        Criterion("A1", "Fine", {"found": (">=", 0.7)}, "By looking.", _three),
        Criterion("A2", "Interrupted", {"found": (">=", 0.8)}, "By looking.", interrupted),
    ]

    with pytest.raises(KeyboardInterrupt):
        await measure_acceptance(criteria, keep=kept.append)

    assert [(list(one["criteria"]), one["met"], one["of"]) for one in kept] == [(["A1"], 1, 2)]


def test_help_names_the_criteria_that_need_the_research() -> None:
    """As the criteria themselves say it."""
    named = [one.id for one in CRITERIA if "research" in one.how.lower()]

    assert named == ["A4", "A5", "A6", "A7", "A8", "A10", "A11", "A12", "A13", "A16", "A17", "A19"]
    assert "A4 to A8, A10 to A13, A16, A17 and A19 need the research" in str(acceptance.__doc__)


def test_the_check_of_costs_sees_the_dependencies_of_the_product() -> None:
    """Also those of dependencies; without any it would find nothing to complain about."""
    found = required("lyra-mcp")

    assert {"apsw", "curl-cffi", "cffi"} <= {name.replace("_", "-") for name in found}


def test_a_share_of_nothing_is_unknown() -> None:
    """And never 0 or 1."""
    assert (share(3, 4), share(0, 0)) == (0.75, None)
