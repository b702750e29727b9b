"""As much of style sheets as decides whether text is seen: simple selectors, and the properties that hide."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Colour = tuple[int, int, int]
_MAX_SHEET_CHARS = 400_000
_MAX_RULES = 4_000
_CSS_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/")
_BRACE = re.compile(r"[{}]")
_SCREEN = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)\s*$", re.IGNORECASE)
_COMPOUND = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)")
_RELEVANT = re.compile(
    r"display|visibility|opacity|color|background|font-size|text-indent|left|top|right|clip|width|height|transform",
    re.I,
)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|vw|vh|%|ch)?")
_HEX = re.compile(r"#([0-9a-f]{3,8})\b", re.IGNORECASE)
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+%?))?", re.IGNORECASE)
_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "ghostwhite": (248, 248, 255),
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "green": (0, 128, 0),
    "yellow": (255, 255, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "lightgray": (211, 211, 211),
    "lightgrey": (211, 211, 211),
}
# Beyond any screen, in pixels; a font below this is not read.
_OFF_SCREEN_PX = -400
_TINY_PX = 2


@dataclass(frozen=True, slots=True)
class Declarations:
    """What is declared of an element; None where nothing is."""

    is_gone: bool | None = None
    is_invisible: bool | None = None
    is_transparent: bool | None = None
    is_tiny: bool | None = None
    is_moved_away: bool | None = None
    is_clipped: bool | None = None
    color: Colour | None = None
    background: Colour | None = None
    has_picture: bool | None = None

    @property
    def hides(self) -> bool:
        return any(
            (self.is_gone, self.is_invisible, self.is_transparent, self.is_tiny, self.is_moved_away, self.is_clipped)
        )

    def overridden_by(self, later: "Declarations") -> "Declarations":
        changes = {one.name: value for one in fields(later) if (value := getattr(later, one.name)) is not None}
        return replace(self, **changes) if changes else self


@dataclass(frozen=True, slots=True)
class _Compound:
    tag: str
    classes: frozenset[str]
    id: str

    def fits(self, element: "HtmlElement") -> bool:
        if self.tag and self.tag != element.tag:
            return False
        if self.id and self.id != element.get("id"):
            return False
        return self.classes <= set((element.get("class") or "").split())


@dataclass(frozen=True, slots=True)
class StyleRule:
    """One selector with what it declares; `key` is a class, id or tag that its elements have."""

    parts: tuple[_Compound, ...]
    declared: Declarations

    @property
    def key(self) -> str:
        last = self.parts[-1]
        if last.id:
            return f"#{last.id}"
        return f".{min(last.classes)}" if last.classes else last.tag

    def matches(self, element: "HtmlElement") -> bool:
        if not self.parts[-1].fits(element):
            return False
        wanted = list(self.parts[:-1])
        for ancestor in element.iterancestors():
            if not wanted:
                break
            if wanted[-1].fits(ancestor):
                wanted.pop()
        return not wanted


def rules_of(tree: "HtmlElement") -> tuple[StyleRule, ...]:
    """The rules of the page's own sheets that hide or colour, in their order; those for print or small screens not."""
    text = "".join(str(style.text or "") for style in tree.iter("style") if _is_for_screens(style.get("media")))
    text = _CSS_COMMENT.sub("", text[:_MAX_SHEET_CHARS])
    found: list[StyleRule] = []
    for selectors, body in _blocks(text):
        if not _RELEVANT.search(body):
            continue
        declared = declarations(body)
        if declared == Declarations():
            continue
        found += [StyleRule(parts, declared) for parts in _selectors(selectors)]
        if len(found) >= _MAX_RULES:
            break
    return tuple(found[:_MAX_RULES])


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Selectors and bodies in one pass; of blocks around blocks only those for every screen."""
    depth = start = body = 0
    for brace in _BRACE.finditer(text):
        if brace.group() == "{":
            body = brace.end() if depth == 0 else body
            depth += 1
            continue
        depth = max(0, depth - 1)
        if depth == 0 and body > start:
            head = text[start : body - 1].rpartition(";")[2].strip()
            if not head.startswith("@"):
                yield head, text[body : brace.start()]
            elif _SCREEN.match(head):
                yield from _blocks(text[body : brace.start()])
        if depth == 0:
            start = brace.end()


def _is_for_screens(media: str | None) -> bool:
    return not media or bool(re.match(r"\s*(?:all|screen)\s*$", media, re.IGNORECASE))


def _selectors(text: str) -> Iterator[tuple[_Compound, ...]]:
    """Classes, ids and tags one inside another; anything else (states, siblings, attributes) is not decided here."""
    for selector in text.split(","):
        parts = [_compound(part) for part in selector.replace(">", " ").split()]
        if parts and all(part is not None for part in parts):
            yield tuple(part for part in parts if part is not None)


def _compound(text: str) -> _Compound | None:
    match = _COMPOUND.fullmatch(text)
    if match is None or not text or text == "*":
        return None
    tag, rest = match.group(1) or "", match.group(2)
    names = re.findall(r"[.#][\w-]+", rest)
    return _Compound(
        "" if tag == "*" else tag.lower(),
        frozenset(name[1:] for name in names if name[0] == "."),
        next((name[1:] for name in names if name[0] == "#"), ""),
    )


def declarations(text: str) -> Declarations:
    """What the body of a rule, or a `style` attribute, says of being seen."""
    if not _RELEVANT.search(text):
        return Declarations()
    values = {}
    for part in text.split(";"):
        name, _, value = part.partition(":")
        values[name.strip().lower()] = value.replace("!important", "").strip().lower()
    background = values.get("background-color") or values.get("background") or ""
    return Declarations(
        is_gone=_said(values, "display", lambda value: value == "none"),
        is_invisible=_said(values, "visibility", lambda value: value in ("hidden", "collapse")),
        is_transparent=_transparent(values),
        is_tiny=_said(values, "font-size", lambda value: _pixels(value, 99) < _TINY_PX),
        is_moved_away=_moved_away(values),
        is_clipped=_clipped(values),
        color=colour(values["color"]) if "color" in values else None,
        background=colour(background) if background else None,
        has_picture=True if "url(" in background or "gradient(" in background or "background-image" in values else None,
    )


def _said(values: dict[str, str], name: str, test: "object") -> bool | None:
    return bool(test(values[name])) if name in values and callable(test) else None


def _transparent(values: dict[str, str]) -> bool | None:
    if "opacity" in values:
        return _pixels(values["opacity"], 1) <= 0.05
    color = values.get("color")
    if color is None:
        return None
    match = _RGB.search(color)
    return color == "transparent" or bool(match and match.group(4) and _pixels(match.group(4), 1) == 0)


def _moved_away(values: dict[str, str]) -> bool | None:
    names = [name for name in ("left", "top", "right", "text-indent", "margin-left", "margin-top") if name in values]
    if "transform" in values and re.search(r"scale\(\s*0|translate[xy]?\(\s*-\d{3,}", values["transform"]):
        return True
    if not names:
        return None
    return any(_pixels(values[name], 0) <= _OFF_SCREEN_PX for name in names)


def _clipped(values: dict[str, str]) -> bool | None:
    if re.search(r"rect\(\s*(?:0|1px)[\s,]+(?:0|1px)", values.get("clip", "")) or "inset(50%" in values.get(
        "clip-path", ""
    ):
        return True
    if "inset(100%" in values.get("clip-path", "") or "circle(0" in values.get("clip-path", ""):
        return True
    sizes = [values[name] for name in ("width", "height", "max-height", "max-width") if name in values]
    if values.get("overflow") == "hidden" and any(_pixels(size, 99) <= 1 for size in sizes):
        return True
    return False if "clip" in values or "clip-path" in values else None


def _pixels(value: str, otherwise: float) -> float:
    """A length in pixels, roughly; relative ones as of an ordinary font."""
    match = _LENGTH.match(value)
    if match is None:
        return otherwise
    number, unit = float(match.group(1)), match.group(2) or ""
    return number * {"em": 16, "rem": 16, "pt": 1.33, "vw": 12, "vh": 8, "%": 0.16 if abs(number) <= 100 else 12}.get(
        unit, 1
    )


def colour(value: str) -> Colour | None:
    """A colour by name, in hexadecimal digits or as rgb(); None where it is another one, or transparent."""
    if match := _HEX.search(value):
        digits = match.group(1)
        if len(digits) in (3, 4):
            digits = "".join(char * 2 for char in digits)
        return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)) if len(digits) >= 6 else None
    if match := _RGB.search(value):
        red, green, blue = (min(255, int(match.group(at))) for at in (1, 2, 3))
        return red, green, blue
    return next((_NAMED[word] for word in re.findall(r"[a-z]+", value) if word in _NAMED), None)
