"""The links of a page to its own site, with the words they stand under; what leads on to content comes first. Pure."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.charset import decode
from lyra.urls import canonical, is_web_url, joined, registrable_domain

_MOST = 500
# A link ends where the next begins, so that those which nobody closes cost no more than their length.
_ANCHOR = re.compile(r"<a\b([^<>]{0,4000})>((?:[^<]|<(?!a\b)){0,600}?)</a\s*>", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_HEADING = re.compile(r"<h[1-6]\b[^<>]*>[^<]{0,20}$", re.IGNORECASE)
# Pages of every site that say nothing about anything; files that are no pages.
_FURNITURE = re.compile(
    r"/(login|signin|register|subscribe|search|privacy|terms|contact|about|cart|account|tag|author|feed|share)(/|$|\?)"
    r"|\.(?:jpe?g|png|gif|svg|webp|ico|css|js|zip|gz|mp[34]|xml|rss)$",
    re.IGNORECASE,
)


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
        words = " ".join(_TAG.sub(" ", anchor.group(2)).split())
        if target is None or len(words) < 4:
            continue
        is_heading = _HEADING.search(page, max(0, anchor.start() - 200), anchor.start()) is not None
        found.setdefault(target, PageLink(target, words[:200], is_heading))
        if len(found) >= _MOST:
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
    return canonical(target) if is_elsewhere and not _FURNITURE.search(target) else None
