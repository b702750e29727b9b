"""The statements of a whole document, for looking inside."""

from dataclasses import replace

from lyra.claims.rules import statements
from lyra.model.claim import Statement
from lyra.model.page import Document, FragmentType

# A heading is no sentence, a table's row no prose, and code says nothing of the world.
SILENT = frozenset({FragmentType.HEADING, FragmentType.TABLE, FragmentType.CODE, FragmentType.FIGURE})


def document_statements(document: Document) -> list[Statement]:
    """Every checkable statement in reading order, with its place in the document's text."""
    return [
        replace(found, start=passage.start + found.start, end=passage.start + found.end)
        for passage in document.passages
        if passage.type not in SILENT
        for found in statements(passage.text, document.language)
    ]


def inspect_claims(file: str, document: Document) -> dict[str, object]:
    """One line of `lyra inspect claims`: the file and its claims with their exact quotes."""
    return {
        "file": file,
        "claims": [
            {"text": one.text, "quote": one.quote, "start": one.start, "end": one.end, "language": one.language}
            for one in document_statements(document)
        ],
    }
