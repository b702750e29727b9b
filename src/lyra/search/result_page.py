"""A result page read into results: by the engine's selectors, else by the structure every result list has."""

import base64
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from lyra.search.dates import iso_day, split_leading
from lyra.search.engine_spec import EngineSpec, Marker, Redirect
from lyra.urls import host_of, is_web_url, joined

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_MAX_HOPS = 3
# Deeper nesting than this is no result list; the bound keeps hostile pages cheap.
_MAX_DEPTH = 60
_MAX_RESULTS = 500
_MAX_VISIBLE_CHARS = 60_000
_SCRIPT_GATE_CHARS = 400
_MAX_SNIPPET_CHARS = 600
# A date element holds a date and hardly more; anything longer is the snippet itself.
_MAX_DATE_CHARS = 40
_FURNITURE = "nav, footer, header, aside, form, [role=navigation], [role=complementary], [aria-hidden=true]"
_HEADINGS = "h2, h3, h4"
_LEAST_ALIKE = 3
# Without headings more must agree before links count as results: a list this long, on several hosts, with snippets.
_LEAST_LINKED = 5
_LEAST_HOSTS = 3
_LEAST_BLOCK_CHARS = 60
# An HTML parser's work grows with the square of the nesting; no engine nests a tenth of this.
_MAX_NESTING = 2_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements without content, and those that the next of their kind closes.
_NOT_NESTING = frozenset(
    "area base br col embed hr img input link meta source track wbr path "
    "p li dt dd tr td th option html head body".split()
)


def host_matches(host: str, patterns: Iterable[str]) -> bool:
    """Whether a host matches one of these patterns, such as `*.example.org`."""
    return any(fnmatchcase(host, pattern) for pattern in patterns)


def resolve_link(href: str, page_url: str, redirects: Iterable[Redirect]) -> str | None:
    """The web address behind a link, or none where it leads to no page (a script, an anchor, a broken redirect)."""
    rules = tuple(redirects)
    url = joined(page_url, href)
    for _ in range(_MAX_HOPS):
        if url is None or not is_web_url(url):
            return None
        rule = next((rule for rule in rules if _applies(rule, url)), None)
        if rule is None:
            return url
        target = _target(rule, url)
        url = joined(page_url, target) if target is not None else None
    return url if url is not None and is_web_url(url) else None


def _applies(rule: Redirect, url: str) -> bool:
    return host_matches(host_of(url), (rule.host, f"*.{rule.host}")) and urlsplit(url).path.startswith(rule.path)


def _target(rule: Redirect, url: str) -> str | None:
    values = parse_qs(urlsplit(url).query).get(rule.parameter)
    if not values:
        return None
    return _from_base64(values[0]) if rule.encoding == "a1base64" else values[0]


def _from_base64(value: str) -> str | None:
    """Bing writes `a1` and then the address in URL-safe base64 without padding."""
    encoded = value.removeprefix("a1")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8") or None
    except ValueError:  # no base64, or no UTF-8
        return None


def is_nested_too_deeply(html: str) -> bool:
    """Whether parsing would take minutes: far more elements open at once than any result page has."""
    depth = 0
    for closing, name in _TAG.findall(html):
        if name.lower() not in _NOT_NESTING:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > _MAX_NESTING:
                return True
    return False


@dataclass(frozen=True, slots=True)
class PageResult:
    """One result as shown on the page, in page order."""

    title: str
    url: str
    snippet: str
    date: str | None = None


class ResultPage:
    """A parsed page of one engine."""

    def __init__(self, html: str, spec: EngineSpec, today: date | None = None) -> None:
        from selectolax.lexbor import LexborHTMLParser  # lazy: a C extension that only searches need

        self._source = html
        self._spec = spec
        self._today = today
        self._tree: LexborHTMLParser = LexborHTMLParser(html)
        dropped = (*spec.selectors.drop, _FURNITURE)
        self._dropped = {node.mem_id for selector in dropped for node in self._tree.css(selector)}

    @cached_property
    def found(self) -> tuple[PageResult, ...]:
        """Results by the first container selector that gives any, or below the engine's result list."""
        for selector in self._spec.selectors.container:
            found = tuple(item for node in self._containers(selector) if (item := self._item(node)) is not None)
            if found:
                return found
        roots = (root for selector in self._spec.roots for root in self._tree.css(selector)[:1])
        root = next(roots, None)
        return () if root is None or self._spec.selectors.container else tuple(self._headed(self._headings(root)))

    @cached_property
    def found_by_structure(self) -> tuple[PageResult, ...]:
        """The longest list whose entries each carry a heading with a link out, else such links with a text below."""
        body = self._tree.body
        if body is None:
            return ()
        headings = _listed(self._headings(body))
        if len(headings) >= _LEAST_ALIKE:
            return tuple(self._headed(headings))
        return self._found_by_links(body)

    def _found_by_links(self, body: "LexborNode") -> tuple[PageResult, ...]:
        """Entries of the longest list of links out; each needs words besides its title."""
        shown = (node for node in body.css("a[href]")[: 4 * _MAX_RESULTS] if not self._is_dropped(node))
        links = _listed([(node, url) for node in shown if (url := self._external(node)) is not None and _text(node)])
        if len(links) < _LEAST_LINKED or len({host_of(url) for _, url in links}) < _LEAST_HOSTS:
            return ()
        blocks = _blocks(links)
        lengths = sorted(len(_text(block)) for block in blocks)
        return tuple(self._headed(links)) if lengths[len(lengths) // 2] >= _LEAST_BLOCK_CHARS else ()

    @cached_property
    def listed_links(self) -> tuple[PageResult, ...]:
        """Every address linked outside the page's furniture, with the words around it; for pages of any site."""
        body = self._tree.body
        shown = () if body is None else (node for node in body.css("a[href]")[:_MAX_RESULTS] if _text(node))
        links: dict[str, LexborNode] = {}
        for node in shown:
            if not self._is_dropped(node) and (url := self._external(node)) is not None:
                links.setdefault(url, node)
        return tuple(self._headed([(node, url) for url, node in links.items()]))

    @property
    def failure(self) -> str:
        """Which selectors failed, and how."""
        selectors = self._spec.selectors.container
        if not selectors:
            return f"no heading with a link out below {' or '.join(self._spec.roots)}"
        return "; ".join(self._selector_failure(selector, len(self._containers(selector))) for selector in selectors)

    def first_marker(self, markers: Iterable[Marker]) -> Marker | None:
        """The first of these markers that the page shows."""
        return next((marker for marker in markers if self._has_marker(marker)), None)

    def is_quoted(self, marker: Marker) -> bool:
        """Whether the marker's words are part of results: then they say nothing of the engine."""
        words = marker.words.casefold() if marker.words is not None else None
        return words is not None and any(
            words in f"{one.title} {one.snippet}".casefold() for one in self.found_by_structure
        )

    @property
    def title(self) -> str:
        node = self._tree.css_first("title")
        return _text(node) if node is not None else ""

    def _selector_failure(self, selector: str, count: int) -> str:
        if not count:
            return f"container {selector!r} matched nothing"
        return f"container {selector!r} matched {count}, but link {self._spec.selectors.link!r} led nowhere in them"

    def _has_marker(self, marker: Marker) -> bool:
        # Every page asks for scripts in a noscript part; it is blocked only where nothing else is shown.
        if marker.kind == "script" and len(self._visible) > _SCRIPT_GATE_CHARS:
            return False
        if marker.css is not None:
            return self._tree.css_first(marker.css) is not None
        if marker.words is not None:
            return marker.words.casefold() in self._visible
        return marker.source is not None and marker.source in self._source

    @cached_property
    def _visible(self) -> str:
        body = self._tree.body
        shown = _text(body)[:_MAX_VISIBLE_CHARS] if body is not None else ""
        return f"{self.title} {shown}".casefold()

    @property
    def visible(self) -> str:
        """What a reader sees, title first, in lower case."""
        return self._visible

    def _is_dropped(self, node: "LexborNode") -> bool:
        return any(above.mem_id in self._dropped for above in (node, *_ancestors(node)))

    def _item(self, node: "LexborNode") -> PageResult | None:
        selectors = self._spec.selectors
        for selector in selectors.link:
            link = node if selector == "self" else node.css_first(selector)
            url = self._external(link)
            if link is not None and url is not None:
                title = self._first_text(node, selectors.title) or _text(link)
                return self._found(node, title, url) if title else None
        return None

    def _found(self, node: "LexborNode", title: str, url: str) -> PageResult:
        selectors = self._spec.selectors
        places = [node, *_following(node)] if selectors.in_following_siblings else [node]
        snippet = next((text for place in places if (text := self._first_text(place, selectors.snippet))), "")
        return self._dated(places, title, url, snippet)

    def _dated(self, places: list["LexborNode"], title: str, url: str, snippet: str) -> PageResult:
        """The result with its date, which is beside the snippet or begins it."""
        for shown in (self._first_text(place, self._spec.selectors.date) for place in places):
            if len(shown) <= _MAX_DATE_CHARS and (day := iso_day(shown, self._today)):
                return PageResult(title, url, snippet.removeprefix(shown).lstrip(" ·—–-")[:_MAX_SNIPPET_CHARS], day)
        leading, rest = split_leading(snippet, self._today)
        return PageResult(title, url, rest[:_MAX_SNIPPET_CHARS], leading)

    def _first_text(self, node: "LexborNode", selectors: Iterable[str]) -> str:
        for selector in selectors:
            for match in node.css(selector):
                if text := _text(match):
                    return text
        return ""

    def _external(self, link: "LexborNode | None") -> str | None:
        href = link.attributes.get("href") if link is not None else None
        if not href or href.startswith(("#", "javascript:")):
            return None
        url = resolve_link(href, self._spec.address, self._spec.redirects)
        return None if url is None or host_matches(host_of(url), self._spec.hosts) else url

    def _containers(self, selector: str) -> list["LexborNode"]:
        return [node for node in self._tree.css(selector)[:_MAX_RESULTS] if not self._is_dropped(node)]

    def _headings(self, root: "LexborNode") -> list[tuple["LexborNode", str]]:
        shown = (node for node in root.css(_HEADINGS)[:_MAX_RESULTS] if not self._is_dropped(node))
        return [(node, url) for node in shown if (url := self._url_of(node)) is not None]

    def _headed(self, headings: list[tuple["LexborNode", str]]) -> Iterator[PageResult]:
        """Each heading with the largest block around it that holds no other."""
        for (node, url), block in zip(headings, _blocks(headings), strict=True):
            if title := _text(node):
                yield self._structured(block, node, title, url)

    def _url_of(self, heading: "LexborNode") -> str | None:
        outer = next((above for above in _ancestors(heading)[:4] if above.tag == "a"), None)
        return self._external(outer if outer is not None else heading.css_first("a[href]"))

    def _structured(self, block: "LexborNode", heading: "LexborNode", title: str, url: str) -> PageResult:
        snippet = self._first_text(block, self._spec.selectors.snippet) or _longest_text(block, heading)
        return self._dated([block], title, url, snippet)


def _text(node: "LexborNode") -> str:
    pieces = (
        piece.text(deep=False)
        for piece in node.traverse(include_text=True)
        if piece.tag == "-text" and _is_shown(piece)
    )
    return re.sub(r"\s+", " ", "".join(piece or "" for piece in pieces)).strip()


def _is_shown(piece: "LexborNode") -> bool:
    parent = piece.parent
    return parent is None or parent.tag not in {"script", "style", "template", "noscript"}


def _ancestors(node: "LexborNode") -> list["LexborNode"]:
    found: list[LexborNode] = []
    above = node.parent
    while above is not None and above.tag not in {"body", "html", "-document"} and len(found) < _MAX_DEPTH:
        found.append(above)
        above = above.parent
    return found


def _following(node: "LexborNode") -> list["LexborNode"]:
    """The next few siblings: some engines spread one result over rows of a table."""
    found: list[LexborNode] = []
    after = node.next
    while after is not None and len(found) < 6:
        found.append(after)
        after = after.next
    return found


def _listed(nodes: list[tuple["LexborNode", str]]) -> list[tuple["LexborNode", str]]:
    """The nodes below the element with the most children that hold one each, the first of each child.

    What a result looks like inside may vary; that results are siblings does not.
    """
    children: dict[int, dict[int, tuple[LexborNode, str]]] = {}
    for node, url in nodes:
        chain = [node, *_ancestors(node)]
        for child, parent in zip(chain, [*chain[1:], None], strict=True):
            children.setdefault(parent.mem_id if parent is not None else 0, {}).setdefault(child.mem_id, (node, url))
    return list(max(children.values(), key=len, default={}).values())


def _blocks(nodes: list[tuple["LexborNode", str]]) -> list["LexborNode"]:
    """For each node the largest block around it that holds no other of them."""
    above = Counter(parent.mem_id for node, _ in nodes for parent in _ancestors(node))
    held = ([parent for parent in _ancestors(node) if above[parent.mem_id] == 1] for node, _ in nodes)
    return [block[-1] if block else node for block, (node, _) in zip(held, nodes, strict=True)]


def _longest_text(block: "LexborNode", heading: "LexborNode") -> str:
    """The longest passage of a result besides its heading."""
    around = {parent.mem_id for parent in _ancestors(heading)} | {heading.mem_id}
    texts = (_text(node) for node in block.css("p, div, span, td") if node.mem_id not in around)
    return max(texts, key=len, default="")
