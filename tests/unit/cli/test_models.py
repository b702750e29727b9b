"""What Ctrl-C does to a long command on models."""

import os
import signal

import pytest
import typer

from lyra.cli.models import until_done


def test_ctrl_c_ends_a_copy_in_the_middle(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is awaited; what was fetched is said to be kept."""
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)

    async def copy() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append("whole")

    with pytest.raises(typer.Exit) as ended:
        until_done(copy())

    signal.signal(signal.SIGINT, before)
    assert (ended.value.exit_code, done) == (130, [])
    assert capsys.readouterr().err == "Stopped. What was fetched is kept: the same command goes on with it.\n"
