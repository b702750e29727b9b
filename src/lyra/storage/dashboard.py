"""What the dashboard lists of tasks: cards, claims by verdict, pages, sources, and a mark that changes with them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import TaskNotFound
from lyra.model.claim import AssessedClaim
from lyra.model.dashboard import ClaimList, PageRow, SourceRow, TaskCard
from lyra.model.person import Person
from lyra.storage import claims, derived, tasks
from lyra.storage.columns import ids_json
from lyra.storage.people import visible_tasks
from lyra.storage.rows import column, read

# As `derived` decides it for votes, here for a page `p` that may have none: what the pages of its work say of
# themselves, the one read last first, then what the indexes of papers say.
_PAGES = f"""
select p.id, p.url, p.title, p.domain, p.fetched_at, p.published_date, coalesce(s.supports, 0) as supports,
    coalesce(s.refutes, 0) as refutes, {derived.PAGE_IS_RETRACTED} as is_retracted
from task_pages t
join pages p on p.id = t.page_id
left join page_stances s on s.task_id = t.task_id and s.page_id = t.page_id
"""


def change_mark(connection: Connection, task_id: str | None) -> str:
    """A text that is another one as soon as something has changed that the dashboard shows, of a task or of all."""
    row = connection.execute(
        """
        select
            (select coalesce(max(id), 0) from event_log where :task_id is null or task_id = :task_id),
            (select coalesce(max(seq), 0) from reviews),
            (select count(*) from reviews where state = 'in_force'),
            (select count(*) from intervention_queue where status = 'pending'),
            (select count(*) from user_questions where status = 'pending'),
            (
                select group_concat(status || pages_used || coalesce(held_at, ''))
                from tasks
                where :task_id is null or id = :task_id
            ),
            (
                select group_concat(status || phase || pages_fetched || useful_fragments)
                from queries
                where :task_id is null or task_id = :task_id
            ),
            (select coalesce(max(seq), 0) from claims where :task_id is null or task_id = :task_id),
            (select coalesce(total(alpha + beta), 0) from claims where :task_id is not null and task_id = :task_id)
        """,
        {"task_id": task_id},
    ).fetchone()
    return repr(row)


def task_cards(connection: Connection, limit: int, offset: int, person: Person) -> tuple[tuple[TaskCard, ...], int]:
    """The newest tasks that the person sees first, and how many there are."""
    visible = visible_tasks(connection, person)
    ids = column(
        connection,
        """
        select id
        from tasks
        where id in (select value from json_each(?))
        order by created_at desc, id
        limit ? offset ?
        """,
        (ids_json(visible), limit, offset),
    )
    return tuple(_card(connection, task_id) for task_id in ids), len(visible)


def is_page_visible(connection: Connection, page_id: str, person: Person) -> bool:
    """Whether a task that the person sees has reached the page."""
    if person.sees_everything:
        return True
    found = connection.execute(
        "select 1 from task_pages where page_id = ? and task_id in (select value from json_each(?))",
        (page_id, ids_json(visible_tasks(connection, person))),
    )
    return found.fetchone() is not None


def is_page_own(connection: Connection, page_id: str, person: Person) -> bool:
    """Whether a task of the person has reached the page."""
    owners = connection.execute(
        "select t.owner from task_pages r join tasks t on t.id = r.task_id where r.page_id = ?", (page_id,)
    )
    return person.sees_everything or any(person.owns(owner and str(owner)) for (owner,) in owners)


def _card(connection: Connection, task_id: str) -> TaskCard:
    verdicts = connection.execute(
        "select verdict, count(*) from claims where task_id = ? and is_hypothesis group by verdict", (task_id,)
    )
    figures: Any = connection.execute(
        """
        select
            (select count(*) from task_pages where task_id = :id),
            (select count(*) from claims where task_id = :id),
            (select count(*) from queries where task_id = :id and status = 'running'),
            (select count(*) from intervention_queue where task_id = :id and status = 'pending')
        """,
        {"id": task_id},
    ).fetchone()
    task = tasks.get(connection, task_id)
    return TaskCard(
        task=task,
        pages=figures[0],
        claims=figures[1],
        running_searches=figures[2],
        waiting_pages=figures[3],
        verdicts={str(name): int(count) for name, count in verdicts},
    )


def searches_worked_on(connection: Connection, now: datetime) -> dict[str, frozenset[str]]:
    """By task the running searches that a process works on now: it holds a lease on their job that has not lapsed."""
    rows = connection.execute(
        """
        select q.task_id, q.id
        from leases l
        join jobs j on j.id = substr(l.name, 5) and j.state = 'running'
        join queries q on q.id = j.cause_id and q.status = 'running'
        where l.name glob 'job:*' and l.until > ?
        """,
        (stamp(now),),
    )
    found: dict[str, set[str]] = {}
    for task_id, search_id in rows:
        found.setdefault(str(task_id), set()).add(str(search_id))
    return {task_id: frozenset(ids) for task_id, ids in found.items()}


def newest_claims(connection: Connection, task_id: str, limit: int) -> tuple[AssessedClaim, ...]:
    """Claims that were found last."""
    rows = connection.execute(
        "select id from claims where task_id = ? and not is_hypothesis order by seq desc limit ?", (task_id, limit)
    )
    return _claims(connection, [str(claim_id) for (claim_id,) in rows])


def claim_list(connection: Connection, task_id: str, verdict: str | None, limit: int, offset: int) -> ClaimList:
    """Hypotheses first, then the best supported claims; only those with a verdict, where one is given."""
    counts = {
        str(name): int(count)
        for name, count in connection.execute(
            "select verdict, count(*) from claims where task_id = ? group by verdict", (task_id,)
        )
    }
    rows = connection.execute(
        """
        select id
        from claims
        where task_id = :task_id and (:verdict is null or verdict = :verdict)
        order by is_hypothesis desc, report_confidence desc, seq
        limit :limit offset :offset
        """,
        {"task_id": task_id, "verdict": verdict, "limit": limit, "offset": offset},
    )
    total = sum(counts.values()) if verdict is None else counts.get(verdict, 0)
    return ClaimList(_claims(connection, [str(claim_id) for (claim_id,) in rows]), total, counts)


def _claims(connection: Connection, ids: list[str]) -> tuple[AssessedClaim, ...]:
    found = (claims.get(connection, claim_id) for claim_id in ids)
    return tuple(one for one in found if one is not None)


def newest_pages(connection: Connection, task_id: str, limit: int) -> tuple[PageRow, ...]:
    """Pages that the task read last."""
    return read(
        connection, PageRow, _PAGES + "where t.task_id = ? order by p.fetched_at desc, p.id limit ?", (task_id, limit)
    )


def source_rows(connection: Connection, task_id: str, limit: int, offset: int) -> tuple[tuple[SourceRow, ...], int]:
    """The domains of the task, those that say the most first, and how many there are."""
    rows = connection.execute(
        f"""
        select p.domain, count(*), coalesce(sum(s.supports), 0), coalesce(sum(s.refutes), 0),
            sum({derived.PAGE_IS_RETRACTED})
        from task_pages t
        join pages p on p.id = t.page_id
        left join page_stances s on s.task_id = t.task_id and s.page_id = t.page_id
        where t.task_id = ?
        group by p.domain
        order by coalesce(sum(s.supports + s.refutes), 0) desc, p.domain
        limit ? offset ?
        """,
        (task_id, limit, offset),
    )
    found = tuple(SourceRow(*row) for row in rows)
    total = connection.execute(
        """
        select count(distinct p.domain)
        from task_pages t
        join pages p on p.id = t.page_id
        where t.task_id = ?
        """,
        (task_id,),
    ).get
    return found, int(total)


def retracted_sources(connection: Connection, claim_ids: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Of these claims those with retracted sources: how many pages that state it or take a stance on it are retracted,
    and how many are not."""
    rows = connection.execute(
        f"""
        with source as (
            select m.claim_id, f.page_id
            from json_each(:ids) i
            cross join claim_mentions m on m.claim_id = i.value
            join fragments f on f.id = m.fragment_id
            union
            select e.target_id, e.page_id
            from json_each(:ids) i
            cross join edges e on e.target_type = 'claim' and e.target_id = i.value
            where e.relation in ('supports', 'refutes')
        ),
        judged as materialized (
            select source.claim_id, {derived.PAGE_IS_RETRACTED} as is_retracted
            from source
            join pages p on p.id = source.page_id
        )
        select claim_id, sum(is_retracted), sum(not is_retracted)
        from judged
        group by claim_id
        having sum(is_retracted)
        """,
        {"ids": ids_json(claim_ids)},
    )
    return {str(claim_id): (int(retracted), int(standing)) for claim_id, retracted, standing in rows}


def retracted_pages(connection: Connection, page_ids: Iterable[str]) -> frozenset[str]:
    """Those of these pages that are retracted, by their own words or by an index of papers."""
    rows = connection.execute(
        f"""
        select p.id
        from json_each(?) i
        cross join pages p on p.id = i.value
        where {derived.PAGE_IS_RETRACTED}
        """,
        (ids_json(page_ids),),
    )
    return frozenset(str(page_id) for (page_id,) in rows)


def claim_texts(connection: Connection, task_id: str, claim_ids: list[str]) -> dict[str, str]:
    """The words of these claims by their ids, as far as they belong to the task."""
    rows = connection.execute(
        "select id, claim_text from claims where id in (select value from json_each(?)) and task_id = ?",
        (ids_json(claim_ids), task_id),
    )
    return {str(claim_id): str(text) for claim_id, text in rows}


def review_figures(connection: Connection, task_id: str) -> tuple[int, int, str | None]:
    """How many edges wait for a review, how many have one, and the edge that was reviewed last."""
    if connection.execute("select 1 from tasks where id = ?", (task_id,)).fetchone() is None:
        raise TaskNotFound(task_id)
    row: Any = connection.execute(
        """
        select
            (select coalesce(sum(edges), 0) from review_queue where task_id = :id),
            (select count(*) from reviews where task_id = :id and state = 'in_force'),
            (select edge_id from reviews where task_id = :id and state = 'in_force' order by seq desc limit 1)
        """,
        {"id": task_id},
    ).fetchone()
    return int(row[0]), int(row[1]), row[2]
