"""Numbers and lengths of CSS in pixels: with exponents and units, and as `calc()`, `min()`, `max()` and `clamp()`."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# An ordinary desktop screen, by which everything relative is judged.
SCREEN_WIDTH_PX = 1280
SCREEN_HEIGHT_PX = 800
FONT_PX = 16.0
_MAX_CHARS = 200
_MAX_DEPTH = 8
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_PLAIN = re.compile(rf"\s*({_NUMBER})([a-z]*|%)\s*")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?P<unit>%|[a-z]*)|(?P<name>-?[a-z-]*)\(|(?P<sign>[-+*/,)]))\s*"
)
_OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_FUNCTIONS = ("", "calc", "-webkit-calc", "-moz-calc", "min", "max", "clamp")
_FIXED_UNITS = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
    "deg": 1.0,
    "grad": 0.9,
    "rad": 57.29578,
    "turn": 360.0,
}
_SCREEN_UNITS = {
    "vw": SCREEN_WIDTH_PX,
    "vi": SCREEN_WIDTH_PX,
    "cqw": SCREEN_WIDTH_PX,
    "cqi": SCREEN_WIDTH_PX,
    "vh": SCREEN_HEIGHT_PX,
    "vb": SCREEN_HEIGHT_PX,
    "cqh": SCREEN_HEIGHT_PX,
    "cqb": SCREEN_HEIGHT_PX,
    "vmin": SCREEN_HEIGHT_PX,
    "vmax": SCREEN_WIDTH_PX,
}
_FONT_UNITS = {"em": 1.0, "lh": 1.2, "ex": 0.5, "ch": 0.5, "ic": 1.0, "cap": 0.7}


def length(value: str, *, whole: float = SCREEN_WIDTH_PX, font_px: float = FONT_PX) -> float | None:
    """A length in pixels or a plain number; `whole` is what a percentage is of. None where it is neither."""
    value = value.strip()
    if not value or len(value) > _MAX_CHARS:
        return None
    if match := _PLAIN.fullmatch(value):
        return _scaled(match.group(1), match.group(2), whole, font_px)
    if not value.endswith(")"):
        return None
    try:
        return _Sum(value, whole, font_px).value()
    except (_NotConstantError, ZeroDivisionError, OverflowError):
        return None


def number(value: str, otherwise: float) -> float:
    """A number, or a percentage as a part of one."""
    found = length(value, whole=1.0)
    return otherwise if found is None else found


def _scaled(digits: str, unit: str, whole: float, font_px: float) -> float | None:
    amount = float(digits)
    if unit == "%":
        return amount * whole / 100
    if unit in _FIXED_UNITS:
        return amount * _FIXED_UNITS[unit]
    if unit in _FONT_UNITS:
        return amount * _FONT_UNITS[unit] * font_px
    if unit in ("rem", "rlh"):
        return amount * FONT_PX
    # Small, large and dynamic screens are as high as any on a desktop.
    share = _SCREEN_UNITS.get(unit) or _SCREEN_UNITS.get(unit[1:])
    return None if share is None else amount * share / 100


class _NotConstantError(Exception):
    """The expression has a part whose value is not known."""


@dataclass(slots=True)
class _Sum:
    """Reads an expression from left to right."""

    text: str
    whole: float
    font_px: float
    at: int = 0
    depth: int = 0
    _sign: str = field(default="")

    def value(self) -> float:
        found = self._term()
        if self.at < len(self.text):
            raise _NotConstantError
        return found

    def _next(self) -> "re.Match[str]":
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise _NotConstantError
        self.at = match.end()
        return match

    def _term(self) -> float:
        """A number, a function, or one of these with a sign before it."""
        token = self._next()
        if token["sign"] in ("-", "+"):
            return -self._term() if token["sign"] == "-" else self._term()
        if token["number"]:
            found = _scaled(token["number"], token["unit"], self.whole, self.font_px)
            if found is None:
                raise _NotConstantError
            return found
        if token["name"] not in _FUNCTIONS or self.depth >= _MAX_DEPTH:
            raise _NotConstantError
        self.depth += 1
        found = self._function(token["name"])
        self.depth -= 1
        return found

    def _function(self, name: str) -> float:
        """What stands between the bracket that was just read and its end."""
        values = [self._sum()]
        while self._sign == ",":
            values.append(self._sum())
        if name in ("min", "max"):
            return min(values) if name == "min" else max(values)
        if name == "clamp" and len(values) == 3:
            return max(values[0], min(values[1], values[2]))
        if len(values) != 1:
            raise _NotConstantError
        return values[0]

    def _sum(self) -> float:
        """Products and sums up to a comma or the closing bracket, which is left in `_sign`."""
        parts, pending = [self._term()], ["+"]
        while (sign := self._next()["sign"] or "") in _OPERATORS:
            term = self._term()
            if sign in "*/":
                parts[-1] = _OPERATORS[sign](parts[-1], term)
            else:
                parts.append(term)
                pending.append(sign)
        if sign not in (",", ")"):
            raise _NotConstantError
        self._sign = sign
        return sum(part if sign == "+" else -part for sign, part in zip(pending, parts, strict=True))
