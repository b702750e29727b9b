"""A site's own list of its pages (sitemaps.org): found through robots.txt, read within bounds. Fetches by a getter."""

import asyncio
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import chain, islice
from urllib.parse import unquote, urlsplit

from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.urls import is_web_url, joined, registrable_domain

# sitemaps.org: at most 50,000 addresses and 50 MB a file; an index is followed one level down and not to its end.
_MOST_ADDRESSES = 50_000
_MOST_BYTES = 52_428_800
_MOST_CHILDREN = 5
_GZIP = b"\x1f\x8b"
# No pattern looks beyond the next bracket, so that unclosed tags cost no more than their length.
_OPENING = re.compile(rb"<(?:\w+:)?(url|sitemap)\b[^<>]*>", re.IGNORECASE)
_LOC = re.compile(rb"<(?:\w+:)?loc\s*>\s*(?:<!\[CDATA\[)?([^<]{1,4096})<", re.IGNORECASE)
_LASTMOD = re.compile(rb"<(?:\w+:)?lastmod\s*>\s*([^<\s]{4,40})", re.IGNORECASE)
_NAMED = re.compile(r"^[^\S\n]*sitemap[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE | re.MULTILINE)
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An address that a site lists, with the date it gives for the last change."""

    url: str
    changed: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One file: pages, and further files where it is an index."""

    pages: tuple[SitemapEntry, ...] = ()
    children: tuple[str, ...] = ()


def named_in(robots_txt: str, origin: str) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names, else the usual address."""
    found = (joined(f"{origin}/", one) for one in _NAMED.findall(robots_txt))
    named = tuple(dict.fromkeys(one for one in found if one is not None))
    return named or (f"{origin}/sitemap.xml",)


def parse(body: bytes, base: str) -> Sitemap:
    """Read a sitemap or an index, zipped or plain text too; only addresses of the same registrable domain count."""
    text = unzipped(body)
    if b"<" not in text[:1000]:
        lines = text.decode("utf-8", "replace").splitlines()[:_MOST_ADDRESSES]
        return Sitemap(pages=tuple(SitemapEntry(one.strip()) for one in lines if _is_own(one.strip(), base)))
    pages: list[SitemapEntry] = []
    children: list[str] = []
    for kind, entry in islice(_entries(text), _MOST_ADDRESSES):
        address = _address(entry, base)
        if address is None:
            continue
        if kind == b"sitemap":
            children.append(address)
        else:
            pages.append(SitemapEntry(address, _date(entry)))
    return Sitemap(tuple(pages), tuple(dict.fromkeys(children)))


def _entries(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each entry's kind and content, up to the next one."""
    before: re.Match[bytes] | None = None
    for opening in chain(_OPENING.finditer(text), (None,)):
        if before is not None:
            yield before.group(1).lower(), text[before.end() : opening.start() if opening else len(text)]
        before = opening


def unzipped(body: bytes) -> bytes:
    """The text of a file that may be zipped; what goes beyond the bound, or is broken, is left away."""
    if not body.startswith(_GZIP):
        return body[:_MOST_BYTES]
    reader = zlib.decompressobj(wbits=31)
    try:
        return reader.decompress(body, _MOST_BYTES)
    except zlib.error:
        return b""


def words_of(url: str) -> str:
    """What an address says of its page: the words of its path."""
    path = unquote(urlsplit(url).path).rsplit(".", 1)[0]
    return " ".join(word for word in _WORDS.findall(path) if not word.isdecimal())


async def pages_of(sitemaps: tuple[str, ...], get: Getter, cause_id: str | None = None) -> tuple[SitemapEntry, ...]:
    """Every page that these sitemaps and, one level down, the first of their parts list; what fails is left out."""
    found: dict[str, SitemapEntry] = {}
    children: list[str] = []
    for address in sitemaps[:_MOST_CHILDREN]:
        sitemap = await _fetched(address, get, cause_id)
        found |= {one.url: one for one in sitemap.pages}
        children += sitemap.children
    for address in children[:_MOST_CHILDREN]:
        found |= {one.url: one for one in (await _fetched(address, get, cause_id)).pages}
    return tuple(found.values())[:_MOST_ADDRESSES]


async def _fetched(address: str, get: Getter, cause_id: str | None) -> Sitemap:
    result: FetchResult = await get(FetchRequest(address, cause_id=cause_id, rungs=("http",)))
    is_zipped = result.outcome is FetchOutcome.UNSUPPORTED and result.body.startswith(_GZIP)
    if result.outcome is not FetchOutcome.OK and not is_zipped:
        return Sitemap()
    return await asyncio.to_thread(parse, result.body, address)


def _address(entry: bytes, base: str) -> str | None:
    found = _LOC.search(entry)
    raw = found.group(1).strip().removesuffix(b"]]>") if found else b""
    address = unescape(raw.decode("utf-8", "replace")).strip()
    return address if _is_own(address, base) else None


def _date(entry: bytes) -> str | None:
    found = _LASTMOD.search(entry)
    return found.group(1).decode("ascii", "replace")[:10] if found else None


def _is_own(address: str, base: str) -> bool:
    is_web = address.startswith(("https://", "http://")) and len(address) <= 2_048
    return is_web and is_web_url(address) and registrable_domain(address) == registrable_domain(base)
