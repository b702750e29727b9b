"""Reviews of edges, and the queue of what is still to be reviewed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.edge import REVIEWED_PROBABILITY, AnswerProbabilities, QueuedEdge, Relation, Review, ReviewRow
from lyra.model.report import ReviewProgress
from lyra.storage import derived
from lyra.storage.columns import ids_json
from lyra.storage.rows import Table, read, read_one

_REVIEWS = Table("reviews", Review)


@dataclass(frozen=True, slots=True)
class _QueuedAnswer:
    edge: QueuedEdge
    answers: AnswerProbabilities | None


def in_force(connection: Connection, edge_id: str) -> Review | None:
    """The review that decides an edge now."""
    sql = f"select {_REVIEWS.columns()} from reviews where edge_id = ? and state = 'in_force'"
    return read_one(connection, Review, sql, (edge_id,))


def of_task(connection: Connection, task_id: str) -> tuple[Review, ...]:
    """Every review that was made in a task, replaced and undone ones too, oldest first."""
    sql = f"select {_REVIEWS.columns()} from reviews where task_id = ? order by seq"
    return read(connection, Review, sql, (task_id,))


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
    sample = _sample_kept(connection, review.edge_id) if earlier is None else earlier[0]
    _REVIEWS.insert(connection, review, earlier_sample=sample)
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
    """The task of each of these edges that there is; None for one that is not a stance."""
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
    found = read(
        connection,
        _QueuedAnswer,
        """
        select v.edge_id as "edge.edge_id", v.relation as "edge.relation", q.probability as "edge.probability",
            v.turns_verdict as "edge.turns_verdict", v.claim_id as "edge.claim_id", v.claim_text as "edge.claim_text",
            v.is_hypothesis as "edge.is_hypothesis", v.verdict as "edge.verdict", v.quote as "edge.quote",
            v.source as "edge.source", v.url as "edge.url", coalesce(v.title, '') as "edge.title",
            v.edges as "edge.edges", v.rule as "edge.rule", null as "edge.raw_probabilities",
            v.in_context as "edge.in_context", e.bears_raw as "answers.bears_raw", e.side_raw as "answers.side_raw",
            e.bears as "answers.bears", e.side as "answers.side"
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
    return tuple(
        replace(one.edge, raw_probabilities=one.answers.raw_probabilities if one.answers else None) for one in found
    )


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
