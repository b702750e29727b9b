"""PDFs are read by the real PDFium: order, pages, headings, and every way in which a file can be bad."""

from collections.abc import Callable

import pytest

from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.model.page import FragmentType, Heading

MakePdf = Callable[..., bytes]

_TITLE = (72.0, 770.0, 18.0, "Heart safety of sitagliptin")
_ENCRYPTED = (
    f"/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >> "
    f"/ID [<{'43' * 16}> <{'43' * 16}>]"
)


def _column(x: float, words: list[str]) -> list[tuple[float, float, float, str]]:
    return [(x, 720.0 - 12 * n, 10.0, line) for n, line in enumerate(words)]


def test_two_columns_are_read_one_after_the_other(make_pdf: MakePdf) -> None:
    """A paper read across its columns is nonsense in every sentence."""
    left = _column(72, ["The trial enrolled adults with", "type 2 diabetes and followed", "them for three years."])
    right = _column(320, ["Admission for heart failure was", "equally frequent in both of the", "treatment groups."])

    document = read_document(make_pdf([_TITLE, *left, *right]), content_type="application/pdf")

    assert document.title == "Heart safety of sitagliptin"
    assert document.text == (
        "The trial enrolled adults with type 2 diabetes and followed them for three years.\n\n"
        "Admission for heart failure was equally frequent in both of the treatment groups."
    )


def test_fragments_know_their_page_and_heading(make_pdf: MakePdf) -> None:
    """A citation of a report needs the page."""
    first = [_TITLE, (72.0, 730.0, 10.0, "The trial enrolled 14,671 adults with type 2 diabetes in all.")]
    second = [
        (72.0, 770.0, 14.0, "Results"),
        (72.0, 740.0, 10.0, "Admission for heart failure was equally frequent in both groups."),
    ]

    fragments = to_fragments("p_1", read_document(make_pdf(first, second), content_type="application/pdf"))

    assert [(f.page_number, f.heading_hierarchy, f.fragment_type) for f in fragments] == [
        (1, (), FragmentType.PARAGRAPH),
        (2, (Heading(2, "Results"),), FragmentType.PARAGRAPH),
    ]


def test_the_declared_title_and_dates_are_used(make_pdf: MakePdf) -> None:
    """Without a date on its first page, the file says when it was made."""
    info = "/Title (Sitagliptin review) /Author (Keiko Tanaka) /CreationDate (D:20240305093826+09'00')"
    page = [(72.0, 730.0, 10.0, "The class lowers HbA1c without raising the risk of hypoglycaemia.")]

    document = read_document(make_pdf(page, info=info), content_type=None)

    assert (document.title, document.date, document.authors) == ("Sitagliptin review", "2024-03-05", ("Keiko Tanaka",))


def test_a_page_without_text_gives_an_empty_document(make_pdf: MakePdf) -> None:
    """A scanned document has no words to cite; that is an outcome, not an error."""
    document = read_document(make_pdf([]), content_type="application/pdf")

    assert (document.text, document.passages, document.quality) == ("", (), 0.0)


def test_an_encrypted_file_is_refused_as_such(make_pdf: MakePdf) -> None:
    """The user can do something about it, so the error must say what."""
    with pytest.raises(InvalidParams) as caught:
        read_document(make_pdf([_TITLE], encrypt=_ENCRYPTED), content_type="application/pdf")

    assert caught.value.details == {"looks_like": "encrypted PDF"}


@pytest.mark.parametrize("keep", [9, 40, 200], ids=["header only", "first object", "without trailer"])
def test_a_broken_file_is_refused_as_such(make_pdf: MakePdf, keep: int) -> None:
    """Downloads break off anywhere."""
    with pytest.raises(InvalidParams) as caught:
        read_document(make_pdf([_TITLE])[:keep], content_type="application/pdf")

    assert caught.value.details == {"looks_like": "broken PDF"}


def test_a_file_broken_off_behind_its_pages_is_still_read(make_pdf: MakePdf) -> None:
    """PDFium rebuilds the table of objects; what is there can be cited."""
    line = "The class lowers HbA1c without raising the risk of hypoglycaemia."
    whole = make_pdf([(72.0, 730.0, 10.0, line)])

    document = read_document(whole[: whole.index(b"xref")] + b"trailer\n<< /Root 1 0 R >>\n", content_type=None)

    assert document.text == line


def test_a_title_in_broken_characters_costs_none_of_the_text(make_pdf: MakePdf) -> None:
    """Half a character in the metadata ended the process that reads PDFs."""
    words = (72.0, 730.0, 10.0, "The trial enrolled 14,671 adults with type 2 diabetes in all.")
    body = make_pdf([words], info="/Title <FEFFD8000041> /Author (Kato)")

    document = read_document(body, content_type="application/pdf")

    assert (document.title, document.authors, document.text) == ("", ("Kato",), words[3])
