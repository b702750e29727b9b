"""The report: verdicts first, each claim once, every quote with the way back to it."""

from dataclasses import replace

import pytest

from lyra.model.claim import Verdict, VerificationStatus
from lyra.model.edge import Relation
from lyra.model.report import CitedSource, QuotedEvidence, ReviewMark
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.trust import TrustLevel
from lyra.report.links import deep_link
from lyra.translate import in_language
from tests.report_data import NOON, TASK, claim, refuting, report_text, section, supporting


def test_empty_task_gives_an_honest_report() -> None:
    """Each section says that there is nothing, none is missing."""
    text = report_text()

    told = {name: section(text, name).strip().splitlines()[0] for name in ("Answer", "Evidence", "Contradictions")}
    assert text.startswith(
        "# Is it \\| safe?\n\nTask `task_0123456789ab` · Created 2026-03-01 · searches: 0 · claims: 0"
    )
    assert told == {
        "Answer": "Nothing was searched yet.",
        "Evidence": "There is no evidence.",
        "Contradictions": "No hypothesis has evidence on both sides, and no claim is contested.",
    }
    assert section(text, "Findings").strip() == "No other claim reached a report confidence of 0.7."
    assert [section(text, name).strip() for name in ("Reservations", "Sources")] == ["None.", "None."]
    assert text.endswith("## Searches\n\nNone.\n")
    assert "Evidence over time" not in text


def test_search_without_claims_is_no_search_left_out() -> None:
    """What was searched for and not found is another thing than what nobody looked for."""
    done = Search("s_1", TASK.id, "gliptins", SearchOptions(), SearchStatus.SATISFIED, NOON)

    assert section(report_text(searches=(done,)), "Answer").strip().startswith("No claim was found.")


def test_hypothesis_without_a_search_says_so() -> None:
    """Its verdict is that of a claim of which nothing is known."""
    asked = claim("It is safe.", 0.5, is_hypothesis=True, verdict=Verdict.UNVERIFIED)

    told = section(report_text(asked), "Answer").strip().splitlines()

    assert told[0] == "Nothing was searched yet."
    assert told[2].startswith("1. It is safe. — **Unverified**")


def test_answer_tells_verdict_confidence_and_range_in_words() -> None:
    """And what is missing, where it is not verified."""
    asked = claim(
        "It is safe.", 0.8, (supporting("Safe."),), is_hypothesis=True, reason="Not yet corroborated: one source."
    )

    told = section(report_text(asked), "Answer").strip().splitlines()[0]

    assert told == (
        "1. It is safe. — **Well supported**, confidence 0.66 (range 0.14–0.99); independent sources: 1 for, 0 against."
        " Verification: Not yet corroborated: one source."
    )


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (VerificationStatus.VERIFIED, ""),
        (VerificationStatus.PENDING, ""),
        (VerificationStatus.REJECTED, " · Verification: Refuted by a low-trust source, without high-trust support"),
    ],
)
def test_contested_claim_has_no_reason_that_says_otherwise(status: VerificationStatus, told: str) -> None:
    """“Supported by 2 sources” beside “contested” would contradict it; why it is rejected is said, as verification."""
    both = (supporting("Safe."),), (refuting("Not safe."),)
    reason = "Refuted by a low-trust source, without high-trust support."
    known = claim("It is safe.", 0.8, *both, is_hypothesis=True, verdict=Verdict.CONTESTED, reason=reason)
    known = replace(known, assessment=replace(known.assessment, verification_status=status))

    text = report_text(known)

    (line,) = [line for line in section(text, "Contradictions").splitlines() if line.startswith("**Contested** ·")]
    assert line.endswith(f"only weak evidence was found{told}")
    assert ("Verification" in section(text, "Answer")) is bool(told)


def test_without_hypotheses_the_claims_nearest_to_the_question_lead() -> None:
    """In the order of `lyra ask`, however well others are supported; and the report says that none was given."""
    quotes = (supporting("Safe."),)
    claims = (claim("Births rose.", 0.9, quotes), claim("It is safe.", 0.7, quotes), claim("Rain fell.", 0.6, quotes))

    told = section(report_text(*claims), "Answer").strip().splitlines()

    assert told[0] == "No hypothesis was given. These are the claims nearest to the question."
    assert [line.split(" — ")[0] for line in told[2:5]] == ["1. It is safe.", "2. Births rose.", "3. Rain fell."]


def test_evidence_table_compares_claims() -> None:
    """Claim, strongest words on both sides with their sources, independent sources, years, trust, retracted."""
    known = claim(
        "It is safe.",
        0.8,
        (supporting("Safe."),),
        (refuting("Not safe.", published_date="2020-01-01", no_vote="retracted"),),
        is_hypothesis=True,
    )

    row = section(report_text(known), "Evidence").strip().splitlines()[2]

    assert row == (
        "| It is safe. **Well supported, 0.66** | **1** “Safe.” [fdso.gov](https://www.fdso.gov/a#:~:text=Safe.) "
        "| **1** “Not safe.” [nimeth.gov](https://www.nimeth.gov/b#:~:text=Not%20safe.) **RETRACTED** "
        "| 1 for, 1 against | 2016–2020 | government | **1** |"
    )


def test_words_that_are_not_counted_stand_beside_no_number() -> None:
    """A quote without a vote is shown, and said not to count."""
    quote = refuting("Not safe.", no_vote="superseded")
    known = claim("It is safe.", 0.8, (supporting("Safe."),), (quote,), counts=(1, 0), is_hypothesis=True)

    cells = section(report_text(known), "Evidence").strip().splitlines()[2].split(" | ")

    assert cells[2].startswith("**not counted** “Not safe.”")
    assert cells[3] == "1 for, 0 against"


def test_cell_quotes_words_that_count() -> None:
    """Of a page with both sides the weaker one has no vote, however probable."""
    weaker = refuting("Not safe.", "https://www.fdso.gov/a", nli_confidence=0.9)
    counted = refuting("Unsafe.", nli_confidence=0.8)
    known = claim("It is safe.", 0.5, (supporting("Safe."),), (weaker, counted), counts=(1, 1), is_hypothesis=True)

    cells = section(report_text(known), "Evidence").strip().splitlines()[2].split(" | ")

    assert cells[2].startswith("**1** “Unsafe.”")


@pytest.mark.parametrize(("confidence", "where"), [(0.7, "Findings"), (0.699, "Reservations")])
def test_claims_from_0_7_are_findings_the_rest_reservations(confidence: float, where: str) -> None:
    """SPEC §13: "≥ 0.7" means the report confidence."""
    text = report_text(claim("Saxagliptin is safe.", confidence, (supporting("It is safe."),)))

    assert "### Saxagliptin is safe." in section(text, where)
    assert text.count("### Saxagliptin is safe.") == 1


def test_contradicted_claim_appears_once_with_both_sides() -> None:
    """Both sides' own words in one row, and no second time among findings or reservations."""
    known = claim(
        "It is safe.", 0.8, (supporting("Safe."),), (refuting("Not safe | at all."),), verdict=Verdict.CONTESTED
    )

    text = report_text(known)

    (row,) = [line for line in section(text, "Contradictions").splitlines() if line.startswith("| “")]
    assert row.count("“Safe.”") == 1
    assert row.count("“Not safe \\| at all.”") == 1
    assert text.count("### It is safe.") == 1


def test_one_page_does_not_contradict_itself() -> None:
    """Two sentences of one page stand under the claim, but not as a contradiction (SPEC §1 decision 4)."""
    page = "https://www.fdso.gov/a"
    known = claim("It is safe.", 0.5, (supporting("Safe."),), (refuting("Not safe.", page),), is_hypothesis=True)

    text = report_text(known)

    assert section(text, "Contradictions").strip() == (
        "No hypothesis has evidence on both sides, and no claim is contested."
    )
    assert "**For:** “Safe.”" in section(text, "Reservations")


def test_quote_names_its_page_trust_dates_and_probability() -> None:
    """In words: a probability is never a bare letter."""
    text = report_text(claim("It is safe.", 0.8, (supporting("It is safe.", nli_confidence=0.9),)))

    assert (
        "- **For:** “It is safe.” — [Safety \\[notice\\]](https://www.fdso.gov/a#:~:text=It%20is%20safe.), fdso.gov, "
        "government, 2016-04-05, probability 0.90\n"
    ) in section(text, "Findings")
    assert "p = " not in text


def test_quote_of_a_pdf_links_to_its_page() -> None:
    """A text fragment does nothing in a PDF."""
    text = report_text(claim("It is safe.", 0.8, (supporting("Safe.", "https://a.example/x.pdf", page_number=3),)))

    assert "](https://a.example/x.pdf#page=3)" in section(text, "Findings")


REVIEWED = ReviewMark("Dr. *Oda*", NOON, "the wrong | arm", Relation.REFUTES)


@pytest.mark.parametrize(
    ("review", "told"),
    [
        pytest.param(
            REVIEWED,
            ", reviewed on 2026-03-01 · Dr. \\*Oda\\* (read as “against” before): the wrong \\| arm\n",
            id="by whom and why",
        ),
        pytest.param(
            replace(REVIEWED, reviewer="", reason="", judged_relation=Relation.NEUTRAL),
            ", reviewed on 2026-03-01 (read as “neutral” before)\n",
            id="without name and reason",
        ),
    ],
)
def test_reviewed_quote_says_by_whom_and_when(review: ReviewMark, told: str) -> None:
    """And what reader and rules had made of it; Markdown in a name or a reason is harmless."""
    text = report_text(claim("It is safe.", 0.8, (supporting("It is safe.", review=review),)))

    assert f"probability 0.91{told}" in section(text, "Findings")


def test_retracted_source_is_marked_wherever_it_stands() -> None:
    """In the table, at its quotes and among the sources, also for words of it that have another reason not to count."""
    page = "https://www.jmetd.org/1"
    source = CitedSource(page, page, "A study", "jmetd.org", NOON, is_retracted=True)
    known = claim("It is safe.", 0.8, (supporting("Safe.", page, no_vote="superseded"),), is_hypothesis=True)

    text = report_text(known, sources=(source,))

    marked = {name: section(text, name).count("**RETRACTED**") for name in ("Evidence", "Findings", "Sources")}
    assert marked == {"Evidence": 1, "Findings": 1, "Sources": 1}
    assert "pages quoted: 1, retracted: 1" in text
    assert "— **not counted: the page no longer contains these words**" in section(text, "Findings")


def test_source_that_gives_orders_is_marked_wherever_it_stands() -> None:
    """Whoever reads a report learns of it as the reader of an answer does; what only its words say stays unmarked."""
    page = "https://www.jmetd.org/1"
    quoted = supporting("Safe.", page)
    known = claim("It is safe.", 0.8, (quoted, supporting("Sound.", "https://nimeth.gov/2")), is_hypothesis=True)

    text = report_text(known, with_orders=frozenset({quoted.page_id}))

    mark = "**GIVES ORDERS TO AN AI**"
    marked = {name: section(text, name).count(mark) for name in ("Evidence", "Findings", "Sources")}
    assert marked == {"Evidence": 1, "Findings": 1, "Sources": 1}


def test_hypothesis_without_evidence_is_answered_and_nowhere_claimed() -> None:
    """What nobody spoke of is no finding."""
    text = report_text(claim("Nobody said so.", 0.5, is_hypothesis=True, verdict=Verdict.UNVERIFIED))

    assert "1. Nobody said so. — **Unverified**" in section(text, "Answer")
    assert "### Nobody said so." not in text


def test_primary_sources_come_first() -> None:
    """SPEC §11; each page once, by the trust level of now."""
    blog = supporting("Safe.", "https://a-blog.com/x", trust_level="unverified")
    raised = supporting("Quite.", "https://b-lab.com/x", trust_level="unverified")
    office = supporting("Safe.", "https://www.fdso.gov/a")
    known = claim("It is safe.", 0.8, (blog, office, raised, blog))

    lines = section(report_text(known, levels={raised.page_id: TrustLevel.PRIMARY}), "Sources").strip().splitlines()

    assert [line.split("](")[1].split(")")[0] for line in lines] == [raised.url, office.url, blog.url]


@pytest.mark.parametrize(
    ("level", "told"),
    [
        pytest.param(TrustLevel.GOVERNMENT, "government, 2016-04-05", id="unchanged"),
        pytest.param(TrustLevel.BLOCKED, "blocked, was government when judged, 2016-04-05", id="changed since"),
    ],
)
def test_trust_level_of_now_is_shown_with_that_of_the_judgement(level: TrustLevel, told: str) -> None:
    """A domain whose level has changed stands at one level in quotes and sources, and the other is explained."""
    one = supporting("It is safe.")

    text = report_text(claim("It is safe.", 0.8, (one,)), levels={one.page_id: level})

    assert f", fdso.gov, {told}, probability" in section(text, "Findings")
    assert section(text, "Sources").strip().endswith(f" — fdso.gov, {told}")


def test_unsatisfied_queries_are_named() -> None:
    """SPEC §11, A5: what was not answered is not passed over."""
    partial = Search("s_1", TASK.id, "心不全 リスク", SearchOptions(), SearchStatus.PARTIAL, NOON)

    assert "Unsatisfied queries: 心不全 リスク\n" in report_text(searches=(partial,))


def test_address_cannot_shape_the_report() -> None:
    """A closing bracket in an address would end the link, and what follows would be the page's own Markdown."""
    url = "https://evil.example/a)**verified**[here](https://phish.example/|"

    text = report_text(claim("It works well.", 0.8, (supporting("It works.", url),)))

    safe = "https://evil.example/a%29%2A%2Averified%2A%2A%5Bhere%5D%28https://phish.example/%7C"
    assert (text.count(f"]({safe}"), text.count("[here]")) == (3, 0)


def test_claim_with_many_quotes_shows_the_strongest_and_counts_the_rest() -> None:
    """Two on each side; the others are in the appendix."""
    many = tuple(supporting(f"Quote number {number}.") for number in range(1, 9))

    told = section(report_text(claim("It is safe.", 0.8, many)), "Findings")

    assert told.count("**For:** “Quote number") == 2
    assert "- For: 6 more in the appendix.\n" in told


@pytest.mark.parametrize(
    ("refutes", "told"),
    [
        pytest.param((), "evidence against was searched for: none was found", id="nothing"),
        pytest.param(
            (refuting("It did not."),), "evidence against was searched for: only weak evidence was found", id="weak"
        ),
    ],
)
def test_none_found_never_stands_above_words_that_refute(refutes: tuple[QuotedEvidence, ...], told: str) -> None:
    """A refutation too weak to count is still named; nothing at all is “none was found”."""
    text = report_text(claim("It rose.", 0.8, (supporting("It rose."),), refutes))

    (figures,) = [line for line in text.splitlines() if line.startswith("**Well supported** ·")]
    assert figures.endswith(told)


def test_same_words_on_several_pages_stand_once() -> None:
    """Copies are no corroboration: they are counted, and what else was said keeps its place."""
    words = "The town had 38 births."
    said = (
        supporting(words, "https://agency.example/1"),
        supporting(words, "https://paper.example/2"),
        supporting("Births rose.", "https://bureau.example/3"),
    )

    lines = section(report_text(claim("Births rose in the town.", 0.8, said)), "Findings").splitlines()

    told = [line for line in lines if line.startswith("- **For:**")]
    assert [line.split("” — ")[0] for line in told] == [f"- **For:** “{words}", "- **For:** “Births rose."]
    assert told[0].endswith("; same words on other pages: 1")
    assert deep_link("https://agency.example/1", words) in told[0]


def test_report_speaks_japanese() -> None:
    """Headings, verdicts, trust and the words around quotes; the quotes stay as they are."""
    known = claim("それは安全だ。", 0.8, (supporting("安全である。"),), is_hypothesis=True)

    with in_language("ja"):
        text = report_text(known)

    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## 結論",
        "## 根拠の一覧",
        "## 対立する根拠",
        "## 確認できたこと",
        "## 留保つきの主張",
        "## 年表",
        "## 情報源",
        "## 検索",
    ]
    assert (
        "1. それは安全だ。 — **十分な支持あり**、確信度 0.66（範囲 0.14–0.99）、独立した情報源：支持 1、反対 0。"
        in text
    )
    assert "**支持:** 「安全である。」 — [Safety" in text
    assert "政府機関, 2016-04-05, 確率 0.91" in text
