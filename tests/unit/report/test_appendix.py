"""The appendix: everything, whole."""

from dataclasses import replace

from lyra.model.edge import JudgedPart, JudgedText, PartRole, Relation
from lyra.model.report import ReviewMark
from tests.report_data import NOON, TASK, appendix_text, claim, section, supporting


def test_every_quote_is_in_the_appendix() -> None:
    """All eight, each with when it was found."""
    many = tuple(supporting(f"Quote number {number}.") for number in range(1, 9))

    told = section(appendix_text(claim("It is safe.", 0.8, many)), "Findings (1)")

    assert told.count("**For:** “Quote number") == 8
    assert told.count("found 2026-03-01 12:00 UTC, probability 0.91") == 8


def test_what_was_read_beside_a_quote_stands_in_brackets() -> None:
    """As the reader was given it."""
    parts = (JudgedPart(PartRole.TITLE, 0, 6), JudgedPart(PartRole.DECIDING, 8, 16, 0, 8))
    judged = JudgedText("Safety. It holds", parts)

    told = appendix_text(claim("It is safe.", 0.8, (supporting("It holds", judged_text=judged),)))

    assert "“\\[Safety.\\] It holds” —" in told


def test_pages_with_the_same_words_are_named_with_their_marks() -> None:
    """Copies that were reviewed or retracted say so."""
    review = ReviewMark("", NOON, "", Relation.NEUTRAL)
    first = supporting("Births rose.", "https://copy.example/0")
    copies = [replace(first, url=f"https://copy.example/{number}", page_id=f"p_{number}") for number in (1, 2)]
    said = (first, replace(copies[0], no_vote="retracted"), replace(copies[1], review=review))

    (line,) = [one for one in appendix_text(claim("Births rose.", 0.8, said)).splitlines() if one.startswith("- **For")]

    assert line.endswith(
        "; the same words on [fdso.gov](https://copy.example/1#:~:text=Births%20rose.) **RETRACTED**, "
        "[fdso.gov](https://copy.example/2#:~:text=Births%20rose.), reviewed on 2026-03-01 (read as “neutral” before)"
    )


def test_long_question_is_whole_in_the_appendix() -> None:
    """The report's title shows its beginning."""
    told = appendix_text(task=replace(TASK, query="word " * 1_000))

    assert told.count("word") > 1_000


def test_hypotheses_without_evidence_are_listed() -> None:
    """Nothing that was asked is left out because no text speaks of it."""
    told = section(
        appendix_text(claim("It is silent.", 0.5, (), is_hypothesis=True)), "Hypotheses without evidence (1)"
    )

    assert told.strip() == "- It is silent."
