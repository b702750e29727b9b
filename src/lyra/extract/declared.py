"""The declarations of a rule or a `style` attribute: by their full names, without those that a browser drops."""

import re
from collections.abc import Iterator

from lyra.extract.colours import colour
from lyra.extract.lengths import length
from lyra.extract.selectors import split_outside, unescape

Declared = tuple[str, str, bool]
INHERITING = frozenset({"", "inherit", "unset", "revert", "revert-layer"})
_MAX_BODY_CHARS = 20_000
MAX_VALUE_CHARS = 1_000
_RELEVANT = re.compile(
    r"display|visibility|opacity|color|background|font|indent|left|top|right|bottom|inset|clip|width|height|size"
    r"|overflow|position|padding|contain|white-space|transform|translate|rotate|scale|zoom|margin|filter|mask|shadow"
    r"|stroke|animation|spacing|security|--|\\",
    re.IGNORECASE,
)
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_RENAMED = {
    "-webkit-mask": "mask-image",
    "-webkit-mask-image": "mask-image",
    "mask": "mask-image",
    "-webkit-clip-path": "clip-path",
    "-webkit-filter": "filter",
    "-webkit-background-clip": "background-clip",
    "-webkit-transform": "transform",
    "-webkit-animation": "animation",
    "-webkit-animation-name": "animation-name",
    "-webkit-animation-fill-mode": "animation-fill-mode",
    "-webkit-opacity": "opacity",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "block-size": "height",
    "inline-size": "width",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
}
_SIDES = ("top", "right", "bottom", "left")
_SIZE = re.compile(r"0|[\d.]+(?:e[+-]?\d+)?(?:px|pt|em|rem|%|vw|vh|ch)")
_DISPLAYS = frozenset(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell "
    "table-column table-caption table-row-group table-header-group table-footer-group table-column-group contents "
    "list-item flow flow-root run-in ruby ruby-base ruby-text math -webkit-box -webkit-inline-box -webkit-flex "
    "initial inherit unset revert revert-layer".split()
)
_VISIBILITIES = frozenset("visible hidden collapse initial inherit unset revert revert-layer".split())
_FONT_SIZES = frozenset("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math".split())
_SYSTEM_COLOURS = frozenset(
    "currentcolor transparent initial inherit unset revert accentcolor buttonface buttonborder highlight "
    "selecteditem mark window infobackground menu".split()
)


def declarations(text: str) -> Iterator[Declared]:
    """The properties of a rule or a `style` attribute by their full names."""
    if not _RELEVANT.search(text):
        return
    for part in split_outside(text[:_MAX_BODY_CHARS], ";"):
        name, colon, value = part.partition(":")
        if not colon or len(value) > MAX_VALUE_CHARS:
            continue
        name = unescape(name.strip())
        plain = _IMPORTANT.sub("", value)
        is_important = plain != value
        lowered = unescape(plain.strip()).lower()
        for full_name, one in _expanded(name.lower(), lowered):
            if is_valid(full_name, one):
                yield full_name, one, is_important


def is_valid(name: str, value: str) -> bool:
    """Whether a browser takes the value, of the properties that decide most; the others are taken as they are."""
    if "var(" in value or "env(" in value:
        return True
    if name == "display":
        return all(word in _DISPLAYS for word in value.split())
    if name == "visibility":
        return value in _VISIBILITIES
    if name == "opacity":
        return value in INHERITING or value == "initial" or length(value) is not None or "(" in value
    if name == "font-size":
        return value in INHERITING or value in _FONT_SIZES or "(" in value or length(value) is not None
    if name in ("color", "background-color") and value.isalpha():
        known = value in _SYSTEM_COLOURS or value.endswith("text") or colour(value) is not None
        return known or (name == "background-color" and value == "none")
    return True


def _expanded(name: str, value: str) -> Iterator[tuple[str, str]]:
    name = _RENAMED.get(name, name)
    if name == "font":
        sizes = [size for word in value.split() if _SIZE.fullmatch(size := word.partition("/")[0])]
        yield "font-size", sizes[0] if sizes else "inherit" if value in INHERITING else "medium"
    elif name == "background":
        yield "background-color", value
        yield "background-image", value
        yield "background-clip", value
    elif name in ("inset", "margin", "padding"):
        prefix = "" if name == "inset" else f"{name}-"
        for side, one in zip(_SIDES, four_sides(value.split() or ["auto"]), strict=True):
            yield prefix + side, one
    else:
        yield name, value


def four_sides(values: list[str]) -> tuple[str, str, str, str]:
    """Top, right, bottom and left of a property that names one to four."""
    top, right, bottom, left = (values * 4)[:4] if len(values) < 3 else (values + values[1:2])[:4]
    return top, right, bottom, left
