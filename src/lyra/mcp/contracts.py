"""What goes in and out of every tool. The output models are the allow-list of L7: no other field leaves."""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
)

TaskId = Annotated[str, Field(description="Id from create_task.")]
# Unknown before the first fragment; clients check answers against the schema, which elsewhere leaves nulls out.
Novelty = Annotated[float | None, WithJsonSchema({"type": ["number", "null"]})]


class Input(BaseModel):
    """Arguments: unknown fields are refused, so that a typing error is noticed."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Output(BaseModel):
    """Answers: unknown fields are dropped."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


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


class LyraMeta(Output):
    unverified_domains: list[str] = []
    blocked_domains: list[str] = []
    security_warnings: list[str] = []


class Answer(Output):
    """Common to every answer; on failure `ok` is false and the error fields say what to do."""

    ok: bool = True
    error_code: str | None = None
    error: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    remedy: str | None = None
    details: dict[str, Any] | None = None
    error_id: str | None = None
    truncated: bool | None = None
    more: str | None = None
    meta: LyraMeta = Field(default_factory=LyraMeta, alias="_lyra_meta")


class BudgetOut(Output):
    max_pages: int
    max_seconds: float


class CreateTaskOut(Answer):
    task_id: str | None = None
    query: str | None = None
    created_at: str | None = None
    budget: BudgetOut | None = None
    claims: list[str] | None = None


# get_status


class GetStatusIn(Input):
    task_id: TaskId
    wait_seconds: float = Field(0, ge=0, le=600, description="Long poll: answer when something changes.")


class SearchRow(Output):
    id: str
    query: str
    status: str
    reason: str | None = None
    phase: str | None = None
    pages_fetched: int
    useful_fragments: int
    harvest_rate: float
    satisfaction_score: float
    novelty_score: Novelty
    has_primary_source: bool
    queries_sent: dict[str, int] = Field(
        default_factory=dict,
        description="By the rule that made them; each with its cause: SELECT text, rule, why FROM derived_queries.",
    )
    error_code: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    remedy: str | None = None

    @model_serializer(mode="wrap")
    def _with_unknown_novelty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Unknown novelty is told as null: other empty fields are left out."""
        return {**dump(self), "novelty_score": self.novelty_score}


class Metrics(Output):
    total_searches: int
    satisfied_count: int
    total_pages: int
    total_fragments: int
    total_claims: int
    elapsed_seconds: float
    harvest_rate: float
    duplicate_rate: float
    domain_diversity: float
    primary_source_ratio: float


class BudgetUse(Output):
    pages_used: int
    pages_limit: int
    time_used_seconds: float
    time_limit_seconds: float
    remaining_percent: int


class AuthQueue(Output):
    pending_count: int
    high_priority_count: int
    domains: list[str]
    oldest_queued_at: str | None = None
    by_auth_type: dict[str, int]


class BlockedDomain(Output):
    domain: str
    blocked_at: str | None = None
    reason: str
    cause_id: str | None = None
    original_trust_level: str | None = None
    can_restore: bool
    restore_via: str


class VerificationAlert(Output):
    domain: str
    judged: int
    rejected: int
    rejection_rate: float


class NotAdopted(Output):
    count: int
    query: str


class EvidenceSummary(Output):
    total_claims: int
    total_fragments: int
    total_pages: int
    supporting_edges: int
    refuting_edges: int
    neutral_edges: int
    top_domains: list[str]


class GetStatusOut(Answer):
    task_id: str | None = None
    status: str | None = None
    query: str | None = None
    searches: list[SearchRow] | None = None
    metrics: Metrics | None = None
    budget: BudgetUse | None = None
    auth_queue: AuthQueue | None = None
    warnings: list[str] | None = None
    blocked_domains: list[BlockedDomain] | None = None
    unverified_domains: list[str] | None = None
    verification_alerts: list[VerificationAlert] | None = None
    not_adopted: NotAdopted | None = None
    evidence_summary: EvidenceSummary | None = None


# search


class ExtendBudget(Input):
    pages: int = Field(0, ge=0, le=10_000)
    seconds: float = Field(0, ge=0, le=86_400)


# All four words are understood, so that asking for one that this version lacks is told which there are
# (research.searches); the schema offers only those it has.
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


class ClaimOut(Output):
    id: str
    text: str
    confidence: float
    uncertainty: float
    controversy: float
    alpha: float
    beta: float
    supporting_count: int
    refuting_count: int
    neutral_count: int
    evidence_count: int
    verdict: str
    independent_sources: int
    text_confidence: float
    report_confidence: float
    refutation_status: str
    adoption_status: str
    source_url: str | None = None
    is_primary_source: bool
    source_trust_level: str | None = None
    verification_status: str
    verification_details: str


class Refutation(Output):
    claim_id: str
    claim_text: str
    quote: str
    in_context: str | None = None
    source_url: str
    nli_confidence: float
    source_trust_level: str | None = None
    is_retracted: bool | None = None
    no_vote: str | None = None


class BudgetLeft(Output):
    pages: int
    seconds: float
    percent: int


class SearchOut(Answer):
    search_id: str | None = None
    query: str | None = None
    status: str | None = None
    reason: str | None = None
    phase: str | None = None
    pages_fetched: int | None = None
    useful_fragments: int | None = None
    harvest_rate: float | None = None
    claims_found: list[ClaimOut] | None = None
    satisfaction_score: float | None = None
    novelty_score: Novelty = None
    budget_remaining: BudgetLeft | None = None
    refutations: list[Refutation] | None = None
    problems: list[str] | None = None

    @model_serializer(mode="wrap")
    def _with_unknown_novelty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Unknown novelty is told as null, where a search is told at all: other empty fields are left out."""
        return dump(self) if self.status is None else {**dump(self), "novelty_score": self.novelty_score}


# stop_task


class StopTaskIn(Input):
    task_id: TaskId
    reason: str = Field("completed", max_length=200, description="completed, user_cancelled, budget_exhausted, …")


class StopSummary(Output):
    total_searches: int
    satisfied_searches: int
    total_claims: int
    primary_source_ratio: float
    unsatisfied_queries: list[str]


class StopTaskOut(Answer):
    task_id: str | None = None
    final_status: str | None = None
    summary: StopSummary | None = None


# query_graph


class QueryOptions(Input):
    limit: int = Field(50, ge=1, le=200)
    timeout_ms: int = Field(300, ge=1, le=2000)
    max_vm_steps: int = Field(500_000, ge=1000, le=5_000_000)
    include_schema: bool = False


class QueryGraphIn(Input):
    sql: str = Field(min_length=1, description="One SELECT or WITH … SELECT.")
    options: QueryOptions | None = None


class QueryGraphOut(Answer):
    rows: list[dict[str, Any]] | None = None
    row_count: int | None = None
    columns: list[str] | None = None
    elapsed_ms: int | None = None
    schema_: list[dict[str, Any]] | None = Field(None, alias="schema")


# vector_search


class VectorSearchIn(Input):
    query: str = Field(min_length=1)
    target: Literal["claims", "fragments"] = "claims"
    task_id: str | None = None
    top_k: int = Field(10, ge=1, le=50)
    min_similarity: float = Field(0.5, ge=0, le=1)


class VectorHit(Output):
    id: str
    text_preview: str
    similarity: float


class VectorSearchOut(Answer):
    results: list[VectorHit] | None = None
    total_searched: int | None = None
    not_yet_embedded: int | None = None
