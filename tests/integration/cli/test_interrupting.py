"""Ctrl-C: what is said of what goes on later, where anything does."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from lyra.cli.context import Context, run


async def _interrupted(_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("with_worker", "told"),
    [
        (True, "Stopped. Nothing is lost: unfinished searches go on with the next search or server.\n"),
        (False, "Stopped. Nothing is lost.\n"),
    ],
    ids=["a search", "a check or a replay"],
)
def test_a_command_that_runs_no_search_promises_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], with_worker: bool, told: str
) -> None:
    """Only where searches are run does one go on later."""
    ctx: Any = SimpleNamespace(obj=Context({"data_dir": tmp_path}, None))

    with pytest.raises(typer.Exit) as ended:
        run(ctx, _interrupted, with_worker=with_worker)

    assert (ended.value.exit_code, capsys.readouterr().err) == (130, told)
