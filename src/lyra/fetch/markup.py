"""A quick look at a page's markup: its tags and its visible words, in one linear pass. Pure.

A tree would be more exact, but building one takes quadratic time on a hundred thousand open tags, and whoever sends
a challenge may send that too.
"""

import html
import re
from dataclasses import dataclass

from lyra.charset import decode

_TAG = re.compile(r"<([/!]?[A-Za-z][A-Za-z0-9:-]*)([^<>]{0,4000})>?")
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_HIDDEN = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "template", "svg", "title")}
# Where a site repeats itself on every page, and what is said to those without scripts.
_FURNITURE = frozenset({"nav", "header", "footer", "aside", "noscript", "form"})
_EMPTY = re.compile(r"\s*</")


@dataclass(frozen=True, slots=True)
class Tag:
    """An opening tag; names of attributes are lower-case."""

    name: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Outline:
    """What a page consists of, as far as it was read; all texts are lower-case with single spaces.

    `prose` is the visible text outside menus, heads, feet and forms; `hollow` are the ids of elements with nothing in
    them.
    """

    title: str
    text: str
    scripts: str
    tags: tuple[Tag, ...]
    prose: str = ""
    hollow: tuple[str, ...] = ()


def outline(body: bytes, content_type: str | None = None) -> Outline:
    """Tags, title, inline scripts and visible text of a page."""
    page = _without_comments(decode(body, content_type))
    tags: list[Tag] = []
    visible: list[str] = []
    prose: list[str] = []
    hollow: list[str] = []
    furniture = 0
    hidden: dict[str, list[str]] = {name: [] for name in _HIDDEN}
    position = 0
    while (found := _TAG.search(page, position)) is not None:
        visible.append(page[position : found.start()])
        if not furniture:
            prose.append(visible[-1])
        name = found.group(1).lower()
        position = found.end()
        if name.startswith(("/", "!")):
            furniture = max(0, furniture - (name[1:] in _FURNITURE))
            continue
        tags.append(Tag(name, _attributes(found.group(2))))
        furniture += name in _FURNITURE
        if (own := tags[-1].attributes.get("id")) and _EMPTY.match(page, position):
            hollow.append(own)
        if name in _HIDDEN:
            closing = _HIDDEN[name].search(page, position)
            end = closing.start() if closing else len(page)
            hidden[name].append(page[position:end])
            position = end
    visible.append(page[position:])
    prose += [] if furniture else visible[-1:]
    return Outline(
        title=_plain(hidden["title"][:1]),
        text=_plain(visible),
        scripts=" ".join(hidden["script"]),
        tags=tuple(tags),
        prose=_plain(prose),
        hollow=tuple(hollow),
    )


def _without_comments(page: str) -> str:
    kept, position = [], 0
    while (start := page.find("<!--", position)) >= 0 and (end := page.find("-->", start + 2)) >= 0:
        kept.append(page[position:start])
        position = end + 3
    return "".join([*kept, page[position:]])


def _attributes(source: str) -> dict[str, str]:
    return {
        found.group(1).lower(): html.unescape(found.group(2) or found.group(3) or found.group(4) or "")
        for found in _ATTRIBUTE.finditer(source)
    }


def _plain(pieces: list[str]) -> str:
    return " ".join(html.unescape(" ".join(pieces)).lower().split())
