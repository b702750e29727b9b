"""Colours of CSS: by name, in hexadecimal digits and as functions."""

import colorsys
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

Colour = tuple[int, int, int]
BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
FAINT = 0.05
_NEAR = 24
_HEX = re.compile(r"#([0-9a-f]{3,8})\b", re.IGNORECASE)
_FUNCTION = re.compile(r"\b(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?")
_WORD = re.compile(r"[a-z]+")
# Of an ordinary light desktop (CSS Color 4, section 6.2).
_SYSTEM = {"canvas": WHITE, "field": WHITE, "canvastext": BLACK, "fieldtext": BLACK, "buttontext": BLACK}


@cache
def named_colours() -> Mapping[str, Colour]:
    """The 148 names of CSS Color 4, and the colours of the system that are the same on every light desktop."""
    names = json.loads(files("lyra.extract").joinpath("colours.json").read_text("utf-8"))
    return _SYSTEM | {name: found for name, value in names.items() if (found := _of_digits(value[1:]))}


def colour(value: str) -> Colour | None:
    """A colour by name, in hexadecimal digits or as a function; None where it is another one."""
    if not value:
        return None
    if match := _HEX.search(value):
        return _of_digits(match.group(1))
    if (match := _FUNCTION.search(value)) and (found := _of_function(match.group(1).lower(), match.group(2))):
        return found
    names = named_colours()
    return next((names[word] for word in _WORD.findall(value.lower()) if word in names), None)


def alpha(value: str) -> float:
    """How much of what is behind a colour it covers, from 0 to 1."""
    if "transparent" in value:
        return 0.0
    if match := _HEX.search(value):
        digits = match.group(1)
        last = digits[3] * 2 if len(digits) == 4 else digits[6:8] if len(digits) == 8 else "ff"
        return int(last, 16) / 255
    match = _FUNCTION.search(value)
    numbers = _NUMBER.findall(match.group(2)) if match else []
    return min(1.0, _part(numbers[3], 1)) if len(numbers) == 4 else 1.0


def is_clear(value: str) -> bool:
    """A colour that lets everything through."""
    return alpha(value) <= FAINT


def blended(top: Colour, share: float, below: Colour) -> Colour:
    """The colour that is seen where one that covers a share lies on another."""
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in zip(top, below, strict=True))
    return red, green, blue


def is_near(one: Colour, other: Colour) -> bool:
    """Too like each other for letters of one to be read on the other."""
    return all(abs(a - b) <= _NEAR for a, b in zip(one, other, strict=True))


def _of_digits(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(char * 2 for char in digits)
    return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)) if len(digits) >= 6 else None


def _of_function(name: str, inside: str) -> Colour | None:
    numbers = _NUMBER.findall(inside)
    if len(numbers) < 3:
        return None
    first, second, third = numbers[:3]
    if name in ("rgb", "color"):
        whole = 255 if name == "rgb" else 1
        return _bytes(_part(one, whole) for one in (first, second, third))
    if name == "hsl":
        turn = float(first.rstrip("%")) / 360 % 1
        return _bytes(colorsys.hls_to_rgb(turn, _part(third, 100), _part(second, 100)))
    if name == "hwb":
        white, black = _part(second, 100), _part(third, 100)
        return _bytes([white / (white + black)] * 3) if white + black >= 1 else None
    light = _part(first, 1 if name.startswith("ok") else 100)
    # Lightness alone decides only at its ends.
    return WHITE if light >= 0.99 else BLACK if light <= 0.01 else None


def _part(digits: str, whole: float) -> float:
    return float(digits[:-1]) / 100 if digits.endswith("%") else float(digits) / whole


def _bytes(parts: Iterable[float]) -> Colour:
    red, green, blue = (round(255 * min(1.0, max(0.0, part))) for part in parts)
    return red, green, blue
