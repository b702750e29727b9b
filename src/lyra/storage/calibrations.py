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
    FittedVersion,
    JudgedEdge,
    Rollback,
)
from lyra.storage.columns import ids_json, moment, stamp_or_none, to_json
from lyra.storage.rows import Table, column, nested, read, read_dicts, read_one

_SINGLE = ("true", "false")
_VERSIONS = Table("calibration_parameters", FittedVersion, nested("fit", CalibrationFit))
_EVALUATIONS = Table("calibration_evaluations", Evaluation, {"bins": "bins_json"})
_ROLLBACKS = Table("calibration_rollbacks", Rollback)
_VERSION = f"select {_VERSIONS.columns()} from calibration_parameters "
_EVALUATION = f"select {_EVALUATIONS.columns()} from calibration_evaluations "


def judged_edge(connection: Connection, edge_id: str) -> JudgedEdge | None:
    """The judgement kept on a fragment → claim edge; None where there is no such edge."""
    return read_one(
        connection,
        JudgedEdge,
        """
        select e.id, e.task_id, c.id as claim_id, c.claim_text, e.relation, e.nli_confidence as confidence, e.nli_label,
            e.nli_probabilities as probabilities, coalesce(e.model_id, '') as model_id,
            coalesce(e.calibration_version, '') as calibration_version, e.rule, e.bears_raw as "answers.bears_raw",
            e.side_raw as "answers.side_raw", e.bears as "answers.bears", e.side as "answers.side"
        from edges e
        join claims c on c.id = e.target_id
        where e.id = ? and e.source_type = 'fragment' and e.target_type = 'claim'
        """,
        (edge_id,),
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
    rows = read_dicts(
        connection,
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
    sql = _VERSION + "where source = ? and basis = ? and is_active = 1 order by language"
    return read(connection, FittedVersion, sql, (source, basis))


def of_version(
    connection: Connection, source: CalibrationSource, basis: str, version: int
) -> tuple[FittedVersion, ...]:
    return read(
        connection,
        FittedVersion,
        _VERSION + "where source = ? and basis = ? and version = ? order by language",
        (source, basis, version),
    )


def version_numbers(connection: Connection, source: CalibrationSource, basis: str) -> tuple[int, ...]:
    """Every version that was fitted on this basis, ascending."""
    sql = "select distinct version from calibration_parameters where source = ? and basis = ? order by version"
    return tuple(column(connection, sql, (source, basis)))


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
    _VERSIONS.insert_many(connection, rows)


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
    bins = to_json([asdict(each) for each in evaluation.bins])
    _EVALUATIONS.insert(connection, evaluation, bins_json=bins, created_at=stamp(evaluation.evaluated_at))


def evaluation(connection: Connection, evaluation_id: str) -> Evaluation | None:
    return read_one(connection, Evaluation, _EVALUATION + "where id = ?", (evaluation_id,))


def evaluations(
    connection: Connection, source: CalibrationSource | None, since: datetime | None, limit: int
) -> tuple[Evaluation, ...]:
    """The newest first."""
    return read(
        connection,
        Evaluation,
        _EVALUATION
        + """
        where (:source is null or source = :source) and (:since is null or evaluated_at >= :since)
        order by evaluated_at desc, rowid desc
        limit :limit
        """,
        {"source": source, "since": stamp_or_none(since), "limit": limit},
    )


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
    _ROLLBACKS.insert(connection, rollback)


def _sample(row: dict[str, Any]) -> CalibrationSample:
    single, kept = row["prediction"], row["probabilities"]
    return CalibrationSample(
        id=row["id"],
        source=CalibrationSource(row["source"]),
        language=row["language"],
        basis=row["basis"],
        probabilities=(single, 1 - single) if kept is None else tuple(json.loads(kept)),
        truth=(_SINGLE if kept is None else STANCES).index(row["actual"]),
        created_at=moment(row["created_at"]),
        edge_id=row["edge_id"],
        context=row["context"],
    )
