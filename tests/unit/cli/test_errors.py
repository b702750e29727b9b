"""An error as a user reads it."""

import pytest

from lyra.cli.main import _other_place, _show_error
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


@pytest.mark.parametrize(
    ("option", "path", "expected"),
    [
        ("--lang", "lyra check", "It stands before the command: `lyra --lang … check …`."),
        ("--json", "lyra", "It stands behind the command: `lyra COMMAND … --json`."),
        ("--jsn", "lyra check", ""),
        ("--lang", "", ""),
    ],
    ids=["global", "of commands", "neither", "no command known"],
)
def test_an_option_on_the_wrong_side_of_the_command_is_told_where_it_belongs(
    option: str, path: str, expected: str
) -> None:
    """Everywhere else the help of the command is named."""
    assert _other_place(option, path) == expected
