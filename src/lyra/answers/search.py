"""The answer of a search: hypotheses and what it changed of them first, then the claims of its query, in 6 KB."""

from typing import TYPE_CHECKING, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from lyra.answers.answer import Answer, LyraMeta, Output, Rounded1, Rounded2, Rounded3, read_from
from lyra.answers.hypotheses import HypothesisRow, VerdictChangeRow
from lyra.answers.meaning import meaning_of
from lyra.text import preview

if TYPE_CHECKING:
    from lyra.model.claim import AssessedClaim
    from lyra.model.report import QuotedEvidence
    from lyra.research.searches import SearchReport

MAX_BYTES = 6_000
# Texts are cut to this length, and to the next where rows would be lost: the graph has them whole.
_TEXT_CHARS = (240, 120, 60)
# Rows of a list that stay while another one has more to give; what comes first gives way first.
_KEPT = {"problems": 2, "refutations": 2, "claims_found": 3, "hypotheses": 12, "changed": 12}


class ClaimRow(Output):
    """One claim: probabilities to 3 places, α and β to 2; `is_retracted` is written only where its source was."""

    id: str = read_from("claim.id")
    text: str = read_from("claim.claim_text")
    confidence: Rounded3 = read_from("assessment.evidence.confidence")
    uncertainty: Rounded3 = read_from("assessment.evidence.uncertainty")
    controversy: Rounded3 = read_from("assessment.evidence.controversy")
    alpha: Rounded2 = read_from("assessment.evidence.alpha")
    beta: Rounded2 = read_from("assessment.evidence.beta")
    supporting_count: int = read_from("assessment.evidence.supporting_count")
    refuting_count: int = read_from("assessment.evidence.refuting_count")
    neutral_count: int = read_from("assessment.evidence.neutral_count")
    evidence_count: int = read_from("assessment.evidence.evidence_count")
    verdict: str = read_from("assessment.verdict")
    independent_sources: int = read_from("assessment.independent_sources")
    text_confidence: Rounded3 = read_from("assessment.text_confidence")
    report_confidence: Rounded3 = read_from("assessment.report_confidence")
    refutation_status: str = read_from("assessment.refutation_status")
    adoption_status: str = read_from("assessment.adoption_status")
    source_url: str | None
    is_primary_source: bool = read_from("assessment.has_primary_source")
    source_trust_level: str | None = read_from("assessment.trust_level")
    verification_status: str = read_from("assessment.verification_status")
    verification_details: str = read_from("assessment.verification_reason")
    is_retracted: bool = False

    @model_serializer(mode="wrap")
    def _without_false(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if name != "is_retracted" or value}


class RefutationRow(Output):
    claim_id: str
    claim_text: str
    quote: str
    in_context: str | None = None
    source_url: str
    nli_confidence: Rounded3
    source_trust_level: str | None = None
    is_retracted: bool | None = None
    no_vote: str | None = None

    @classmethod
    def from_quote(cls, claim_text: str, quoted: "QuotedEvidence", max_chars: int) -> "RefutationRow":
        return cls(
            claim_id=quoted.claim_id,
            claim_text=preview(claim_text, max_chars),
            quote=quoted.quote,  # to the letter: it is the proof
            in_context=preview(quoted.in_context, 2 * max_chars),
            source_url=quoted.url,
            nli_confidence=quoted.nli_confidence,
            source_trust_level=quoted.trust_level,
            is_retracted=quoted.is_retracted,
            no_vote=quoted.no_vote or None,
        )


class BudgetLeft(Output):
    pages: int = read_from("pages_left")
    seconds: Rounded1 = read_from("seconds_left")
    percent: int = read_from("percent_left")


class SearchAnswer(Answer):
    hypotheses: list[HypothesisRow] | None = Field(None, description="As in get_status.")
    changed: list[VerdictChangeRow] | None = Field(
        None, description="Verdicts of hypotheses and claim_ids that this search changed."
    )
    search_id: str | None = None
    query: str | None = None
    status: str | None = None
    reason: str | None = None
    claims_found: list[ClaimRow] | None = Field(
        None, description="The claims on the pages it reached, nearest to its query first; hypotheses are above."
    )
    refutations: list[RefutationRow] | None = None
    meaning: dict[str, str] | None = Field(
        None, description="Of each verdict, verification_status and adoption_status in this answer."
    )
    phase: str | None = None
    pages_fetched: int | None = None
    useful_fragments: int | None = None
    harvest_rate: Rounded3 | None = None
    satisfaction_score: Rounded3 | None = None
    novelty_score: Rounded3 | None = Field(None, description="Left out while unknown.")
    budget_remaining: BudgetLeft | None = None
    problems: list[str] | None = None
    llm: str | None = Field(
        None, description="Language models that took part, where they are, their share of the time."
    )

    @classmethod
    def from_report(cls, report: "SearchReport") -> "SearchAnswer":
        """The report with texts short enough for some rows of every list; where that is not enough, with fewer."""
        for max_chars in _TEXT_CHARS:
            answer = cls._whole(report, max_chars)
            answer._explain()
            if report.has_more_claims or answer._size() > MAX_BYTES:
                answer.truncated, answer.more = True, _more(report, len(report.hypotheses))
            answer._drop_rows(_KEPT)
            if answer._size() <= MAX_BYTES:
                break
        else:
            answer._drop_rows({})
        if answer.truncated:
            answer.more = _more(report, len(report.hypotheses) - len(answer.hypotheses or ()))
        return answer

    @classmethod
    def _whole(cls, report: "SearchReport", max_chars: int) -> "SearchAnswer":
        search = report.search
        answer = cls(
            search_id=search.id,
            query=preview(search.query, max_chars),
            status=search.status.value,
            reason=search.reason,
            hypotheses=[HypothesisRow.from_claim(found, max_chars) for found in report.hypotheses],
            changed=[VerdictChangeRow.from_change(change) for change in report.changed],
            claims_found=[_claim_row(found, max_chars) for found in report.claims],
            phase=search.phase,
            pages_fetched=search.pages_fetched,
            useful_fragments=search.useful_fragments,
            harvest_rate=search.harvest_rate,
            satisfaction_score=search.satisfaction_score,
            novelty_score=search.novelty_score,
            budget_remaining=BudgetLeft.model_validate(report),
            problems=[preview(problem, max_chars) for problem in report.problems],
            llm=report.llm,
            meta=LyraMeta(
                unverified_domains=list(report.unverified_domains), blocked_domains=list(report.blocked_domains)
            ),
        )
        if search.options.refute:
            answer.refutations = [RefutationRow.from_quote(*found, max_chars) for found in report.refutations]
        return answer

    def _drop_rows(self, kept: dict[str, int]) -> None:
        """Drop last rows until the answer is small enough, in the order of `_KEPT`; domains after the first two."""
        lists: list[tuple[list[Any], int]] = [(getattr(self, name) or [], kept.get(name, 0)) for name in _KEPT]
        lists[2:2] = [(self.meta.unverified_domains, 5), (self.meta.blocked_domains, 5)]
        for rows, fewest in lists:
            while len(rows) > fewest and self._size() > MAX_BYTES:
                rows.pop()
                self._explain()

    def _explain(self) -> None:
        hypotheses, found = self.hypotheses or [], self.claims_found or []
        self.meaning = meaning_of(
            [one.verdict for one in hypotheses]
            + [one.verdict for one in found]
            + [verdict for one in self.changed or () for verdict in (one.verdict_before, one.verdict_after)],
            [one.verification_status for one in found],
            [one.adoption_status for one in found],
        )

    def _size(self) -> int:
        return len(self.model_dump_json(by_alias=True, exclude_none=True).encode())


def _claim_row(found: "AssessedClaim", max_chars: int) -> ClaimRow:
    row = ClaimRow.model_validate(found)
    row.text, row.verification_details = preview(row.text, max_chars), preview(row.verification_details, max_chars)
    return row


def _more(report: "SearchReport", hidden: int) -> str:
    """How to get the rows that are not shown, `hidden` hypotheses among them."""
    search = report.search
    hypotheses = f" Hypotheses not shown: {hidden} of {len(report.hypotheses)}; get_status has all." if hidden else ""
    return (
        f"Not all rows are shown.{hypotheses} All claims of this search: query_graph SELECT DISTINCT c.id, "
        "c.claim_text, c.verdict, c.confidence FROM serp_items s JOIN fragments f ON f.page_id = s.page_id "
        "JOIN claim_mentions m ON m.fragment_id = f.id JOIN claims c ON c.id = m.claim_id "
        f"WHERE s.query_id = '{search.id}' AND c.task_id = '{search.task_id}' "
        "ORDER BY c.report_confidence DESC LIMIT 50."
    )
