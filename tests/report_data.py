"""Tasks, claims and quotes from which tests make reports."""

from datetime import UTC, datetime
from typing import Any

from lyra.model.claim import (
    AdoptionStatus,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import Relation
from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.model.task import Budget, Task, TaskStatus
from lyra.report.appendix import appendix
from lyra.report.content import report
from lyra.report.findings import Findings
from lyra.report.markdown import markdown

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Is it | safe?", TaskStatus.COMPLETED, NOON, Budget())
HOSTILE = "</title><script>alert(1)</script>\u202e\x00\x1b[2J | `x` *b* [a](javascript:alert(1)) \ud800 & \"q\" 'r'"
LONG = "word " * 1_000
ARABIC = "هذا نص عربي يقرأ من اليمين إلى اليسار "


def quoted(relation: Relation, words: str, url: str = "https://www.fdso.gov/a", **more: Any) -> QuotedEvidence:
    fields: dict[str, Any] = {
        "claim_id": "c_1",
        "relation": relation,
        "quote": words,
        "fragment_id": "f_1",
        "page_id": url,
        "url": url,
        "title": "Safety [notice]",
        "domain": "fdso.gov",
        "heading_context": "",
        "published_date": "2016-04-05",
        "fetched_at": NOON,
        "nli_confidence": 0.91,
        "trust_level": "government",
        "is_origin": True,
        "char_start": 0,
    }
    return QuotedEvidence(**{**fields, **more})


def supporting(words: str, url: str = "https://www.fdso.gov/a", **more: Any) -> QuotedEvidence:
    return quoted(Relation.SUPPORTS, words, url, **more)


def refuting(words: str, url: str = "https://www.nimeth.gov/b", **more: Any) -> QuotedEvidence:
    return quoted(Relation.REFUTES, words, url, **{"domain": "nimeth.gov", **more})


def claim(
    text: str,
    report_confidence: float = 0.8,
    supports: tuple[QuotedEvidence, ...] = (),
    refutes: tuple[QuotedEvidence, ...] = (),
    *,
    is_hypothesis: bool = False,
    verdict: Verdict = Verdict.WELL_SUPPORTED,
    claim_id: str = "",
    reason: str = "",
    counts: tuple[int, int] | None = None,
) -> ReportClaim:
    claim_id = claim_id or f"c_{text[:12]}"
    counts = counts or (len(supports), len(refutes))
    return ReportClaim(
        Claim(claim_id, TASK.id, text, "en", NOON, is_hypothesis=is_hypothesis),
        Assessment(
            claim_id=claim_id,
            evidence=Confidence(1.9, 1.0, 0.655, 0.241, 0.0, *counts, 0),
            independent_sources=1,
            text_confidence=0.655,
            report_confidence=report_confidence,
            verdict=verdict,
            verification_status=VerificationStatus.PENDING,
            verification_reason=reason,
            adoption_status=AdoptionStatus.PENDING,
            refutation_status=RefutationStatus.NONE_FOUND,
            trust_level="government",
            has_primary_source=True,
        ),
        supports,
        refutes,
    )


def findings(*claims: ReportClaim, **more: Any) -> Findings:
    histories = {one.claim_id: one for one in more.pop("histories", ())}
    return Findings(**{"task": TASK, "claims": claims, "histories": histories, **more})


def report_text(*claims: ReportClaim, **more: Any) -> str:
    """The report as Markdown."""
    return markdown(report(findings(*claims, **more)))


def appendix_text(*claims: ReportClaim, **more: Any) -> str:
    return markdown(appendix(findings(*claims, **more)))


def section(text: str, name: str) -> str:
    """What stands between a heading and the next of its level."""
    return text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def hostile_findings(count: int, text: str) -> Findings:
    """So many claims, with a foreign text in every place that takes one; every third is a hypothesis of both sides."""
    return findings(
        *(
            claim(
                f"{number} {text}",
                0.9 - (number % 5) / 10,
                (supporting(f"{text} {number}", f"https://a.example/{number}", title=text, domain="a.example"),),
                (refuting(f"{text} no {number}", f"https://b.example/{number}", title=text),)
                if number % 3 == 0
                else (),
                is_hypothesis=number % 3 == 0 and number < 60,
                verdict=Verdict.CONTESTED if number % 3 == 0 else Verdict.SUPPORTED,
                claim_id=f"c_{number}",
            )
            for number in range(count)
        ),
        task=Task(TASK.id, text or "Question?", TaskStatus.COMPLETED, NOON, Budget()),
    )
