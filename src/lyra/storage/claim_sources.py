"""The independent sources behind claims, and how each claim would stand without any one of them."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.claim import ClaimSource, SourceDependence
from lyra.storage.columns import ids_json, strings, to_json


def forget(connection: Connection, claim_ids: Iterable[str]) -> None:
    """Take away what is known of these claims' sources: their evidence has changed."""
    connection.execute(
        "delete from claim_sources where claim_id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def put(connection: Connection, task_id: str, found: Iterable[SourceDependence]) -> None:
    """Write the sources of claims that have none."""
    connection.executemany(
        """
        insert into claim_sources (task_id, claim_id, source, members, supports, refutes, confidence_without,
            independent_sources_without, verdict_without, verification_without, adoption_without, is_decisive)
        values (:task_id, :claim_id, :source, :members, :supports, :refutes, :confidence, :independent_sources,
            :verdict, :verification, :adoption, coalesce((
                select verdict <> :verdict or verification_status <> :verification or adoption_status <> :adoption
                from claims
                where id = :claim_id
            ), 0))
        """,
        [
            {
                "task_id": task_id,
                "claim_id": one.claim_id,
                "source": one.source,
                "members": to_json(one.members),
                "supports": one.supports,
                "refutes": one.refutes,
                "confidence": one.without.evidence.confidence,
                "independent_sources": one.without.independent_sources,
                "verdict": one.without.verdict,
                "verification": one.without.verification_status,
                "adoption": one.without.adoption_status,
            }
            for one in found
        ],
    )


def of_task(connection: Connection, task_id: str) -> tuple[ClaimSource, ...]:
    """The independent sources behind each claim of a task, by claim and name."""
    rows = connection.execute(
        """
        select claim_id, source, members, supports, refutes
        from claim_sources
        where task_id = ?
        order by claim_id, source
        """,
        (task_id,),
    )
    return tuple(ClaimSource(row[0], row[1], strings(row[2]), row[3], row[4]) for row in rows)


def of_pages(connection: Connection, claim_ids: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """For each of these claims, and each page that takes a stance on it, the independent sources that the page may
    speak for: several where its publisher belongs to several."""
    rows = connection.execute(
        """
        select distinct s.claim_id, p.id, s.source
        from claim_sources s
        join json_each(s.members) m
        join edges e on e.task_id = s.task_id and e.target_id = s.claim_id and e.relation in ('supports', 'refutes')
            and e.no_vote = ''
        join pages p on p.id = e.page_id and m.value = coalesce('work:' || nullif(p.work_id, ''), 'domain:' || p.domain)
        where s.claim_id in (select value from json_each(?))
        order by s.claim_id, p.id, s.source
        """,
        (ids_json(claim_ids),),
    )
    found: dict[str, dict[str, list[str]]] = {}
    for claim_id, page_id, source in rows:
        found.setdefault(str(claim_id), {}).setdefault(str(page_id), []).append(str(source))
    return found
