"""Results of the calibration book."""

from dataclasses import dataclass

from lyra.calibration.fits import FitTrial
from lyra.calibration.measure import Degradation
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
