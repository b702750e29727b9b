"""Claims of a task, where they are stated, and what the graph says of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    Mention,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.task import Granularity, Polarity
from lyra.storage import derived
from lyra.storage.columns import ids_json, moment, strings, to_json

_CLAIM_COLUMNS = """
    c.id, c.task_id, c.claim_text, c.language, c.created_at, c.expected_polarity, c.granularity, c.is_hypothesis,
    c.search_id"""
_SELECT = f"select {_CLAIM_COLUMNS} from claims c "
_ASSESSED = f"""
select {_CLAIM_COLUMNS}, c.alpha, c.beta, c.confidence, c.uncertainty, c.controversy, c.supporting_count,
    c.refuting_count, c.neutral_count, c.independent_sources, c.text_confidence, c.report_confidence,
    c.verdict, c.verification_status, c.verification_reason, c.adoption_status, c.refutation_status, c.trust_level,
    c.has_primary_source, c.recovery,
    (
        select p.url
        from claim_mentions m
        join fragments f on f.id = m.fragment_id
        join pages p on p.id = f.page_id
        where m.claim_id = c.id
        order by p.fetched_at, p.id
        limit 1
    )
from claims c
"""


def insert_many(connection: Connection, claims: Iterable[Claim]) -> int:
    """Add what is new; a known claim is left as it is. Returns the number of new rows."""
    added = 0
    for claim in claims:
        connection.execute(
            """
            insert into claims (id, task_id, claim_text, language, created_at, expected_polarity, granularity,
                is_hypothesis, search_id)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (id) do nothing
            """,
            (
                claim.id,
                claim.task_id,
                claim.claim_text,
                claim.language,
                stamp(claim.created_at),
                claim.expected_polarity,
                claim.granularity,
                claim.is_hypothesis,
                claim.search_id,
            ),
        )
        added += connection.changes()
    return added


def add_mentions(connection: Connection, mentions: Iterable[Mention]) -> None:
    """Note where claims are stated; a known place is left as it is."""
    stated = tuple(mentions)
    connection.executemany(
        """
        insert into claim_mentions (claim_id, fragment_id, quote, char_start, char_end, quote_hash)
        values (?, ?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        [(m.claim_id, m.fragment_id, m.quote, m.char_start, m.char_end, m.quote_hash) for m in stated],
    )
    derived.mentions_written(connection, [(one.claim_id, one.fragment_id) for one in stated])


def get(connection: Connection, claim_id: str) -> AssessedClaim | None:
    row = connection.execute(_ASSESSED + "where c.id = ?", (claim_id,)).fetchone()
    return None if row is None else _assessed(row)


def of_task(connection: Connection, task_id: str) -> tuple[Claim, ...]:
    """The task's claims in the order they entered the graph."""
    rows = connection.execute(_SELECT + "where c.task_id = ? order by c.seq", (task_id,))
    return tuple(_claim(row) for row in rows)


def assessed_of_task(connection: Connection, task_id: str) -> tuple[AssessedClaim, ...]:
    """The task's claims with their assessments, the best supported first."""
    rows = connection.execute(_ASSESSED + "where c.task_id = ? order by c.report_confidence desc, c.seq", (task_id,))
    return tuple(_assessed(row) for row in rows)


def claims_found(connection: Connection, search_id: str, limit: int) -> tuple[AssessedClaim, ...]:
    """The claims a search brought: first found by it, or stated on a page it reached; the best supported first."""
    rows = connection.execute(
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
    return tuple(_assessed(row) for row in rows)


def mentions_of(connection: Connection, claim_ids: Iterable[str]) -> tuple[Mention, ...]:
    """Every place where these claims are stated."""
    rows = connection.execute(
        """
        select claim_id, fragment_id, quote, char_start, char_end, quote_hash
        from claim_mentions
        where claim_id in (select value from json_each(?))
        order by claim_id, fragment_id, char_start
        """,
        (ids_json(claim_ids),),
    )
    return tuple(Mention(*row) for row in rows)


def save_assessments(connection: Connection, assessments: Iterable[Assessment], now: datetime) -> None:
    """Write what the graph now says of claims; `adoption_changed_at` moves only with the adoption."""
    for assessment in assessments:
        evidence = assessment.evidence
        connection.execute(
            """
            update claims
            set alpha = ?, beta = ?, confidence = ?, uncertainty = ?, controversy = ?, supporting_count = ?,
                refuting_count = ?, neutral_count = ?, independent_sources = ?, independent_confidence = ?,
                text_confidence = ?, report_confidence = ?, verdict = ?, verification_status = ?,
                verification_reason = ?,
                adoption_changed_at = iif(adoption_status = ?, adoption_changed_at, ?), adoption_status = ?,
                refutation_status = ?, trust_level = ?, has_primary_source = ?, recovery = ?
            where id = ?
            """,
            (
                evidence.alpha,
                evidence.beta,
                evidence.confidence,
                evidence.uncertainty,
                evidence.controversy,
                evidence.supporting_count,
                evidence.refuting_count,
                evidence.neutral_count,
                assessment.independent_sources,
                evidence.confidence,
                assessment.text_confidence,
                assessment.report_confidence,
                assessment.verdict,
                assessment.verification_status,
                assessment.verification_reason,
                assessment.adoption_status,
                stamp(now),
                assessment.adoption_status,
                assessment.refutation_status,
                assessment.trust_level,
                assessment.has_primary_source,
                to_json(assessment.recovery),
                assessment.claim_id,
            ),
        )


def note_refute_search(connection: Connection, claim_ids: Iterable[str]) -> None:
    """A refute search that concerns these claims has come to its end."""
    connection.execute(
        "update claims set refute_searched = 1 where id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def refute_searched(connection: Connection, claim_ids: Iterable[str]) -> frozenset[str]:
    """Those of these claims for which a refute search has come to its end."""
    rows = connection.execute(
        """
        select id
        from claims
        where id in (select value from json_each(?)) and refute_searched = 1
        """,
        (ids_json(claim_ids),),
    )
    return frozenset(str(claim_id) for (claim_id,) in rows)


def _claim(row: tuple[Any, ...]) -> Claim:
    return Claim(
        id=row[0],
        task_id=row[1],
        claim_text=row[2],
        language=row[3],
        created_at=moment(row[4]),
        expected_polarity=Polarity(row[5]),
        granularity=Granularity(row[6]),
        is_hypothesis=bool(row[7]),
        search_id=row[8],
    )


def _assessed(row: tuple[Any, ...]) -> AssessedClaim:
    assessment = Assessment(
        claim_id=row[0],
        evidence=Confidence(*row[9:17]),
        independent_sources=row[17],
        text_confidence=row[18],
        report_confidence=row[19],
        verdict=Verdict(row[20]),
        verification_status=VerificationStatus(row[21]),
        verification_reason=row[22],
        adoption_status=AdoptionStatus(row[23]),
        refutation_status=RefutationStatus(row[24]),
        trust_level=row[25],
        has_primary_source=bool(row[26]),
        recovery=strings(row[27]),
    )
    return AssessedClaim(_claim(row), assessment, row[28])


def text_of(connection: Connection, claim_id: str) -> str:
    """The words of a claim."""
    return str(connection.execute("select claim_text from claims where id = ?", (claim_id,)).get)


def hypotheses(connection: Connection, task_id: str) -> tuple[AssessedClaim, ...]:
    """The claims that the client put, with their assessments, in the order given."""
    rows = connection.execute(_ASSESSED + "where c.task_id = ? and c.is_hypothesis order by c.seq", (task_id,))
    return tuple(_assessed(row) for row in rows)
