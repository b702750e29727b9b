"""The style sheets that a page carries itself, as rules in their order: its `style` elements and `data:` addresses."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from lyra.extract.conditions import is_for_desktop, is_in_container, is_supported
from lyra.extract.declared import Declared, declarations, is_valid
from lyra.extract.selectors import Selector, selectors_of, split_outside

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_RULES = 8_000
_MAX_SHEET_CHARS = 2_000_000
# Every level of nesting is read once more: all of them together.
_MAX_READ_CHARS = 12_000_000
_MAX_NESTING = 40
_MAX_IMPORTS = 20
_MAX_HEAD_CHARS = 4_000
_MAX_SELECTOR_CHARS = 150_000
_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
# Marks of HTML's comments that a sheet may stand between (CSS Syntax 3, section 4.3.1).
_HTML_COMMENT = re.compile(r"<!--|-->")
_TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|\burl\((?!\s*["'])[^)]*+\)|\\.|[{};]""", re.DOTALL | re.IGNORECASE
)
_AT_RULE = re.compile(
    r"@(media|layer|supports|container|scope|keyframes|-webkit-keyframes)\b\s*(.*)", re.IGNORECASE | re.DOTALL
)
_IMPORT = re.compile(
    r"""@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"')]+))\s*\)?(.*)""", re.IGNORECASE | re.DOTALL
)
_IMPORT_TERMS = re.compile(r"\s*(?P<layer>layer\b(?:\([^()]*\))?)?\s*(?:supports\([^()]*\))?(?P<media>.*)", re.DOTALL)
_DATA_SHEET = re.compile(r"data:text/css(?P<terms>[^,]*),(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_SCOPE = re.compile(r"\((?P<root>.*?)\)\s*(?:to\s*\((?P<limit>.*)\)\s*)?", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[.#][\w-]+")


@dataclass(frozen=True, slots=True)
class StyleRule:
    """One selector with what it declares: properties, their values, and whether they are important."""

    selector: Selector
    declared: tuple[Declared, ...]
    is_layered: bool
    place: int


@dataclass(frozen=True, slots=True)
class Sheets:
    """The rules of a page, how its animations end, by their names, and whether it has sheets on other addresses."""

    rules: list[StyleRule]
    endings: Mapping[str, tuple[Declared, ...]]
    has_outer: bool


def sheets_of(tree: "HtmlElement") -> Sheets:
    """What may hide or colour on an ordinary desktop screen.

    Not what is for print, for other screens, or for readers without scripts. The work grows with the length of the
    sheets, and rules that name a class or an id that the page does not have cost next to nothing.
    """
    reader = _SheetReader(has_outer=_has_outer(tree))
    texts = [reader.text_of(element) for element in tree.iter("style", "link") if _is_applied(element)]
    text = _HTML_COMMENT.sub(" ", _COMMENT.sub("", "\n".join(texts)))[:_MAX_SHEET_CHARS]
    names = _names_in(tree) if text.strip() else frozenset()
    found: list[StyleRule] = []
    left = _MAX_SELECTOR_CHARS
    for head, body, is_layered in reader.blocks(text, _Around()):
        if not _may_match(head, names):
            continue
        declared = _last_of(declarations(body))
        if declared:
            left -= len(head)
            place = len(found)
            found += [StyleRule(one, declared, is_layered, place) for one in selectors_of(head) if one is not None]
        if len(found) >= MAX_RULES or left < 0:
            break
    return Sheets(found, reader.endings, reader.has_outer)


def _last_of(declared: Iterator[Declared]) -> tuple[Declared, ...]:
    return tuple({(name, is_important): (name, value, is_important) for name, value, is_important in declared}.values())


def _is_applied(element: "HtmlElement") -> bool:
    relation = (element.get("rel") or "").lower().split()
    if element.tag == "link" and ("stylesheet" not in relation or "alternate" in relation):
        return False
    is_on = is_for_desktop(element.get("media") or "") and element.get("disabled") is None
    return is_on and next(element.iterancestors("noscript"), None) is None


def _has_outer(tree: "HtmlElement") -> bool:
    """Whether a link names a sheet on another address, or one that scripts will put in force."""
    for link in tree.iter("link"):
        is_sheet = "stylesheet" in (link.get("rel") or "").lower() or (link.get("as") or "").lower() == "style"
        if is_sheet and _DATA_SHEET.fullmatch((link.get("href") or "").strip()) is None:
            return True
    return False


def _names_in(tree: "HtmlElement") -> frozenset[str]:
    """The classes and ids of the page, as selectors write them."""
    classes = {name for value in set(tree.xpath("descendant-or-self::*/@class")) for name in value.split()}
    ids = set(tree.xpath("descendant-or-self::*/@id"))
    return frozenset({f".{name}" for name in classes} | {f"#{name}" for name in ids})


def _may_match(head: str, names: frozenset[str]) -> bool:
    """Whether the page has all classes and ids of one of the selectors, as far as that is seen at a glance."""
    if "(" in head or "\\" in head or "[" in head:
        return True
    return any(names.issuperset(_NAME.findall(one)) for one in head.split(","))


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around blocks: the selector of a rule, a scope, a layer."""

    parent: str = ""
    scope: str = ""
    is_layered: bool = False
    depth: int = 0


@dataclass(slots=True)
class _SheetReader:
    endings: dict[str, tuple[Declared, ...]] = field(default_factory=dict)
    has_outer: bool = False
    left_chars: int = _MAX_READ_CHARS
    left_imports: int = _MAX_IMPORTS

    def text_of(self, element: "HtmlElement") -> str:
        return str(element.text or "") if element.tag == "style" else self._fetched(element.get("href") or "")

    def _fetched(self, address: str) -> str:
        """The sheet in a `data:` address; none of another address, but that there is one is noted."""
        found = _DATA_SHEET.fullmatch(address.strip())
        if found is None:
            self.has_outer = True
            return ""
        body = unquote_to_bytes(found["text"])
        if "base64" in found["terms"].lower():
            try:
                body = base64.b64decode(body)
            except binascii.Error:
                return ""
        return body.decode("utf-8", "replace")

    def blocks(self, text: str, around: _Around) -> Iterator[tuple[str, str, bool]]:
        """Selectors, declarations and whether they stand in a layer."""
        self.left_chars -= len(text)
        if self.left_chars < 0 or around.depth > _MAX_NESTING:
            return
        own: list[str] = []
        for head, body in _pieces(text):
            if body is None and head[:7].lower() == "@import":
                yield from self._imported(head, around)
            elif body is None:
                own.append(head)
            elif around.parent and len(head) + len(around.parent) > _MAX_HEAD_CHARS:
                continue
            elif head.startswith("@"):
                yield from self._at_rule(head, body, around)
            else:
                parent = _nested(_scoped(head, around.scope), around.parent)
                if "{" not in body:
                    yield parent, body, around.is_layered
                    continue
                yield from self.blocks(body, _Around(parent, "", around.is_layered, around.depth + 1))
        if around.parent and own:
            yield around.parent, ";".join(own), around.is_layered

    def _imported(self, head: str, around: _Around) -> Iterator[tuple[str, str, bool]]:
        found = _IMPORT.fullmatch(head)
        if found is None or around.parent or self.left_imports <= 0:
            return
        self.left_imports -= 1
        terms = _IMPORT_TERMS.fullmatch(found[4])
        if terms is None or not is_for_desktop(terms["media"]):
            return
        text = _HTML_COMMENT.sub(" ", _COMMENT.sub("", self._fetched(found[1] or found[2] or found[3])))
        yield from self.blocks(text, _Around("", "", around.is_layered or bool(terms["layer"]), around.depth + 1))

    def _at_rule(self, head: str, body: str, around: _Around) -> Iterator[tuple[str, str, bool]]:
        found = _AT_RULE.match(head)
        if found is None:
            return
        name, terms = found[1].lower(), found[2]
        if name.endswith("keyframes"):
            self.endings[terms.strip().strip("\"'").lower()] = _ending(body)
        elif _applies(name, terms):
            scope = terms if name == "scope" else around.scope
            is_layered = around.is_layered or name == "layer"
            yield from self.blocks(body, _Around(around.parent, scope, is_layered, around.depth + 1))


def _applies(name: str, terms: str) -> bool:
    if name == "media":
        return is_for_desktop(terms)
    if name == "container":
        return is_in_container(terms)
    return name != "supports" or is_supported(terms, _is_valid_declaration)


def _is_valid_declaration(text: str) -> bool:
    name, _, value = text.partition(":")
    return not name.strip().startswith(("-moz-", "-ms-", "-o-")) and is_valid(name.strip(), value.strip())


def _ending(frames: str) -> tuple[Declared, ...]:
    """What the last frame of an animation declares."""
    bodies = [
        body or ""
        for head, body in _pieces(frames)
        if any(one.strip().lower() in ("to", "100%") for one in head.split(","))
    ]
    return _last_of(declarations(";".join(bodies)))


def _scoped(head: str, terms: str) -> str:
    """The selectors inside the root of a scope and outside its limit; one without a root is taken as of the page."""
    found = _SCOPE.fullmatch(terms.strip())
    if found is None:
        return head
    root = f":is({found['root']})"
    outside = f":not(:is({found['limit']}),:is({found['limit']}) *)" if found["limit"] else ""
    scoped: list[str] = []
    for one in (part.strip() for part in split_outside(head, ",")):
        if ":scope" in one or "&" in one:
            scoped.append(one.replace(":scope", root).replace("&", root) + outside)
        else:
            scoped += [f"{root} {one}{outside}", f"{one}{root}{outside}"]
    return ",".join(scoped)


def _nested(head: str, parent: str) -> str:
    if not parent:
        return head
    around = f":is({parent})"
    parts = [part.strip() for part in split_outside(head, ",")]
    return ",".join(part.replace("&", around) if "&" in part else f"{around} {part}" for part in parts)


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Declarations, with no body, and heads with the body of their block, in one pass."""
    depth = start = body = 0
    for token in _TOKEN.finditer(text):
        char = token.group()
        if char == "{":
            body = token.end() if depth == 0 else body
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : body - 1].strip(), text[body : token.start()]
                start = token.end()
        elif char in (";", "}") and depth == 0:
            yield text[start : token.start()].strip(), None
            start = token.end()
    if depth:
        yield text[start : body - 1].strip(), text[body:]
    elif text[start:].strip():
        yield text[start:].strip(), None
