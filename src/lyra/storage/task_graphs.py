"""The graph of a task as nodes and links: claims, the pages that speak of them, and citations among these pages."""

from collections import Counter

from apsw import Connection

from lyra.model.dashboard import GraphLink, GraphNode, TaskGraph
from lyra.model.edge import Relation
from lyra.storage.columns import ids_json

_LABEL_CHARS = 160


def of_task(connection: Connection, task_id: str, max_nodes: int) -> TaskGraph:
    """Hypotheses always, then what has the most links, at most `max_nodes` in all."""
    links = _links(connection, task_id)
    degrees = Counter(end for link in links for end in (link.source, link.target))
    hypotheses = [
        str(claim_id)
        for (claim_id,) in connection.execute(
            "select id from claims where task_id = ? and is_hypothesis order by seq", (task_id,)
        )
    ]
    ranked = sorted(degrees, key=lambda one: (-degrees[one], one))
    kept = list(dict.fromkeys([*hypotheses, *ranked]))
    shown = set(kept[:max_nodes])
    return TaskGraph(
        nodes=_nodes(connection, shown, degrees),
        links=tuple(link for link in links if link.source in shown and link.target in shown),
        total_nodes=len(kept),
        total_links=len(links),
    )


def around_claim(connection: Connection, task_id: str, claim_id: str, max_nodes: int) -> TaskGraph:
    """A claim, the pages that take a stance on it, and citations among them."""
    links = _links(connection, task_id)
    pages = {link.source for link in links if link.target == claim_id}
    near = [link for link in links if link.target == claim_id or (link.source in pages and link.target in pages)]
    degrees = Counter(end for link in near for end in (link.source, link.target))
    kept = list(dict.fromkeys([claim_id, *sorted(degrees, key=lambda one: (-degrees[one], one))]))
    shown = set(kept[:max_nodes])
    return TaskGraph(
        nodes=_nodes(connection, shown, degrees),
        links=tuple(link for link in near if link.source in shown and link.target in shown),
        total_nodes=len(kept),
        total_links=len(near),
    )


def _links(connection: Connection, task_id: str) -> list[GraphLink]:
    """One link for each page and claim, by its strongest words that vote; citations among pages of the task."""
    stances = connection.execute(
        """
        select page_id, target_id, relation, max(nli_confidence)
        from edges
        where task_id = ? and relation in ('supports', 'refutes') and no_vote = ''
        group by page_id, target_id
        order by page_id, target_id
        """,
        (task_id,),
    )
    cites = connection.execute(
        """
        select e.source_id, e.target_id
        from edges e
        join task_pages a on a.task_id = :id and a.page_id = e.source_id
        join task_pages b on b.task_id = :id and b.page_id = e.target_id
        where e.relation = 'cites' and e.source_id <> e.target_id
        order by e.source_id, e.target_id
        """,
        {"id": task_id},
    )
    return [
        *(GraphLink(str(page), str(claim), Relation(relation)) for page, claim, relation, _ in stances),
        *(GraphLink(str(citing), str(cited), Relation.CITES) for citing, cited in cites),
    ]


def _nodes(connection: Connection, ids: set[str], degrees: Counter[str]) -> tuple[GraphNode, ...]:
    """Hypotheses first, then what has the most links."""
    names = ids_json(sorted(ids))
    claims = connection.execute(
        """
        select id, iif(is_hypothesis, 'hypothesis', 'claim'), claim_text, verdict
        from claims
        where id in (select value from json_each(?))
        """,
        (names,),
    )
    pages = connection.execute(
        """
        select id, 'page', iif(title = '', url, title), domain
        from pages
        where id in (select value from json_each(?))
        """,
        (names,),
    )
    found = [
        GraphNode(str(one), str(kind), str(label)[:_LABEL_CHARS], str(group), degrees[str(one)])
        for rows in (claims, pages)
        for one, kind, label, group in rows
    ]
    return tuple(sorted(found, key=lambda node: (node.kind != "hypothesis", -node.degree, node.id)))
