"""Bibliographies of three formats as cited works."""

import pytest

from lyra.errors import InvalidParams
from lyra.extract.bibliography import read_bibliography
from lyra.model.page import Identifier

BIB = r"""@string{x = "y"}
@article{mueller2020,
  author = {M{\"u}ller, Anna and Wu, Bo},
  title = {{DPP-4} inhibitors: \textit{a} study},
  doi = "10.5555/AB.1", year = 2020
}
@misc{pre, title={A preprint}, eprint={2202.99130}, archivePrefix={arXiv}}
"""
RIS = "TY  - JOUR\nAU  - Müller, Anna\nAU  - Wu, Bo\nTI  - A study\nPY  - 2020/05\nDO  - 10.5555/ab.1\nER  - \n"
CSL = """[{"id": "m", "title": "A study", "author": [{"family": "Wu", "given": "Bo"}],
"issued": {"date-parts": [[2020]]}, "PMID": "90015821"}]"""


def test_bibtex() -> None:
    """Braces and accents of TeX are undone; strings are no works."""
    first, second = read_bibliography(BIB, ".bib")

    assert (first.key, first.line, first.authors, first.year) == ("mueller2020", 2, ("Müller, Anna", "Wu, Bo"), 2020)
    assert first.title.startswith("DPP-4 inhibitors:")
    assert first.identifiers == (Identifier("doi", "10.5555/ab.1"),)
    assert second.identifiers == (Identifier("arxiv", "2202.99130"),)


def test_an_address_may_stand_in_another_field() -> None:
    """BibTeX has a field for it only lately."""
    (found,) = read_bibliography(r"@misc{a, title={A page}, howpublished={\url{https://a.example/1}}}", ".bib")

    assert (found.title, found.url) == ("A page", "https://a.example/1")


def test_ris() -> None:
    """Repeated tags are several authors."""
    (found,) = read_bibliography(RIS, ".ris")

    assert (found.title, found.authors, found.year, found.identifiers) == (
        "A study",
        ("Müller, Anna", "Wu, Bo"),
        2020,
        (Identifier("doi", "10.5555/ab.1"),),
    )


def test_csl_json() -> None:
    """A list of items."""
    (found,) = read_bibliography(CSL, ".json")

    assert (found.key, found.title, found.authors, found.year, found.identifiers) == (
        "m",
        "A study",
        ("Wu, Bo",),
        2020,
        (Identifier("pmid", "90015821"),),
    )


@pytest.mark.parametrize(("text", "suffix"), [("nothing", ".bib"), ("", ".ris"), ("[]", ".json"), ("{", ".json")])
def test_a_file_without_works_is_refused(text: str, suffix: str) -> None:
    """With what to do."""
    with pytest.raises(InvalidParams):
        read_bibliography(text, suffix)


def test_an_entry_that_never_closes_ends_somewhere() -> None:
    """A hostile file costs no more than its length."""
    assert len(read_bibliography("@a{k, title={" + "{" * 100_000, ".bib")) == 1


def test_an_entry_that_is_not_closed_is_broken_and_the_next_ones_are_read() -> None:
    """Its words are not taken for a title; brackets of both kinds close an entry."""
    found = read_bibliography('@a(k, title={One (1)})\n@a{l, title={Unclosed\n@a{m, title="Three"}\n@a{n, x={', ".bib")

    assert [(one.key, one.line, one.title, one.is_broken) for one in found] == [
        ("k", 1, "One (1)", False),
        ("l", 2, "", True),
        ("m", 3, "Three", False),
        ("n", 4, "", True),
    ]


@pytest.mark.parametrize(
    ("field", "files"),
    [
        pytest.param("paper.pdf", ("paper.pdf",), id="plain"),
        pytest.param("Full Text:files/12/paper.pdf:application/pdf", ("files/12/paper.pdf",), id="Zotero"),
        pytest.param(":a.pdf:PDF;:b.pdf:PDF", ("a.pdf", "b.pdf"), id="JabRef, two"),
    ],
)
def test_attachments_and_abstract_of_an_entry(field: str, files: tuple[str, ...]) -> None:
    """The files that a reference manager has attached are named as it writes them, and the abstract is kept."""
    (found,) = read_bibliography(f"@article{{a, title={{T}}, abstract={{It works.}}, file={{{field}}}}}", ".bib")

    assert (found.files, found.abstract) == (files, "It works.")
