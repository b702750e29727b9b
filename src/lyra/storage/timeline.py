"""The dates behind a task's stances: of the page as it was read, of its change, of its work's retraction."""

from typing import Any

from apsw import Connection

from lyra.model.edge import Relation
from lyra.model.report import DatedEvidence

# A superseded fragment has the dates of the version of the page that it was read from. A retraction was seen when the
# task's journal first noted it; where another task heard of it, the work's record has the time of its last change.
_SELECT = """
select e.target_id, f.id, p.id, p.url, p.domain, e.relation, coalesce(e.quote, f.text_content), e.created_at,
    iif(v.page_id is null, p.published_date, v.published_date),
    iif(v.page_id is null, p.updated_date, v.updated_date),
    f.superseded_at, p.work_id, e.no_vote = 'retracted',
    coalesce(
        (select min(l.created_at) from event_log l
            where l.task_id = :task_id and l.kind = 'retraction' and l.subject = w.id),
        w.updated_at,
        p.fetched_at
    ),
    (select min(substr(m.snapshot_at, 1, 10)) from mementos m
        where m.page_id = p.id and m.is_copy = 0
            and instr(m.text_content, coalesce(e.quote, f.text_content)) > 0),
    (select max(substr(m.snapshot_at, 1, 10)) from mementos m
        where m.page_id = p.id and m.is_copy = 0
            and instr(m.text_content, coalesce(e.quote, f.text_content)) = 0),
    (select max(substr(m.snapshot_at, 1, 10)) from mementos m where m.page_id = p.id and m.is_copy = 1),
    (select min(q.retracted_on) from pages q
        where (q.id = p.id or q.work_id = p.work_id) and q.retraction = 'retracted'),
    p.is_corrected, p.corrected_on,
    iif(
        p.updated_date > coalesce(v.updated_date, v.published_date, '')
            and p.updated_date <= substr(p.fetched_at, 1, 10),
        p.updated_date,
        null
    ),
    e.no_vote
from edges e
join fragments f on f.id = e.source_id
join pages p on p.id = f.page_id
left join page_versions v
    on f.superseded_at is not null and v.page_id = f.page_id and v.text_version = f.text_version
left join works w on w.id = p.work_id
where e.task_id = :task_id and e.source_type = 'fragment' and e.relation in ('supports', 'refutes')
"""


def of_task(connection: Connection, task_id: str) -> tuple[DatedEvidence, ...]:
    """Every stance on the task's claims, by claim and fragment."""
    rows = connection.execute(_SELECT + "order by e.target_id, e.source_id", {"task_id": task_id})
    return tuple(_dated(row) for row in rows)


def _dated(row: tuple[Any, ...]) -> DatedEvidence:
    return DatedEvidence(
        claim_id=row[0],
        fragment_id=row[1],
        page_id=row[2],
        url=row[3],
        domain=row[4],
        relation=Relation(row[5]),
        quote=row[6],
        seen_at=row[7],
        published_date=row[8],
        updated_date=row[9],
        superseded_at=row[10],
        work_id=row[11],
        is_retracted=bool(row[12]),
        retraction_seen_at=row[13] if row[12] else None,
        archived_from=row[14],
        absent_on=row[15],
        copied_on=row[16],
        retracted_on=row[17],
        is_corrected=bool(row[18]),
        corrected_on=row[19],
        superseded_on=row[20] if row[10] else None,
        no_vote=row[21],
    )
