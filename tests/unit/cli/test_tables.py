"""Tables for people."""

import pytest

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
