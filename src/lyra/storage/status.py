"""The read model behind `get_status`: what a task's graph holds, in few statements."""

from apsw import Connection

from lyra.model.edge import Relation
from lyra.model.task import TaskTotals, VerificationAlert

TOP_DOMAINS = 10
# SPEC §1 decision 9: a rejection rate over 30 % among at least 5 judged claims is reported, never acted on.
ALERT_JUDGED = 5
ALERT_RATE = 0.3


def totals(connection: Connection, task_id: str) -> TaskTotals:
    """Everything that is counted about a task."""
    claims, not_adopted = _claims(connection, task_id)
    relations = _relations(connection, task_id)
    fragments, duplicates = _fragments(connection, task_id)
    pages, domains = _pages(connection, task_id)
    judged, high = _judged_pages(connection, task_id)
    return TaskTotals(
        pages=pages,
        fragments=fragments,
        claims=claims,
        not_adopted=not_adopted,
        supporting_edges=relations.get(Relation.SUPPORTS, 0),
        refuting_edges=relations.get(Relation.REFUTES, 0),
        neutral_edges=relations.get(Relation.NEUTRAL, 0),
        top_domains=_top_domains(connection, task_id),
        duplicate_rate=_share(duplicates, fragments),
        domain_diversity=_share(domains, pages),
        primary_source_ratio=_share(high, judged),
    )


def unverified_domains(connection: Connection, task_id: str) -> tuple[str, ...]:
    """Domains that spoke in the task and that nobody vouches for, by name."""
    rows = connection.execute(
        """
        select distinct p.domain
        from task_pages t
        join pages p on p.id = t.page_id
        left join domains d on d.domain = p.domain
        where t.task_id = ?
            and coalesce(
                d.trust_level,
                (select e.source_trust_level from edges e where e.page_id = t.page_id and e.task_id = t.task_id limit 1)
            ) = 'unverified'
        order by p.domain
        """,
        (task_id,),
    )
    return tuple(str(domain) for (domain,) in rows)


def verification_alerts(connection: Connection, task_id: str) -> tuple[VerificationAlert, ...]:
    """Domains many of whose claims were rejected, the most first."""
    rows = connection.execute(
        """
        with stated as (
            select distinct p.domain, c.id, c.verification_status
            from claims c
            join claim_mentions m on m.claim_id = c.id
            join fragments f on f.id = m.fragment_id
            join pages p on p.id = f.page_id
            where c.task_id = ? and c.verification_status <> 'pending'
        )
        select domain, count(*) as judged, sum(verification_status = 'rejected') as rejected
        from stated
        group by domain
        having judged >= ? and rejected > ? * judged
        order by rejected desc, domain
        """,
        (task_id, ALERT_JUDGED, ALERT_RATE),
    )
    return tuple(VerificationAlert(*row) for row in rows)


def _claims(connection: Connection, task_id: str) -> tuple[int, int]:
    row = connection.execute(
        "select count(*), coalesce(sum(adoption_status = 'not_adopted'), 0) from claims where task_id = ?", (task_id,)
    ).fetchone()
    return _pair(row)


def _relations(connection: Connection, task_id: str) -> dict[str, int]:
    row = connection.execute(
        """
        select coalesce(sum(supports), 0), coalesce(sum(refutes), 0), coalesce(sum(neutrals), 0)
        from page_stances
        where task_id = ?
        """,
        (task_id,),
    ).fetchone()
    return dict(zip((Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL), row or (0, 0, 0), strict=True))


def _fragments(connection: Connection, task_id: str) -> tuple[int, int]:
    """Fragments that mention a claim or were judged, and how many of them repeat another text."""
    row = connection.execute(
        """
        select count(*), coalesce(sum(f.near_duplicate_of is not null), 0)
        from task_fragments t
        join fragments f on f.id = t.fragment_id
        where t.task_id = ?
        """,
        (task_id,),
    ).fetchone()
    return _pair(row)


def _pages(connection: Connection, task_id: str) -> tuple[int, int]:
    """Pages reached, and their domains."""
    row = connection.execute(
        """
        select count(*), count(distinct p.domain)
        from task_pages t
        join pages p on p.id = t.page_id
        where t.task_id = ?
        """,
        (task_id,),
    ).fetchone()
    return _pair(row)


def _judged_pages(connection: Connection, task_id: str) -> tuple[int, int]:
    """Pages with a judged fragment, and those of them from sources of high trust."""
    row = connection.execute(
        """
        select count(level), coalesce(sum(level in ('primary', 'government', 'academic')), 0)
        from (
            select (
                select coalesce(e.source_trust_level, 'unverified')
                from edges e
                where e.page_id = t.page_id and e.task_id = t.task_id
                limit 1
            ) as level
            from task_pages t
            where t.task_id = ?
        )
        """,
        (task_id,),
    ).fetchone()
    return _pair(row)


def _top_domains(connection: Connection, task_id: str) -> tuple[str, ...]:
    rows = connection.execute(
        """
        select p.domain
        from page_stances s
        join pages p on p.id = s.page_id
        where s.task_id = ? and s.supports + s.refutes > 0
        group by p.domain
        order by sum(s.supports + s.refutes) desc, p.domain
        limit ?
        """,
        (task_id, TOP_DOMAINS),
    )
    return tuple(str(domain) for (domain,) in rows)


def _pair(row: tuple[object, ...] | None) -> tuple[int, int]:
    first, second = row or (0, 0)
    return int(str(first)), int(str(second))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
