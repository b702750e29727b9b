"""Whether the declared properties of an element leave its text to be seen, and in which colours."""

import colorsys
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lyra.extract.selectors import split_outside

Colour = tuple[int, int, int]
_LENGTH = re.compile(r"(?:calc\(\s*)?([+-]?(?:\d+\.?\d*|\.\d+))\s*(px|pt|em|rem|vw|vh|%|ch)?")
_HEX = re.compile(r"#([0-9a-f]{3,8})\b", re.IGNORECASE)
_FUNCTION = re.compile(r"\b(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)%?")
_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "ghostwhite": (248, 248, 255),
    "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
    "aliceblue": (240, 248, 255),
    "seashell": (255, 245, 238),
    "honeydew": (240, 255, 240),
    "lavenderblush": (255, 240, 245),
    "canvas": (255, 255, 255),
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "green": (0, 128, 0),
    "navy": (0, 0, 128),
    "yellow": (255, 255, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "lightgray": (211, 211, 211),
    "lightgrey": (211, 211, 211),
}
_WORD = re.compile(r"[a-z]+")
# Beyond any screen, in pixels; a font below this is not read.
_OFF_SCREEN_PX = -400
_TINY_PX = 2
_TINY_SCALE = 0.1
_FAINT = 0.05
_OFFSETS = ("left", "top", "right", "text-indent", "margin-left", "margin-top")


@dataclass(frozen=True, slots=True)
class Appearance:
    """What the declared properties of an element make of its text."""

    hides: bool = False
    color: Colour | None = None
    background: Colour | None = None
    has_picture: bool = False


def appearance(values: Mapping[str, str]) -> Appearance:
    """The properties by their full names, without `var()`, in small letters."""
    background, picture = values.get("background-color", ""), values.get("background-image", "")
    ink = values.get("-webkit-text-fill-color") or values.get("color") or ""
    return Appearance(
        hides=any(test(values) for test in _TESTS),
        color=None if _is_clear(ink) else colour(ink),
        background=None if _is_clear(background) else colour(background),
        has_picture=any(word in picture for word in ("url(", "gradient(", "var(")) or "var(" in background,
    )


def _is_gone(values: Mapping[str, str]) -> bool:
    return (
        values.get("display") == "none"
        or values.get("visibility") in ("hidden", "collapse")
        or values.get("content-visibility") == "hidden"
    )


def _is_transparent(values: Mapping[str, str]) -> bool:
    if _number(values.get("opacity", ""), 1) <= _FAINT:
        return True
    filters = re.findall(r"opacity\(([^()]*)\)", values.get("filter", ""))
    if any(_number(one, 1) <= _FAINT for one in filters):
        return True
    ink = values.get("-webkit-text-fill-color") or values.get("color") or ""
    shadow = values.get("text-shadow", "none")
    # The background shows through the letters, or their shadow is drawn.
    is_drawn = "text" in values.get("background-clip", "") or (shadow != "none" and not _is_clear(shadow))
    return _is_clear(ink) and not is_drawn


def _is_masked(values: Mapping[str, str]) -> bool:
    mask = values.get("mask-image", "")
    if "gradient(" not in mask or "url(" in mask or "var(" in mask:
        return False
    stops = [stop for stop in split_outside(mask[mask.index("(") + 1 :].rpartition(")")[0], ",") if _has_colour(stop)]
    return bool(stops) and all(_is_clear(stop) for stop in stops)


def _has_colour(stop: str) -> bool:
    return "transparent" in stop or "currentcolor" in stop or colour(stop) is not None


def _is_tiny(values: Mapping[str, str]) -> bool:
    if pixels(values.get("font-size", ""), 99) < _TINY_PX or 0 < _number(values.get("zoom", ""), 1) < _TINY_SCALE:
        return True
    transform = values.get("transform", "")
    factors = [values.get("scale", ""), *re.findall(r"scale(?:[xy]|3d)?\(([^()]*)\)", transform)]
    return any(abs(_number(one, 1)) <= _FAINT for factor in factors for one in re.split(r"[\s,]+", factor)[:2])


def _is_moved_away(values: Mapping[str, str]) -> bool:
    lengths = [values[name] for name in _OFFSETS if name in values]
    lengths += values.get("translate", "").split()
    for inside in re.findall(r"translate(?:[xy]|3d)?\(([^()]*)\)", values.get("transform", "")):
        lengths += inside.split(",")
    return any(pixels(one.strip(), 0) <= _OFF_SCREEN_PX for one in lengths)


def _is_clipped(values: Mapping[str, str]) -> bool:
    if re.search(r"rect\(\s*(?:0|1px)[\s,]+(?:0|1px)", values.get("clip", "").replace("0px", "0")):
        return True
    if _is_empty_shape(values.get("clip-path", "")):
        return True
    sizes = [values[name] for name in ("width", "height", "max-height", "max-width") if name in values]
    return values.get("overflow", "").startswith(("hidden", "clip")) and any(pixels(size, 99) <= 1 for size in sizes)


def _is_empty_shape(path: str) -> bool:
    name, _, rest = path.partition("(")
    inside = rest.rpartition(")")[0].strip()
    if name in ("circle", "ellipse"):
        return bool(re.match(r"0*\.?0*(?:px|%|em)?(?:\s|$)", inside)) and inside[:1] in ("0", ".")
    if name == "inset":
        top, right, bottom, left = four_sides(inside.partition("round")[0].split() or ["0"])
        return any(
            sum(_number(one, 0) for one in sides if one.endswith("%")) >= 1 for sides in ((top, bottom), (left, right))
        )
    points = [_NUMBER.findall(point) for point in inside.split(",")] if name == "polygon" else []
    if not points or any(len(point) != 2 for point in points):
        return False
    corners = [(float(x.rstrip("%")), float(y.rstrip("%"))) for x, y in points]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))) < 0.01


_TESTS: tuple[Callable[[Mapping[str, str]], bool], ...] = (
    _is_gone,
    _is_transparent,
    _is_masked,
    _is_tiny,
    _is_moved_away,
    _is_clipped,
)


def four_sides(values: list[str]) -> tuple[str, str, str, str]:
    """Top, right, bottom and left of a property that names one to four."""
    top, right, bottom, left = (values * 4)[:4] if len(values) < 3 else (values + values[1:2])[:4]
    return top, right, bottom, left


def _number(value: str, otherwise: float) -> float:
    """A number, or a percentage as a part of one."""
    match = _LENGTH.match(value)
    if match is None:
        return otherwise
    return float(match.group(1)) / (100 if match.group(2) == "%" else 1)


def pixels(value: str, otherwise: float) -> float:
    """A length in pixels, roughly; relative ones as of an ordinary font."""
    match = _LENGTH.match(value)
    if match is None:
        return otherwise
    number, unit = float(match.group(1)), match.group(2) or ""
    return number * {"em": 16, "rem": 16, "pt": 1.33, "vw": 12, "vh": 8, "%": 0.16 if abs(number) <= 100 else 12}.get(
        unit, 1
    )


def _is_clear(value: str) -> bool:
    """A colour that lets everything through."""
    if "transparent" in value:
        return True
    if match := _HEX.search(value):
        digits = match.group(1)
        return (len(digits) == 4 and digits[3] == "0") or (len(digits) == 8 and int(digits[6:], 16) < 13)
    match = _FUNCTION.search(value)
    if match is None:
        return False
    numbers = _NUMBER.findall(match.group(2))
    return len(numbers) == 4 and _part(numbers[3], 1) <= _FAINT


def colour(value: str) -> Colour | None:
    """A colour by name, in hexadecimal digits or as a function; None where it is another one."""
    if match := _HEX.search(value):
        digits = match.group(1)
        if len(digits) in (3, 4):
            digits = "".join(char * 2 for char in digits)
        return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)) if len(digits) >= 6 else None
    if match := _FUNCTION.search(value):
        return _of_function(match.group(1).lower(), _NUMBER.findall(match.group(2)))
    return next((_NAMED[word] for word in _WORD.findall(value.lower()) if word in _NAMED), None)


def _of_function(name: str, numbers: list[str]) -> Colour | None:
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
    return (255, 255, 255) if light >= 0.99 else (0, 0, 0) if light <= 0.01 else None


def _part(number: str, whole: float) -> float:
    return float(number[:-1]) / 100 if number.endswith("%") else float(number) / whole


def _bytes(parts: Iterable[float]) -> Colour:
    red, green, blue = (round(255 * min(1.0, max(0.0, part))) for part in parts)
    return red, green, blue
