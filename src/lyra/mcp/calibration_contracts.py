"""What goes in and out of the calibration tools."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from lyra.mcp.contracts import Answer, Input, Output

Source = Literal["nli_judge", "llm_extract"]
_ACTUALS = ["supports", "refutes", "neutral"]
# What an entry of `samples` looks like. It is checked one by one: a bad entry must not spoil the others.
_SAMPLE = {
    "type": "object",
    "properties": {
        "edge_id": {"type": "string"},
        "actual": {"enum": _ACTUALS},
        "reason": {"type": "string"},
        "reviewer": {"type": "string"},
    },
    "required": ["edge_id", "actual"],
}


class CalibrateData(Input):
    source: Source | None = None
    edge_id: str | None = Field(None, description="Instead of source and prediction.")
    samples: list[Annotated[Any, WithJsonSchema(_SAMPLE)]] | None = Field(None, min_length=1, max_length=100)
    prediction: float | list[float] | None = Field(
        None, description="The model's probability before fits; for nli_judge also [supports, refutes, neutral]."
    )
    actual: bool | str | None = Field(None, description="true/false, or the right stance.")
    language: Literal["en", "ja"] | None = None
    context: str = ""
    predictions: list[Annotated[Any, WithJsonSchema({"type": ["number", "array"]})]] | None = None
    labels: list[Annotated[Any, WithJsonSchema({"type": ["boolean", "string"]})]] | None = None
    limit: int = Field(20, ge=1, le=100)
    since: str | None = None
    evaluation_id: str | None = None


class CalibrateIn(Input):
    action: Literal["add_sample", "undo_review", "get_stats", "evaluate", "get_evaluations", "get_diagram_data"]
    data: CalibrateData | None = None


class RefitOut(Output):
    is_adopted: bool
    version: int | None = None
    language: str
    method: str | None = None
    brier_before: float
    brier_after: float | None = None
    reason: str


class ReviewOut(Output):
    edge_id: str
    ok: bool
    relation: str | None = None
    claim_id: str | None = None
    verdict: str | None = None
    replaced: str | None = None
    error_code: str | None = None
    error: str | None = None
    remedy: str | None = None


class DegradationOut(Output):
    latest_evaluation_id: str
    latest_brier: float
    latest_version: int
    previous_evaluation_id: str
    previous_brier: float
    previous_version: int
    worsening: float


class LanguageOut(Output):
    language: str
    sample_count: int
    pending_count: int
    method: str | None = None
    fitted_in: int | None = None
    fitted_on: int | None = None
    brier_before: float | None = None
    brier_after: float | None = None


class SourceOut(Output):
    source: str
    current_version: int
    brier_score: float | None = None
    ece: float | None = None
    sample_count: int
    pending_count: int
    degradation_detected: bool
    degradation: DegradationOut | None = None
    versions: list[int]
    languages: list[LanguageOut]


class EvaluationOut(Output):
    id: str
    source: str
    brier_score: float
    brier_score_calibrated: float | None = None
    improvement_ratio: float
    expected_calibration_error: float
    samples_evaluated: int
    calibration_version: int
    evaluated_at: str


class BinOut(Output):
    lower: float
    upper: float
    count: int
    confidence: float
    accuracy: float


class CalibrateOut(Answer):
    source: str | None = None
    sample_id: str | None = None
    pending_count: int | None = None
    refit: RefitOut | None = None
    note: str | None = None
    edge_id: str | None = None
    review_id: str | None = None
    relation: str | None = None
    claim_id: str | None = None
    verdict: str | None = None
    replaced: str | None = None
    reviewed: int | None = None
    failed: int | None = None
    results: list[ReviewOut] | None = None
    refits: list[RefitOut] | None = None
    current_version: int | None = None
    brier_score: float | None = None
    ece: float | None = None
    sample_count: int | None = None
    degradation_detected: bool | None = None
    degradation: DegradationOut | None = None
    sources: list[SourceOut] | None = None
    evaluation_id: str | None = None
    brier_score_calibrated: float | None = None
    improvement_ratio: float | None = None
    expected_calibration_error: float | None = None
    samples_evaluated: int | None = None
    calibration_version: int | None = None
    evaluated_at: str | None = None
    rolled_back_to: int | None = None
    evaluations: list[EvaluationOut] | None = None
    total_count: int | None = None
    n_bins: int | None = None
    bins: list[BinOut] | None = None
    overall_ece: float | None = None


class CalibrateRollbackIn(Input):
    source: Source
    version: int | None = Field(None, ge=0, description="Default: the one before. 0: bundled only.")
    reason: str = Field("", description="For the audit.")


class CalibrateRollbackOut(Answer):
    source: str | None = None
    rolled_back_to: int | None = None
    previous_version: int | None = None
    reason: str | None = None
