"""The arguments of every tool, as clients see them in the tool list and as calls are checked."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

TaskId = Annotated[str, Field(description="Id from create_task.")]
CalibratedSource = Literal["nli_judge", "llm_extract"]
# What an entry of `samples` looks like. It is checked one by one: a bad entry must not spoil the others.
_SAMPLE = {
    "type": "object",
    "properties": {
        "edge_id": {"type": "string"},
        "actual": {"enum": ["supports", "refutes", "neutral"]},
        "reason": {"type": "string"},
        "reviewer": {"type": "string"},
    },
    "required": ["edge_id", "actual"],
}


class Input(BaseModel):
    """Arguments: unknown fields are refused, so that a typing error is noticed."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


# create_task


class BudgetIn(Input):
    max_pages: int = Field(120, ge=1, le=10_000)
    max_seconds: float = Field(1200, ge=1, le=86_400)


class HypothesisIn(Input):
    text: str = Field(min_length=1)
    expected_polarity: Literal["positive", "negative", "neutral"] = "positive"
    granularity: Literal["atomic", "compound"] = "atomic"


class TaskConfigIn(Input):
    budget: BudgetIn | None = None
    priority_domains: list[str] = Field(default_factory=list, max_length=50)
    language: str | None = Field(
        None, min_length=2, max_length=8, description="en, ja, …: queries derived in it go first."
    )
    hypotheses: list[HypothesisIn] = Field(
        default_factory=list, max_length=50, description="Atomic claims to judge every finding against."
    )


class CreateTaskIn(Input):
    query: str = Field(min_length=1, description="The research question.")
    config: TaskConfigIn | None = None


# get_status


class GetStatusIn(Input):
    task_id: TaskId
    wait_seconds: float = Field(0, ge=0, le=600, description="Long poll: answer when something changes.")


# search


class ExtendBudget(Input):
    pages: int = Field(0, ge=0, le=10_000)
    seconds: float = Field(0, ge=0, le=86_400)


# All four names are accepted, so that the error for one that this version lacks can list the others
# (research.searches); the schema has only those that work.
SourceName = Annotated[
    Literal["web", "academic", "library", "registries"],
    WithJsonSchema({"enum": ["web", "academic"], "type": "string"}),
]


class SearchOptionsIn(Input):
    engines: list[str] | None = Field(None, min_length=1, max_length=10)
    sources: list[SourceName] | None = Field(None, min_length=1)
    max_pages: int | None = Field(None, ge=1, le=1000)
    seek_primary: bool = False
    refute: bool = Field(False, description="Look for evidence against claim_ids, or the claims like the query.")
    claim_ids: list[str] = Field(default_factory=list, max_length=50)
    auth_priority: Literal["high", "normal"] | None = None
    vertical: Literal["companies", "infrastructure", "academic", "policy", "people", "defence", "patents"] | None = None
    extend_budget: ExtendBudget | None = None
    wait_seconds: float | None = Field(None, ge=0, le=600)


class SearchIn(Input):
    task_id: TaskId
    query: str = Field(min_length=1, description="Your query; also a URL, DOI, PMID or arXiv id.")
    options: SearchOptionsIn | None = None


# stop_task


class StopTaskIn(Input):
    task_id: TaskId
    reason: str = Field("completed", max_length=200, description="completed, user_cancelled, budget_exhausted, …")


# query_graph


class QueryOptions(Input):
    limit: int = Field(50, ge=1, le=200)
    timeout_ms: int = Field(300, ge=1, le=2000)
    max_vm_steps: int = Field(500_000, ge=1000, le=5_000_000)
    include_schema: bool = False


class QueryGraphIn(Input):
    sql: str = Field(min_length=1, description="One SELECT or WITH … SELECT.")
    options: QueryOptions | None = None


# vector_search


class VectorSearchIn(Input):
    query: str = Field(min_length=1)
    target: Literal["claims", "fragments"] = "claims"
    task_id: str | None = None
    top_k: int = Field(10, ge=1, le=50)
    min_similarity: float = Field(0.5, ge=0, le=1)


# calibrate, calibrate_rollback


class CalibrateData(Input):
    source: CalibratedSource | None = None
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


class CalibrateRollbackIn(Input):
    source: CalibratedSource
    version: int | None = Field(None, ge=0, description="Default: the one before. 0: bundled only.")
    reason: str = Field("", description="For the audit.")


# get_auth_queue


class AuthQueueOptions(Input):
    group_by: Literal["none", "domain", "type"] = "none"
    priority_filter: Literal["high", "normal", "all"] = "all"


class GetAuthQueueIn(Input):
    task_id: str | None = Field(None, description="All tasks if left out.")
    options: AuthQueueOptions | None = None


# resolve_auth


class ResolveData(Input):
    auth_id: str | None = None
    domain: str | None = None
    status: Literal["resolved", "skipped", "failed"]
    session_data: dict[str, Any] | None = Field(
        None, description="{cookies: [{name, value, …}], user_agent}", repr=False
    )


class ResolveAuthIn(Input):
    target: Literal["item", "domain"]
    data: ResolveData


# notify_user


class NotifyPayload(Input):
    message: str = Field(min_length=1, max_length=2000)
    details: dict[str, Any] | None = Field(None, description="url, title and reason are shown.")
    timeout_seconds: float | None = Field(None, gt=0, le=86_400)


class NotifyUserIn(Input):
    event: Literal["info", "warning", "auth_required", "decision_required"]
    payload: NotifyPayload


# wait_for_user


class WaitOptions(Input):
    timeout_seconds: float = Field(300, gt=0, le=86_400)
    choices: list[str] = Field(default_factory=list, max_length=20)
    wait_id: str | None = Field(None, description="Of a pending answer, to wait on.")
    wait_seconds: float | None = Field(None, ge=0, le=600)


class WaitForUserIn(Input):
    prompt: str = Field("", max_length=2000)
    options: WaitOptions | None = None
