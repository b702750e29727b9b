"""What `lyra bench` prints beside its figures."""

import pytest

from lyra.observe.log import get_logger
from lyra_bench.cli.bench import log_to_stderr


def test_warnings_do_not_stand_between_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints JSON on stdout and nothing else; a warning goes to stderr."""
    log_to_stderr()

    get_logger("lyra.trial").warning("orders to an AI on a page")

    said = capsys.readouterr()
    assert (said.out, "orders to an AI on a page" in said.err) == ("", True)
