"""Results of the calibration book, and the same as plain fields, rounded once for every face (SPEC §2)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lyra.calibration.fits import FitTrial
from lyra.calibration.measure import Degradation
from lyra.clock import stamp
from lyra.model.calibration import CalibrationSource, Evaluation, FittedVersion, ReliabilityBin, Rollback


@dataclass(frozen=True, slots=True)
class RefitResult:
    """The result of a fit that was tried: `version` is the new one, or None where nothing was adopted."""

    language: str
    version: int | None
    trial: FitTrial


@dataclass(frozen=True, slots=True)
class AddedSample:
    """A kept sample; `pending_count` counts its source and language since a fit was last tried."""

    sample_id: str
    pending_count: int
    refit: RefitResult | None
    counts_for_current_model: bool


@dataclass(frozen=True, slots=True)
class LanguageStats:
    language: str
    sample_count: int
    pending_count: int
    fitted: FittedVersion | None


@dataclass(frozen=True, slots=True)
class SourceStats:
    """The figures of a source. Brier and ECE are of its samples with the version in force applied, or without samples
    those of the latest evaluation."""

    source: CalibrationSource
    current_version: int
    versions: tuple[int, ...]
    sample_count: int
    pending_count: int
    brier_score: float | None
    ece: float | None
    degradation: Degradation | None
    languages: tuple[LanguageStats, ...]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    evaluation: Evaluation
    degradation: Degradation | None
    rollback: Rollback | None


@dataclass(frozen=True, slots=True)
class ReliabilityDiagram:
    """A reliability diagram, of an evaluation or (without one) of the samples."""

    source: CalibrationSource
    evaluation_id: str | None
    bins: tuple[ReliabilityBin, ...]
    ece: float


_PLACES = 4
_OTHER_WEIGHTS = "Kept, but judged by other weights than those in use: it does not count towards their next fit."


def added_fields(added: AddedSample) -> dict[str, Any]:
    fields: dict[str, Any] = {"sample_id": added.sample_id, "pending_count": added.pending_count}
    if added.refit:
        fields["refit"] = refit_fields(added.refit)
    if not added.counts_for_current_model:
        fields["note"] = _OTHER_WEIGHTS
    return fields


def stats_fields(asked: SourceStats, every: Sequence[SourceStats]) -> dict[str, Any]:
    """The asked source's figures on top, then those of every source."""
    return {**_figures(asked), "sources": [_source_fields(each) for each in every]}


def evaluated_fields(evaluated: EvaluationResult) -> dict[str, Any]:
    evaluation = _evaluation_fields(evaluated.evaluation)
    fields = {"evaluation_id": evaluation.pop("id"), **evaluation, **_degradation_fields(evaluated.degradation)}
    if evaluated.rollback:
        fields["rolled_back_to"] = evaluated.rollback.rolled_back_to
    return fields


def evaluations_fields(found: Sequence[Evaluation], total: int) -> dict[str, Any]:
    return {"evaluations": [_evaluation_fields(each) for each in found], "total_count": total}


def diagram_fields(diagram: ReliabilityDiagram) -> dict[str, Any]:
    return {
        "source": diagram.source.value,
        "evaluation_id": diagram.evaluation_id,
        "n_bins": len(diagram.bins),
        "bins": [{name: _rounded(value) for name, value in asdict(each).items()} for each in diagram.bins],
        "overall_ece": _rounded(diagram.ece),
    }


def rollback_fields(rollback: Rollback) -> dict[str, Any]:
    return {
        "source": rollback.source.value,
        "rolled_back_to": rollback.rolled_back_to,
        "previous_version": rollback.previous_version,
        "reason": rollback.reason,
    }


def _figures(stats: SourceStats) -> dict[str, Any]:
    return {
        "source": stats.source.value,
        "current_version": stats.current_version,
        "brier_score": _rounded(stats.brier_score),
        "ece": _rounded(stats.ece),
        "sample_count": stats.sample_count,
        "pending_count": stats.pending_count,
        **_degradation_fields(stats.degradation),
    }


def _source_fields(stats: SourceStats) -> dict[str, Any]:
    return {
        **_figures(stats),
        "versions": list(stats.versions),
        "languages": [_language_fields(each) for each in stats.languages],
    }


def _language_fields(stats: LanguageStats) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "language": stats.language,
        "sample_count": stats.sample_count,
        "pending_count": stats.pending_count,
    }
    if stats.fitted:
        fields |= {
            "method": stats.fitted.fit.method.value,
            "fitted_in": stats.fitted.fitted_in,
            "fitted_on": stats.fitted.fitted_on,
            "brier_before": _rounded(stats.fitted.brier_before),
            "brier_after": _rounded(stats.fitted.brier_after),
        }
    return fields


def refit_fields(refit: RefitResult) -> dict[str, Any]:
    return {
        "is_adopted": refit.version is not None,
        "version": refit.version,
        "language": refit.language,
        "method": refit.trial.fit.method.value if refit.trial.fit else None,
        "brier_before": _rounded(refit.trial.brier_before),
        "brier_after": _rounded(refit.trial.brier_after),
        "reason": refit.trial.reason,
    }


def _degradation_fields(found: Degradation | None) -> dict[str, Any]:
    if found is None:
        return {"degradation_detected": False}
    figures = {
        "latest_evaluation_id": found.latest.id,
        "latest_brier": _rounded(found.latest.brier_applied),
        "latest_version": found.latest.calibration_version,
        "previous_evaluation_id": found.previous.id,
        "previous_brier": _rounded(found.previous.brier_applied),
        "previous_version": found.previous.calibration_version,
        "worsening": _rounded(found.worsening),
    }
    return {"degradation_detected": True, "degradation": figures}


def _evaluation_fields(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "id": evaluation.id,
        "source": evaluation.source.value,
        "brier_score": _rounded(evaluation.brier_score),
        "brier_score_calibrated": _rounded(evaluation.brier_score_calibrated),
        "improvement_ratio": _rounded(evaluation.improvement_ratio),
        "expected_calibration_error": _rounded(evaluation.expected_calibration_error),
        "samples_evaluated": evaluation.samples_evaluated,
        "calibration_version": evaluation.calibration_version,
        "evaluated_at": stamp(evaluation.evaluated_at),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _PLACES)
