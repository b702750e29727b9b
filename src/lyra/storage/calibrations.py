"""Calibration: samples, fitted versions, evaluations and rollbacks."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.calibration import (
    STANCES,
    CalibrationFit,
    CalibrationSample,
    CalibrationSource,
    Evaluation,
    FitMethod,
    FittedVersion,
    JudgedEdge,
    ReliabilityBin,
    Rollback,
)
from lyra.model.edge import AnswerProbabilities, Relation
from lyra.storage.columns import ids_json, moment, stamp_or_none, to_json

_SINGLE = ("true", "false")
_VERSION = """
select source, version, language, basis, method, parameters, fitted_on, brier_before, brier_after, fitted_in,
    is_active, reason, created_at
from calibration_parameters
"""
_EVALUATION = """
select id, source, brier_score, brier_score_calibrated, improvement_ratio, expected_calibration_error,
    samples_evaluated, bins_json, calibration_version, evaluated_at
from calibration_evaluations
"""


def judged_edge(connection: Connection, edge_id: str) -> JudgedEdge | None:
    """The judgement kept on a fragment → claim edge; None where there is no such edge."""
    row = connection.execute(
        """
        select e.id, e.task_id, c.id, c.claim_text, e.relation, e.nli_confidence, e.nli_label, e.nli_probabilities,
            e.model_id, e.calibration_version, e.rule, e.bears_raw, e.side_raw, e.bears, e.side
        from edges e
        join claims c on c.id = e.target_id
        where e.id = ? and e.source_type = 'fragment' and e.target_type = 'claim'
        """,
        (edge_id,),
    ).fetchone()
    if row is None:
        return None
    return JudgedEdge(
        id=row[0],
        task_id=row[1],
        claim_id=row[2],
        claim_text=row[3],
        relation=Relation(row[4]),
        confidence=row[5],
        nli_label=row[6],
        probabilities=None if row[7] is None else tuple(json.loads(row[7])),
        model_id=row[8] or "",
        calibration_version=row[9] or "",
        rule=row[10],
        answers=None if row[11] is None else AnswerProbabilities(*row[11:15]),
    )


def put_sample(connection: Connection, sample: CalibrationSample) -> str:
    """Keep a sample; a second correction of an edge replaces the first. Returns the id it is kept under."""
    is_single = len(sample.probabilities) == len(_SINGLE)
    kept = connection.execute(
        """
        insert into calibration_samples (id, source, language, basis, prediction, probabilities, actual, edge_id,
            context, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (edge_id) do update
        set language = excluded.language, basis = excluded.basis, prediction = excluded.prediction,
            probabilities = excluded.probabilities, actual = excluded.actual, context = excluded.context,
            created_at = excluded.created_at, is_considered = 0
        returning id
        """,
        (
            sample.id,
            sample.source,
            sample.language,
            sample.basis,
            sample.probabilities[0] if is_single else max(sample.probabilities),
            None if is_single else to_json(sample.probabilities),
            (_SINGLE if is_single else STANCES)[sample.truth],
            sample.edge_id,
            sample.context,
            stamp(sample.created_at),
        ),
    ).get
    return str(kept)


def newest_samples(
    connection: Connection, source: CalibrationSource, basis: str, language: str | None, limit: int
) -> tuple[CalibrationSample, ...]:
    """The newest samples of a source, oldest first; of all languages where none is named."""
    rows = connection.execute(
        """
        select id, source, language, basis, prediction, probabilities, actual, created_at, edge_id, context
        from (
            select *
            from calibration_samples
            where source = :source and basis = :basis and (:language is null or language = :language)
            order by seq desc
            limit :limit
        )
        order by seq
        """,
        {"source": source, "basis": basis, "language": language, "limit": limit},
    )
    return tuple(_sample(row) for row in rows)


def count_samples(connection: Connection, source: CalibrationSource, basis: str) -> dict[str, tuple[int, int]]:
    """For each language the number of samples, and of those that no fit has considered yet."""
    rows = connection.execute(
        """
        select language, count(*), count(*) filter (where is_considered = 0)
        from calibration_samples
        where source = ? and basis = ?
        group by language
        order by language
        """,
        (source, basis),
    )
    return {str(language): (int(total), int(pending)) for language, total, pending in rows}


def count_pending(connection: Connection, source: CalibrationSource, basis: str, language: str) -> int:
    """The samples that no fit has considered yet."""
    return int(
        connection.execute(
            """
            select count(*)
            from calibration_samples
            where source = ? and basis = ? and language = ? and is_considered = 0
            """,
            (source, basis, language),
        ).get
    )


def set_considered(connection: Connection, sample_ids: Iterable[str]) -> None:
    """Note that a fit was tried on these samples, whether it was adopted or not."""
    connection.execute(
        "update calibration_samples set is_considered = 1 where id in (select value from json_each(?))",
        (ids_json(sample_ids),),
    )


def active(connection: Connection, source: CalibrationSource, basis: str) -> tuple[FittedVersion, ...]:
    """The set in force, one row a language; empty where the bundled calibration stands alone."""
    return tuple(
        _version(row)
        for row in connection.execute(
            _VERSION + "where source = ? and basis = ? and is_active = 1 order by language", (source, basis)
        )
    )


def of_version(
    connection: Connection, source: CalibrationSource, basis: str, version: int
) -> tuple[FittedVersion, ...]:
    rows = connection.execute(
        _VERSION + "where source = ? and basis = ? and version = ? order by language", (source, basis, version)
    )
    return tuple(_version(row) for row in rows)


def version_numbers(connection: Connection, source: CalibrationSource, basis: str) -> tuple[int, ...]:
    """Every version that was fitted on this basis, ascending."""
    rows = connection.execute(
        "select distinct version from calibration_parameters where source = ? and basis = ? order by version",
        (source, basis),
    )
    return tuple(int(version) for (version,) in rows)


def put_in_force(connection: Connection, source: CalibrationSource, basis: str) -> tuple[int, ...]:
    """Every version in the order in which fits and rollbacks have put it in force; the first stood before them all."""
    rows = connection.execute(
        """
        select version
        from (
            select version, created_at
            from calibration_parameters
            where source = :source and basis = :basis and fitted_in = version
            union all
            select rolled_back_to, created_at
            from calibration_rollbacks
            where source = :source and basis = :basis
        )
        order by created_at
        """,
        {"source": source, "basis": basis},
    )
    return (0, *(int(version) for (version,) in rows))


def next_version(connection: Connection, source: CalibrationSource) -> int:
    """Numbers are never used twice, whatever was rolled back."""
    return int(
        connection.execute(
            "select coalesce(max(version), 0) + 1 from calibration_parameters where source = ?", (source,)
        ).get
    )


def insert_versions(connection: Connection, rows: Iterable[FittedVersion]) -> None:
    connection.executemany(
        """
        insert into calibration_parameters (source, version, language, basis, method, parameters, fitted_on,
            brier_before, brier_after, fitted_in, is_active, reason, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                row.source,
                row.version,
                row.language,
                row.basis,
                row.fit.method,
                to_json(row.fit.parameters),
                row.fitted_on,
                row.brier_before,
                row.brier_after,
                row.fitted_in,
                row.is_active,
                row.reason,
                stamp(row.created_at),
            )
            for row in rows
        ],
    )


def activate(connection: Connection, source: CalibrationSource, basis: str, version: int) -> None:
    """Put a version in force; 0 leaves the bundled calibration alone."""
    connection.execute(
        "update calibration_parameters set is_active = 0 where source = ? and basis = ? and is_active = 1",
        (source, basis),
    )
    connection.execute(
        "update calibration_parameters set is_active = 1 where source = ? and basis = ? and version = ?",
        (source, basis, version),
    )


def insert_evaluation(connection: Connection, evaluation: Evaluation) -> None:
    connection.execute(
        """
        insert into calibration_evaluations (id, source, brier_score, brier_score_calibrated, improvement_ratio,
            expected_calibration_error, samples_evaluated, bins_json, calibration_version, evaluated_at, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            evaluation.id,
            evaluation.source,
            evaluation.brier_score,
            evaluation.brier_score_calibrated,
            evaluation.improvement_ratio,
            evaluation.expected_calibration_error,
            evaluation.samples_evaluated,
            to_json([asdict(each) for each in evaluation.bins]),
            evaluation.calibration_version,
            stamp(evaluation.evaluated_at),
            stamp(evaluation.evaluated_at),
        ),
    )


def evaluation(connection: Connection, evaluation_id: str) -> Evaluation | None:
    row = connection.execute(_EVALUATION + "where id = ?", (evaluation_id,)).fetchone()
    return None if row is None else _evaluation(row)


def evaluations(
    connection: Connection, source: CalibrationSource | None, since: datetime | None, limit: int
) -> tuple[Evaluation, ...]:
    """The newest first."""
    rows = connection.execute(
        _EVALUATION
        + """
        where (:source is null or source = :source) and (:since is null or evaluated_at >= :since)
        order by evaluated_at desc, rowid desc
        limit :limit
        """,
        {"source": source, "since": stamp_or_none(since), "limit": limit},
    )
    return tuple(_evaluation(row) for row in rows)


def count_evaluations(connection: Connection, source: CalibrationSource | None, since: datetime | None) -> int:
    return int(
        connection.execute(
            """
            select count(*)
            from calibration_evaluations
            where (:source is null or source = :source) and (:since is null or evaluated_at >= :since)
            """,
            {"source": source, "since": stamp_or_none(since)},
        ).get
    )


def insert_rollback(connection: Connection, rollback: Rollback) -> None:
    connection.execute(
        """
        insert into calibration_rollbacks (id, source, basis, previous_version, rolled_back_to, reason, is_automatic,
            created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            rollback.id,
            rollback.source,
            rollback.basis,
            rollback.previous_version,
            rollback.rolled_back_to,
            rollback.reason,
            rollback.is_automatic,
            stamp(rollback.created_at),
        ),
    )


def _sample(row: tuple[Any, ...]) -> CalibrationSample:
    is_single = row[5] is None
    return CalibrationSample(
        id=row[0],
        source=CalibrationSource(row[1]),
        language=row[2],
        basis=row[3],
        probabilities=(row[4], 1 - row[4]) if is_single else tuple(json.loads(row[5])),
        truth=(_SINGLE if is_single else STANCES).index(row[6]),
        created_at=moment(row[7]),
        edge_id=row[8],
        context=row[9],
    )


def _version(row: tuple[Any, ...]) -> FittedVersion:
    return FittedVersion(
        source=CalibrationSource(row[0]),
        version=row[1],
        language=row[2],
        basis=row[3],
        fit=CalibrationFit(FitMethod(row[4]), json.loads(row[5])),
        fitted_on=row[6],
        brier_before=row[7],
        brier_after=row[8],
        fitted_in=row[9],
        is_active=bool(row[10]),
        reason=row[11],
        created_at=moment(row[12]),
    )


def _evaluation(row: tuple[Any, ...]) -> Evaluation:
    bins = tuple(ReliabilityBin(**each) for each in json.loads(row[7]))
    return Evaluation(
        id=row[0],
        source=CalibrationSource(row[1]),
        brier_score=row[2],
        brier_score_calibrated=row[3],
        improvement_ratio=row[4],
        expected_calibration_error=row[5],
        samples_evaluated=row[6],
        bins=bins,
        calibration_version=row[8],
        evaluated_at=moment(row[9]),
    )
