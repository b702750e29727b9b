"""Values out of foreign JSON."""

from typing import Any

import pytest

from lyra.academic import fields
from lyra.model.page import Identifier


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param({"rose": [2], "The": [0], "rate": [1]}, "The rate rose", id="ordered"),
        pytest.param({"the": [0, 2], "of": [1]}, "the of the", id="repeated"),
        pytest.param({"a": [0], "b": [7]}, "a b", id="gaps"),
        pytest.param({"a": None, "b": ["x"], "c": [-1], "d": 3}, None, id="nonsense"),
        pytest.param({"a": [10**9]}, None, id="absurd-position"),
        pytest.param(None, None, id="null"),
        pytest.param("text", None, id="text"),
    ],
)
def test_inverted_abstracts_are_put_in_order(index: Any, expected: str | None) -> None:
    """OpenAlex keeps words with their positions; broken ones must not become a text."""
    assert fields.text_from_inverted_index(index) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Abstract: <jats:p>We studied &lt;5% of…</jats:p>", "We studied <5% of…"),
        ("ABSTRACT Background", "Background"),
        ("抄録：背景", "背景"),
        ("Abstracts were screened", "Abstracts were screened"),
        ("Summary statistics were pooled", "Summary statistics were pooled"),
        ("p < 0.05 and n > 3", "p < 0.05 and n > 3"),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_abstracts_are_text(value: Any, expected: str | None) -> None:
    """Markup and the word "Abstract" are not what the authors said; comparisons are."""
    assert fields.abstract(value) == expected


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (fields.doi, "https://doi.org/10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        (fields.doi, "not a doi", None),
        (fields.doi, None, None),
        (fields.pmid, "https://pubmed.ncbi.nlm.nih.gov/23992601", Identifier("pmid", "23992601")),
        (fields.pmid, 23992601, Identifier("pmid", "23992601")),
        (fields.pmid, None, None),
        (fields.arxiv, "2304.05376v3", Identifier("arxiv", "2304.05376")),
        (fields.arxiv, "hep-th/9901001", Identifier("arxiv", "hep-th/9901001")),
        (fields.arxiv, "unknown", None),
    ],
)
def test_identifiers_come_in_many_spellings(read: Any, value: Any, expected: Identifier | None) -> None:
    """Addresses, numbers and bare ids give one form; anything else gives none."""
    assert read(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (True, None), ("3", None), (3.5, None), (None, None), (-1, None), (2**63 - 1, 2**63 - 1), (2**63, None)],
)
def test_counts_are_not_guessed(value: Any, expected: int | None) -> None:
    """`true` is an int in Python but no citation count; what the database cannot hold is none either."""
    assert fields.count(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(2020, 2020), (999, None), (10**30, None), ("2020", None)])
def test_a_year_has_four_digits(value: Any, expected: int | None) -> None:
    """A wrong number must neither break the database nor pass for a date."""
    assert fields.year(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020", "2020"),
        ("2020-02", "2020-02"),
        ("2020-02-29", "2020-02-29"),
        ("2020-99-99", None),
        ("2021-02-29", None),
        ("２０２０", None),
    ],
)
def test_a_day_is_one_of_the_calendar(value: str, expected: str | None) -> None:
    """What only has the form of a date is none."""
    assert fields.day(value) == expected


def test_halves_of_characters_are_dropped() -> None:
    """JSON can carry a lone surrogate, which no database and no address takes."""
    assert fields.string("a \ud800title") == "a title"


def test_a_doi_is_read_without_halves_of_characters() -> None:
    """The resolver's address is made of it."""
    assert fields.doi("10.1234/a\ud800b") == Identifier("doi", "10.1234/ab")


def test_the_end_of_a_longer_number_is_no_pubmed_id() -> None:
    """It would be another paper's."""
    assert fields.pmid("1234567890123") is None


@pytest.mark.parametrize(
    ("value", "expected"), [("2013-10-03", "2013-10-03"), ("2013", "2013"), ("Oct 2013", None), (2013, None)]
)
def test_days_are_iso_or_nothing(value: Any, expected: str | None) -> None:
    """A date in words is not guessed at."""
    assert fields.day(value) == expected


@pytest.mark.parametrize(
    ("title", "is_retracted"),
    [
        ("RETRACTED: Sitagliptin and survival", True),
        ("Retracted Article: A registry study", True),
        ("[RETRACTED] A registry study", True),
        ("【撤回】糖尿病の登録研究", True),
        ("Retraction: A registry study", False),
        ("Retracted papers and their citations", False),
        ("撤回された論文の引用に関する調査", False),
    ],
)
def test_a_title_may_say_that_the_paper_was_retracted(title: str, is_retracted: bool) -> None:
    """Semantic Scholar has no flag; a notice and a study about retractions are not retracted themselves."""
    assert fields.is_marked_retracted(title) is is_retracted
