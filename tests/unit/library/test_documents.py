"""What is indexed of documents and entries."""

import pytest

from lyra.extract.document import read_document
from lyra.library.documents import entry_document, own_work
from lyra.model.audit import CitedWork
from lyra.model.library import LibraryWork
from lyra.model.page import Document, Identifier, Passage

ARTICLE = "Aspirin after stroke. " * 120
DOI = Identifier("doi", "10.5555/berg.1")


def test_an_entry_is_read_as_its_abstract() -> None:
    """Only the abstract is text: title, authors and year are the head of the page."""
    cited = CitedWork("b", "", 1, "Aspirin", ("Berg, Anna", "Wu, Bo"), 2020, (DOI,), abstract="It lowers the risk.")

    made = entry_document(cited)
    read = read_document((made.entry or "").encode(), content_type=made.content_type)

    assert (read.title, read.authors, read.text) == ("Aspirin", ("Berg, Anna; Wu, Bo",), "It lowers the risk.")
    assert made.work == LibraryWork("Aspirin", ("Berg, Anna", "Wu, Bo"), 2020, (DOI,))


@pytest.mark.parametrize(
    ("first_page", "work"),
    [
        pytest.param(
            "J. Stroke. https://doi.org/10.5555/berg.1", LibraryWork("Aspirin", (), 2020, (DOI,)), id="its own"
        ),
        pytest.param("doi: 10.5555/berg.1 and doi: 10.5555/other", None, id="two: it may only cite them"),
        pytest.param("The method of 10.5555/berg.1 was used.", None, id="named without being claimed"),
    ],
)
def test_a_paper_is_known_by_the_identifier_on_its_first_page(first_page: str, work: LibraryWork | None) -> None:
    """One identifier in the form in which papers bear their own makes a file that work."""
    passages = (
        Passage(first_page, 0, len(first_page), page_number=1),
        Passage("Cited: https://doi.org/10.5555/far", 0, 9, page_number=2),
    )

    found = own_work(Document("Aspirin", ARTICLE, "en", date="2020-05-01", passages=passages))

    assert found == work
