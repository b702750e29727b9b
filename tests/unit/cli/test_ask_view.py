"""The answer of `lyra ask` as a person reads it, in both languages."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lyra.answers.ask import AskAnswer
from lyra.answers.search import ClaimRow, SearchAnswer
from lyra.cli.ask_view import print_answer
from lyra.cli.render import render
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
from lyra.model.edge import NoVote, Relation
from lyra.model.handoff import HandoffSummary
from lyra.model.report import QuotedEvidence
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus, TaskTotals
from lyra.research.findings import Gap, make_finding
from lyra.research.status import TaskReport
from lyra.translate import Language, in_language

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Are gliptins safe?", TaskStatus.EXPLORING, NOON, Budget(120, 1200.0))
CLAIM = AssessedClaim(
    Claim("c_1", TASK.id, "Gliptins cause pancreatitis.", "en", NOON, is_hypothesis=True),
    Assessment(
        claim_id="c_1",
        evidence=Confidence(1.0, 1.9, 1 / 2.9, 0.241, 0.0, 0, 1, 0),
        independent_sources=1,
        text_confidence=0.345,
        report_confidence=0.345,
        verdict=Verdict.LIKELY_FALSE,
        verification_status=VerificationStatus.REJECTED,
        verification_reason="",
        adoption_status=AdoptionStatus.NOT_ADOPTED,
        refutation_status=RefutationStatus.FOUND,
        trust_level=None,
        has_primary_source=False,
    ),
    "https://www.fdso.gov/safety",
)


def quote(relation: Relation, page: str, title: str, words: str, no_vote: str = "") -> QuotedEvidence:
    return QuotedEvidence(
        claim_id="c_1",
        relation=relation,
        quote=words,
        fragment_id=f"f_{page}",
        page_id=page,
        url=f"https://{page}.example/",
        title=title,
        domain=f"{page}.example",
        heading_context="",
        published_date="2021-05-04",
        fetched_at=NOON,
        nli_confidence=0.9,
        trust_level="academic",
        is_origin=False,
        char_start=0,
        no_vote=no_vote,
    )


QUOTES = (
    quote(Relation.REFUTES, "p_1", "A trial", "No \x1b[31mincrease was seen."),
    quote(Relation.REFUTES, "p_2", "a trial ", "The same in its abstract."),
    quote(Relation.SUPPORTS, "p_3", "An old study", "It doubled the risk.", NoVote.RETRACTED),
)


def report(*found: Search, hypotheses: tuple[AssessedClaim, ...] = ()) -> TaskReport:
    return TaskReport(
        task=TASK,
        searches=found,
        hypotheses=hypotheses,
        totals=TaskTotals(5, 9, 3, 0, 1, 2, 0, (), 0.0, 1.0, 0.0),
        auth=HandoffSummary(pending_count=2),
        blocked_domains=(),
        unverified_domains=(),
        verification_alerts=(),
        warnings=(),
        queries_sent={},
        harvest_rate=0.5,
        changed={},
        errors={},
    )


def searched(status: SearchStatus) -> Search:
    return Search("s_1", TASK.id, "Are gliptins safe?", SearchOptions(), status, NOON, reason="no reason")


def printed(answer: AskAnswer, capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_answer(answer, again="lyra ask --task task_0123456789ab", report="lyra report task_0123456789ab")
    return capsys.readouterr().out.splitlines()


def test_best_words_are_one_a_text_and_gaps_are_named() -> None:
    """A paper and its abstract have one title; a retracted work is counted among what is missing."""
    finding = make_finding(CLAIM, QUOTES, {})

    assert [one.page_id for one in finding.refutes] == ["p_1"]
    assert [one.page_id for one in finding.supports] == ["p_3"]
    assert (finding.missing, finding.retracted_count) == (
        (Gap.ONE_SOURCE, Gap.NO_PRIMARY_SOURCE, Gap.RETRACTED),
        1,
    )


@pytest.mark.parametrize(("supports", "refutes", "is_told"), [(1, 0, True), (0, 1, True), (1, 4, False), (2, 0, False)])
def test_one_source_is_one_on_both_sides_together(supports: int, refutes: int, is_told: bool) -> None:
    """One for and four against are five that take a side."""
    evidence = Confidence(1.0, 1.9, 1 / 2.9, 0.241, 0.0, supports, refutes, 0)
    counted = replace(CLAIM, assessment=replace(CLAIM.assessment, evidence=evidence, independent_sources=supports))

    assert (Gap.ONE_SOURCE in make_finding(counted, QUOTES, {}).missing) is is_told


def test_best_words_are_one_a_source_and_one_a_wording() -> None:
    """A wire story on three sites is told once; a page that speaks for two sources tells for the second too."""
    told = (
        quote(Relation.SUPPORTS, "p_1", "Wire", "Births rose by 15 %."),
        quote(Relation.SUPPORTS, "p_2", "Births up", "Births have risen, the agency says."),
        quote(Relation.SUPPORTS, "p_3", "A copy", "births rose by 15 %"),
        quote(Relation.SUPPORTS, "p_4", "Our own", "We counted 12 % more births."),
        quote(Relation.SUPPORTS, "p_5", "A blog", "More prams are seen in town."),
    )
    sources = {"p_1": ["domain:wire"], "p_2": ["domain:wire"], "p_4": ["domain:p_4", "domain:wire"]}

    finding = make_finding(CLAIM, told, sources)

    assert [one.page_id for one in finding.supports] == ["p_1", "p_4", "p_5"]


def test_hypothesis_is_answered_with_verdict_range_and_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    """Words of pages cannot steer the terminal; what is retracted is marked and does not count."""
    known = report(searched(SearchStatus.SATISFIED), hypotheses=(CLAIM,))
    answer = AskAnswer.from_findings(known, [make_finding(CLAIM, QUOTES, {})], ())

    lines = printed(answer, capsys)

    assert lines == [
        "Are gliptins safe?",
        "",
        "1. Gliptins cause pancreatitis.",
        "   Probably false: the evidence found speaks against it.",
        "   Confidence 0.34, with 95 % between 0.01 and 0.86. Independent sources: 0 for, 1 against.",
        "   For it:",
        "   • RETRACTED “It doubled the risk.”",
        "     An old study (p_3.example, 2021-05-04, academic)",
        "     It does not count: the work was retracted.",
        "     https://p_3.example/",
        "   Against it:",
        "   • “No [31mincrease was seen.”",
        "     A trial (p_1.example, 2021-05-04, academic)",
        "     https://p_1.example/",
        "   What is missing:",
        "   - Only one independent source takes a side.",
        "   - No primary source supports it.",
        "   - Retracted works among what was found: 1. They do not count.",
        "",
        "On the whole:",
        "- Pages that wait for a person (`lyra auth`): 2.",
        "",
        "1 searches, 5 pages, 3 claims. Task: task_0123456789ab",
        "The whole evidence as a report: lyra report task_0123456789ab",
    ]


def test_answer_is_in_japanese_but_for_what_was_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    """Sentences of Lyra are translated, words of sources are as they were written."""
    known = report(searched(SearchStatus.SATISFIED), hypotheses=(CLAIM,))

    with in_language("ja"):
        lines = printed(AskAnswer.from_findings(known, [make_finding(CLAIM, QUOTES[2:], {})], ()), capsys)

    assert lines[2:10] == [
        "1. Gliptins cause pancreatitis.",
        "   誤りの可能性が高いと言えます。見つかった根拠は反対しています。",
        "   確信度 0.34（95 % の範囲 0.01～0.86）。独立した情報源: 支持 0 件、反対 1 件。",
        "   支持する記述:",
        "   • 【撤回】 “It doubled the risk.”",
        "     An old study (p_3.example, 2021-05-04, 学術)",
        "     判定には数えません。理由: 論文が撤回されています",
        "     https://p_3.example/",
    ]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "Claims found, those nearest to the question first:",
                "   • Gliptins cause pancreatitis.",
                "     Probably false: the evidence found speaks against it. Confidence 0.34, independent sources: 1.",
                "     https://www.fdso.gov/safety",
                "",
                "On the whole:",
                "- No hypothesis was given, so there is no verdict on the question.",
                "- Searches that have not ended: 1.",
                "- Pages that wait for a person (`lyra auth`): 2.",
                "",
                "1 searches, 5 pages, 3 claims. Task: task_0123456789ab",
                "Go on and see the answer: lyra ask --task task_0123456789ab",
                "The whole evidence as a report: lyra report task_0123456789ab",
            ],
        ),
        (
            "ja",
            [
                "見つかった主張（問いに近い順）:",
                "   • Gliptins cause pancreatitis.",
                "     誤りの可能性が高いと言えます。見つかった根拠は反対しています。確信度 0.34、独立した情報源 1 件。",
                "     https://www.fdso.gov/safety",
                "",
                "全体について:",
                "- 仮説の指定がないため、この問いに対する判定はありません。仮説は -H で指定できます。",
                "- 終わっていない検索: 1 件。",
                "- 人の対応を待っているページ（`lyra auth`）: 2 件。",
                "",
                "検索 1 件、ページ 5 件、主張 3 件。タスク: task_0123456789ab",
                "続きと結果を見るには: lyra ask --task task_0123456789ab",
                "すべての根拠を報告書にするには: lyra report task_0123456789ab",
            ],
        ),
    ],
)
def test_without_hypothesis_the_claims_are_shown(
    language: Language, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """And it is said that none was given; a search that still runs is named with how to go on."""
    with in_language(language):
        lines = printed(AskAnswer.from_findings(report(searched(SearchStatus.RUNNING)), (), (CLAIM,)), capsys)

    assert lines[2:] == expected


def test_claim_of_a_retracted_source_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """In the list of an answer without hypotheses, and in that of a search."""
    retracted = replace(CLAIM, is_retracted=True)

    lines = printed(AskAnswer.from_findings(report(), (), (retracted,)), capsys)
    render(SearchAnswer(claims_found=[ClaimRow.model_validate(retracted)]))

    assert lines[3] == "   • RETRACTED Gliptins cause pancreatitis."
    assert "RETRACTED Gliptins cause pancreatitis." in " ".join(capsys.readouterr().out.split())


def test_searches_that_brought_nothing_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """What failed with its reason, and what was searched in vain."""
    known = report(searched(SearchStatus.FAILED), searched(SearchStatus.EXHAUSTED), hypotheses=(CLAIM,))

    answer = AskAnswer.from_findings(known, [make_finding(CLAIM, (), {})], ())

    assert answer.missing == [
        "The search “Are gliptins safe?” failed: no reason",
        "The search “Are gliptins safe?” found nothing useful.",
        "Pages that wait for a person (`lyra auth`): 2.",
    ]
    assert (answer.hypotheses or [])[0].missing == ["No text that counts takes a side."]
