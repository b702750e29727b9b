"""The read model behind `get_status`: what a task's graph holds, in few statements."""

from apsw import Connection

from lyra.model.task import TaskTotals, VerificationAlert
from lyra.storage.rows import column, read, read_dicts

TOP_DOMAINS = 10
# SPEC §1 decision 9: a rejection rate over 30 % among at least 5 judged claims is reported, never acted on.
ALERT_JUDGED = 5
ALERT_RATE = 0.3

# Fragments that mention a claim or were judged, with those that repeat another text; pages reached, with their domains;
# pages with a judged fragment, with those from sources of high trust.
_COUNTS = """
select *
from
    (
        select count(*) as claims, coalesce(sum(adoption_status = 'not_adopted'), 0) as not_adopted
        from claims
        where task_id = :task_id
    ),
    (
        select coalesce(sum(supports), 0) as supporting, coalesce(sum(refutes), 0) as refuting,
            coalesce(sum(neutrals), 0) as neutral
        from page_stances
        where task_id = :task_id
    ),
    (
        select count(*) as fragments, coalesce(sum(f.near_duplicate_of is not null), 0) as duplicates
        from task_fragments t
        join fragments f on f.id = t.fragment_id
        where t.task_id = :task_id
    ),
    (
        select count(*) as pages, count(distinct p.domain) as domains
        from task_pages t
        join pages p on p.id = t.page_id
        where t.task_id = :task_id
    ),
    (
        select count(level) as judged, coalesce(sum(level in ('primary', 'government', 'academic')), 0) as from_primary
        from (
            select (
                select coalesce(e.source_trust_level, 'unverified')
                from edges e
                where e.page_id = t.page_id and e.task_id = t.task_id
                limit 1
            ) as level
            from task_pages t
            where t.task_id = :task_id
        )
    )
"""


def totals(connection: Connection, task_id: str) -> TaskTotals:
    """Everything that is counted about a task."""
    found = read_dicts(connection, _COUNTS, {"task_id": task_id})[0]
    return TaskTotals(
        pages=found["pages"],
        fragments=found["fragments"],
        claims=found["claims"],
        not_adopted=found["not_adopted"],
        supporting_edges=found["supporting"],
        refuting_edges=found["refuting"],
        neutral_edges=found["neutral"],
        top_domains=_top_domains(connection, task_id),
        duplicate_rate=_share(found["duplicates"], found["fragments"]),
        domain_diversity=_share(found["domains"], found["pages"]),
        primary_source_ratio=_share(found["from_primary"], found["judged"]),
    )


def unverified_domains(connection: Connection, task_id: str) -> tuple[str, ...]:
    """Domains that spoke in the task and that nobody vouches for, by name."""
    return tuple(
        column(
            connection,
            """
        select distinct p.domain
        from task_pages t
        join pages p on p.id = t.page_id
        left join domain_trust d on d.domain = p.domain
        where t.task_id = ?
            and coalesce(
                d.trust_level,
                (select e.source_trust_level from edges e where e.page_id = t.page_id and e.task_id = t.task_id limit 1)
            ) = 'unverified'
        order by p.domain
        """,
            (task_id,),
        )
    )


def verification_alerts(connection: Connection, task_id: str) -> tuple[VerificationAlert, ...]:
    """Domains many of whose claims were rejected, the most first."""
    return read(
        connection,
        VerificationAlert,
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


def _top_domains(connection: Connection, task_id: str) -> tuple[str, ...]:
    return tuple(
        column(
            connection,
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
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
