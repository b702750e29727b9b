"""Addresses that searches found: rows of `serp_items`, whose state is where a restart goes on."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.search import READER_ENDED, Candidate, CandidateState, PartlyJudged, SearchProblem
from lyra.storage import derived
from lyra.storage.columns import ids_json
from lyra.storage.rows import Table, read

_CANDIDATES = Table("serp_items", Candidate, {"search_id": "query_id", "date": "result_date"})
_SELECT = f"select {_CANDIDATES.columns()} from serp_items "


def add(connection: Connection, candidates: Iterable[Candidate]) -> int:
    """Add what is new; an address the same search already knows is left as it is. Returns the number of new rows."""
    found = tuple(candidates)
    added = sum(_CANDIDATES.insert(connection, candidate, "do nothing") for candidate in found)
    derived.candidates_written(connection, [one.id for one in found])
    return added


def pending(connection: Connection, search_id: str, limit: int) -> tuple[Candidate, ...]:
    """What is still to be fetched, the most promising first."""
    return read(
        connection,
        Candidate,
        _SELECT + "where query_id = ? and state = 'pending' order by score desc, rank, id limit ?",
        (search_id, limit),
    )


def of_search(connection: Connection, search_id: str) -> tuple[Candidate, ...]:
    """All of a search's candidates, the most promising first."""
    return read(connection, Candidate, _SELECT + "where query_id = ? order by score desc, rank, id", (search_id,))


def behind_walls(connection: Connection, outcomes: Iterable[str], urls: Iterable[str]) -> tuple[Candidate, ...]:
    """What tasks that have not ended could not fetch: blocked for one of these outcomes, as its reason begins, or at
    one of these addresses for whatever reason; not what a person wants to do without."""
    return read(
        connection,
        Candidate,
        _SELECT
        + """
        where (
                state = 'blocked'
                and substr(reason, 1, instr(reason || ':', ':') - 1) in (select value from json_each(:outcomes))
                or state in ('blocked', 'failed') and url in (select value from json_each(:urls))
            )
            and query_id in (
                select q.id
                from queries q
                join tasks t on t.id = q.task_id
                where t.status <> 'completed'
            )
            and not exists (
                select 1
                from queries q
                join intervention_queue i on i.task_id = q.task_id and i.url = serp_items.url and i.status = 'skipped'
                where q.id = serp_items.query_id
            )
        order by id
        """,
        {"outcomes": ids_json(outcomes), "urls": ids_json(urls)},
    )


def put_first(connection: Connection, search_id: str, candidate_ids: Iterable[str]) -> None:
    """Candidates of a search that can be fetched now, before all its others."""
    connection.execute(
        """
        update serp_items
        set state = 'pending', reason = null,
            score = 1 + (select max(score) from serp_items where query_id = :search_id)
        where id in (select value from json_each(:ids))
        """,
        {"search_id": search_id, "ids": ids_json(candidate_ids)},
    )


def are_pending(connection: Connection, candidate_ids: Iterable[str]) -> bool:
    """Whether any of these is still to be fetched."""
    return bool(
        connection.execute(
            """
            select exists (
                select 1
                from serp_items
                where state = 'pending' and id in (select value from json_each(?))
            )
            """,
            (ids_json(candidate_ids),),
        ).get
    )


def set_state(
    connection: Connection,
    candidate_id: str,
    state: CandidateState,
    reason: str | None = None,
    page_id: str | None = None,
) -> None:
    """Note what became of a candidate."""
    connection.execute(
        """
        update serp_items
        set state = ?, reason = ?, page_id = coalesce(?, page_id)
        where id = ?
        """,
        (state, reason, page_id, candidate_id),
    )
    derived.candidates_written(connection, [candidate_id])


def note_read(connection: Connection, candidate: Candidate) -> None:
    """Add a candidate that was read; where an engine found the same address, that one is marked."""
    known = next((one for one in of_search(connection, candidate.search_id) if one.url == candidate.url), None)
    if known is None:
        add(connection, [candidate])
    else:
        set_state(connection, known.id, candidate.state, candidate.reason, candidate.page_id)


def set_scores(connection: Connection, scores: Iterable[tuple[str, float]]) -> None:
    """Rank candidates: pairs of id and score."""
    connection.executemany(
        "update serp_items set score = ? where id = ?", [(score, candidate_id) for candidate_id, score in scores]
    )


def problems(connection: Connection, search_id: str, limit: int) -> tuple[SearchProblem, ...]:
    """What a search could not do: engines and APIs without an answer, pages blocked or failed."""
    return read(
        connection,
        SearchProblem,
        """
        select subject, details ->> 'outcome' as outcome, details ->> 'reason' as reason,
            details ->> 'key_setting' as key_setting
        from event_log
        where search_id = :search_id and kind = 'answer' and details ->> 'outcome' in ('blocked', 'failed')
        union all
        select url, null, reason, null
        from serp_items
        where query_id = :search_id and state in ('blocked', 'failed')
        limit :limit
        """,
        {"search_id": search_id, "limit": limit},
    )


def partly_judged(connection: Connection, search_id: str, limit: int) -> tuple[PartlyJudged, ...]:
    """The pages of a search of which not all pairs with hypotheses were judged, in the order of reading."""
    return read(
        connection,
        PartlyJudged,
        """
        select subject as url, details ->> 'judged' as judged, details ->> 'wanted' as wanted
        from event_log
        where search_id = ? and kind = 'partly_judged'
        order by id
        limit ?
        """,
        (search_id, limit),
    )


def given_up(connection: Connection, task_id: str, limit: int) -> tuple[SearchProblem, ...]:
    """The pages of a task that ended the process which reads them, each once."""
    return read(
        connection,
        SearchProblem,
        """
        select distinct s.url as subject, null as outcome, s.reason, null as key_setting
        from queries q
        join serp_items s on s.query_id = q.id
        where q.task_id = ? and s.state = 'failed' and instr(s.reason, ?)
        order by s.url
        limit ?
        """,
        (task_id, READER_ENDED, limit),
    )
