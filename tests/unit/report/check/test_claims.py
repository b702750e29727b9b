"""Sentences that cite nothing against the claims of a task."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from lyra.model.check import CheckStatus
from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import Relation, Stance
from lyra.report.check.claims import ClaimIndex
from lyra.report.check.layout import lay_out

VANS = "Under the scheme 2,312 elderly vans have been traded in and scrapped."
STATIONS = "The Laboratory runs six roadside stations in Pellmouth, four of them within the low-emission zone."
RISE = "In 2024 the number of bus passengers in the zone rose by 12%."


def claim(at: int, text: str) -> AssessedClaim:
    assessment = Assessment(
        claim_id=f"c_{at}",
        evidence=Confidence(1.0, 0.0, 1.0, 0.0, 0.0, 1, 0, 1),
        independent_sources=1,
        text_confidence=0.6,
        report_confidence=0.6,
        verdict=Verdict.UNVERIFIED,
        verification_status=VerificationStatus.PENDING,
        verification_reason="",
        adoption_status=AdoptionStatus.PENDING,
        refutation_status=RefutationStatus.NOT_SEARCHED,
        trust_level="government",
        has_primary_source=True,
    )
    said = Claim(f"c_{at}", "task_0123456789ab", text, "en", datetime(2026, 3, 1, tzinfo=UTC))
    return AssessedClaim(said, assessment, "https://a.example/")


class Neutral:
    """A judge without an opinion."""

    async def judge(self, pairs: Sequence[Any], settings: object = None, weighty: object = None) -> list[Stance]:
        return [Stance(Relation.NEUTRAL, 0.9, 0.9, (0.05, 0.05, 0.9), "m", "c") for _ in pairs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (VANS, []),
        (VANS.replace("2,312", "2,132"), [("2,132", "The source has another figure: 2,312")]),
        (STATIONS.replace("six", "nine"), [("nine", "The source has another figure: six")]),
        (RISE.replace("12%", "21%"), [("21%", "The source has another figure: 12%")]),
        (RISE.replace("12%", "21%").replace("2024", "2025"), []),
        (RISE.replace("12%", "21%").replace("bus", "tram"), []),
    ],
    ids=["true", "digits", "word", "share", "another year", "another subject"],
)
async def test_a_claim_repeated_with_another_figure(text: str, expected: list[tuple[str, str]]) -> None:
    """Words and years agree, the figure does not: whatever the judge thinks."""
    layout = lay_out(text)
    index = ClaimIndex([claim(at, one) for at, one in enumerate((VANS, STATIONS, RISE))], {})

    found = await index.check(layout.sentences, Neutral(), layout, is_weighty=True)

    assert [(one.text, one.sentence) for one in found] == expected
    assert {one.status for one in found} <= {CheckStatus.OTHER_NUMBER}
    assert [text[one.place.start : one.place.end] for one in found] == [shown for shown, _ in expected]
