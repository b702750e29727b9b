"""What a run left in the database, in a form in which two runs can be compared: no random ids, no times."""

from pathlib import Path
from typing import Any

from apsw import Connection

# Lists, so that a row that is there twice shows.
_GRAPH = {
    "pages": "select url, content_hash from pages",
    "fragments": "select p.url, f.position, f.text_hash from fragments f join pages p on p.id = f.page_id",
    "claims": "select t.query, c.claim_text, c.is_hypothesis from claims c join tasks t on t.id = c.task_id",
    "mentions": """
        select t.query, c.claim_text, m.fragment_id, m.char_start, m.quote
        from claim_mentions m
        join claims c on c.id = m.claim_id
        join tasks t on t.id = c.task_id
    """,
    "edges": """
        select t.query, e.relation, e.source_id, coalesce(c.claim_text, e.target_id)
        from edges e
        join tasks t on t.id = e.task_id
        left join claims c on c.id = e.target_id
    """,
    "candidates": """
        select q.query, s.url, iif(s.state = 'reused', 'fetched', s.state)
        from serp_items s
        join queries q on q.id = s.query_id
    """,
    "searches": "select query, status, pages_fetched from queries",
    "jobs": "select q.query, j.state from jobs j join queries q on q.id = j.cause_id",
    "endings": """
        select q.query
        from event_log e
        join queries q on q.id = e.cause_id
        where e.kind = 'job' and e.details ->> 'became' = 'done'
    """,
    "budgets": """
        select t.query, t.pages_used - (
            select count(*)
            from serp_items s
            join queries q on q.id = s.query_id
            where q.task_id = t.id and s.state = 'fetched'
        )
        from tasks t
    """,
}


def comparable_rows(connection: Connection) -> dict[str, list[Any]]:
    """Everything that was found, counted and ended, by kind."""
    return {name: sorted(connection.execute(sql).fetchall()) for name, sql in _GRAPH.items()}


def unfinished_jobs(connection: Connection) -> int:
    """Jobs that are yet to end."""
    sql = "select count(*) from jobs where state in ('queued', 'running', 'paused')"
    return int(str(connection.execute(sql).get))


def attempts(connection: Connection) -> int:
    """How often the job that is being worked on was started."""
    sql = "select coalesce(max(attempts), 0) from jobs where state in ('queued', 'running')"
    return int(str(connection.execute(sql).get))


def is_worked_on_by(connection: Connection, pid: int) -> bool:
    """Whether a process has taken up a job; owners are named by their process."""
    sql = "select exists (select 1 from leases where name glob 'job:*' and owner glob ? || '-*')"
    return bool(connection.execute(sql, (str(pid),)).get)


def phase(connection: Connection) -> str:
    """In which phase the search is that is being worked on, or was when its process ended."""
    row = connection.execute(
        """
        select q.phase
        from jobs j
        join queries q on q.id = j.cause_id
        where j.state = 'running'
        limit 1
        """
    ).get
    return str(row or "between searches")


def find_damage(connection: Connection, archive: Path) -> list[str]:
    """What SQLite finds wrong with the file, and pages whose archived bytes are not there."""
    found = [str(row[0]) for row in connection.execute("pragma integrity_check") if row[0] != "ok"]
    found += [f"foreign key: {row[0]}" for row in connection.execute("pragma foreign_key_check")]
    kept = connection.execute(
        "select url, warc_path, warc_offset + warc_length from pages where warc_path is not null"
    ).fetchall()
    for url, name, end in kept:
        path = archive / str(name)
        if not path.exists() or path.stat().st_size < int(str(end)):
            found.append(f"not in the archive: {url}")
    return found
