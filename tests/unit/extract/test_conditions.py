"""Conditions of style sheets hold as on an ordinary desktop screen."""

import pytest

from lyra.extract.conditions import is_for_desktop, is_in_container, is_supported


@pytest.mark.parametrize(
    "media",
    [
        "",
        "all",
        "only screen",
        "(min-width:400px)",
        "screen and (min-width: 48em) and (max-width: 1600px)",
        "print, (min-width: 1px)",
        "not print",
        "not all and (max-width: 600px)",
        "not (max-width: 600px)",
        "(width > 0px)",
        "(400px <= width < 2000px)",
        "(500px<width)",
        "(color)",
        "(hover: hover) and (pointer: fine)",
        "(orientation: landscape)",
        "(min-aspect-ratio: 4/3)",
        "(min-resolution: 96dpi)",
        "(-webkit-min-device-pixel-ratio: 1)",
        "(prefers-reduced-motion: no-preference)",
        "((min-width: 1px) or (monochrome)) and (not (monochrome))",
        "(MIN-WIDTH:400PX)",
    ],
)
def test_media_of_a_desktop_screen_hold(media: str) -> None:
    """1280 by 800 pixels, in colour, with a mouse, light, nothing reduced."""
    assert is_for_desktop(media)


@pytest.mark.parametrize(
    "media",
    [
        "print",
        "not all",
        "not screen",
        "speech and (min-width:1px)",
        "(max-width:600px)",
        "(width < 600px)",
        "(400px < width < 800px)",
        "(monochrome)",
        "(hover: none)",
        "(orientation: portrait)",
        "(prefers-color-scheme: dark)",
        "(prefers-reduced-motion)",
        "(-webkit-min-device-pixel-ratio: 2)",
        "(min-resolution: 2dppx)",
        "(unheard-of: 1)",
        "not (unheard-of)",
        "((((((((((((min-width:1px))))))))))))",
    ],
)
def test_media_of_others_do_not(media: str) -> None:
    """Paper, phones, other settings, and what no browser knows, with or without `not`."""
    assert not is_for_desktop(media)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(display:grid)", True),
        ("not (display:foo)", True),
        ("(display:foo)", False),
        ("(display:grid) and (not (display:foo))", True),
        ("selector(:has(a))", True),
        ("not selector(:has(a))", False),
    ],
)
def test_what_browsers_support(condition: str, holds: bool) -> None:
    """A declaration by its validity, selectors always."""
    assert is_supported(condition, lambda declaration: "foo" not in declaration) is holds


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(min-width:1px)", True),
        ("card (width > 40em)", True),
        ("not (min-width:1px)", False),
        ("style(--a: b)", False),
    ],
)
def test_a_container_is_as_large_as_the_screen(condition: str, holds: bool) -> None:
    """Its name does not matter, and what styles it has is not known."""
    assert is_in_container(condition) is holds
