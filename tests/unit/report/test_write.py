"""The report skeleton: facts, quotes and links in their sections, harmless whatever a page says."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

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
from lyra.model.report import QuotedEvidence, ReportClaim, ReviewMark
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.report.export import deep_link
from lyra.report.write import escape_inline, render

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Is it | safe?", TaskStatus.COMPLETED, NOON, Budget())


def quoted(
    relation: Relation, words: str, url: str = "https://www.fdso.gov/a", trust: str = "government"
) -> QuotedEvidence:
    return QuotedEvidence(
        claim_id="c_1",
        relation=relation,
        quote=words,
        fragment_id="f_1",
        page_id="p_1",
        url=url,
        title="Safety [notice]",
        domain="fdso.gov",
        heading_context="",
        published_date="2016-04-05",
        fetched_at=NOON,
        nli_confidence=0.91,
        trust_level=trust,
        is_origin=True,
        char_start=0,
    )


def claim(
    text: str,
    report_confidence: float,
    supports: tuple[QuotedEvidence, ...] = (),
    refutes: tuple[QuotedEvidence, ...] = (),
    *,
    is_hypothesis: bool = False,
) -> ReportClaim:
    return ReportClaim(
        Claim(f"c_{text[:4]}", TASK.id, text, "en", NOON, is_hypothesis=is_hypothesis),
        Assessment(
            claim_id=f"c_{text[:4]}",
            evidence=Confidence(1.9, 1.0, 0.655, 0.241, 0.0, len(supports), len(refutes), 0),
            independent_sources=1,
            text_confidence=0.655,
            report_confidence=report_confidence,
            verdict=Verdict.WELL_SUPPORTED,
            verification_status=VerificationStatus.PENDING,
            verification_reason="",
            adoption_status=AdoptionStatus.PENDING,
            refutation_status=RefutationStatus.NONE_FOUND,
            trust_level="government",
            has_primary_source=True,
        ),
        supports,
        refutes,
    )


def section(report: str, name: str) -> str:
    return report.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def test_an_empty_task_gives_an_honest_report() -> None:
    """Each section says that there is nothing, none is missing."""
    report = render(TASK, (), (), ())

    assert report.startswith("# Is it \\| safe?\n\nTask `task_0123456789ab`, created 2026-03-01 12:00 UTC.")
    assert "None were given." in section(report, "Hypotheses")
    assert "No claim reached a report confidence of 0.7." in section(report, "Findings")
    assert "No hypothesis has evidence on both sides, and no claim is contested." in section(report, "Contradictions")
    assert section(report, "Reservations").strip() == "None."
    assert "Unsatisfied queries: none." in report


@pytest.mark.parametrize(("confidence", "where"), [(0.7, "Findings"), (0.699, "Reservations")])
def test_claims_from_0_7_are_findings_the_rest_reservations(confidence: float, where: str) -> None:
    """SPEC §13: "≥ 0.7" means the report confidence."""
    known = claim("Saxagliptin is safe.", confidence, (quoted(Relation.SUPPORTS, "It is safe."),))

    report = render(TASK, (known,), (), ())

    assert "### Saxagliptin is safe." in section(report, where)
    assert report.count("### Saxagliptin is safe.") == 1


def test_every_quote_links_to_its_passage() -> None:
    """The words, the page, the trust, the dates and the probability."""
    known = claim("It is safe.", 0.8, (quoted(Relation.SUPPORTS, "It is safe."),))

    report = render(TASK, (known,), (), ())

    assert "“It is safe.” — [Safety \\[notice\\]](https://www.fdso.gov/a#:~:text=It%20is%20safe.), fdso.gov" in section(
        report, "Findings"
    )
    assert "found 2026-03-01 12:00 UTC, p = 0.91" in section(report, "Findings")


def test_contradictions_stand_side_by_side() -> None:
    """Both sides' own words in one row."""
    known = claim(
        "It is safe.",
        0.5,
        (quoted(Relation.SUPPORTS, "Safe."),),
        (replace(quoted(Relation.REFUTES, "Not safe | at all."), page_id="p_2"),),
        is_hypothesis=True,
    )

    rows = [
        line for line in section(render(TASK, (known,), (), ()), "Contradictions").splitlines() if line[:3] == "| “"
    ]

    assert len(rows) == 1
    assert "“Safe.”" in rows[0]
    assert "“Not safe \\| at all.”" in rows[0]


def test_one_page_does_not_contradict_itself() -> None:
    """Two sentences of one page stand under the claim, but not as a contradiction (SPEC §1 decision 4)."""
    sides = (quoted(Relation.SUPPORTS, "Safe."),), (quoted(Relation.REFUTES, "Not safe."),)

    report = render(TASK, (claim("It is safe.", 0.5, *sides, is_hypothesis=True),), (), ())

    assert section(report, "Contradictions").strip() == (
        "No hypothesis has evidence on both sides, and no claim is contested."
    )
    assert "Supports: “Safe.”" in section(report, "Reservations")


@pytest.mark.parametrize(
    ("review", "told"),
    [
        pytest.param(None, "p = 0.91\n", id="not reviewed"),
        pytest.param(
            ReviewMark("Dr. *Oda*", NOON, "the wrong | arm", Relation.REFUTES),
            "p = 0.91, reviewed by Dr. \\*Oda\\* on 2026-03-01 12:00 UTC (read as refutes before: the wrong \\| arm)\n",
            id="by whom and why",
        ),
        pytest.param(
            ReviewMark("", NOON, "", Relation.NEUTRAL),
            "p = 0.91, reviewed on 2026-03-01 12:00 UTC (read as neutral before)\n",
            id="without name and reason",
        ),
    ],
)
def test_a_reviewed_quote_says_by_whom_and_when(review: ReviewMark | None, told: str) -> None:
    """And what reader and rules had made of it; Markdown in a name or a reason is harmless."""
    known = claim("It is safe.", 0.8, (replace(quoted(Relation.SUPPORTS, "It is safe."), review=review),))

    report = render(TASK, (known,), (), ())

    assert told in section(report, "Findings")


def test_reviewed_quotes_are_marked_in_contradictions_and_among_copies() -> None:
    """Wherever the quote stands."""
    review = ReviewMark("Dr. Oda", NOON, "", Relation.NEUTRAL)
    first = replace(quoted(Relation.SUPPORTS, "Safe."), review=review)
    copy = replace(quoted(Relation.SUPPORTS, "Safe.", "https://copy.example/b"), page_id="p_3", review=review)
    against = replace(quoted(Relation.REFUTES, "Not safe."), page_id="p_2")

    report = render(TASK, (claim("It is safe.", 0.5, (first, copy), (against,), is_hypothesis=True),), (), ())

    mark = "reviewed by Dr. Oda on 2026-03-01 12:00 UTC (read as neutral before)"
    (row,) = [line for line in section(report, "Contradictions").splitlines() if line.startswith("| “")]
    assert row.count(mark) == 2


def test_a_hypothesis_without_evidence_is_listed_and_nowhere_claimed() -> None:
    """What nobody spoke of is no finding."""
    report = render(TASK, (claim("Nobody said so.", 0.5, is_hypothesis=True),), (), ())

    assert "**Nobody said so.**" in section(report, "Hypotheses")
    assert "### Nobody said so." not in report


def test_primary_sources_come_first() -> None:
    """SPEC §11; each page once."""
    blog = quoted(Relation.SUPPORTS, "Safe.", "https://a-blog.com/x", "unverified")
    office = quoted(Relation.SUPPORTS, "Safe.", "https://www.fdso.gov/a", "government")
    known = claim("It is safe.", 0.8, (blog, office, blog))

    lines = [line for line in section(render(TASK, (known,), (), ()), "Sources").splitlines() if line[:1].isdigit()]

    assert [line.split("](")[1].split(")")[0] for line in lines] == ["https://www.fdso.gov/a", "https://a-blog.com/x"]


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        pytest.param({}, "government, 2016-04-05", id="of the judgement alone"),
        pytest.param({"p_1": TrustLevel.GOVERNMENT}, "government, 2016-04-05", id="unchanged"),
        pytest.param(
            {"p_1": TrustLevel.BLOCKED}, "blocked, was government when judged, 2016-04-05", id="changed since"
        ),
    ],
)
def test_the_trust_level_of_now_is_shown_with_that_of_the_judgement(levels: dict[str, TrustLevel], told: str) -> None:
    """A domain whose level has changed stands at one level in quotes and sources, and the other is explained."""
    known = claim("It is safe.", 0.8, (quoted(Relation.SUPPORTS, "It is safe."),))

    report = render(TASK, (known,), (), (), levels)

    assert f", fdso.gov ({told}), found" in section(report, "Findings")
    assert section(report, "Sources").strip().endswith(f" — fdso.gov, {told}")


def test_sources_are_sorted_by_the_level_of_now() -> None:
    """A source that the user has raised comes first."""
    office = quoted(Relation.SUPPORTS, "Safe.", "https://www.fdso.gov/a", "trusted")
    raised = replace(quoted(Relation.SUPPORTS, "Quite.", "https://b-lab.com/x", "unverified"), page_id="p_2")
    known = claim("It is safe.", 0.8, (office, raised))

    sources = section(render(TASK, (known,), (), (), {"p_2": TrustLevel.PRIMARY}), "Sources")

    assert sources.split("](")[1].split(")")[0] == "https://b-lab.com/x"


def test_unsatisfied_queries_are_named() -> None:
    """SPEC §11, A5: what was not answered is not passed over."""
    partial = Search("s_1", TASK.id, "心不全 リスク", SearchOptions(), SearchStatus.PARTIAL, NOON)

    assert "Unsatisfied queries: 心不全 リスク." in render(TASK, (), (partial,), ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\n\nlines", "two lines"),
        ("12 \u202e% \x1b[2Jmore", "12 % \\[2Jmore"),
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        ("[click](javascript:x)", "\\[click\\](javascript:x)"),
        ("# not a heading | `code` *bold* _x_", "\\# not a heading \\| \\`code\\` \\*bold\\* \\_x\\_"),
    ],
)
def test_page_text_cannot_shape_the_report(text: str, line: str) -> None:
    """What stands on a page is data: neither Markdown nor HTML of it takes effect."""
    assert escape_inline(text) == line


def test_an_address_cannot_shape_the_report() -> None:
    """A closing bracket in an address would end the link, and what follows would be the page's own Markdown."""
    url = "https://evil.example/a)**verified**[here](https://phish.example/|"
    one = claim("It works well.", 0.8, (quoted(Relation.SUPPORTS, "It works.", url),))

    text = render(TASK, (one,), ())

    safe = "https://evil.example/a%29%2A%2Averified%2A%2A%5Bhere%5D%28https://phish.example/%7C"
    assert (text.count(f"]({safe}"), text.count("[here]")) == (2, 0)


def test_a_claim_with_many_quotes_shows_the_strongest_and_counts_the_rest() -> None:
    """A reader is not drowned: five quotes a side, and where the others are."""
    many = tuple(quoted(Relation.SUPPORTS, f"Quote number {number}.") for number in range(1, 9))

    findings = section(render(TASK, (claim("It is safe.", 0.8, many),), (), ()), "Findings")

    assert findings.count("Supports: “Quote number") == 5
    assert "Supports: 3 more, weaker ones: `lyra export task_0123456789ab --format json`" in findings


@pytest.mark.parametrize(
    ("refutes", "told"),
    [
        pytest.param((), "refutation: none found", id="nothing"),
        pytest.param((quoted(Relation.REFUTES, "It did not."),), "refutation: only weak ones found", id="weak"),
    ],
)
def test_none_found_never_stands_above_words_that_refute(refutes: tuple[QuotedEvidence, ...], told: str) -> None:
    """A refutation too weak to count is still named; nothing at all is “none found”."""
    spoken = claim("It rose.", 0.8, (quoted(Relation.SUPPORTS, "It rose."),), refutes)

    report = render(TASK, (spoken,), ())

    (figures,) = [line for line in report.splitlines() if line.startswith("well supported")]
    assert figures.endswith(told)


def test_the_same_words_on_several_pages_stand_once_with_all_of_them() -> None:
    """Copies are no corroboration: they share a line, and what else was said keeps its place."""
    words = "The town had 38 births."
    said = (
        quoted(Relation.SUPPORTS, words, "https://agency.example/1"),
        quoted(Relation.SUPPORTS, words, "https://paper.example/2"),
        quoted(Relation.SUPPORTS, "Births rose.", "https://bureau.example/3"),
    )

    report = render(TASK, (claim("Births rose in the town.", 0.8, said),), ())

    lines = [line for line in report.splitlines() if line.startswith("- Supports:")]
    assert [line.split("” — ")[0] for line in lines] == [f"- Supports: “{words}", "- Supports: “Births rose."]
    assert lines[0].endswith(f"; the same words on [fdso.gov]({deep_link('https://paper.example/2', words)})")


def test_many_copies_are_counted_and_a_retracted_one_is_marked() -> None:
    """Five copies are named, the rest is a number; what was retracted says so among them too."""
    copies = [quoted(Relation.SUPPORTS, "Births rose.", f"https://copy.example/{number}") for number in range(8)]
    said = (copies[0], replace(copies[1], no_vote="retracted"), *copies[2:])

    report = render(TASK, (claim("Births rose in the town.", 0.8, said),), ())

    (line,) = [line for line in report.splitlines() if line.startswith("- Supports:")]
    assert line.endswith(" and 2 more")
    assert line.count("](https://copy.example/") == 6
    assert line.count("(no vote: the work was retracted)") == 1
