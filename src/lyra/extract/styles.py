"""What the rules of a page, an element's attributes and its own style declare of it: the cascade."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from lyra.extract.declared import MAX_VALUE_CHARS, Declared, declarations
from lyra.extract.selectors import Steps
from lyra.extract.sheets import MAX_RULES, StyleRule

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_STEPS = 120_000
_MAX_VARIABLES = 6
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
# More than any selector reaches.
_OWN_STYLE = (1_000_000, 0, 0)
_NOT_NAMES = re.compile(r"[,\s]+")


class Styles:
    """The page's rules by a class, id, tag or attribute that their elements have; bounded in what it compares."""

    def __init__(self, rules: list[StyleRule], endings: Mapping[str, tuple[Declared, ...]]) -> None:
        self._rules: dict[str, list[StyleRule]] = {}
        self._endings = endings
        self._values: dict[HtmlElement, Mapping[str, str]] = {}
        self._own: dict[str, tuple[Declared, ...]] = {}
        self._steps = Steps(_MAX_STEPS)
        for rule in rules:
            for key in rule.selector.keys:
                self._rules.setdefault(key, []).append(rule)

    def matching(self, element: "HtmlElement") -> Iterator[StyleRule]:
        if not self._rules:
            return
        for key in _keys(element):
            for rule in self._rules.get(key, ()):
                if self._steps.left <= 0:
                    return
                if rule.selector.matches(element, self._steps) and self._steps.take(len(rule.declared)):
                    yield rule

    def of(self, element: "HtmlElement") -> Mapping[str, str]:
        """The declared values by the full names of their properties, in small letters, with those of variables.

        Where an animation ends and stays, as its end leaves them.
        """
        values = resolved(self._values_of(element), lambda name: self._variable(element, name))
        ending = ending_of(values, self._endings) if self._endings else ()
        return {**values, **{name: value for name, value, _ in ending}} if ending else values

    def own(self, style: str) -> tuple[Declared, ...]:
        """What a `style` attribute declares."""
        if style not in self._own:
            self._own[style] = tuple(declarations(style))
        return self._own[style]

    def _values_of(self, element: "HtmlElement") -> Mapping[str, str]:
        if element not in self._values:
            self._values[element] = self._cascaded(element)
        return self._values[element]

    def _cascaded(self, element: "HtmlElement") -> Mapping[str, str]:
        """Important over ordinary, outside layers over inside, then the more specific, then the later one."""
        ranked = [
            ((is_important, rule.is_layered == is_important, rule.selector.specificity, rule.place), name, value)
            for rule in self.matching(element)
            for name, value, is_important in rule.declared
        ]
        style = element.get("style")
        ranked += [
            ((is_important, True, _OWN_STYLE, MAX_RULES), name, value)
            for name, value, is_important in (self.own(style) if style else ())
        ]
        ranked.sort(key=lambda one: one[0])
        return _from_attributes(element) | {name: value for _, name, value in ranked}

    def _variable(self, element: "HtmlElement", name: str) -> str | None:
        for one in (element, *element.iterancestors()):
            if not self._steps.take():
                return None
            if (value := self._values_of(one).get(name)) is not None:
                return value
        return None


def ending_of(values: Mapping[str, str], endings: Mapping[str, tuple[Declared, ...]]) -> tuple[Declared, ...]:
    """What the animation of an element leaves declared; nothing where it starts again or gives the values back."""
    if "animation" not in values and "animation-name" not in values:
        return ()
    words = _NOT_NAMES.split(" ".join(value for name, value in values.items() if name.startswith("animation")))
    stays = "forwards" in words or "both" in words
    if not stays or "infinite" in words or "reverse" in words:
        return ()
    return tuple(one for word in words for one in endings.get(word, ()))


def resolved(values: Mapping[str, str], variable: Callable[[str], str | None]) -> Mapping[str, str]:
    """The values with those of their variables; `var()` stays where one is not known."""
    if not any("var(" in value for value in values.values()):
        return values
    return {name: _resolved(value, variable) for name, value in values.items() if not name.startswith("--")}


def _resolved(value: str, variable: Callable[[str], str | None]) -> str:
    for _ in range(_MAX_VARIABLES):
        if "var(" not in value or len(value) > MAX_VALUE_CHARS:
            break
        value = _VARIABLE.sub(lambda found: _first(variable(found.group(1)), found.group(2), found.group()), value)
    return value


def _first(value: str | None, otherwise: str | None, text: str) -> str:
    if value is not None:
        return value.strip()
    return otherwise.strip() if otherwise is not None else text


def _from_attributes(element: "HtmlElement") -> dict[str, str]:
    """What HTML's own attributes say of colours; every rule wins over them."""
    values = {}
    if element.tag == "font" and (color := element.get("color")):
        values["color"] = color.lower()
    if element.tag == "body" and (color := element.get("text")):
        values["color"] = color.lower()
    if background := element.get("bgcolor"):
        values["background-color"] = background.lower()
    if element.get("background"):
        values["background-image"] = "url()"
    return values


def _keys(element: "HtmlElement") -> list[str]:
    keys = [f".{name}" for name in dict.fromkeys((element.get("class") or "").split())]
    if element.get("id"):
        keys.append(f"#{element.get('id')}")
    return [*keys, str(element.tag), *(f"[{name}" for name in element.attrib), "*"]
