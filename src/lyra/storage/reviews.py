"""Reviews of edges, and the queue of what is still to be reviewed."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.edge import REVIEWED_PROBABILITY, AnswerProbabilities, QueuedEdge, Relation, Review, ReviewRow
from lyra.model.report import ReviewProgress
from lyra.storage import derived
from lyra.storage.columns import ids_json, moment

_REVIEW = """
select id, edge_id, task_id, claim_id, actual, reason, reviewer, judged_relation, judged_confidence, created_at
from reviews
"""


def in_force(connection: Connection, edge_id: str) -> Review | None:
    """The review that decides an edge now."""
    row = connection.execute(_REVIEW + "where edge_id = ? and state = 'in_force'", (edge_id,)).fetchone()
    return None if row is None else _review(row)


def put(connection: Connection, review: Review) -> None:
    """Put a review in force, in the place of an earlier one, and let its edge follow."""
    earlier = connection.execute(
        """
        update reviews
        set state = 'replaced', ended_at = ?
        where edge_id = ? and state = 'in_force'
        returning earlier_sample
        """,
        (stamp(review.created_at), review.edge_id),
    ).fetchone()
    connection.execute(
        """
        insert into reviews (id, edge_id, task_id, claim_id, actual, reason, reviewer, judged_relation,
            judged_confidence, earlier_sample, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            review.id,
            review.edge_id,
            review.task_id,
            review.claim_id,
            review.actual,
            review.reason,
            review.reviewer,
            review.judged_relation,
            review.judged_confidence,
            _sample_kept(connection, review.edge_id) if earlier is None else earlier[0],
            stamp(review.created_at),
        ),
    )
    _decide(connection, review.edge_id, review.actual, REVIEWED_PROBABILITY)


def undo(connection: Connection, review: Review, now: datetime) -> None:
    """Give the edge back what reader and rules had made of it, and withdraw the sample that its review gave."""
    connection.execute("delete from calibration_samples where edge_id = ?", (review.edge_id,))
    kept = connection.execute("select earlier_sample from reviews where id = ?", (review.id,)).get
    if kept is not None:
        connection.execute(
            """
            insert into calibration_samples (seq, id, source, language, basis, prediction, probabilities, actual,
                edge_id, context, is_considered, created_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            json.loads(kept),
        )
    connection.execute("update reviews set state = 'undone', ended_at = ? where id = ?", (stamp(now), review.id))
    _decide(connection, review.edge_id, review.judged_relation, review.judged_confidence)


def reviewed(connection: Connection, claim_ids: Iterable[str]) -> dict[str, set[str]]:
    """For each of these claims the fragments whose edge with it has been reviewed."""
    rows = connection.execute(
        """
        select r.claim_id, e.source_id
        from reviews r
        join edges e on e.id = r.edge_id
        where r.state = 'in_force' and r.claim_id in (select value from json_each(?))
        """,
        (ids_json(claim_ids),),
    )
    found: dict[str, set[str]] = {}
    for claim_id, fragment_id in rows:
        found.setdefault(str(claim_id), set()).add(str(fragment_id))
    return found


def tasks_of(connection: Connection, edge_ids: Iterable[str]) -> dict[str, str | None]:
    """The task of each of these edges that there is; None for one that is no stance."""
    rows = connection.execute(
        "select id, iif(target_type = 'claim', task_id, null) from edges where id in (select value from json_each(?))",
        (ids_json(edge_ids),),
    )
    return {str(edge_id): task_id for edge_id, task_id in rows}


def forget_queue(connection: Connection, claim_ids: Iterable[str]) -> None:
    """Take away what was to be reviewed of these claims: their evidence has changed."""
    connection.execute(
        "delete from review_queue where claim_id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def put_queue(connection: Connection, task_id: str, rows: Iterable[ReviewRow]) -> None:
    """Write what is to be reviewed of claims that have no rows."""
    connection.executemany(
        """
        insert into review_queue (task_id, claim_id, source, relation, edge_id, edges, probability, turns_verdict)
        select ?, ?, ?, ?, id, ?, ?, ?
        from edges
        where source_type = 'fragment' and source_id = ? and target_type = 'claim' and target_id = ?
        """,
        [
            (
                task_id,
                row.claim_id,
                row.source,
                row.relation,
                row.edges,
                row.probability,
                row.turns_verdict,
                row.fragment_id,
                row.claim_id,
            )
            for row in rows
        ],
    )


def queue(
    connection: Connection, task_id: str, limit: int, *, only_hypotheses: bool = False, claim_id: str | None = None
) -> tuple[QueuedEdge, ...]:
    """The head of the queue, in the order of `v_review_queue`."""
    rows = connection.execute(
        """
        select v.edge_id, v.relation, q.probability, v.turns_verdict, v.claim_id, v.claim_text, v.is_hypothesis,
            v.verdict, v.quote, v.source, v.url, v.title, v.edges, v.rule, e.bears_raw, e.side_raw, e.bears, e.side,
            v.in_context
        from v_review_queue v
        join review_queue q on q.claim_id = v.claim_id and q.source = v.source and q.relation = v.relation
        join edges e on e.id = v.edge_id
        where v.task_id = :task_id and (v.is_hypothesis or not :only_hypotheses)
            and (:claim_id is null or v.claim_id = :claim_id)
        order by v.turns_verdict desc, q.probability, v.claim_id, v.source, v.relation
        limit :limit
        """,
        {"task_id": task_id, "limit": limit, "only_hypotheses": only_hypotheses, "claim_id": claim_id},
    )
    return tuple(_queued(row) for row in rows)


def progress(connection: Connection, task_id: str) -> ReviewProgress:
    """How far the review of a task has come; reviews that were undone or replaced do not count."""
    made = connection.execute(
        """
        select actual <> judged_relation
        from reviews
        where task_id = ? and state = 'in_force'
        order by created_at, id
        """,
        (task_id,),
    )
    corrections = tuple(bool(row[0]) for row in made)
    left = connection.execute(
        "select count(*), coalesce(sum(turns_verdict), 0) from review_queue where task_id = ?", (task_id,)
    ).fetchone()
    assert left is not None  # an aggregate always has a row
    return ReviewProgress(corrections, int(left[0]), int(left[1]))


def _decide(connection: Connection, edge_id: str, relation: Relation, confidence: float | None) -> None:
    connection.execute(
        "update edges set relation = ?, nli_confidence = ? where id = ?", (relation, confidence, edge_id)
    )
    derived.edges_written(connection, [edge_id])


def _sample_kept(connection: Connection, edge_id: str) -> str | None:
    """The sample that an edge gave before it was reviewed, as undoing writes it back."""
    row = connection.execute(
        """
        select seq, id, source, language, basis, prediction, probabilities, actual, edge_id, context, is_considered,
            created_at
        from calibration_samples
        where edge_id = ?
        """,
        (edge_id,),
    ).fetchone()
    return None if row is None else json.dumps(row, ensure_ascii=False)


def _review(row: tuple[Any, ...]) -> Review:
    return Review(
        id=row[0],
        edge_id=row[1],
        task_id=row[2],
        claim_id=row[3],
        actual=Relation(row[4]),
        reason=row[5],
        reviewer=row[6],
        judged_relation=Relation(row[7]),
        judged_confidence=row[8],
        created_at=moment(row[9]),
    )


def _queued(row: tuple[Any, ...]) -> QueuedEdge:
    answers = None if row[14] is None else AnswerProbabilities(*row[14:18])
    return QueuedEdge(
        edge_id=row[0],
        relation=Relation(row[1]),
        probability=row[2],
        turns_verdict=bool(row[3]),
        claim_id=row[4],
        claim_text=row[5],
        is_hypothesis=bool(row[6]),
        verdict=row[7],
        quote=row[8],
        source=row[9],
        url=row[10],
        title=row[11] or "",
        edges=row[12],
        rule=row[13],
        raw_probabilities=None if answers is None else answers.raw_probabilities,
        in_context=row[18],
    )
