"""What is indexed of a document or an entry, and the work that it is. Pure."""

import re

from lyra.ids import text_hash
from lyra.model.audit import CitedWork
from lyra.model.library import LibraryDocument, LibraryWork
from lyra.model.page import Document, Identifier, identifiers_in

# Words beyond are not searched by; the document itself is read whole.
_INDEXED_CHARS = 500_000
_ENTRY_TYPE = "text/markdown; charset=utf-8"
# How a paper names itself on its first page; what it cites stands behind other words.
_OWN = re.compile(r"(?:\bdoi\b[:\s]{1,4}|doi\.org/|\barxiv:\s?)\S{4,200}", re.IGNORECASE)
_PAPER_CHARS = 2_000
_PAPER = "paper"


def library_document(document: Document, content_hash: str, content_type: str, name: str) -> LibraryDocument:
    """A document that was read; without a title it is called by its file."""
    return LibraryDocument(
        content_hash=content_hash,
        content_type=content_type,
        title=document.title or name,
        text=document.text[:_INDEXED_CHARS],
        language=document.language,
        date=document.date,
        authors=document.authors,
        work=own_work(document),
    )


def own_work(document: Document) -> LibraryWork | None:
    """The paper that the document says it is: by its metadata, or the one identifier that its first page bears."""
    if document.page_type == _PAPER and document.identifiers:
        return _work(document, document.identifiers[0])
    first = " ".join(one.text for one in document.passages if one.page_number == 1)
    named = identifiers_in(*_OWN.findall(first))
    is_paper = len(document.text) >= _PAPER_CHARS and bool(document.title)
    return _work(document, named[0]) if is_paper and len(named) == 1 else None


def _work(document: Document, own: Identifier) -> LibraryWork:
    year = int(document.date[:4]) if document.date else None
    return LibraryWork(document.title, document.authors, year, (own,))


def entry_work(cited: CitedWork) -> LibraryWork | None:
    """The work of an entry; none where it has neither a title nor an identifier."""
    if not cited.title and not cited.identifiers:
        return None
    return LibraryWork(cited.title, cited.authors, cited.year, cited.identifiers)


def entry_document(cited: CitedWork) -> LibraryDocument:
    """An entry as a page of its own: the abstract, with title, authors and year as its head.

    Without an abstract it is no evidence, and only says which work its attachments are.
    """
    head = {"title": cited.title, "author": "; ".join(cited.authors), "date": str(cited.year or "")}
    lines = [f"{name}: {' '.join(value.split())}" for name, value in head.items() if value]
    whole = "\n".join(["---", *lines, "---", "", cited.abstract, ""])
    return LibraryDocument(
        content_hash=text_hash(whole),
        content_type=_ENTRY_TYPE,
        title=cited.title or cited.key,
        text=cited.abstract[:_INDEXED_CHARS],
        language="",
        date=str(cited.year) if cited.year else None,
        authors=cited.authors,
        work=entry_work(cited),
        entry=whole,
    )
