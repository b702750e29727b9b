"""Answers about tasks and the graph: create_task, get_status, stop_task, query_graph, vector_search."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from lyra.answers.answer import Answer, LyraMeta, Output, Rounded1, Rounded3, Timestamp, read_from
from lyra.answers.hypotheses import HypothesisRow, VerdictChangeRow
from lyra.answers.meaning import meaning_of
from lyra.answers.security_meta import TextColumns, text_columns
from lyra.clock import stamp
from lyra.model.task import TaskStatus

if TYPE_CHECKING:
    from lyra.model.graph_query import GuardedResult, SimilarAnswer
    from lyra.model.search import Search
    from lyra.model.task import BlockedDomain, Task, VerificationAlert
    from lyra.research.status import TaskReport
    from lyra.research.tasks import StoppedTask

# create_task


class BudgetLimits(Output):
    max_pages: int
    max_seconds: float


class CreateTaskAnswer(Answer):
    task_id: str | None = None
    query: str | None = None
    created_at: Timestamp | None = None
    budget: BudgetLimits | None = None
    claims: list[str] | None = None

    @classmethod
    def from_task(cls, task: "Task", claim_ids: list[str]) -> "CreateTaskAnswer":
        return cls.model_validate(
            {
                "task_id": task.id,
                "query": task.query,
                "created_at": task.created_at,
                "budget": task.budget,
                "claims": claim_ids,
            }
        )


# get_status


class SearchRow(Output):
    id: str
    query: str
    status: str
    reason: str | None = None
    phase: str | None = None
    pages_fetched: int
    useful_fragments: int
    harvest_rate: Rounded3
    satisfaction_score: Rounded3
    novelty_score: Rounded3 | None
    has_primary_source: bool
    changed: list[VerdictChangeRow] | None = Field(None, description="Verdicts that it changed, once it has ended.")
    queries_sent: dict[str, int] = Field(
        default_factory=dict,
        description="By the rule that made them; each with its cause: SELECT text, rule, why FROM derived_queries.",
    )
    created_at: Timestamp | None = None
    error_code: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    remedy: str | None = None

    @classmethod
    def from_search(cls, search: "Search", report: "TaskReport") -> "SearchRow":
        row = cls(
            id=search.id,
            query=search.query,
            status=search.status.value,
            reason=search.reason,
            phase=search.phase,
            pages_fetched=search.pages_fetched,
            useful_fragments=search.useful_fragments,
            harvest_rate=search.harvest_rate,
            satisfaction_score=search.satisfaction_score,
            novelty_score=search.novelty_score,
            has_primary_source=search.has_primary_source,
            queries_sent=dict(report.queries_sent.get(search.id, {})),
            created_at=stamp(search.created_at),
        )
        if search.id in report.changed:
            row.changed = [VerdictChangeRow.from_change(one) for one in report.changed[search.id]]
        error = report.errors.get(search.id)
        if error is not None:  # its sentence is the row's `reason`
            row.error_code, row.retryable = error.code, error.retryable
            row.retry_after_s, row.remedy = error.retry_after_s, error.remedy
        return row

    @model_serializer(mode="wrap")
    def _with_unknown_novelty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Unknown novelty is written as null: other empty fields are left out."""
        return {**dump(self), "novelty_score": self.novelty_score}


class TaskMetrics(Output):
    total_searches: Annotated[int, BeforeValidator(len)] = read_from("searches")
    satisfied_count: int
    total_pages: int = read_from("totals.pages")
    total_fragments: int = read_from("totals.fragments")
    total_claims: int = read_from("totals.claims")
    elapsed_seconds: Rounded1 = read_from("task.seconds_used")
    harvest_rate: Rounded3
    duplicate_rate: Rounded3 = read_from("totals.duplicate_rate")
    domain_diversity: Rounded3 = read_from("totals.domain_diversity")
    primary_source_ratio: Rounded3 = read_from("totals.primary_source_ratio")


class BudgetUse(Output):
    pages_used: int = read_from("task.pages_used")
    pages_limit: int = read_from("task.budget.max_pages")
    time_used_seconds: Rounded1 = read_from("task.seconds_used")
    time_limit_seconds: float = read_from("task.budget.max_seconds")
    remaining_percent: int = read_from("percent_left")


class AuthQueueSummary(Output):
    pending_count: int
    high_priority_count: int
    domains: list[str]
    oldest_queued_at: str | None = None
    by_auth_type: dict[str, int]


class BlockedDomainRow(Output):
    domain: str
    blocked_at: str | None
    reason: str
    cause_id: str | None
    original_trust_level: str | None
    can_restore: bool = False
    restore_via: str = ""

    @classmethod
    def from_domain(cls, found: "BlockedDomain") -> "BlockedDomainRow":
        row = cls.model_validate(found)
        row.can_restore, row.restore_via = True, "user_overrides in domains.yaml"
        return row


class VerificationAlertRow(Output):
    domain: str
    judged: int
    rejected: int
    rejection_rate: Rounded3

    @classmethod
    def from_alert(cls, alert: "VerificationAlert") -> "VerificationAlertRow":
        rate = alert.rejected / alert.judged
        return cls(domain=alert.domain, judged=alert.judged, rejected=alert.rejected, rejection_rate=rate)


class NotAdopted(Output):
    count: int
    query: str


class EvidenceSummary(Output):
    total_claims: int = read_from("claims")
    total_fragments: int = read_from("fragments")
    total_pages: int = read_from("pages")
    supporting_edges: int
    refuting_edges: int
    neutral_edges: int
    top_domains: list[str]


class StatusAnswer(Answer):
    task_id: str | None = None
    status: str | None = None
    query: str | None = None
    hypotheses: list[HypothesisRow] | None = Field(
        None, description="Each with its verdict, confidence and the 95 % interval of that, and who speaks for it."
    )
    meaning: dict[str, str] | None = Field(None, description="Of each verdict in this answer.")
    searches: list[SearchRow] | None = None
    metrics: TaskMetrics | None = None
    budget: BudgetUse | None = None
    auth_queue: AuthQueueSummary | None = None
    warnings: list[str] | None = None
    blocked_domains: list[BlockedDomainRow] | None = None
    unverified_domains: list[str] | None = None
    verification_alerts: list[VerificationAlertRow] | None = None
    not_adopted: NotAdopted | None = None
    evidence_summary: EvidenceSummary | None = None

    @classmethod
    def from_report(cls, report: "TaskReport") -> "StatusAnswer":
        task, totals = report.task, report.totals
        answer = cls(
            task_id=task.id,
            status=task.status.value,
            query=task.query,
            hypotheses=[HypothesisRow.from_claim(found) for found in report.hypotheses],
            meaning=meaning_of(
                [found.assessment.verdict for found in report.hypotheses]
                + [verdict for found in report.changed.values() for one in found for verdict in (one.before, one.after)]
            ),
            searches=[SearchRow.from_search(search, report) for search in report.searches],
            metrics=TaskMetrics.model_validate(report),
            budget=BudgetUse.model_validate(report),
            auth_queue=AuthQueueSummary.model_validate(report.auth),
            warnings=list(report.warnings),
            blocked_domains=[BlockedDomainRow.from_domain(found) for found in report.blocked_domains],
            unverified_domains=list(report.unverified_domains),
            verification_alerts=[VerificationAlertRow.from_alert(alert) for alert in report.verification_alerts],
            not_adopted=NotAdopted(
                count=totals.not_adopted,
                query="SELECT claim_id, claim_text, rejected_at, reason, against, recovery FROM v_rejected_claims "
                f"WHERE task_id = '{task.id}'",
            ),
            meta=LyraMeta(
                unverified_domains=list(report.unverified_domains),
                blocked_domains=[row.domain for row in report.blocked_domains],
            ),
        )
        if task.status is TaskStatus.COMPLETED:
            answer.evidence_summary = EvidenceSummary.model_validate(totals)
        return answer


# stop_task


class StopSummary(Output):
    total_searches: int
    satisfied_searches: int
    total_claims: int
    primary_source_ratio: Rounded3
    unsatisfied_queries: list[str]


class StopTaskAnswer(Answer):
    task_id: str | None = None
    final_status: str | None = None
    summary: StopSummary | None = None

    @classmethod
    def from_stopped(cls, task_id: str, stopped: "StoppedTask") -> "StopTaskAnswer":
        summary = StopSummary.model_validate(stopped)
        return cls(task_id=task_id, final_status=stopped.final_status, summary=summary)


# query_graph


class QueryAnswer(Answer):
    rows: list[dict[str, Any]] | None = None
    row_count: int | None = None
    columns: list[str] | None = None
    elapsed_ms: int | None = None
    schema_: list[dict[str, Any]] | None = Field(None, alias="schema")
    _text_columns: TextColumns | None = PrivateAttr(None)

    @classmethod
    def from_result(cls, result: "GuardedResult") -> "QueryAnswer":
        answer = cls.model_validate(result)
        answer._text_columns = text_columns(result)
        return answer

    def text_columns(self) -> TextColumns | None:
        return self._text_columns


# vector_search


class SimilarRow(Output):
    id: str
    text_preview: str
    similarity: Rounded3


class SimilarTextsAnswer(Answer):
    results: list[SimilarRow] | None = None
    total_searched: int | None = None
    not_yet_embedded: int | None = None

    @classmethod
    def from_hits(cls, found: "SimilarAnswer") -> "SimilarTextsAnswer":
        """`not_yet_embedded` only where something could not be searched."""
        hits = [SimilarRow.model_validate(hit) for hit in found.hits]
        answer = cls(results=hits, total_searched=found.total_searched)
        if found.not_yet_embedded:
            answer.not_yet_embedded = found.not_yet_embedded
        return answer
