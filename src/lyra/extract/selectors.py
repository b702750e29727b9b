"""CSS selectors matched against elements as a page at rest shows them, with a bounded number of comparisons."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_PARTS = 12
_MAX_DEPTH = 4
_MAX_SIBLINGS = 50
_MAX_SELECTORS = 1_000
_MAX_PLACE = 2_000
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+"
_PIECE = re.compile(
    rf"""(?P<tag>\*|{_NAME})|\.(?P<cls>{_NAME})|\#(?P<id>{_NAME})
    |\[\s*(?P<attr>{_NAME})\s*(?:(?P<op>[~|^$*]?=)\s*(?P<value>"[^"]*"|'[^']*'|{_NAME})\s*(?P<case>[isIS])?\s*)?\]
    |:(?P<pseudo>[a-zA-Z-]+)(?P<open>\()?""",
    re.VERBOSE,
)
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_TOKEN = re.compile(r""""(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\\.|[()\[\],;]""", re.DOTALL)
_NTH = re.compile(r"(?:([+-]?\d*)n)?\s*(?:([+-]?)\s*(\d+))?")
Specificity = tuple[int, int, int]


def unescape(text: str) -> str:
    r"""A name without CSS escapes: `d\69splay` is `display`."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _char(found.group(1)) if found.group(1) else found.group(2), text)


def _char(digits: str) -> str:
    number = int(digits, 16)
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def split_outside(text: str, separator: str) -> Iterator[str]:
    """The parts between separators that stand in no string, bracket or escape."""
    depth = start = 0
    for found in _TOKEN.finditer(text):
        char = found.group()
        if char in ("(", "["):
            depth += 1
        elif char in (")", "]"):
            depth = max(0, depth - 1)
        elif char == separator and depth == 0:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


@dataclass(slots=True)
class Steps:
    """How many comparisons are left; without any nothing matches."""

    left: int

    def take(self, number: int = 1) -> bool:
        self.left -= number
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    operator: str
    value: str
    ignores_case: bool

    def fits(self, element: "HtmlElement") -> bool:
        given = element.get(self.name)
        if given is None or not self.operator:
            return given is not None
        found, wanted = str(given), self.value
        if self.ignores_case:
            found, wanted = found.lower(), wanted.lower()
        if self.operator == "=":
            return found == wanted
        if self.operator == "|=":
            return found == wanted or found.startswith(f"{wanted}-")
        if self.operator == "~=":
            return wanted in found.split()
        if not wanted:
            return False
        return {"^=": found.startswith, "$=": found.endswith, "*=": found.__contains__}[self.operator](wanted)


@dataclass(frozen=True, slots=True)
class _Position:
    """`an+b`, counted from the first or the last, among all siblings or those of the same tag."""

    step: int
    offset: int
    is_from_end: bool
    is_of_type: bool

    def fits(self, element: "HtmlElement", steps: Steps) -> bool:
        parent = element.getparent()
        if parent is None:
            return False
        if not self.is_of_type and (self.step, self.offset) == (0, 1):
            return (element.getnext() if self.is_from_end else element.getprevious()) is None
        siblings = islice(element.itersiblings("*", preceding=not self.is_from_end), _MAX_PLACE)
        place = 1 + sum(1 for one in siblings if not self.is_of_type or one.tag == element.tag)
        if not steps.take(place // 4 + 1) or place > _MAX_PLACE:
            return False
        if self.step == 0:
            return place == self.offset
        turns, rest = divmod(place - self.offset, self.step)
        return rest == 0 and turns >= 0


@dataclass(frozen=True, slots=True)
class _Compound:
    tag: str = ""
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[_Attribute, ...] = ()
    positions: tuple[_Position, ...] = ()
    any_of: tuple[tuple["Selector", ...], ...] = ()
    none_of: tuple["Selector", ...] = ()

    def fits(self, element: "HtmlElement", steps: Steps) -> bool:
        if not steps.take() or (self.tag and self.tag != element.tag) or (self.id and self.id != element.get("id")):
            return False
        if self.classes and not self.classes <= set((element.get("class") or "").split()):
            return False
        return (
            all(one.fits(element) for one in self.attributes)
            and all(one.fits(element, steps) for one in self.positions)
            and all(any(one.matches(element, steps) for one in group) for group in self.any_of)
            and not any(one.matches(element, steps) for one in self.none_of)
        )

    @property
    def keys(self) -> tuple[str, ...]:
        if self.id:
            return (f"#{self.id}",)
        if self.classes:
            return (f".{min(self.classes)}",)
        if self.tag:
            return (self.tag,)
        if self.attributes:
            return (f"[{self.attributes[0].name}",)
        if self.any_of:
            return tuple(dict.fromkeys(key for one in self.any_of[0] for key in one.keys))
        return ("*",)


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds, each with how it stands to the next one; the last is that of the element."""

    parts: tuple[tuple[str, _Compound], ...]
    specificity: Specificity

    @property
    def keys(self) -> tuple[str, ...]:
        """Classes, ids, tags or attributes of which its elements have at least one; `*` where there is none."""
        return self.parts[-1][1].keys

    def matches(self, element: "HtmlElement", steps: Steps) -> bool:
        if not self.parts[-1][1].fits(element, steps):
            return False
        current = [element]
        for (_, compound), (combinator, _) in zip(self.parts[-2::-1], self.parts[:0:-1], strict=True):
            if steps.left <= 0:
                return False
            # The nearest stands first, and its ancestors are those of all others too.
            near = current[:1] if combinator == " " else current
            others = dict.fromkeys(other for one in near for other in _related(one, combinator))
            current = [other for other in others if compound.fits(other, steps)]
            if not current:
                return False
        return True


def _related(element: "HtmlElement", combinator: str) -> Iterator["HtmlElement"]:
    if combinator == " ":
        yield from element.iterancestors()
    elif combinator == ">":
        parent = element.getparent()
        if parent is not None:
            yield parent
    else:
        for number, sibling in enumerate(element.itersiblings("*", preceding=True)):
            if number >= (1 if combinator == "+" else _MAX_SIBLINGS):
                return
            yield sibling


def selectors_of(text: str, depth: int = 0) -> list[Selector | None]:
    """The selectors of a list; None for those that depend on a pointer, a script or anything else not known here."""
    found: list[Selector | None] = []
    for number, one in enumerate(split_outside(text, ",")):
        if number >= _MAX_SELECTORS:
            break
        found.append(_selector(one.strip(), depth))
    return found


def _selector(text: str, depth: int) -> Selector | None:
    at, combinator = 0, " "
    parts: list[tuple[str, _Compound]] = []
    weights: list[Specificity] = []
    while at < len(text) and len(parts) < _MAX_PARTS:
        draft = _Draft()
        end = draft.read(text, at, depth)
        if end is None or end == at:
            return None
        parts.append((combinator, draft.compound()))
        weights.append(draft.specificity)
        at = end
        if at < len(text):
            gap = _COMBINATOR.match(text, at)
            if gap is None:
                return None
            at, combinator = gap.end(), gap.group(1) or " "
    if at < len(text) or not parts:
        return None
    return Selector(tuple(parts), _sum(weights))


def _sum(weights: list[Specificity]) -> Specificity:
    return sum(one[0] for one in weights), sum(one[1] for one in weights), sum(one[2] for one in weights)


@dataclass(slots=True)
class _Draft:
    """A compound while it is read."""

    tag: str = ""
    id: str = ""
    classes: set[str] = field(default_factory=set)
    attributes: list[_Attribute] = field(default_factory=list)
    positions: list[_Position] = field(default_factory=list)
    any_of: list[tuple[Selector, ...]] = field(default_factory=list)
    none_of: list[Selector] = field(default_factory=list)
    weights: list[Specificity] = field(default_factory=list)

    @property
    def specificity(self) -> Specificity:
        own = (1 if self.id else 0, len(self.classes) + len(self.attributes) + len(self.positions), int(bool(self.tag)))
        return _sum([own, *self.weights])

    def compound(self) -> _Compound:
        return _Compound(
            self.tag,
            self.id,
            frozenset(self.classes),
            tuple(self.attributes),
            tuple(self.positions),
            tuple(self.any_of),
            tuple(self.none_of),
        )

    def read(self, text: str, at: int, depth: int) -> int | None:
        """Where the compound that starts at `at` ends; None where a part of it cannot be decided."""
        while at < len(text) and (piece := _PIECE.match(text, at)):
            at = piece.end()
            if piece["tag"]:
                self.tag = "" if piece["tag"] == "*" else unescape(piece["tag"]).lower()
            elif piece["cls"]:
                self.classes.add(unescape(piece["cls"]))
            elif piece["id"]:
                self.id = unescape(piece["id"])
            elif piece["attr"]:
                self._add_attribute(piece)
            else:
                end = _closing(text, at) if piece["open"] else at
                if end is None or not self._add_pseudo(piece["pseudo"].lower(), text[at:end], depth):
                    return None
                at = end + 1 if piece["open"] else end
        return at

    def _add_attribute(self, piece: "re.Match[str]") -> None:
        value = piece["value"] or ""
        value = value[1:-1] if value[:1] in ("'", '"') else value
        ignores_case = (piece["case"] or "").lower() == "i"
        self.attributes.append(
            _Attribute(unescape(piece["attr"]).lower(), piece["op"] or "", unescape(value), ignores_case)
        )

    def _add_pseudo(self, name: str, inside: str, depth: int) -> bool:
        if name in ("is", "where", "matches", "-webkit-any", "not"):
            return depth < _MAX_DEPTH and self._add_list(name, selectors_of(inside, depth + 1))
        if name == "root":
            self.tag = self.tag or "html"
            self.weights.append((0, 1, 0))
            return True
        positions = _positions(name, inside.strip().lower())
        self.positions += positions
        return bool(positions)

    def _add_list(self, name: str, selectors: list[Selector | None]) -> bool:
        known = tuple(one for one in selectors if one is not None)
        if name == "not":
            if len(known) < len(selectors):
                return False
            self.none_of += known
        else:
            self.any_of.append(known)
        if name != "where" and known:
            self.weights.append(max(one.specificity for one in known))
        return bool(known)


def _closing(text: str, at: int) -> int | None:
    """The place of the bracket that closes the one before `at`."""
    depth = 1
    for found in _TOKEN.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if depth == 0:
            return found.start()
    return None


def _positions(name: str, inside: str) -> list[_Position]:
    is_of_type, is_from_end = name.endswith("-of-type"), "last" in name
    if name in ("first-child", "last-child", "first-of-type", "last-of-type"):
        return [_Position(0, 1, is_from_end, is_of_type)]
    if name in ("only-child", "only-of-type"):
        return [_Position(0, 1, False, is_of_type), _Position(0, 1, True, is_of_type)]
    if name not in ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"):
        return []
    inside = {"odd": "2n+1", "even": "2n"}.get(inside, inside)
    found = _NTH.fullmatch(inside)
    if found is None or not inside or len(inside) > 12:
        return []
    factor, sign, number = found.groups()
    step = 0 if factor is None else int(factor + "1" if factor in ("", "+", "-") else factor)
    return [_Position(step, int(f"{sign}{number}") if number else 0, is_from_end, is_of_type)]
