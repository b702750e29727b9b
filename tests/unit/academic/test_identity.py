"""When two records are one work."""

from dataclasses import replace

import pytest

from lyra.academic.identity import (
    author_key,
    canonical_id,
    is_preprint_id,
    is_same_work,
    matches_page,
    merge,
    ordered_identifiers,
    title_key,
)
from lyra.model.page import Identifier
from lyra.model.work import Work

DOI = Identifier("doi", "10.1056/nejmoa1307684")
PMID = Identifier("pmid", "23992601")
ARXIV = Identifier("arxiv", "2101.00001")
MEDRXIV = Identifier("doi", "10.1101/2021.03.04.21252345")
TITLE = "Saxagliptin and Cardiovascular Outcomes in Patients with Type 2 Diabetes Mellitus"


def work(
    *identifiers: Identifier, title: str = TITLE, authors: tuple[str, ...] = ("Benjamin M. Scirica",), **more: object
) -> Work:
    made = Work(
        canonical_id(identifiers, title, 2013, authors[0] if authors else None), title, authors=authors, year=2013
    )
    return replace(made, identifiers=identifiers, **more)


@pytest.mark.parametrize(
    ("identifiers", "expected"),
    [
        pytest.param((ARXIV, PMID, DOI), "doi:10.1056/nejmoa1307684", id="doi-first"),
        pytest.param((ARXIV, PMID), "pmid:23992601", id="pmid-next"),
        pytest.param((ARXIV,), "arxiv:2101.00001", id="arxiv-last"),
        pytest.param((MEDRXIV, DOI), "doi:10.1056/nejmoa1307684", id="article-before-preprint"),
        pytest.param(
            (Identifier("doi", "10.48550/arxiv.2101.00001v2"),), "arxiv:2101.00001", id="arxiv-doi-is-arxiv-id"
        ),
    ],
)
def test_the_canonical_id_takes_the_strongest_identifier(identifiers: tuple[Identifier, ...], expected: str) -> None:
    """doi > pmid > arxiv, so that every record of a work arrives at one id."""
    assert canonical_id(identifiers, TITLE) == expected


def test_without_identifiers_title_year_and_author_make_the_id() -> None:
    """Case, width, accents, punctuation and the author's initials do not change the work; the year does."""
    one = canonical_id((), "Évidence: The  “State” of OA", 2018, "Heather Piwowar")

    assert one == canonical_id((), "evidence the STATE of ｏａ", 2018, "Piwowar, H.")
    assert one != canonical_id((), "evidence the STATE of ｏａ", 2019, "Piwowar, H.")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Müller, Anna", "muller"),
        ("A. Müller", "muller"),
        ("Odhran O’Donoghue", "o donoghue"),
        ("山田 太郎", "太郎"),
        ("", ""),
    ],
)
def test_author_keys_keep_the_family_name(name: str, expected: str) -> None:
    """APIs spell names differently; the family name is what they share."""
    assert author_key(name) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("10.1101/2021.03.04.21252345", True),
        ("10.1101/339747", True),
        ("10.1101/gr.275193.120", False),
        ("10.1056/nejmoa1307684", False),
    ],
)
def test_preprint_servers_are_told_from_journals_of_the_same_house(value: str, expected: bool) -> None:
    """Cold Spring Harbor's journals share a prefix with bioRxiv."""
    assert is_preprint_id(Identifier("doi", value)) is expected


def test_records_of_two_apis_become_one_work() -> None:
    """Each record adds what the other lacks: the abstract of one, the identifiers and retraction of both."""
    one = work(
        DOI, abstract=None, citation_count=4100, venue=None, url="https://a.example", source_api="semantic_scholar"
    )
    other = work(
        DOI, PMID, abstract="Background: …", citation_count=3900, venue="NEJM", is_retracted=True, source_api="openalex"
    )

    merged = merge((one, other))

    assert merged == (
        replace(
            other,
            abstract="Background: …",
            citation_count=4100,
            url="https://a.example",
            is_retracted=True,
            identifiers=(DOI, PMID),
            source_api="openalex+semantic_scholar",
        ),
    )


def test_a_preprint_joins_its_article() -> None:
    """Same title and first author, no shared identifier: the article leads, the preprint's id is kept."""
    preprint = work(
        ARXIV,
        authors=("B. Scirica", "D. Bhatt"),
        published="2013-01-01",
        abstract="long abstract",
        source_api="openalex",
    )
    article = work(DOI, published="2013-10-03", abstract="short", source_api="semantic_scholar")

    (merged,) = merge((preprint, article))

    assert (merged.id, merged.published, merged.abstract) == (
        "doi:10.1056/nejmoa1307684",
        "2013-10-03",
        "long abstract",
    )
    assert merged.identifiers == (DOI, ARXIV)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(work(DOI), work(Identifier("doi", "10.2337/dc14-0001")), id="two-articles-of-one-title"),
        pytest.param(work(ARXIV), work(DOI, authors=("Jane Doe",)), id="another-first-author"),
        pytest.param(
            work(ARXIV, title="Authors' reply"), work(DOI, title="Authors' reply"), id="title-that-names-nothing"
        ),
        pytest.param(work(ARXIV, authors=()), work(DOI), id="no-author-to-compare"),
    ],
)
def test_different_works_stay_apart(one: Work, other: Work) -> None:
    """Joining two works would let one source count for another."""
    assert is_same_work(one, other) is False
    assert len(merge((one, other))) == 2


def test_a_third_record_can_join_two_groups() -> None:
    """A record that knows both identifiers shows that two records thought apart are one work."""
    by_doi = work(DOI, title="Saxagliptin outcomes")
    by_pmid = work(PMID, title="SAVOR")

    merged = merge((by_doi, by_pmid, work(DOI, PMID)))

    assert [found.id for found in merged] == ["doi:10.1056/nejmoa1307684"]


def test_japanese_titles_identify_too() -> None:
    """A Japanese title has no spaces to count words by."""
    title = "２型糖尿病におけるＤＰＰ－４阻害薬の安全性に関する検討"

    assert title_key(title) == "2型糖尿病におけるdpp 4阻害薬の安全性に関する検討"
    assert (
        is_same_work(work(ARXIV, title=title), work(DOI, title="2型糖尿病におけるDPP-4阻害薬の安全性に関する検討"))
        is True
    )


def test_identifiers_are_arranged_once_each() -> None:
    """The same identifier from two APIs is one."""
    assert ordered_identifiers((ARXIV, DOI, PMID, DOI, Identifier("doi", "10.48550/arxiv.2101.00001"))) == (
        DOI,
        PMID,
        ARXIV,
    )


@pytest.mark.parametrize(
    ("title", "authors", "expected"),
    [
        pytest.param(
            "RETRACTED: Sitagliptin and survival: a registry study | JMetD", (), True, id="notice-and-journal"
        ),
        pytest.param("Sitagliptin and Survival", (), True, id="short-title"),
        pytest.param("シタグリプチンと生存：登録研究", ("三枝 直樹",), True, id="translated"),
        pytest.param("検索結果 | J-STAGE", (), False, id="list-in-another-script"),
        pytest.param("sitagliptin - Search Results - PubMed", (), False, id="list"),
        pytest.param("Corrections", ("Konrad Vasile",), False, id="another-article"),
        pytest.param("", ("Konrad Vasile",), False, id="untitled"),
    ],
)
def test_a_page_can_be_the_work_whose_identifier_it_shows(title: str, authors: tuple[str, ...], expected: bool) -> None:
    """Journals add their name or a notice, or translate; a list of results is not the first paper in it."""
    assert matches_page(Work("doi:a", "Sitagliptin and survival: a registry study"), title, authors) is expected
