"""Claims of a task, where they are stated, and what the graph says of them."""

from collections.abc import Iterable
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.claim import (
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    Mention,
)
from lyra.storage import derived
from lyra.storage.columns import ids_json
from lyra.storage.rows import Table, column, nested, read, read_one

_CLAIMS = Table("claims", Claim)
_ASSESSMENTS = Table("claims", Assessment, {"claim_id": "id", **nested("evidence", Confidence)})
_MENTIONS = Table("claim_mentions", Mention)
_SELECT = f"select {_CLAIMS.columns('c')} from claims c "
_ASSESSED = f"""
select {_CLAIMS.columns("c", "claim")}, {_ASSESSMENTS.columns("c", "assessment")},
    p.url as source_url, p.id is not null and {derived.PAGE_IS_RETRACTED} as is_retracted
from claims c
left join pages p on p.id = (
    select p.id
    from claim_mentions m
    join fragments f on f.id = m.fragment_id
    join pages p on p.id = f.page_id
    where m.claim_id = c.id
    order by {derived.PAGE_IS_RETRACTED}, p.fetched_at, p.id
    limit 1
)
"""


def insert_many(connection: Connection, claims: Iterable[Claim]) -> int:
    """Add what is new; a known claim is left as it is. Returns the number of new rows."""
    return sum(_CLAIMS.insert(connection, claim, "(id) do nothing") for claim in claims)


def add_mentions(connection: Connection, mentions: Iterable[Mention]) -> None:
    """Note where claims are stated; a known place is left as it is."""
    stated = tuple(mentions)
    _MENTIONS.insert_many(connection, stated, "do nothing")
    derived.mentions_written(connection, [(one.claim_id, one.fragment_id) for one in stated])


def get(connection: Connection, claim_id: str) -> AssessedClaim | None:
    return read_one(connection, AssessedClaim, _ASSESSED + "where c.id = ?", (claim_id,))


def of_task(connection: Connection, task_id: str) -> tuple[Claim, ...]:
    """The task's claims in the order they entered the graph."""
    return read(connection, Claim, _SELECT + "where c.task_id = ? order by c.seq", (task_id,))


def assessed_of_task(connection: Connection, task_id: str) -> tuple[AssessedClaim, ...]:
    """The task's claims with their assessments, the best supported first."""
    return read(
        connection,
        AssessedClaim,
        _ASSESSED + "where c.task_id = ? order by c.report_confidence desc, c.seq",
        (task_id,),
    )


def claims_found(connection: Connection, search_id: str, limit: int) -> tuple[AssessedClaim, ...]:
    """The claims a search brought: first found by it, or stated on a page it reached; the best supported first."""
    return read(
        connection,
        AssessedClaim,
        _ASSESSED
        + """
        where c.task_id = (select task_id from queries where id = :search_id) and c.id in (
            select id from claims where search_id = :search_id
            union
            select m.claim_id
            from serp_items s
            join fragments f on f.page_id = s.page_id
            join claim_mentions m on m.fragment_id = f.id
            where s.query_id = :search_id
        )
        order by c.report_confidence desc, c.seq
        limit :limit
        """,
        {"search_id": search_id, "limit": limit},
    )


def mentions_of(connection: Connection, claim_ids: Iterable[str]) -> tuple[Mention, ...]:
    """Every place where these claims are stated."""
    return read(
        connection,
        Mention,
        f"""
        select {_MENTIONS.columns()}
        from claim_mentions
        where claim_id in (select value from json_each(?))
        order by claim_id, fragment_id, char_start
        """,
        (ids_json(claim_ids),),
    )


def save_assessments(connection: Connection, assessments: Iterable[Assessment], now: datetime) -> None:
    """Write what the graph now says of claims; `adoption_changed_at` moves only with the adoption."""
    for assessment in assessments:
        values = _ASSESSMENTS.values(assessment) | {"independent_confidence": assessment.evidence.confidence}
        changes = ", ".join(f"{name} = :{name}" for name in values if name != "id")
        connection.execute(
            f"""
            update claims
            set adoption_changed_at = iif(adoption_status = :adoption_status, adoption_changed_at, :now), {changes}
            where id = :id
            """,
            values | {"now": stamp(now)},
        )


def note_refute_search(connection: Connection, claim_ids: Iterable[str]) -> None:
    """A refute search that concerns these claims has come to its end."""
    connection.execute(
        "update claims set refute_searched = 1 where id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def refute_searched(connection: Connection, claim_ids: Iterable[str]) -> frozenset[str]:
    """Those of these claims for which a refute search has come to its end."""
    return frozenset(
        column(
            connection,
            "select id from claims where id in (select value from json_each(?)) and refute_searched = 1",
            (ids_json(claim_ids),),
        )
    )


def text_of(connection: Connection, claim_id: str) -> str:
    """The words of a claim."""
    return str(connection.execute("select claim_text from claims where id = ?", (claim_id,)).get)


def hypotheses(connection: Connection, task_id: str) -> tuple[AssessedClaim, ...]:
    """The claims that the client put, with their assessments, in the order given."""
    statement = _ASSESSED + "where c.task_id = ? and c.is_hypothesis order by c.seq"
    return read(connection, AssessedClaim, statement, (task_id,))
