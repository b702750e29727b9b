"""A task as an RO-Crate 1.2: a folder with the other exports, and metadata in JSON-LD that say what they are."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from lyra import __version__
from lyra.clock import stamp
from lyra.report.export.bibliography import Entry, entries, one_line
from lyra.report.export.records import TaskRecords
from lyra.text import preview

METADATA = "ro-crate-metadata.json"
_SPECIFICATION = "https://w3id.org/ro/crate/1.2"
_NAME_CHARS = 200
_TERMS = {
    "@id": "#terms",
    "@type": "CreativeWork",
    "name": "Quoted with their sources",
    "description": "Quotes and titles belong to the authors of their sources; each is named with its address.",
}


@dataclass(frozen=True, slots=True)
class CrateFile:
    """A file of the crate, and what it is."""

    name: str
    description: str
    media_type: str
    content: bytes


def crate_files(records: TaskRecords, parts: tuple[CrateFile, ...]) -> dict[str, bytes]:
    """The parts and their metadata, by name."""
    described = json.dumps(_metadata(records, parts), ensure_ascii=False, indent=2) + "\n"
    return {METADATA: described.encode(), **{part.name: part.content for part in parts}}


def _metadata(records: TaskRecords, parts: tuple[CrateFile, ...]) -> dict[str, Any]:
    cited = list({entity["@id"]: entity for entity in map(_source, entries(records))}.values())
    tool = {
        "@id": "#lyra",
        "@type": "SoftwareApplication",
        "name": "Lyra",
        "softwareVersion": __version__,
    }
    made = {
        "@id": "#research",
        "@type": "CreateAction",
        "name": "Research with Lyra",
        "instrument": _named(tool),
        "startTime": stamp(records.task.created_at),
        "object": [_named(one) for one in cited],
        "result": [{"@id": part.name} for part in parts],
    }
    return {
        "@context": f"{_SPECIFICATION}/context",
        "@graph": [
            {
                "@id": METADATA,
                "@type": "CreativeWork",
                "conformsTo": {"@id": _SPECIFICATION},
                "about": {"@id": "./"},
            },
            _root(records, parts, cited),
            *(_file(part) for part in parts),
            *cited,
            made,
            tool,
            _TERMS,
        ],
    }


def _root(records: TaskRecords, parts: tuple[CrateFile, ...], cited: list[dict[str, Any]]) -> dict[str, Any]:
    task = records.task
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": preview(task.query, _NAME_CHARS) or task.id,
        "description": f"Evidence of the research task {task.id}: {len(records.claims)} claims with their quotes and "
        f"{len(records.sources)} sources.",
        "identifier": task.id,
        "dateCreated": stamp(task.created_at),
        "datePublished": records.changed_on,
        "license": _named(_TERMS),
        "hasPart": [{"@id": part.name} for part in parts],
        "citation": [_named(one) for one in cited],
        "mentions": {"@id": "#research"},
    }


def _file(part: CrateFile) -> dict[str, Any]:
    return {
        "@id": part.name,
        "@type": "File",
        "name": part.name,
        "description": part.description,
        "encodingFormat": part.media_type,
        "contentSize": str(len(part.content)),
        "sha256": hashlib.sha256(part.content).hexdigest(),
    }


def _source(entry: Entry) -> dict[str, Any]:
    source = entry.source
    fields = {
        "@id": _uri(source.url, source.page_id),
        "@type": "ScholarlyArticle" if entry.is_paper else "WebPage",
        "name": entry.title,
        "url": source.url,
        "author": [one_line(name) for name in source.authors],
        "datePublished": source.published_date or (str(source.year) if source.year else ""),
        "publisher": source.venue or source.domain,
        "identifier": [
            *([f"https://doi.org/{source.doi}"] if source.doi else []),
            *([f"pmid:{source.pmid}"] if source.pmid else []),
            source.page_id,
        ],
        "sha256": source.content_hash,
        "creativeWorkStatus": "Retracted" if source.is_retracted else "",
    }
    return {name: value for name, value in fields.items() if value}


def _uri(url: str, page_id: str) -> str:
    """The address as an identifier of JSON-LD; the page's own id where it is not a web address."""
    is_web = url.startswith(("http://", "https://"))
    return quote(url, safe="%/:=&?~#+!$,;'@()*[]") if is_web else f"#{page_id}"


def _named(entity: Mapping[str, Any]) -> dict[str, str]:
    return {"@id": entity["@id"]}
