"""A document as it travels from the process that reads PDFs: plain JSON there, the same object here."""

from dataclasses import asdict
from typing import Any

from lyra.model.page import Document, FragmentType, Heading, Identifier, Passage


def document_to_json(document: Document) -> dict[str, Any]:
    """Values that JSON carries unharmed."""
    return asdict(document)


def document_from_json(fields: dict[str, Any]) -> Document:
    """The document that `document_to_json` took apart."""
    return Document(
        title=str(fields["title"]),
        text=str(fields["text"]),
        language=str(fields["language"]),
        date=fields["date"],
        updated=fields["updated"],
        authors=_strings(fields["authors"]),
        page_type=str(fields["page_type"]),
        passages=tuple(_passage(entry) for entry in fields["passages"]),
        identifiers=tuple(Identifier(str(entry["kind"]), str(entry["value"])) for entry in fields["identifiers"]),
        links=_strings(fields["links"]),
        quality=float(fields["quality"]),
        extractor=str(fields["extractor"]),
        remarks=_strings(fields["remarks"]),
        is_marked_retracted=bool(fields["is_marked_retracted"]),
    )


def _strings(values: list[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _passage(entry: dict[str, Any]) -> Passage:
    return Passage(
        text=str(entry["text"]),
        start=int(entry["start"]),
        end=int(entry["end"]),
        type=FragmentType(entry["type"]),
        headings=tuple(Heading(int(heading["level"]), str(heading["text"])) for heading in entry["headings"]),
        element_index=int(entry["element_index"]),
        page_number=entry["page_number"],
    )
