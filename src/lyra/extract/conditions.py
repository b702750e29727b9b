"""Whether the conditions of a style sheet hold: media, features and containers, as on an ordinary desktop screen."""

import re
from collections.abc import Callable

from lyra.extract.lengths import SCREEN_HEIGHT_PX, SCREEN_WIDTH_PX, length
from lyra.extract.selectors import split_outside

Leaf = Callable[[str], bool | None]
_MAX_CHARS = 300
_MAX_DEPTH = 8
_SCREEN_TYPES = ("all", "screen")
_MEDIA_TYPE = re.compile(r"\s*(?:(not|only)\s+)?([a-z-]+)\s*(?:and\b(.*))?", re.DOTALL)
_PART = re.compile(r"\s*(?:(not|and|or)\b|([a-z-]*)\()", re.DOTALL)
_RANGE = re.compile(r"(.*?)(<=|>=|<|>|=)(.*?)(?:(<=|>=|<|>|=)(.*))?", re.DOTALL)
_BRACKET = re.compile(r"[()]")
_RATIO = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:/\s*(\d+(?:\.\d+)?))?\s*")
_RESOLUTION = re.compile(r"\s*(\d*\.?\d+)\s*(dpi|dpcm|dppx|x)\s*")
_AMOUNTS = {
    "width": float(SCREEN_WIDTH_PX),
    "height": float(SCREEN_HEIGHT_PX),
    "inline-size": float(SCREEN_WIDTH_PX),
    "block-size": float(SCREEN_HEIGHT_PX),
    "device-width": float(SCREEN_WIDTH_PX),
    "device-height": float(SCREEN_HEIGHT_PX),
    "aspect-ratio": SCREEN_WIDTH_PX / SCREEN_HEIGHT_PX,
    "device-aspect-ratio": SCREEN_WIDTH_PX / SCREEN_HEIGHT_PX,
    "resolution": 1.0,
    "device-pixel-ratio": 1.0,
    "color": 8.0,
    "color-index": 0.0,
    "monochrome": 0.0,
    "grid": 0.0,
}
# What a person at a desk has who has changed no setting.
_WORDS = {
    "orientation": ("landscape",),
    "hover": ("hover",),
    "any-hover": ("hover",),
    "pointer": ("fine",),
    "any-pointer": ("fine",),
    "prefers-color-scheme": ("light",),
    "prefers-reduced-motion": ("no-preference",),
    "prefers-reduced-data": ("no-preference",),
    "prefers-reduced-transparency": ("no-preference",),
    "prefers-contrast": ("no-preference",),
    "forced-colors": ("none",),
    "inverted-colors": ("none",),
    "scripting": ("enabled",),
    "display-mode": ("browser",),
    "update": ("fast",),
    "overflow-block": ("scroll",),
    "overflow-inline": ("scroll",),
    "color-gamut": ("srgb",),
    "dynamic-range": ("standard",),
    "video-dynamic-range": ("standard",),
}
_OFF = ("none", "no-preference")


def is_for_desktop(media: str) -> bool:
    """Whether one of the media queries holds on a screen of 1280 by 800 pixels; an empty list does."""
    media = media[:_MAX_CHARS].lower()
    return not media.strip() or any(_query(one) is True for one in split_outside(media, ","))


def is_supported(condition: str, is_valid: Callable[[str], bool]) -> bool:
    """Whether a browser supports it; `is_valid` judges a declaration."""

    def leaf(inside: str) -> bool:
        return ":" not in inside or is_valid(inside)

    return _holds(condition[:_MAX_CHARS].lower(), leaf) is True


def is_in_container(condition: str) -> bool:
    """Whether it holds in a container as large as the screen; one that is named is taken to exist."""
    condition = condition[:_MAX_CHARS].lower().strip()
    name, bracket, rest = condition.partition("(")
    words = [word for word in name.split() if word == "not"]
    return _holds(" ".join([*words, bracket + rest]), _feature) is True


def _query(query: str) -> bool | None:
    found = _MEDIA_TYPE.fullmatch(query)
    if found is None or (found[1] is None and found[2] == "not"):
        return _holds(query, _feature)
    holds: bool | None = found[2] in _SCREEN_TYPES
    if holds and found[3] is not None:
        holds = _holds(found[3], _feature)
    return _negated(holds) if found[1] == "not" else holds


def _negated(holds: bool | None) -> bool | None:
    return None if holds is None else not holds


def _holds(text: str, leaf: Leaf, depth: int = 0) -> bool | None:
    """`not`, `and` and `or` of conditions in brackets; None where it is not known, as browsers have it."""
    at, is_negated, joiner = 0, False, ""
    result: bool | None = None
    is_first = True
    while at < len(text) and text[at:].strip():
        part = _PART.match(text, at)
        if part is None or depth > _MAX_DEPTH:
            return None
        at = part.end()
        if part[1] == "not":
            is_negated = True
            continue
        if part[1]:
            joiner = part[1]
            continue
        end = _closing(text, at)
        inside, at = text[at:end], end + 1
        value = _inner(inside, leaf, depth) if not part[2] else _function(part[2], inside)
        value = _negated(value) if is_negated else value
        result = value if is_first else _joined(result, value, joiner)
        is_first = is_negated = False
    return result


def _function(name: str, inside: str) -> bool | None:
    """`selector()`, `font-tech()` and the like are supported; what `style()` asks is not known."""
    return None if name in ("style", "scroll-state") or not inside else True


def _inner(inside: str, leaf: Leaf, depth: int) -> bool | None:
    text = inside.lstrip()
    if text.startswith("(") or (text.startswith("not") and "(" in text):
        return _holds(inside, leaf, depth + 1)
    return leaf(inside)


def _joined(one: bool | None, other: bool | None, joiner: str) -> bool | None:
    decisive = joiner == "or"
    if one is decisive or other is decisive:
        return decisive
    return None if one is None or other is None else not decisive


def _closing(text: str, at: int) -> int:
    depth = 1
    for bracket in _BRACKET.finditer(text, at):
        depth += 1 if bracket.group() == "(" else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def _feature(inside: str) -> bool | None:
    name, colon, value = (part.strip() for part in inside.partition(":"))
    if not colon:
        return _range(inside) if any(sign in inside for sign in "<>=") else _is_present(name)
    for prefix in ("-webkit-", "-moz-", ""):
        name = name.removeprefix(prefix)
    bound = name[:4] if name.startswith(("min-", "max-")) else ""
    plain = name.removeprefix(bound).removeprefix("-moz-")
    if plain in _WORDS and not bound:
        return value in _WORDS[plain]
    return _compared(plain, {"min-": ">=", "max-": "<="}.get(bound, "="), value)


def _is_present(name: str) -> bool | None:
    if name in _WORDS:
        return _WORDS[name][0] not in _OFF
    return _AMOUNTS[name] != 0 if name in _AMOUNTS else None


def _range(inside: str) -> bool | None:
    found = _RANGE.fullmatch(inside)
    if found is None:
        return None
    left, sign, middle, second_sign, right = (part.strip() if part else "" for part in found.groups())
    if left in _AMOUNTS:
        return _compared(left, sign, middle)
    first = _compared(middle, _turned(sign), left)
    return _joined(first, _compared(middle, second_sign, right), "and") if second_sign else first


def _turned(sign: str) -> str:
    return sign.translate(str.maketrans("<>", "><"))


def _compared(name: str, sign: str, value: str) -> bool | None:
    amount, other = _AMOUNTS.get(name), _amount(value)
    if amount is None or other is None:
        return None
    return {
        "<": amount < other,
        "<=": amount <= other,
        ">": amount > other,
        ">=": amount >= other,
        "=": abs(amount - other) < 0.001,
    }[sign]


def _amount(value: str) -> float | None:
    if found := _RESOLUTION.fullmatch(value):
        return float(found[1]) / {"dpi": 96, "dpcm": 37.8}.get(found[2], 1)
    if "/" in value and (found := _RATIO.fullmatch(value)):
        return float(found[1]) / float(found[2]) if float(found[2]) else None
    return length(value)
