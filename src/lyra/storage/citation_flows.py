"""Who cites whom among the pages that a task reached, directly or through one page between."""

from apsw import Connection

from lyra.storage.links import LINK


def replace_all(connection: Connection, task_id: str) -> None:
    """Write a task's citation flows anew from the citations that the graph holds.

    A page that is cited directly is not told again through another, and nobody's way leads back to themselves.
    """
    connection.execute("delete from citation_flows where task_id = ?", (task_id,))
    connection.execute(
        """
        insert into citation_flows (task_id, citing_page_id, cited_page_id, hop_distance, via_page_id, citation_source)
        select t.task_id, d.source_id, d.target_id, 1, null, d.citation_source
        from task_pages t
        join edges d on d.source_id = t.page_id and d.relation = 'cites'
        where t.task_id = :task_id
        union all
        select t.task_id, d.source_id, n.target_id, 2, d.target_id, n.citation_source
        from task_pages t
        join edges d on d.source_id = t.page_id and d.relation = 'cites'
        join edges n on n.source_id = d.target_id and n.relation = 'cites' and n.target_id <> d.source_id
        where t.task_id = :task_id
            and not exists (
                select 1
                from edges x
                where x.source_id = d.source_id and x.target_id = n.target_id and x.relation = 'cites'
            )
        """,
        {"task_id": task_id},
    )


def indexed(connection: Connection, task_id: str) -> list[tuple[str, str, str, bool]]:
    """Citations among the task's pages that academic indexes named, not the pages' own links: citing and cited page,
    who said so, and whether it is influential."""
    rows = connection.execute(
        """
        select e.source_id, e.target_id, coalesce(e.citation_source, ''), e.is_influential
        from edges e
        join task_pages a on a.task_id = :task_id and a.page_id = e.source_id
        join task_pages b on b.task_id = :task_id and b.page_id = e.target_id
        where e.relation = 'cites' and e.citation_source is not :link
        order by e.source_id, e.target_id
        """,
        {"task_id": task_id, "link": LINK},
    )
    return [(str(citing), str(cited), str(source), bool(influential)) for citing, cited, source, influential in rows]
