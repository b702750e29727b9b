"""How every element of a page looks, and which ones need to be asked: those that something may hide."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from lyra.extract.appearance import AFTER_SCREEN_PX, BEFORE_SCREEN_PX, may_hide_all, plain_gradient
from lyra.extract.colours import BLACK, WHITE, Colour, alpha, colour, is_near
from lyra.extract.computed import Computed, computed
from lyra.extract.lengths import length, number
from lyra.extract.sheets import Sheets, sheets_of
from lyra.extract.styles import Styles, ending_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MARKED = """descendant::*[@hidden or @popover or @style or @aria-hidden='true' or self::font[@color]
    or self::meter or self::progress or self::datalist or contains(@class, 'mw-editsection')]"""
_SHADOW_ROOTS = "descendant::template[@shadowrootmode or @shadowroot]"
# What stands in them is for browsers that do not know them, or is offered while somebody types.
_FALLBACK_TAGS = ("meter", "progress", "datalist")
_ROOTS = ("html", "body")
# What pages hide until their scripts have run.
_UNTIL_READY = ("display", "visibility", "opacity", "content-visibility", "filter")
_SMALL_FONT_PX = 8
_PALE = 0.3
_MAX_INLINE_STYLES = 2_000
# Of browsers' own sheets: what differs from the text around it.
_BROWSER_STYLES: Mapping[str, Mapping[str, str]] = {
    "a": {"color": "#0000ee"},
    "mark": {"color": "black", "background-color": "yellow"},
}


class ComputedStyles:
    """Computed values of the elements of a page, each computed once and only where it is asked for."""

    def __init__(self, tree: "HtmlElement") -> None:
        sheets = sheets_of(tree)
        self._tree = tree
        self._has_outer = sheets.has_outer
        self._styles = Styles(sheets.rules, sheets.endings)
        self._hiding = self._hiding_rules(sheets)
        self._root = Computed(behind=None) if sheets.has_outer else Computed(color="black")
        self._computed: dict[HtmlElement, Computed] = {}
        self._unslotted = frozenset(_unslotted(tree))

    def is_seen(self, element: "HtmlElement") -> bool:
        """Whether text that stands directly in the element is."""
        return self._of(element).is_seen

    def is_not_rendered(self, element: "HtmlElement") -> bool:
        """Whether nothing inside the element can be seen either."""
        return self._of(element).is_not_rendered

    def elements_maybe_hidden(self) -> list["HtmlElement"]:
        """Elements that might be hidden; the text of all others looks like that around them."""
        found = dict.fromkeys([*self._tree.xpath(_MARKED), *self._unslotted])
        if self._hiding is not None:
            matching = self._hiding.matching
            found |= dict.fromkeys(one for one in self._tree.iter("*") if next(matching(one), None))
        body = self._tree.find("body")
        if body is not None and not self.is_seen(body):
            found[body] = None
        return [element for element in found if element.tag not in ("html", "head", "script", "style")]

    def _of(self, element: "HtmlElement") -> Computed:
        if element not in self._computed:
            line = [element]
            for ancestor in element.iterancestors():
                if ancestor in self._computed:
                    break
                line.append(ancestor)
            for one in reversed(line):
                parent = one.getparent()
                around = self._root if parent is None else self._computed[parent]
                self._computed[one] = self._inside(around, one)
        return self._computed[element]

    def _inside(self, around: Computed, element: "HtmlElement") -> Computed:
        values = self._values(element)
        is_open = self._has_outer and bool(element.get("class") or element.get("id"))
        return computed(around, values, is_open=is_open)

    def _values(self, element: "HtmlElement") -> Mapping[str, str]:
        if self._is_unseen_by_markup(element):
            return {"display": "none"}
        values = self._styles.of(element)
        if element.tag in _ROOTS:
            return {name: value for name, value in values.items() if name not in _UNTIL_READY}
        is_styled = element.tag in _BROWSER_STYLES and (element.tag != "a" or element.get("href") is not None)
        if is_styled and not self._has_outer:
            return {**_BROWSER_STYLES[str(element.tag)], **values}
        return values

    def _is_unseen_by_markup(self, element: "HtmlElement") -> bool:
        if element.get("hidden") is not None or element.get("popover") is not None or element in self._unslotted:
            return True
        return element.tag in _FALLBACK_TAGS or "mw-editsection" in (element.get("class") or "")

    def _hiding_rules(self, sheets: Sheets) -> Styles | None:
        declared = [{name: value for name, value, _ in rule.declared} for rule in sheets.rules]
        styles = islice(
            (one for one in self._tree.xpath("descendant::*/@style") if "color" in one or "back" in one),
            _MAX_INLINE_STYLES,
        )
        own = [{name: value for name, value, _ in self._styles.own(style)} for style in dict.fromkeys(map(str, styles))]
        backgrounds = {WHITE, *_colours((*declared, *own), "background-color", "background-image")}
        backgrounds |= {
            found for value in self._tree.xpath("descendant::*/@bgcolor") if (found := colour(value.lower()))
        }
        inks = {BLACK, *_colours((*declared, *own), "color", "-webkit-text-fill-color", "text-shadow")}
        hiding = [
            rule
            for rule, values in zip(sheets.rules, declared, strict=True)
            if _may_hide(values, backgrounds, inks) or _ends_hidden(values, sheets, backgrounds, inks)
        ]
        return Styles(hiding, {}) if hiding else None


def _colours(declared: Iterable[Mapping[str, str]], *names: str) -> Iterator[Colour]:
    for values in declared:
        for name in names:
            if (value := values.get(name)) and (found := colour(value)):
                yield found


def _ends_hidden(values: Mapping[str, str], sheets: Sheets, backgrounds: set[Colour], inks: set[Colour]) -> bool:
    ending = {name: value for name, value, _ in ending_of(values, sheets.endings)}
    return bool(ending) and _may_hide(ending, backgrounds, inks)


def _may_hide(values: Mapping[str, str], backgrounds: set[Colour], inks: set[Colour]) -> bool:
    """Whether a rule may hide text together with others, in some place of the page."""
    if any("var(" in value for value in values.values()):
        return True
    if values.get("visibility") in ("hidden", "collapse") or number(values.get("opacity", ""), 1) < 1:
        return True
    if (length(values.get("font-size", ""), whole=16) or 16) <= _SMALL_FONT_PX or length(
        values.get("font-size", "")
    ) == 0:
        return True
    indent = length(values.get("text-indent", "")) or 0
    if not BEFORE_SCREEN_PX < indent < AFTER_SCREEN_PX or (length(values.get("letter-spacing", "")) or 0) < 0:
        return True
    return _may_paint_over(values, backgrounds, inks) or may_hide_all(values)


def _may_paint_over(values: Mapping[str, str], backgrounds: set[Colour], inks: set[Colour]) -> bool:
    ink = values.get("-webkit-text-fill-color") or values.get("color") or ""
    if ink and (alpha(ink) < _PALE or _is_near_any(colour(ink), backgrounds)):
        return True
    background = values.get("background-color", "")
    background = plain_gradient(values.get("background-image", "")) or background
    return background == "currentcolor" or (bool(background) and _is_near_any(colour(background), inks))


def _is_near_any(one: Colour | None, others: set[Colour]) -> bool:
    return one is not None and any(is_near(one, other) for other in others)


def _unslotted(tree: "HtmlElement") -> Iterator["HtmlElement"]:
    """Children of an element with a shadow root that no slot of it shows."""
    for root in tree.xpath(_SHADOW_ROOTS):
        host = root.getparent()
        slots = {slot.get("name") or "" for slot in root.iter("slot")}
        for child in host if host is not None else ():
            if child is not root and isinstance(child.tag, str) and (child.get("slot") or "") not in slots:
                yield child
