"""What is learned about how sure the models may be: samples, fits, evaluations, rollbacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from lyra.model.edge import AnswerProbabilities, Relation

# The order of a stance's probabilities.
STANCES = ("supports", "refutes", "neutral")


class CalibrationSource(StrEnum):
    """Whose probabilities are calibrated."""

    NLI_JUDGE = "nli_judge"
    LLM_EXTRACT = "llm_extract"


class FitMethod(StrEnum):
    PLATT = "platt"
    TEMPERATURE = "temperature"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class CalibrationSample:
    """A prediction and what came true.

    `probabilities` are either (true, false) of a single statement or (supports, refutes, neutral) of a stance;
    `truth` is the place of what came true. `basis` names the weights and the bundled calibration they came from.
    """

    id: str
    source: CalibrationSource
    language: str
    basis: str
    probabilities: tuple[float, ...]
    truth: int
    created_at: datetime
    edge_id: str | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class JudgedEdge:
    """What a stance edge keeps of its judgement: all that its review needs.

    `relation` and `confidence` are the result in force, `answers` what the reader said before fits and rules;
    `probabilities` are those after a fit, and in older graphs after a rule as well.
    """

    id: str
    task_id: str
    claim_id: str
    claim_text: str
    relation: Relation
    confidence: float | None
    nli_label: str | None
    probabilities: tuple[float, float, float] | None
    model_id: str
    calibration_version: str
    rule: str | None = None
    answers: AnswerProbabilities | None = None


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """Fitted parameters: `temperature`, `a` and `b` (Platt), or `scale` and `bias` (vector)."""

    method: FitMethod
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FittedVersion:
    """The fit of one language within a version of a source's calibration; `fitted_in` is the version it came with."""

    source: CalibrationSource
    version: int
    language: str
    basis: str
    fit: CalibrationFit
    fitted_on: int
    brier_before: float
    brier_after: float
    fitted_in: int
    is_active: bool
    reason: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Predictions whose confidence is in [lower, upper); the last bin includes 1. Means are 0 where count is 0."""

    lower: float
    upper: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A stored measurement. Brier is that of the predictions as given, `brier_score_calibrated` with
    the fitted version applied; the calibration error and the bins are of what was applied."""

    id: str
    source: CalibrationSource
    brier_score: float
    brier_score_calibrated: float | None
    improvement_ratio: float
    expected_calibration_error: float
    samples_evaluated: int
    bins: tuple[ReliabilityBin, ...]
    calibration_version: int
    evaluated_at: datetime

    @property
    def brier_applied(self) -> float:
        """The score of what Lyra would have said."""
        return self.brier_score if self.brier_score_calibrated is None else self.brier_score_calibrated


@dataclass(frozen=True, slots=True)
class Rollback:
    """A return to another version, as the audit keeps it."""

    id: str
    source: CalibrationSource
    basis: str
    previous_version: int
    rolled_back_to: int
    reason: str
    is_automatic: bool
    created_at: datetime
