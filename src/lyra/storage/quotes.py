"""The words behind claims: every quote for or against one, with the way back to it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from apsw import Connection

from lyra.model.edge import Relation
from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.storage import claims
from lyra.storage.columns import ids_json
from lyra.storage.rows import read

# The quote's place in the text of its page is where the judged text says; of older edges, where the words come first.
# The dates are those of the version that was read.
_SELECT = """
select e.target_id as "evidence.claim_id", e.relation as "evidence.relation",
    coalesce(e.quote, f.text_content) as "evidence.quote", f.id as "evidence.fragment_id", p.id as "evidence.page_id",
    p.url as "evidence.url", p.title as "evidence.title", p.domain as "evidence.domain",
    f.heading_context as "evidence.heading_context",
    iif(v.page_id is null, p.published_date, v.published_date) as "evidence.published_date",
    coalesce(v.fetched_at, p.fetched_at) as "evidence.fetched_at",
    coalesce(e.nli_confidence, 0.5) as "evidence.nli_confidence",
    coalesce(e.source_trust_level, 'unverified') as "evidence.trust_level", e.is_origin as "evidence.is_origin",
    f.char_start as "evidence.char_start", f.page_number as "evidence.page_number",
    e.model_id as "evidence.model_id", e.no_vote as "evidence.no_vote",
    iif(v.page_id is null, p.updated_date, v.updated_date) as "evidence.updated_date",
    e.judged_text as "evidence.judged_text", r.reviewer as "evidence.review.reviewer",
    r.created_at as "evidence.review.reviewed_at", r.reason as "evidence.review.reason",
    r.judged_relation as "evidence.review.judged_relation", e.id as "evidence.edge_id",
    f.text_version as "evidence.text_hash",
    iif(v.page_id is null, p.content_hash, '') as "evidence.content_hash",
    max(instr(f.text_content, coalesce(e.quote, f.text_content)), 1) - 1 as first_place,
    (select c.claim_text from claims c where c.id = e.target_id) as claim_text
from edges e
join fragments f on f.id = e.source_id
join pages p on p.id = f.page_id
left join page_versions v
    on f.superseded_at is not null and v.page_id = f.page_id and v.text_version = f.text_version
left join reviews r on r.edge_id = e.id and r.state = 'in_force'
"""


@dataclass(frozen=True, slots=True)
class _StoredQuote:
    """A quote, the first place of its words in the fragment, and the words of its claim."""

    evidence: QuotedEvidence
    first_place: int
    claim_text: str


def of_task(connection: Connection, task_id: str) -> tuple[ReportClaim, ...]:
    """The task's claims, the best supported first, each with its supporting and refuting quotes: those that vote
    first, then the strongest."""
    rows = _read(
        connection,
        """
        where e.task_id = ? and e.source_type = 'fragment' and e.relation in ('supports', 'refutes')
        order by e.no_vote <> '', e.nli_confidence desc, e.id
        """,
        (task_id,),
    )
    said: dict[tuple[str, Relation], list[QuotedEvidence]] = {}
    for row in rows:
        quoted = _placed(row)
        said.setdefault((quoted.claim_id, quoted.relation), []).append(quoted)
    return tuple(
        ReportClaim(
            claim=known.claim,
            assessment=known.assessment,
            supports=tuple(said.get((known.claim.id, Relation.SUPPORTS), ())),
            refutes=tuple(said.get((known.claim.id, Relation.REFUTES), ())),
        )
        for known in claims.assessed_of_task(connection, task_id)
    )


def of_claim(
    connection: Connection, claim_id: str, relation: Relation, limit: int, offset: int = 0
) -> tuple[tuple[QuotedEvidence, ...], int]:
    """A part of the quotes on one side of a claim, those that vote first, then the strongest; and how many in all."""
    rows = _read(
        connection,
        """
        where e.target_type = 'claim' and e.target_id = ? and e.source_type = 'fragment' and e.relation = ?
        order by e.no_vote <> '', e.nli_confidence desc, e.id
        limit ? offset ?
        """,
        (claim_id, relation, limit, offset),
    )
    found = tuple(_placed(row) for row in rows)
    total = connection.execute(
        """
        select count(*)
        from edges
        where target_type = 'claim' and target_id = ? and source_type = 'fragment' and relation = ?
        """,
        (claim_id, relation),
    ).get
    return found, int(total)


def refutations(connection: Connection, search_id: str, limit: int) -> tuple[tuple[str, QuotedEvidence], ...]:
    """What stands against the task's claims on pages this search reached: claim text and quote, strongest first."""
    rows = _read(
        connection,
        """
        join queries q on q.task_id = e.task_id
        where q.id = :search_id and e.source_type = 'fragment' and e.relation = 'refutes'
            and e.page_id in (select page_id from serp_items where query_id = :search_id)
        order by e.nli_confidence desc, e.id
        limit :limit
        """,
        {"search_id": search_id, "limit": limit},
    )
    return tuple((row.claim_text, _placed(row)) for row in rows)


def _read(connection: Connection, which: str, parameters: Any) -> tuple[_StoredQuote, ...]:
    return read(connection, _StoredQuote, _SELECT + which, parameters)


def _placed(row: _StoredQuote) -> QuotedEvidence:
    """The quote with its place in the text of its page."""
    judged = row.evidence.judged_text
    start = None if judged is None else judged.quote_start
    begin = row.evidence.char_start + (row.first_place if start is None else start)
    return replace(row.evidence, char_start=begin, char_end=begin + len(row.evidence.quote))


def of_claims(connection: Connection, claim_ids: Iterable[str]) -> dict[str, tuple[QuotedEvidence, ...]]:
    """What is quoted for and against these claims, by claim: the quotes that vote first, then the strongest."""
    rows = _read(
        connection,
        """
        where e.target_id in (select value from json_each(?)) and e.source_type = 'fragment'
            and e.relation in ('supports', 'refutes')
        order by e.no_vote <> '', e.nli_confidence desc, e.id
        """,
        (ids_json(claim_ids),),
    )
    found: dict[str, list[QuotedEvidence]] = {}
    for row in rows:
        quoted = _placed(row)
        found.setdefault(quoted.claim_id, []).append(quoted)
    return {claim_id: tuple(quoted) for claim_id, quoted in found.items()}
