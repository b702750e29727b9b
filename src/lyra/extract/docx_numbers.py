"""The numbers and bullets that Word sets before paragraphs: they stand in its lists and styles, not in the text."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lyra.extract.packed import Packed

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BULLETS = ("bullet", "none")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MOST_ANCESTORS = 20
_MOST_LEVELS = 9
_GREATEST = 999


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts."""

    form: str
    start: int


@dataclass
class WordNumbers:
    """Counts the paragraphs of one document in their order."""

    # Levels by the list's kind; the kind and the restarted levels of a list by its id; the list and level of a style.
    _kinds: dict[str, dict[int, _Level]]
    _lists: dict[str, tuple[str, dict[int, int]]]
    _styles: dict[str, tuple[str, int]]
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, packed: Packed) -> "WordNumbers":
        """What `numbering.xml` and `styles.xml` say; both may be absent."""
        root = packed.xml("word/numbering.xml")
        kinds = (
            {} if root is None else {_id(one, "abstractNumId"): _levels(one) for one in root.iter(f"{_W}abstractNum")}
        )
        lists = {} if root is None else {_id(one, "numId"): _list(one) for one in root.findall(f"{_W}num")}
        styles = packed.xml("word/styles.xml")
        return cls(kinds, lists, {} if styles is None else _numbered_styles(styles))

    def sign(self, paragraph: "_Element") -> str:
        """What a paragraph begins with: `3. `, or `- ` for a bullet; nothing where it is no item of a list."""
        list_id, at = self._place(paragraph)
        if list_id in ("", "0"):
            return ""
        kind, restarts = self._lists.get(list_id, ("", {}))
        level = self._kinds.get(kind, {}).get(at)
        if level is None or level.form in _BULLETS:
            return "- "
        if list_id not in self._begun:
            self._begun.add(list_id)
            self._counts |= {(kind, each): start - 1 for each, start in restarts.items()}
        number = self._counts.get((kind, at), level.start - 1) + 1
        for deeper in range(at + 1, _MOST_LEVELS):
            self._counts.pop((kind, deeper), None)
        self._counts[kind, at] = number
        return f"{_shown(number, level.form)}. "

    def _place(self, paragraph: "_Element") -> tuple[str, int]:
        """The list of a paragraph and its level there, by itself or by its style."""
        name = paragraph.find(f"{_W}pPr/{_W}pStyle")
        by_style = self._styles.get(_value(name), ("", 0))
        own = paragraph.find(f"{_W}pPr/{_W}numPr")
        if own is None:
            return by_style
        list_id, level = own.find(f"{_W}numId"), own.find(f"{_W}ilvl")
        return _value(list_id) or by_style[0], by_style[1] if level is None else _whole(_value(level), 0)


def _levels(kind: "_Element") -> dict[int, _Level]:
    return {
        _whole(_id(one, "ilvl"), 0): _Level(
            _value(one.find(f"{_W}numFmt")) or "decimal", _whole(_value(one.find(f"{_W}start")), 1)
        )
        for one in kind.findall(f"{_W}lvl")
    }


def _list(element: "_Element") -> tuple[str, dict[int, int]]:
    starts = {
        _whole(_id(one, "ilvl"), 0): one.find(f"{_W}startOverride") for one in element.findall(f"{_W}lvlOverride")
    }
    restarts = {at: _whole(_value(start), 1) for at, start in starts.items() if start is not None}
    return _value(element.find(f"{_W}abstractNumId")), restarts


def _numbered_styles(styles: "_Element") -> dict[str, tuple[str, int]]:
    """The list and level of each style, its own or that of a style that it is based on."""
    known = {_id(one, "styleId"): one for one in styles.findall(f"{_W}style")}
    found: dict[str, tuple[str, int]] = {}
    for name, style in known.items():
        one: _Element | None = style
        for _ in range(_MOST_ANCESTORS):
            own = None if one is None else one.find(f"{_W}pPr/{_W}numPr")
            if one is None or own is not None:
                break
            one = known.get(_value(one.find(f"{_W}basedOn")))
        if own is not None and (list_id := _value(own.find(f"{_W}numId"))):
            found[name] = (list_id, _whole(_value(own.find(f"{_W}ilvl")), 0))
    return found


def _shown(number: int, form: str) -> str:
    if number < 1 or number > _GREATEST:
        return str(number)
    if form in ("lowerLetter", "upperLetter"):
        shown = _LETTERS[(number - 1) % len(_LETTERS)] * ((number - 1) // len(_LETTERS) + 1)
    elif form in ("lowerRoman", "upperRoman"):
        shown = _roman(number)
    else:
        return str(number)
    return shown.upper() if form.startswith("upper") else shown


def _roman(number: int) -> str:
    shown = ""
    for value, sign in _ROMAN:
        shown += sign * (number // value)
        number %= value
    return shown


def _id(element: "_Element", name: str) -> str:
    return str(element.get(f"{_W}{name}") or "")


def _value(element: "_Element | None") -> str:
    return "" if element is None else _id(element, "val")


def _whole(value: str, default: int) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else default
