"""The answer of a search: hypotheses and changed verdicts first, then the claims of its query, in 6 KB."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lyra.answers.search import MAX_BYTES, ClaimRow, SearchAnswer
from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerdictChange,
    VerificationStatus,
)
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.research.searches import SearchReport

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK_ID = "task_0123456789ab"
SEARCH = Search("s_1", TASK_ID, "q", SearchOptions(), SearchStatus.PARTIAL, NOON, phase="done", harvest_rate=2 / 3)
CLAIM = AssessedClaim(
    Claim("c_1", TASK_ID, "Saxagliptin raises the risk of heart failure.", "en", NOON),
    Assessment(
        claim_id="c_1",
        evidence=Confidence(3.7, 1.9, 3.7 / 5.6, 0.183914, 0.25, 3, 1, 2),
        independent_sources=2,
        text_confidence=0.6043,
        report_confidence=0.62767,
        verdict=Verdict.SUPPORTED,
        verification_status=VerificationStatus.PENDING,
        verification_reason="High-trust sources support and refute it; both sides are kept.",
        adoption_status=AdoptionStatus.PENDING,
        refutation_status=RefutationStatus.FOUND,
        trust_level="government",
        has_primary_source=True,
    ),
    "https://www.fdso.gov/safety/dpp4-heart-failure",
)


def report(**given: Any) -> SearchReport:
    return SearchReport(
        **{
            "search": SEARCH,
            "hypotheses": (),
            "changed": (),
            "claims": (),
            "has_more_claims": False,
            "refutations": (),
            "problems": (),
            "pages_left": 7,
            "seconds_left": 1.26,
            "percent_left": 5,
            "unverified_domains": (),
            "blocked_domains": (),
            **given,
        }
    )


def size(answer: SearchAnswer) -> int:
    fields = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    return len(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode())


def named(claim_id: str, text: str) -> AssessedClaim:
    return AssessedClaim(replace(CLAIM.claim, id=claim_id, claim_text=text), CLAIM.assessment, CLAIM.source_url)


def test_a_claim_is_rounded_as_the_specification_says() -> None:
    """SPEC §1 decision 3: three places, α and β two; §13 names the fields."""
    assert ClaimRow.model_validate(CLAIM).model_dump() == {
        "id": "c_1",
        "text": "Saxagliptin raises the risk of heart failure.",
        "confidence": 0.661,
        "uncertainty": 0.184,
        "controversy": 0.25,
        "alpha": 3.7,
        "beta": 1.9,
        "supporting_count": 3,
        "refuting_count": 1,
        "neutral_count": 2,
        "evidence_count": 6,
        "verdict": "supported",
        "independent_sources": 2,
        "text_confidence": 0.604,
        "report_confidence": 0.628,
        "refutation_status": "found",
        "adoption_status": "pending",
        "source_url": "https://www.fdso.gov/safety/dpp4-heart-failure",
        "is_primary_source": True,
        "source_trust_level": "government",
        "verification_status": "pending",
        "verification_details": "High-trust sources support and refute it; both sides are kept.",
    }


def test_a_claim_of_a_retracted_source_says_so() -> None:
    """Others spare the bytes: the field is there only where it is true."""
    row = ClaimRow.model_validate(replace(CLAIM, is_retracted=True)).model_dump()

    assert row == {**ClaimRow.model_validate(CLAIM).model_dump(), "is_retracted": True}


def test_a_search_without_refute_has_no_refutations() -> None:
    """The field is there only where it was asked for; figures are rounded."""
    fields = SearchAnswer.from_report(report()).cli_fields()

    assert "refutations" not in fields
    assert "truncated" not in fields
    assert (fields["harvest_rate"], fields["budget_remaining"]) == (0.667, {"pages": 7, "seconds": 1.3, "percent": 5})


def test_hypotheses_and_what_changed_come_first() -> None:
    """Each hypothesis with its verdict and the interval of its confidence; then which verdicts this search changed."""
    change = VerdictChange("c_1", Verdict.UNVERIFIED, Verdict.SUPPORTED)

    fields = SearchAnswer.from_report(report(hypotheses=(CLAIM,), changed=(change,))).cli_fields()

    assert list(fields)[:2] == ["hypotheses", "changed"]
    assert fields["hypotheses"] == [
        {
            "id": "c_1",
            "text": "Saxagliptin raises the risk of heart failure.",
            "verdict": "supported",
            "confidence": 0.661,
            "interval": [0.266, 0.95],
            "supporting_count": 3,
            "refuting_count": 1,
            "independent_sources": 2,
        }
    ]
    assert fields["changed"] == [{"id": "c_1", "verdict_before": "unverified", "verdict_after": "supported"}]


def test_the_words_that_occur_are_explained() -> None:
    """Those of the hypotheses, of what changed, and of the claims; no others."""
    change = VerdictChange("c_1", Verdict.UNVERIFIED, Verdict.SUPPORTED)

    answer = SearchAnswer.from_report(report(hypotheses=(CLAIM,), changed=(change,), claims=(CLAIM,)))

    assert answer.meaning == {
        "verdict supported": "confidence 0.6 or more; one source gives about 0.65",
        "verdict unverified": "too little evidence either way; 0.5 is none",
        "verification_status pending": "fewer than 2 independent sources, or high trust on both sides",
        "adoption_status pending": "neither adopted nor rejected",
    }


def test_more_claims_than_shown_are_told_of() -> None:
    """With the query that gets the rest."""
    fields = SearchAnswer.from_report(report(claims=(CLAIM,), has_more_claims=True)).cli_fields()

    assert fields["truncated"] is True
    assert fields["more"].startswith("Not all rows are shown. All claims of this search: query_graph SELECT DISTINCT")
    assert "WHERE s.query_id = 's_1' AND c.task_id = 'task_0123456789ab'" in fields["more"]


def test_answer_has_at_most_6_kb_in_any_script() -> None:
    """Texts are cut, then rows from the end of the lists; some of each stay, and what was cut is said."""
    long = "サキサグリプチンは心不全による入院のリスクを高める。" * 70
    found = tuple(named(f"c_{number}", long) for number in range(20))
    domains = tuple(f"www.domain-number-{number}.example" for number in range(30))

    answer = SearchAnswer.from_report(report(hypotheses=found[:5], claims=found, unverified_domains=domains))

    assert size(answer) <= MAX_BYTES
    assert ([one.id for one in answer.hypotheses or ()], answer.truncated) == ([f"c_{n}" for n in range(5)], True)
    assert [one.id for one in answer.claims_found or ()] == ["c_0", "c_1", "c_2", "c_3"]


def test_fifty_hypotheses_fit_too() -> None:
    """The most that a task takes, with the longest text; the first are shown."""
    most = tuple(named(f"c_{number:016d}", "gliptin " * 250) for number in range(50))
    changed = tuple(VerdictChange(one.claim.id, Verdict.UNVERIFIED, Verdict.SUPPORTED) for one in most)

    answer = SearchAnswer.from_report(report(hypotheses=most, changed=changed, claims=most[:20]))

    shown = [one.id for one in answer.hypotheses or ()]
    assert size(answer) <= MAX_BYTES
    assert shown == [one.claim.id for one in most[: len(shown)]]
    assert (answer.more or "").startswith(
        f"Not all rows are shown. Hypotheses not shown: {50 - len(shown)} of 50; get_status has all. All claims of"
    )


def test_hypotheses_that_are_not_shown_are_counted() -> None:
    """Of twenty long ones the first thirteen stay beside the claims; the rest is in the status."""
    most = tuple(named(f"c_{number:016d}", "gliptin " * 250) for number in range(20))

    answer = SearchAnswer.from_report(report(hypotheses=most, claims=most))

    assert (size(answer) <= MAX_BYTES, len(answer.hypotheses or ()), answer.truncated) == (True, 13, True)
    assert "Hypotheses not shown: 7 of 20; get_status has all." in (answer.more or "")
