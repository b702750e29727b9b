"""Citation loops, sources that prove one another; and self-reference, pages that cite nobody but their publisher."""

from collections.abc import Iterable

from lyra.urls import registrable_domain


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
