"""Abstracts as documents."""

import pytest

from lyra.academic.abstracts import abstract_document, work_address
from lyra.model.page import FragmentType, Heading, Identifier, Passage
from lyra.model.work import Work

DOI = Identifier("doi", "10.1056/nejmoa1307684")


def paper(abstract: str | None, *identifiers: Identifier) -> Work:
    return Work(
        "doi:10.1056/nejmoa1307684",
        "SAVOR-TIMI 53",
        abstract=abstract,
        authors=("B. Scirica",),
        published="2013-10-03",
        identifiers=identifiers or (DOI,),
        url="https://openalex.org/W1",
        source_api="openalex",
    )


@pytest.mark.parametrize(
    ("identifiers", "expected"),
    [
        ((Identifier("pmid", "23992601"), DOI), "https://doi.org/10.1056/nejmoa1307684"),
        ((Identifier("pmid", "23992601"), Identifier("arxiv", "1309.1")), "https://pubmed.ncbi.nlm.nih.gov/23992601/"),
        ((Identifier("arxiv", "2101.00001"),), "https://arxiv.org/abs/2101.00001"),
        (
            (Identifier("doi", "10.1002/(sici)1097(1998)49:14<1290::aid-asi4>3.0.co;2-k"),),
            "https://doi.org/10.1002/(sici)1097(1998)49:14%3C1290::aid-asi4%3E3.0.co;2-k",
        ),
    ],
)
def test_a_work_has_one_address(identifiers: tuple[Identifier, ...], expected: str) -> None:
    """A paper found twice must become one page."""
    assert work_address(paper("x", *identifiers)) == expected


def test_a_work_without_identifiers_is_found_at_its_api() -> None:
    """The API's own page is the last resort; without one there is no address."""
    assert work_address(Work("title_1", "t", url="https://openalex.org/W1")) == "https://openalex.org/W1"
    assert work_address(Work("title_1", "t")) is None


def test_a_structured_abstract_becomes_passages_under_its_labels() -> None:
    """Each section is one passage with its exact place; the label is a heading, not part of the words."""
    abstract = (
        "BACKGROUND: The cardiovascular safety is unclear. METHODS: We assigned 16,492 patients to saxagliptin or "
        "placebo. RESULTS: More patients were hospitalized for heart failure (3.5% vs. 2.8%). "
        "CONCLUSIONS: Saxagliptin did not alter the rate of ischemic events."
    )

    made = abstract_document(paper(abstract))

    assert made is not None
    assert [(passage.text, passage.headings[1].text) for passage in made.passages] == [
        ("The cardiovascular safety is unclear.", "BACKGROUND"),
        ("We assigned 16,492 patients to saxagliptin or placebo.", "METHODS"),
        ("More patients were hospitalized for heart failure (3.5% vs. 2.8%).", "RESULTS"),
        ("Saxagliptin did not alter the rate of ischemic events.", "CONCLUSIONS"),
    ]
    assert [abstract[passage.start : passage.end] for passage in made.passages] == [p.text for p in made.passages]


def test_a_plain_abstract_is_one_passage() -> None:
    """Metadata of the work become those of the document."""
    made = abstract_document(paper("Saxagliptin raised the risk of heart failure. The absolute increase was small."))

    assert made is not None
    assert (made.title, made.language, made.date, made.page_type) == ("SAVOR-TIMI 53", "en", "2013-10-03", "paper")
    assert (made.identifiers, made.authors, made.extractor) == ((DOI,), ("B. Scirica",), "abstract:openalex")
    assert made.passages == (
        Passage(made.text, 0, len(made.text), FragmentType.PARAGRAPH, (Heading(1, "SAVOR-TIMI 53"),), 0),
    )


def test_a_japanese_structured_abstract_is_parted_too() -> None:
    """Japanese journals label sections with a full-width colon and no space."""
    made = abstract_document(paper("目的：安全性を検討した。方法：後ろ向きに調査した。結果：低血糖は増加しなかった。"))

    assert made is not None
    assert made.language == "ja"
    assert [(passage.headings[1].text, passage.text) for passage in made.passages] == [
        ("目的", "安全性を検討した。"),
        ("方法", "後ろ向きに調査した。"),
        ("結果", "低血糖は増加しなかった。"),
    ]


def test_a_long_plain_abstract_is_cut_between_sentences() -> None:
    """A fragment stays about a paragraph long, so that stance is judged on one thought."""
    sentence = "Treatment with a dipeptidyl peptidase-4 inhibitor lowered glycated haemoglobin in this trial arm. "
    abstract = (sentence * 20).strip()

    made = abstract_document(paper(abstract))

    assert made is not None
    assert [passage.text.count("Treatment") for passage in made.passages] == [9, 9, 2]
    assert [passage.element_index for passage in made.passages] == [0, 1, 2]


@pytest.mark.parametrize("abstract", [None, ""])
def test_a_work_without_an_abstract_is_no_document(abstract: str | None) -> None:
    """Nothing is made up from a title."""
    assert abstract_document(paper(abstract)) is None


def test_a_colon_in_a_sentence_makes_no_section() -> None:
    """Only the known labels at the start of a sentence part an abstract."""
    made = abstract_document(paper("We report two findings: safety and efficacy. The results: unclear."))

    assert made is not None
    assert len(made.passages) == 1
