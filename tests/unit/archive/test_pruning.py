"""Which records go, and which never do."""

from datetime import UTC, datetime, timedelta

import pytest

from lyra.archive.pruning import choose_removals
from lyra.model.archive import RecordUse
from lyra.model.page import ArchiveRef

_NOW = datetime(2026, 6, 1, tzinfo=UTC)


def _use(name: str, age_days: int, *, refers_to: str | None = None, is_evidence: bool = False) -> RecordUse:
    ref = ArchiveRef("20260101/a.warc.gz", 0, 100, name)
    return RecordUse(ref, _NOW - timedelta(days=age_days), refers_to, is_evidence)


_USES = (
    _use("old", 90),
    _use("evidence", 80, is_evidence=True),
    _use("origin", 70),
    _use("middle", 50),
    _use("revisit", 5, refers_to="origin"),
    _use("new", 1),
)


@pytest.mark.parametrize(
    ("excess", "keep_days", "forced", "gone"),
    [
        (0, None, False, []),
        (0, 40, False, ["old", "middle"]),
        (0, 50, False, ["old"]),
        (0, 0, False, ["old", "middle", "origin", "revisit", "new"]),
        (150, None, False, ["old", "middle"]),
        (250, None, False, ["old", "middle", "origin", "revisit"]),
        (100_000, None, False, ["old", "middle", "origin", "revisit", "new"]),
        (150, None, True, ["old", "evidence"]),
    ],
    ids=[
        "nothing asked",
        "by age",
        "to the day",
        "all ages",
        "by size",
        "with what refers to it",
        "all but evidence",
        "forced",
    ],
)
def test_the_oldest_go_first_and_evidence_only_by_force(
    excess: int, keep_days: int | None, forced: bool, gone: list[str]
) -> None:
    """A record is as young as the youngest that refers to it, and goes together with those."""
    before = None if keep_days is None else _NOW - timedelta(days=keep_days)

    removed = choose_removals(_USES, excess_bytes=excess, before=before, is_forced=forced, sizes={})

    assert [use.ref.record_id for use in removed] == gone


def test_the_size_of_a_capture_counts_for_its_record() -> None:
    """One large screenshot may be all that must go."""
    removed = choose_removals(_USES, excess_bytes=5_000, before=None, is_forced=False, sizes={"old": 9_000})

    assert [use.ref.record_id for use in removed] == ["old"]


def test_records_that_refer_to_each_other_in_a_circle_end_the_search() -> None:
    """A damaged index must not hang the command."""
    circle = (_use("a", 9, refers_to="b"), _use("b", 8, refers_to="a"))

    removed = choose_removals(circle, excess_bytes=1_000, before=None, is_forced=False, sizes={})

    assert {use.ref.record_id for use in removed} == {"a", "b"}
