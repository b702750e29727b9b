"""Numbers and lengths of CSS in pixels."""

import pytest

from lyra.extract.lengths import length, number


@pytest.mark.parametrize(
    ("value", "pixels"),
    [
        ("12px", 12.0),
        ("1e-3", 0.001),
        ("-1.5E1px".lower(), -15.0),
        ("2em", 32.0),
        ("50%", 640.0),
        ("999vh", 7992.0),
        ("1in", 96.0),
        (".25turn", 90.0),
        ("calc(1 - 1)", 0.0),
        ("calc(1px * (2 + 3) / 4)", 1.25),
        ("calc(100% - 2em)", 1248.0),
        ("min(0px, 16px)", 0.0),
        ("max(1px, min(8px, 1vw))", 8.0),
        ("clamp(1rem, 5px, 2rem)", 16.0),
        ("calc(-1 * 9999px)", -9999.0),
        ("auto", None),
        ("", None),
        ("calc(1px", None),
        ("calc(1px / 0)", None),
        ("calc(1px + var(--a))", None),
        ("attr(x)", None),
        ("1px 2px", None),
        ("(" * 200 + "1" + ")" * 200, None),
    ],
)
def test_a_length_is_judged_by_a_desktop_screen(value: str, pixels: float | None) -> None:
    """Of 1280 by 800 pixels with a font of 16; what is no constant has no length."""
    assert length(value) == pixels


def test_what_a_percentage_and_a_font_are_of_is_given() -> None:
    """By the property that the length is of."""
    assert (length("50%", whole=10), length("2em", font_px=3), number("5%", 1), number("none", 1)) == (5, 6, 0.05, 1)
