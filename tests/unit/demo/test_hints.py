"""What the demonstration says to do next."""

import sys
from pathlib import Path

import pytest

from lyra.translate import in_language
from lyra_bench.cli.demo import hints


def test_every_hint_names_the_data_of_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a user would look into an empty database, and so would the client that was connected."""
    monkeypatch.setattr(sys, "argv", ["/opt/lyra"])

    assert hints("task_1", Path("/tmp/my demo")) == [
        "/opt/lyra --data-dir '/tmp/my demo' task show task_1",
        "/opt/lyra --data-dir '/tmp/my demo' report task_1 -o report.html",
        "/opt/lyra --data-dir '/tmp/my demo' ui",
        "/opt/lyra --data-dir '/tmp/my demo' query \"select * from v_contradictions\"",
        "/opt/lyra --data-dir '/tmp/my demo' connect claude-code      # or another client: "
        "docs/how-to/connect-a-client.md",
    ]


def test_hints_name_the_module_where_it_was_started_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """`__main__.py` itself is no command."""
    monkeypatch.setattr(sys, "argv", ["/opt/lib/lyra/__main__.py"])
    monkeypatch.setattr(sys, "executable", "/opt/python")

    assert hints("task_1", Path("/tmp/demo"))[0] == "/opt/python -m lyra --data-dir /tmp/demo task show task_1"


def test_the_remark_on_other_clients_is_japanese() -> None:
    """It names the guide in Japanese."""
    with in_language("ja"):
        last = hints("task_1", Path("/tmp/demo"))[-1]

    assert last.endswith("connect claude-code      # ほかのクライアント: docs/ja/how-to/connect-a-client.md")
