"""The schema.org objects that a page carries as JSON-LD."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_SCRIPT_CHARS = 1_000_000
_MAX_NODES = 2_000
# Old templates wrap the object so that XML parsers leave it alone.
_WRAPPING = re.compile(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$")
_ABOUT_THE_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")


def jsonld_objects(tree: "HtmlElement") -> list[dict[str, Any]]:
    """Every top-level object, with those of `@graph` and the page's main entity; broken scripts are skipped."""
    found: list[dict[str, Any]] = []
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower() and script.text and len(script.text) <= _MAX_SCRIPT_CHARS:
            try:
                # Real pages have raw line ends inside strings.
                parsed = json.loads(_WRAPPING.sub("", script.text), strict=False)
            except (ValueError, RecursionError):
                continue
            for node in _unfold(parsed):
                found.append(node)
                if len(found) >= _MAX_NODES:
                    return found
    return found


def _unfold(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _unfold(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in _ABOUT_THE_PAGE:
            yield from _unfold(value.get(key), depth + 1)


def jsonld_types(node: dict[str, Any]) -> tuple[str, ...]:
    declared = node.get("@type")
    entries = declared if isinstance(declared, list) else [declared]
    return tuple(str(entry).rsplit("/", 1)[-1] for entry in entries if isinstance(entry, str))


def jsonld_names(value: Any) -> Iterator[str]:
    """The names in an author property: a string, an object, or a list of either."""
    if isinstance(value, list):
        for entry in value[:50]:
            yield from jsonld_names(entry)
    elif isinstance(value, dict):
        yield from jsonld_names(value.get("name"))
    elif isinstance(value, str):
        yield value
