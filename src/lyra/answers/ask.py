"""The answer of `lyra ask`: each hypothesis with its verdict, words on both sides and what is missing."""

from typing import TYPE_CHECKING

from lyra.answers.answer import Answer, Output, Rounded3
from lyra.answers.hypotheses import HypothesisRow
from lyra.answers.meaning import meaning_of
from lyra.answers.research import BudgetUse, SearchRow, TaskMetrics
from lyra.answers.search import ClaimRow
from lyra.model.search import SearchStatus
from lyra.research.findings import Gap
from lyra.translate import say, translate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lyra.model.claim import AssessedClaim
    from lyra.model.report import QuotedEvidence
    from lyra.research.findings import Finding
    from lyra.research.status import TaskReport

_GAPS = {
    Gap.NO_EVIDENCE: "No text that counts takes a side.",
    Gap.ONE_SOURCE: "Only one independent source takes a side.",
    Gap.NO_PRIMARY_SOURCE: "No primary source supports it.",
    Gap.NOT_REFUTED_YET: "The search for evidence against it has not come to its end.",
    Gap.NO_REFUTATION: "Evidence against it was looked for, and none that counts was found.",
    Gap.RETRACTED: "Retracted works among what was found: {count}. They do not count.",
}
_CLAIMS_SHOWN = 10
_WHOLE = 10_000  # characters: more than a hypothesis may have


class QuoteRow(Output):
    """Words of a source; `no_vote` says why they do not count, where they do not."""

    quote: str
    in_context: str
    title: str
    url: str
    domain: str
    published_date: str | None = None
    trust_level: str
    probability: Rounded3
    is_retracted: bool
    no_vote: str | None = None

    @classmethod
    def from_quote(cls, quoted: "QuotedEvidence") -> "QuoteRow":
        return cls(
            quote=quoted.quote,
            in_context=quoted.in_context,
            title=quoted.title,
            url=quoted.url,
            domain=quoted.domain,
            published_date=quoted.published_date,
            trust_level=quoted.trust_level,
            probability=quoted.nli_confidence,
            is_retracted=quoted.is_retracted,
            no_vote=quoted.why_no_vote or None,
        )


class HypothesisAnswer(HypothesisRow):
    refutation_status: str
    verification_status: str
    adoption_status: str
    supports: list[QuoteRow]
    refutes: list[QuoteRow]
    missing: list[str]

    @classmethod
    def from_finding(cls, finding: "Finding") -> "HypothesisAnswer":
        assessment = finding.claim.assessment
        return cls(
            **HypothesisRow.from_claim(finding.claim, _WHOLE).model_dump(),
            refutation_status=assessment.refutation_status.value,
            verification_status=assessment.verification_status.value,
            adoption_status=assessment.adoption_status.value,
            supports=[QuoteRow.from_quote(one) for one in finding.supports],
            refutes=[QuoteRow.from_quote(one) for one in finding.refutes],
            missing=[say(_GAPS[gap], count=finding.retracted_count) for gap in finding.missing],
        )


class AskAnswer(Answer):
    task_id: str | None = None
    question: str | None = None
    is_finished: bool | None = None
    hypotheses: list[HypothesisAnswer] | None = None
    claims_found: list[ClaimRow] | None = None
    meaning: dict[str, str] | None = None
    missing: list[str] | None = None
    problems: list[str] | None = None
    searches: list[SearchRow] | None = None
    metrics: TaskMetrics | None = None
    budget: BudgetUse | None = None

    @classmethod
    def from_findings(
        cls,
        report: "TaskReport",
        findings: "Sequence[Finding]",
        claims: "Sequence[AssessedClaim]",
        unanswered: "Sequence[str]" = (),
    ) -> "AskAnswer":
        """Claims are shown only where no hypothesis was given. `unanswered` are sources that gave no answer, and why.
        Sentences are in the language of now."""
        hypotheses = [HypothesisAnswer.from_finding(one) for one in findings]
        found = [] if hypotheses else [ClaimRow.model_validate(one) for one in claims[:_CLAIMS_SHOWN]]
        rows: list[HypothesisAnswer | ClaimRow] = [*hypotheses, *found]
        return cls(
            task_id=report.task.id,
            question=report.task.query,
            is_finished=not any(one.status is SearchStatus.RUNNING for one in report.searches),
            hypotheses=hypotheses,
            claims_found=found,
            meaning=meaning_of(
                [one.verdict for one in rows],
                [one.verification_status for one in rows],
                [one.adoption_status for one in rows],
            ),
            missing=_missing(report),
            problems=[translate(one) for one in unanswered],
            searches=[SearchRow.from_search(search, report) for search in report.searches],
            metrics=TaskMetrics.model_validate(report),
            budget=BudgetUse.model_validate(report),
        )


def _missing(report: "TaskReport") -> list[str]:
    """What the whole task lacks, in sentences."""
    running = sum(1 for one in report.searches if one.status is SearchStatus.RUNNING)
    lines = [] if report.hypotheses else [say("No hypothesis was given, so there is no verdict on the question.")]
    lines += [say("Searches that have not ended: {count}.", count=running)] if running else []
    for search in report.searches:
        if search.status is SearchStatus.FAILED:
            reason = translate(search.reason or "")
            lines.append(say("The search “{query}” failed: {reason}", query=search.query, reason=reason))
        elif search.status is SearchStatus.EXHAUSTED:
            lines.append(say("The search “{query}” found nothing useful.", query=search.query))
    if report.percent_left == 0:
        lines.append(say("The budget is used up."))
    if report.auth.pending_count:
        lines.append(say("Pages that wait for a person (`lyra auth`): {count}.", count=report.auth.pending_count))
    return lines
