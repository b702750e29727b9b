"""The dates behind a task's stances: of the page as it was read, of its change, of its work's retraction."""

from apsw import Connection

from lyra.model.report import DatedEvidence
from lyra.storage.rows import read

# A superseded fragment has the dates of the version of the page that it was read from. A retraction was seen when the
# task's journal first noted it; where another task heard of it, the work's record has the time of its last change.
_SELECT = """
select e.target_id as claim_id, f.id as fragment_id, p.id as page_id, p.url, p.domain, e.relation,
    coalesce(e.quote, f.text_content) as quote, e.created_at as seen_at,
    iif(v.page_id is null, p.published_date, v.published_date) as published_date,
    iif(v.page_id is null, p.updated_date, v.updated_date) as updated_date,
    f.superseded_at, p.work_id, e.no_vote = 'retracted' as is_retracted,
    iif(e.no_vote = 'retracted', coalesce(
        (select min(l.created_at) from event_log l
            where l.task_id = :task_id and l.kind = 'retraction' and l.subject = w.id),
        w.updated_at,
        p.fetched_at
    ), null) as retraction_seen_at,
    (select min(substr(m.snapshot_at, 1, 10)) from mementos m
        where m.page_id = p.id and m.is_copy = 0
            and instr(m.text_content, coalesce(e.quote, f.text_content)) > 0) as archived_from,
    (select max(substr(m.snapshot_at, 1, 10)) from mementos m
        where m.page_id = p.id and m.is_copy = 0
            and instr(m.text_content, coalesce(e.quote, f.text_content)) = 0) as absent_on,
    (select max(substr(m.snapshot_at, 1, 10)) from mementos m where m.page_id = p.id and m.is_copy = 1) as copied_on,
    (select min(q.retracted_on) from pages q
        where (q.id = p.id or q.work_id = p.work_id) and q.retraction = 'retracted') as retracted_on,
    p.is_corrected, p.corrected_on,
    iif(
        f.superseded_at is not null and p.updated_date > coalesce(v.updated_date, v.published_date, '')
            and p.updated_date <= substr(p.fetched_at, 1, 10),
        p.updated_date,
        null
    ) as superseded_on,
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
    return read(connection, DatedEvidence, _SELECT + "order by e.target_id, e.source_id", {"task_id": task_id})
