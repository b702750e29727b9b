"""Tables for people."""

import pytest
from rich.text import Text

from lyra.cli.context import print_table


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
