"""What the demonstration says to do next."""

import sys
from pathlib import Path

import pytest

from lyra_bench.cli.demo import hints


def test_every_hint_names_the_data_of_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a user would look into an empty database, and so would the client that was connected."""
    monkeypatch.setattr(sys, "argv", ["/opt/lyra"])

    assert hints("task_1", Path("/tmp/my demo")) == [
        "/opt/lyra --data-dir '/tmp/my demo' task show task_1",
        "/opt/lyra --data-dir '/tmp/my demo' query \"select * from v_contradictions\"",
        "/opt/lyra --data-dir '/tmp/my demo' connect claude-code      # or another client: "
        "docs/how-to/connect-a-client.md",
    ]
