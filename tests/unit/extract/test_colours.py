"""Colours of CSS in every notation."""

import pytest

from lyra.extract.colours import alpha, blended, colour, named_colours


def test_every_name_of_css_is_known() -> None:
    """148 of CSS Color 4, and five of the system's."""
    names = named_colours()

    assert len(names) == 153
    assert (names["teal"], names["rebeccapurple"], names["canvas"]) == ((0, 128, 128), (102, 51, 153), (255, 255, 255))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("teal", (0, 128, 128)),
        ("#0Af", (0, 170, 255)),
        ("rgb(1 2 3 / 50%)", (1, 2, 3)),
        ("rgb(2.55e2, 0, 0)", (255, 0, 0)),
        ("hsl(0 0% 100%)", (255, 255, 255)),
        ("rgb(from white r g b)", (255, 255, 255)),
        ("tealish", None),
        ("lch(50% 30 20)", None),
    ],
)
def test_a_colour_is_read(value: str, expected: tuple[int, int, int] | None) -> None:
    """None where only a browser could tell."""
    assert colour(value) == expected


@pytest.mark.parametrize(
    ("value", "share"),
    [("transparent", 0.0), ("#0000", 0.0), ("rgba(0,0,0,.2)", 0.2), ("#000", 1.0), ("red", 1.0)],
)
def test_a_colour_covers_a_share(value: str, share: float) -> None:
    """From nothing to all."""
    assert alpha(value) == share


def test_a_colour_that_covers_a_share_is_mixed_with_what_is_behind() -> None:
    """As it is seen."""
    assert blended((0, 0, 0), 0.2, (255, 255, 255)) == (204, 204, 204)
