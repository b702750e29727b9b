"""Pages that do not count alone: narrative clusters, citation loops and self-reference (SPEC §13)."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.evidence.independence import UnionFind
from lyra.text import is_japanese, shingles
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIMILAR_FROM = 0.9
# Two people who write of one study share its name and a phrase; who shares a fifth of all 5-grams has copied.
SHARED_FROM = 0.2
# "Read more" is on every site: too short a text joins no pages. Character n-grams are shorter than word n-grams.
_LEAST_GRAMS = 8
_LEAST_GRAMS_JA = 25


@dataclass(frozen=True, slots=True)
class PageText:
    """One text of a page, with its vector of length 1."""

    id: str
    page_id: str
    text: str
    vector: "NDArray[np.float32]"


def stories(
    texts: Sequence[PageText], *, similar_from: float = SIMILAR_FROM, shared_from: float = SHARED_FROM
) -> list[frozenset[str]]:
    """The pages that share one text, joined by shared n-grams and similar vectors, for each such text.

    A page may share several: two papers that one page retells are two stories, and it is in both.
    """
    import numpy as np

    if not texts:
        return []
    vectors = np.stack([one.vector for one in texts])
    number = {page_id: at for at, page_id in enumerate(dict.fromkeys(one.page_id for one in texts))}
    page = np.array([number[one.page_id] for one in texts])
    text = np.arange(len(texts))
    for at, sharing in _sharing(texts, shared_from):
        apart = sharing[(page[sharing] != page[at]) & (text[sharing] != text[at])]
        for similar in apart[vectors[apart] @ vectors[at] >= similar_from]:
            text[text == text[similar]] = text[at]
    pages_of: dict[int, set[str]] = {}
    for one, own in zip(texts, text.tolist(), strict=True):
        pages_of.setdefault(own, set()).add(one.page_id)
    found = {frozenset(pages) for pages in pages_of.values() if len(pages) > 1}
    return sorted(found, key=sorted)


def merge_groups(groups: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Groups that share a page made one."""
    joined = UnionFind()
    for pages in groups:
        joined.join(pages)
    members: dict[str, set[str]] = {}
    for page_id in {page_id for pages in groups for page_id in pages}:
        members.setdefault(joined.find(page_id), set()).add(page_id)
    return sorted((frozenset(pages) for pages in members.values()), key=min)


def _sharing(texts: Sequence[PageText], floor: float) -> "Iterator[tuple[int, NDArray[np.intp]]]":
    """Each text with those before it where the shorter of the two shares enough of its n-grams, by their places;
    found over posting lists instead of all × all."""
    import numpy as np

    postings: dict[str, array[int]] = {}
    sizes = np.zeros(len(texts), np.intp)
    for at, one in enumerate(texts):
        grams = _grams(one.text)
        sizes[at] = len(grams)
        shared = _shared(postings, grams)
        yield at, np.flatnonzero((shared > 0) & (shared >= floor * np.minimum(sizes[: len(shared)], len(grams))))
        for gram in grams:
            postings.setdefault(gram, array("i")).append(at)


def _shared(postings: "Mapping[str, array[int]]", grams: Iterable[str]) -> "NDArray[np.intp]":
    """For each text so far, how many of these n-grams it has."""
    import numpy as np

    met = [np.frombuffer(postings[gram], np.intc) for gram in grams if gram in postings]
    return np.bincount(np.concatenate(met)) if met else np.zeros(0, np.intp)


def _grams(text: str) -> frozenset[str]:
    """The n-grams of a text that is long enough to matter."""
    found = shingles(text)
    return found if len(found) >= (_LEAST_GRAMS_JA if is_japanese(text) else _LEAST_GRAMS) else frozenset()


def citation_loops(links: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """Groups of two or more that cite one another in a circle, from (citing, cited) pairs.

    The nodes are page ids, or canonical works where pages of one work are to count together. These are the strongly
    connected components (Tarjan 1972), found without recursion so that a long chain cannot exhaust the stack.
    """
    cited: dict[str, list[str]] = {}
    for source, target in links:
        if source != target:
            cited.setdefault(source, []).append(target)
            cited.setdefault(target, [])
    return sorted((group for group in _components(cited) if len(group) > 1), key=min)


def self_references(links: Iterable[tuple[str, str, str]]) -> list[str]:
    """Pages that cite something, and nothing but their own publisher, in alphabetical order.

    `links` are page id, registrable domain of the page, and an address that its main text links to.
    """
    own: set[str] = set()
    others: set[str] = set()
    for page_id, domain, url in links:
        (own if registrable_domain(url) == domain else others).add(page_id)
    return sorted(own - others)


def _components(cited: dict[str, list[str]]) -> list[frozenset[str]]:
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    found: list[frozenset[str]] = []
    for start in cited:
        if start not in order:
            _explore(start, cited, order, low, open_nodes, found)
    return found


def _explore(
    start: str,
    cited: dict[str, list[str]],
    order: dict[str, int],
    low: dict[str, int],
    open_nodes: dict[str, None],
    found: list[frozenset[str]],
) -> None:
    """Depth first from `start`; `low` is the earliest open node that can be reached."""
    path = [(start, iter(cited[start]))]
    order[start] = low[start] = len(order)
    open_nodes[start] = None
    while path:
        node, targets = path[-1]
        target = next(targets, None)
        if target is None:
            path.pop()
            _close(node, order, low, open_nodes, found)
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
        elif target not in order:
            order[target] = low[target] = len(order)
            open_nodes[target] = None
            path.append((target, iter(cited[target])))
        elif target in open_nodes:
            low[node] = min(low[node], order[target])


def _close(
    node: str,
    order: dict[str, int],
    low: dict[str, int],
    open_nodes: dict[str, None],
    found: list[frozenset[str]],
) -> None:
    """A node that reaches nothing earlier closes a component: itself and all opened since."""
    if low[node] == order[node]:
        members: set[str] = set()
        while node not in members:
            members.add(open_nodes.popitem()[0])
        found.append(frozenset(members))
