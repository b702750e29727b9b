"""The words behind claims: every quote for or against one, with the way back to it."""

from typing import Any

from apsw import Connection

from lyra.model.edge import Relation
from lyra.model.report import QuotedEvidence, ReportClaim, ReviewMark
from lyra.storage import claims, judged_texts
from lyra.storage.columns import moment

# The quote's place in the text of its page is where the judged text says; of older edges, where the words come first.
# The dates are those of the version that was read.
_SELECT = """
select e.target_id, e.relation, coalesce(e.quote, f.text_content), f.id, p.id, p.url, p.title, p.domain,
    f.heading_context, iif(v.page_id is null, p.published_date, v.published_date),
    coalesce(v.fetched_at, p.fetched_at), coalesce(e.nli_confidence, 0.5),
    coalesce(e.source_trust_level, 'unverified'), e.is_origin, f.char_start,
    max(instr(f.text_content, coalesce(e.quote, f.text_content)), 1) - 1, e.model_id, e.no_vote,
    iif(v.page_id is null, p.updated_date, v.updated_date), e.judged_text,
    r.reviewer, r.created_at, r.reason, r.judged_relation
from edges e
join fragments f on f.id = e.source_id
join pages p on p.id = f.page_id
left join page_versions v
    on f.superseded_at is not null and v.page_id = f.page_id and v.text_version = f.text_version
left join reviews r on r.edge_id = e.id and r.state = 'in_force'
"""


def of_task(connection: Connection, task_id: str) -> tuple[ReportClaim, ...]:
    """The task's claims, the best supported first, each with its supporting and refuting quotes: those that vote
    first, then the strongest."""
    rows = connection.execute(
        _SELECT
        + """
        where e.task_id = ? and e.source_type = 'fragment' and e.relation in ('supports', 'refutes')
        order by e.no_vote <> '', e.nli_confidence desc, e.id
        """,
        (task_id,),
    )
    said: dict[tuple[str, Relation], list[QuotedEvidence]] = {}
    for row in rows:
        quoted = _quoted(row)
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
    rows = connection.execute(
        _SELECT
        + """
        where e.target_type = 'claim' and e.target_id = ? and e.source_type = 'fragment' and e.relation = ?
        order by e.no_vote <> '', e.nli_confidence desc, e.id
        limit ? offset ?
        """,
        (claim_id, relation, limit, offset),
    )
    found = tuple(_quoted(row) for row in rows)
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
    rows = connection.execute(
        _SELECT
        + """
        join queries q on q.task_id = e.task_id
        where q.id = :search_id and e.source_type = 'fragment' and e.relation = 'refutes'
            and e.page_id in (select page_id from serp_items where query_id = :search_id)
        order by e.nli_confidence desc, e.id
        limit :limit
        """,
        {"search_id": search_id, "limit": limit},
    ).fetchall()
    texts = dict(
        connection.execute(
            "select c.id, c.claim_text from claims c join queries q on q.task_id = c.task_id where q.id = ?",
            (search_id,),
        )
    )
    return tuple((str(texts[row[0]]), _quoted(row)) for row in rows)


def _quoted(row: tuple[Any, ...]) -> QuotedEvidence:
    judged = judged_texts.read(row[19])
    start = None if judged is None else judged.quote_start
    return QuotedEvidence(
        claim_id=row[0],
        relation=Relation(row[1]),
        quote=row[2],
        fragment_id=row[3],
        page_id=row[4],
        url=row[5],
        title=row[6],
        domain=row[7],
        heading_context=row[8],
        published_date=row[9],
        fetched_at=moment(row[10]),
        nli_confidence=row[11],
        trust_level=row[12],
        is_origin=bool(row[13]),
        char_start=row[14] + (row[15] if start is None else start),
        model_id=row[16],
        no_vote=row[17],
        updated_date=row[18],
        judged_text=judged,
        review=None if row[20] is None else ReviewMark(row[20], moment(row[21]), row[22], Relation(row[23])),
    )
