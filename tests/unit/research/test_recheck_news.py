"""What is different between two states of a task, and how intervals are written."""

import pytest

from lyra.errors import InvalidParams
from lyra.model.claim import Verdict
from lyra.model.recheck import PageSnapshot, Snapshot
from lyra.research.recheck import parse_interval
from lyra.research.recheck_news import Differences, differences
from lyra.translate import in_language, translate

BEFORE = Snapshot(
    {"c_1": Verdict.SUPPORTED, "c_2": Verdict.UNVERIFIED},
    {
        "p_same": PageSnapshot("v1"),
        "p_changed": PageSnapshot("v1"),
        "p_gone": PageSnapshot("v1"),
        "p_gone_before": PageSnapshot("v1", is_gone=True),
        "p_retracted": PageSnapshot("v1"),
        "p_retracted_before": PageSnapshot("v1", is_retracted=True),
        "p_corrected": PageSnapshot("v1"),
        "p_not_reached": PageSnapshot("v1"),
    },
)
AFTER = Snapshot(
    {"c_1": Verdict.CONTESTED, "c_2": Verdict.UNVERIFIED, "c_3": Verdict.SUPPORTED},
    {
        "p_same": PageSnapshot("v1"),
        "p_changed": PageSnapshot("v2"),
        "p_gone": PageSnapshot("v1", is_gone=True),
        "p_gone_before": PageSnapshot("v1", is_gone=True),
        "p_retracted": PageSnapshot("v1", is_retracted=True),
        "p_retracted_before": PageSnapshot("v1", is_retracted=True),
        "p_corrected": PageSnapshot("v2", is_corrected=True),
        "p_new": PageSnapshot("v1"),
        "p_new_and_retracted": PageSnapshot("v1", is_retracted=True),
    },
)


def test_every_kind_of_difference_is_told_once() -> None:
    """What was so before is no news; a page that this task has no stance of any more is none either."""
    found = differences(BEFORE, AFTER)

    assert found == Differences(
        new=("p_new", "p_new_and_retracted"),
        changed=("p_changed", "p_corrected"),
        corrected=("p_corrected",),
        gone=("p_gone",),
        retracted=("p_new_and_retracted", "p_retracted"),
        verdicts=(("c_1", Verdict.SUPPORTED, Verdict.CONTESTED),),
        new_claims=1,
    )


def test_the_same_state_twice_is_no_news() -> None:
    """A run that finds everything as it was reports nothing."""
    found = differences(AFTER, AFTER)

    assert found == Differences((), (), (), (), (), (), 0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1h", 3_600), ("7d", 604_800), (" 2 W ", 1_209_600), ("366d", 31_622_400), ("24h", 86_400)],
)
def test_an_interval_is_whole_hours_days_or_weeks(text: str, seconds: int) -> None:
    """Spaces and capital letters make no difference."""
    assert parse_interval(text) == seconds


@pytest.mark.parametrize("text", ["0d", "0h", "367d", "53w", "999999999w"])
def test_an_interval_out_of_bounds_is_refused(text: str) -> None:
    """An hour at least, so that sites are not burdened; a year at most."""
    with pytest.raises(InvalidParams, match="is not taken") as caught:
        parse_interval(text)

    assert caught.value.remedy == "Choose one from 1h to 366d (52w)."


@pytest.mark.parametrize(
    "text", ["", "7", "-7d", "1.5d", "7 fortnights", "d", "７日", "1d2h", "99999999999d", "7d\x00"]
)
def test_what_is_no_interval_is_refused(text: str) -> None:
    """The remedy shows how one is written."""
    with pytest.raises(InvalidParams, match="is not an interval") as caught:
        parse_interval(text)

    assert caught.value.remedy == "Give a whole number of hours, days or weeks: 12h, 7d or 2w."


def test_a_bad_interval_is_told_in_japanese_too() -> None:
    """What was written stays as it was written."""
    with pytest.raises(InvalidParams) as odd:
        parse_interval("7 fortnights")
    with pytest.raises(InvalidParams) as short:
        parse_interval("0d")

    with in_language("ja"):
        told = [translate(odd.value.message), translate(short.value.message)]

    assert told == ["'7 fortnights' は間隔として読み取れません。", "0d という間隔は指定できません。"]
