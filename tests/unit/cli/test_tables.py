"""Tables for people."""

import pytest
from rich.text import Text

from lyra.cli.context import print_table
from lyra.cli.graph import _arrow, event_line
from lyra.translate import in_language


def test_an_id_stays_in_one_piece_however_narrow_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids are there to be copied into the next command; the words beside them are folded instead."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    monkeypatch.setenv("COLUMNS", "48")
    query = "自治体の学校給食費の無償化は、家計と出生数にどのような効果があるか。"

    print_table("Tasks", ("task_id", "status", "query"), [("task_1a2b3c4d5e6f", "completed", query)])

    assert "task_1a2b3c4d5e6f" in capsys.readouterr().out


def test_a_table_too_wide_for_the_terminal_becomes_paragraphs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No column vanishes: each has a line of its own, its value whole beside it."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    columns = ("id", "query", "status", "pages_fetched", "satisfaction_score")

    print_table("Searches", columns, [("s_610cb3232ae2", "給食費 無償化", "satisfied", 4, None)])

    shown = Text.from_ansi(capsys.readouterr().out).plain
    assert [line.rstrip() for line in shown.splitlines()] == [
        "Searches",
        "id                  s_610cb3232ae2",
        "query               給食費 無償化",
        "status              satisfied",
        "pages_fetched       4",
        "satisfaction_score",
        "",
    ]


def test_states_and_yes_or_no_are_words_of_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    """A setting's value stays as it is written in the file."""
    columns = ("what", "turns_verdict", "worse", "value")

    with in_language("ja"):
        print_table("", columns, [("first_seen", True, False, True)])

    assert capsys.readouterr().out.splitlines()[1].split("\t") == ["初確認", "あり", "なし", "True"]


def test_what_changes_without_a_source_is_told_in_words_of_the_language() -> None:
    """Both sides of the arrow."""
    row = {"before": {"verdict": "supported"}, "after": {"verdict": "unverified"}}

    with in_language("ja"):
        assert _arrow(row, "verdict") == "支持あり → 未検証"


def test_a_journal_names_the_kind_of_its_entries_in_the_language() -> None:
    """What is not in the list keeps its name."""
    rows = [{"id": 1, "created_at": "t", "kind": kind, "subject": "x", "details": {}} for kind in ("search", "other")]

    with in_language("ja"):
        assert [event_line(row) for row in rows] == ["1 t 検索 x {}", "1 t other x {}"]
