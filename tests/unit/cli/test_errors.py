"""An error as a user reads it."""

import pytest

from lyra.cli.main import _show_error
from lyra.errors import InvalidParams


def test_a_list_of_problems_that_is_cut_says_how_many_follow(capsys: pytest.CaptureFixture[str]) -> None:
    """Three are shown; the rest is counted."""
    error = InvalidParams("It is broken.", remedy="Mend it.", details={"problems": ["a", "b", "c", "d", "e"]})

    _show_error(error, as_json=False)

    shown = capsys.readouterr().err.splitlines()
    assert shown == [
        "lyra: It is broken.",
        "      ! a",
        "      ! b",
        "      ! c",
        "      ! and 2 more",
        "      Mend it.",
    ]
