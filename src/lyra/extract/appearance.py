"""Whether the declared properties of an element take away all text in it, whatever is declared inside."""

import math
import re
from collections.abc import Callable, Mapping

from lyra.extract.colours import FAINT, colour, is_clear
from lyra.extract.declared import four_sides
from lyra.extract.lengths import SCREEN_HEIGHT_PX, SCREEN_WIDTH_PX, length, number
from lyra.extract.selectors import split_outside

# Beyond any screen, in pixels: before its start nothing can be scrolled to; after its end nobody scrolls as far.
BEFORE_SCREEN_PX = -400
AFTER_SCREEN_PX = 3_000
# Moving back by a whole is how columns, centred boxes and slides are placed; twice that is how text is put away.
_WHOLE_BACK_PX = 300
_TINY_SCALE = 0.1
# Half the height of an ordinary letter: nothing of its shape is left.
_BLURRED_PX = 8
_FUNCTION = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?")
_GAP = re.compile(r"[\s,]+")
_POSITIONED = ("absolute", "fixed", "relative", "sticky")
# The strictest of what other rules may add to a declaration.
_AT_WORST = {"position": "fixed", "overflow": "hidden", "white-space": "nowrap"}
Values = Mapping[str, str]


def hides_all(values: Values) -> bool:
    """The properties by their full names, without `var()`, in small letters."""
    return any(test(values) for test in _TESTS)


def may_hide_all(values: Values) -> bool:
    """Whether they do so together with what other rules may declare of the same element."""
    return hides_all({**values, **_AT_WORST})


def plain_gradient(picture: str) -> str:
    """A gradient from one colour to the same one, as that colour; nothing where it is another picture."""
    if "gradient(" not in picture or "url(" in picture or "var(" in picture:
        return ""
    stops = colour_stops(picture)
    colours = {colour(stop) for stop in stops}
    return stops[0] if len(colours) == 1 and None not in colours and not any(map(is_clear, stops)) else ""


def colour_stops(gradient: str) -> list[str]:
    """The parts of a gradient that name a colour."""
    inside = gradient[gradient.index("(") + 1 :].rpartition(")")[0]
    return [stop for stop in split_outside(inside, ",") if _has_colour(stop)]


def _has_colour(stop: str) -> bool:
    return "transparent" in stop or "currentcolor" in stop or colour(stop) is not None


def _is_gone(values: Values) -> bool:
    return (
        values.get("display") == "none"
        or values.get("content-visibility") == "hidden"
        or values.get("-webkit-text-security", "none") not in ("none", "initial", "inherit", "unset")
    )


def _is_filtered(values: Values) -> bool:
    for name, inside in _FUNCTION.findall(values.get("filter", "")):
        if name in ("opacity", "contrast") and number(inside, 1) <= FAINT:
            return True
        if name == "blur" and (length(inside) or 0) >= _BLURRED_PX:
            return True
    return False


def _is_masked(values: Values) -> bool:
    mask = values.get("mask-image", "")
    if "gradient(" not in mask or "url(" in mask or "var(" in mask:
        return False
    stops = colour_stops(mask)
    return bool(stops) and all(is_clear(stop) for stop in stops)


def _is_flat(values: Values) -> bool:
    """Scaled, turned or projected to a line or a point."""
    if 0 < number(values.get("zoom", ""), 1) < _TINY_SCALE:
        return True
    factors = _GAP.split(values.get("scale", ""))[:2]
    turned = values.get("rotate", "").split()
    if len(turned) == 2 and turned[0] in ("x", "y") and _is_edge_on(turned[1]):
        return True
    for name, inside in _FUNCTION.findall(values.get("transform", "")):
        parts = [one.strip() for one in inside.split(",")]
        if name in ("scale", "scalex", "scaley", "scale3d"):
            factors += parts[:2]
        elif (name in ("rotatex", "rotatey") and _is_edge_on(inside)) or _is_singular(name, parts):
            return True
    return any(abs(number(factor, 1)) <= FAINT for factor in factors)


def _is_edge_on(angle: str) -> bool:
    turned = length(angle)
    return turned is not None and abs(math.cos(math.radians(turned))) <= FAINT


def _is_singular(name: str, parts: list[str]) -> bool:
    """A matrix that leaves no area: the determinant of its plane is next to nothing."""
    if (name, len(parts)) not in (("matrix", 6), ("matrix3d", 16)):
        return False
    numbers = [number(part, 1) for part in parts]
    a, b, c, d = numbers[:4] if name == "matrix" else (*numbers[0:2], *numbers[4:6])
    return abs(a * d - b * c) <= FAINT * FAINT


def _is_moved_away(values: Values) -> bool:
    across, down = _moves(values)
    if any(one <= BEFORE_SCREEN_PX or one >= AFTER_SCREEN_PX for one in across):
        return True
    return any(one <= BEFORE_SCREEN_PX for one in down) or _is_placed_away(values)


def _is_placed_away(values: Values) -> bool:
    """By its offsets, which count where an element has a position; one that is fixed is never scrolled to."""
    position = values.get("position", "static")
    if position not in _POSITIONED:
        return False
    left, right = _offset(values, "left", SCREEN_WIDTH_PX), _offset(values, "right", SCREEN_WIDTH_PX)
    top, bottom = _offset(values, "top", SCREEN_HEIGHT_PX), _offset(values, "bottom", SCREEN_HEIGHT_PX)
    if min(left, top, right) <= BEFORE_SCREEN_PX or max(left, right) >= AFTER_SCREEN_PX or bottom <= -AFTER_SCREEN_PX:
        return True
    return position == "fixed" and (
        bottom <= BEFORE_SCREEN_PX or max(top, bottom) >= SCREEN_HEIGHT_PX or max(left, right) >= SCREEN_WIDTH_PX
    )


def _offset(values: Values, name: str, whole: float) -> float:
    found = length(values.get(name, ""), whole=whole) or 0.0
    return found if found > 0 else length(values.get(name, ""), whole=_WHOLE_BACK_PX) or 0.0


def _moves(values: Values) -> tuple[list[float], list[float]]:
    """How far margins and transforms move, in pixels: across and down."""
    across, down = [values.get("margin-left", "")], [values.get("margin-top", "")]
    both = values.get("translate", "").split()[:2]
    for name, inside in _FUNCTION.findall(values.get("transform", "")):
        parts = [one.strip() for one in inside.split(",")]
        if name in ("translate", "translate3d"):
            both += parts[:2] if len(parts) > 1 else [parts[0], "0"]
        elif name in ("translatex", "translatey"):
            both += [inside, "0"] if name == "translatex" else ["0", inside]
        elif name == "matrix" and len(parts) == 6:
            both += parts[4:]
    return _pixels(across + both[::2]), _pixels(down + both[1::2])


def _pixels(lengths: list[str]) -> list[float]:
    return [length(one, whole=_WHOLE_BACK_PX) or 0.0 for one in lengths]


def _is_clipped(values: Values) -> bool:
    is_out_of_flow = values.get("position") in ("absolute", "fixed")
    clip = values.get("clip", "").replace("0px", "0")
    if is_out_of_flow and re.search(r"rect\(\s*(?:0|1px)[\s,]+(?:0|1px)", clip):
        return True
    if _is_empty_shape(values.get("clip-path", "")):
        return True
    if not _cuts_off(values):
        return False
    is_indented = values.get("white-space") == "nowrap" and (length(values.get("text-indent", "")) or 0) >= 1_000
    return is_indented or _is_shut(values, "height", "top", "bottom") or _is_shut(values, "width", "left", "right")


def _cuts_off(values: Values) -> bool:
    flows = " ".join(values.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")).split()
    contained = values.get("contain", "").split()
    is_cut = any(one in ("hidden", "clip", "auto", "scroll") for one in flows)
    return is_cut or any(one in ("paint", "strict", "content") for one in contained)


def _is_shut(values: Values, side: str, start: str, end: str) -> bool:
    """At most a pixel high or wide, with no padding, in which text is still seen."""
    sizes = [length(values[name]) for name in (side, f"max-{side}") if name in values]
    if not any(size is not None and size <= 1 for size in sizes):
        return False
    room = (values.get(f"min-{side}", ""), values.get(f"padding-{start}", ""), values.get(f"padding-{end}", ""))
    return all((length(one) or 0) <= 1 for one in room)


def _is_empty_shape(path: str) -> bool:
    name, _, rest = path.partition("(")
    inside = rest.rpartition(")")[0].strip()
    if name in ("circle", "ellipse"):
        return any(length(one) == 0 for one in inside.partition("at")[0].split())
    if name == "inset":
        top, right, bottom, left = four_sides(inside.partition("round")[0].split() or ["0"])
        return _leaves_nothing(top, bottom) or _leaves_nothing(left, right)
    if name == "path":
        return len(_NUMBER.findall(inside)) < 6
    if name == "xywh":
        return any(length(one) == 0 for one in inside.split()[2:4])
    points = [_NUMBER.findall(point) for point in inside.split(",")] if name == "polygon" else []
    if not points or any(len(point) != 2 for point in points):
        return False
    corners = [(float(x.rstrip("%")), float(y.rstrip("%"))) for x, y in points]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))) < 0.01


def _leaves_nothing(start: str, end: str) -> bool:
    shares = [number(one, 0) for one in (start, end) if one.endswith("%")]
    return sum(shares) >= 1 or any(
        (length(one) or 0) >= AFTER_SCREEN_PX for one in (start, end) if not one.endswith("%")
    )


_TESTS: tuple[Callable[[Values], bool], ...] = (
    _is_gone,
    _is_filtered,
    _is_masked,
    _is_flat,
    _is_moved_away,
    _is_clipped,
)
