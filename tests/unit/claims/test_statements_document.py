"""`lyra inspect claims`: the statements of a document with their places in its text."""

from lyra.claims.statements import document_statements, inspect_claims
from lyra.model.page import Document, FragmentType, Passage

TITLE = "Heart failure and saxagliptin"
FIRST = "Saxagliptin increases the risk of hospitalisation for heart failure."
TABLE = "Saxagliptin increases the rate to 3.5 percent of all the patients."
SECOND = "Why? DPP-4阻害薬は体重に影響しません。"


def document() -> Document:
    text = "\n\n".join((TITLE, FIRST, TABLE, SECOND))
    kinds = (FragmentType.HEADING, FragmentType.PARAGRAPH, FragmentType.TABLE, FragmentType.LIST)
    passages = [
        Passage(part, text.index(part), text.index(part) + len(part), kind)
        for part, kind in zip((TITLE, FIRST, TABLE, SECOND), kinds, strict=True)
    ]
    return Document("A page", text, "en", passages=tuple(passages))


def test_places_are_those_of_the_documents_text() -> None:
    """The quote can be cut out of the text at its place; headings and tables give nothing."""
    page = document()

    found = document_statements(page)

    assert [(one.quote, page.text[one.start : one.end]) for one in found] == [
        (FIRST, FIRST),
        ("DPP-4阻害薬は体重に影響しません。", "DPP-4阻害薬は体重に影響しません。"),
    ]


def test_the_line_that_is_shown() -> None:
    """Exactly the fields that the interface promises."""
    start = len(TITLE) + 2

    found = inspect_claims("page.html", document())

    assert found["file"] == "page.html"
    assert found["claims"] == [
        {"text": FIRST, "quote": FIRST, "start": start, "end": start + len(FIRST), "language": "en"},
        {
            "text": "DPP-4阻害薬は体重に影響しません。",
            "quote": "DPP-4阻害薬は体重に影響しません。",
            "start": document().text.index("DPP-4"),
            "end": len(document().text),
            "language": "ja",
        },
    ]


def test_a_document_without_statements_has_none() -> None:
    """None is a valid result."""
    assert inspect_claims("empty.html", Document("", "", "und")) == {"file": "empty.html", "claims": []}
