"""Sources as CSL-JSON for citation processors; `custom` has their quotes as in the JSON export."""

import json
from typing import Any

from lyra.report.export.bibliography import Author, Entry, date_parts, entries, note_of
from lyra.report.export.evidence import quote_fields
from lyra.report.export.records import TaskRecords


def csl_json_text(records: TaskRecords) -> str:
    """A list with one item for each source, in the order of the sources."""
    return json.dumps([_item(entry) for entry in entries(records)], ensure_ascii=False, indent=2) + "\n"


def _item(entry: Entry) -> dict[str, Any]:
    source = entry.source
    seen = source.fetched_at
    fields = {
        "id": entry.key,
        "type": "article-journal" if entry.is_paper else "webpage",
        "title": entry.title,
        "author": [_name(one) for one in entry.authors],
        "container-title": source.venue or source.domain,
        "issued": _date(date_parts(source.published_date, source.year)),
        "accessed": _date((seen.year, seen.month, seen.day)),
        "DOI": source.doi,
        "PMID": source.pmid,
        "URL": source.url,
        "status": "retracted" if source.is_retracted else None,
        "annote": "\n".join(note_of(*one) for one in entry.quotes),
        "custom": {
            "page_id": source.page_id,
            "content_hash": source.content_hash,
            "quotes": [{"claim_id": claim.claim.id, **quote_fields(quoted)} for claim, quoted in entry.quotes],
        },
    }
    return {name: value for name, value in fields.items() if value}


def _name(author: Author) -> dict[str, str]:
    if not author.given:
        return {"literal": author.family}
    return {"family": author.family, "given": author.given}


def _date(parts: tuple[int, ...]) -> dict[str, Any] | None:
    return {"date-parts": [list(parts)]} if parts else None
