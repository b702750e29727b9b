"""A quick look at a page's markup: its tags, its visible words and its links, in linear time. Pure.

A tree would be more exact, but building one takes quadratic time on a hundred thousand open tags, and a server
that sends a challenge may send that too.
"""

import html
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.charset import decode
from lyra.urls import canonical, is_web_url, joined, registrable_domain

_TAG = re.compile(r"<([/!]?[A-Za-z][A-Za-z0-9:-]*)([^<>]{0,4000})>?")
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_HIDDEN = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "template", "svg", "title")}
# Parts that are the same on every page of a site, and text for browsers without scripts.
_BOILERPLATE = frozenset({"nav", "header", "footer", "aside", "noscript", "form"})
_EMPTY = re.compile(r"\s*</")
_MOST_LINKS = 500
# A link ends where the next begins, so that unclosed ones cost no more than their length.
_ANCHOR = re.compile(r"<a\b([^<>]{0,4000})>((?:[^<]|<(?!a\b)){0,600}?)</a\s*>", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
_HEADING = re.compile(r"<h[1-6]\b[^<>]*>[^<]{0,20}$", re.IGNORECASE)
# Pages of every site that say nothing about anything; files that are no pages.
_NO_CONTENT = re.compile(
    r"/(login|signin|register|subscribe|search|privacy|terms|contact|about|cart|account|tag|author|feed|share)(/|$|\?)"
    r"|\.(?:jpe?g|png|gif|svg|webp|ico|css|js|zip|gz|mp[34]|xml|rss)$",
    re.IGNORECASE,
)


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
    boilerplate = 0
    hidden: dict[str, list[str]] = {name: [] for name in _HIDDEN}
    position = 0
    while (found := _TAG.search(page, position)) is not None:
        visible.append(page[position : found.start()])
        if not boilerplate:
            prose.append(visible[-1])
        name = found.group(1).lower()
        position = found.end()
        if name.startswith(("/", "!")):
            boilerplate = max(0, boilerplate - (name[1:] in _BOILERPLATE))
            continue
        tags.append(Tag(name, _attributes(found.group(2))))
        boilerplate += name in _BOILERPLATE
        if (own := tags[-1].attributes.get("id")) and _EMPTY.match(page, position):
            hollow.append(own)
        if name in _HIDDEN:
            closing = _HIDDEN[name].search(page, position)
            end = closing.start() if closing else len(page)
            hidden[name].append(page[position:end])
            position = end
    visible.append(page[position:])
    prose += [] if boilerplate else visible[-1:]
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


@dataclass(frozen=True, slots=True)
class PageLink:
    """An address on the same registrable domain and the words of its link; `is_heading`: it is a heading itself."""

    url: str
    words: str
    is_heading: bool = False


def own_links(body: bytes, url: str) -> tuple[PageLink, ...]:
    """Links to other pages of the same site that promise content, in reading order, headings first."""
    page = decode(body)
    found: dict[str, PageLink] = {}
    for anchor in _ANCHOR.finditer(page):
        target = _target(anchor.group(1), url)
        words = " ".join(_ANY_TAG.sub(" ", anchor.group(2)).split())
        if target is None or len(words) < 4:
            continue
        is_heading = _HEADING.search(page, max(0, anchor.start() - 200), anchor.start()) is not None
        found.setdefault(target, PageLink(target, words[:200], is_heading))
        if len(found) >= _MOST_LINKS:
            break
    return tuple(sorted(found.values(), key=lambda link: not link.is_heading))


def _target(attributes: str, base: str) -> str | None:
    href = _HREF.search(attributes)
    if href is None or "nofollow" in attributes.lower():
        return None
    target = (joined(base, href.group(1) or href.group(2) or href.group(3) or "") or "").partition("#")[0]
    if not is_web_url(target) or registrable_domain(target) != registrable_domain(base):
        return None
    is_elsewhere = canonical(target) != canonical(base) and urlsplit(target).path not in ("", "/")
    return canonical(target) if is_elsewhere and not _NO_CONTENT.search(target) else None
