"""A proof and a record as the faces tell them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from lyra.clock import stamp
from lyra.model.archive import ArchivedRecord
from lyra.research.proof import Proof


def record_fields(record: ArchivedRecord) -> dict[str, Any]:
    """An entry of the index."""
    return {
        "record_id": record.ref.record_id,
        "kind": record.kind.value,
        "url": record.url,
        "archived_at": stamp(record.archived_at),
        "status_code": record.status_code,
        "media_type": record.media_type,
        "digest": record.digest,
        "refers_to": record.refers_to,
        "warc_path": record.ref.path,
        "warc_offset": record.ref.offset,
        "warc_length": record.ref.length,
    }


def proof_fields(proof: Proof, directory: Path) -> dict[str, Any]:
    """`standing checks page record fragment capture`; paths of a capture are whole, to be opened."""
    page, capture = proof.page, proof.capture
    return {
        "standing": proof.standing.value,
        "remark": proof.remark,
        "checks": [asdict(check) for check in proof.checks],
        "page": {
            "id": page.id,
            "url": page.url,
            "final_url": page.final_url,
            "title": page.title,
            "fetched_at": stamp(page.fetched_at),
            "extractor": page.extractor,
        },
        "record": record_fields(proof.record.entry) if proof.record else None,
        "fragment": _fragment_fields(proof),
        "capture": None
        if capture is None
        else {
            "screenshot": str(directory / capture.screenshot) if capture.screenshot else None,
            "resources": str(directory / capture.resources),
            "har": str(directory / capture.har),
        },
    }


def _fragment_fields(proof: Proof) -> dict[str, Any] | None:
    fragment = proof.fragment
    if fragment is None:
        return None
    return {
        "id": fragment.id,
        "text": fragment.text_content,
        "text_hash": fragment.text_hash,
        "char_start": fragment.char_start,
        "char_end": fragment.char_end,
        "page_number": fragment.page_number,
        "heading_context": fragment.heading_context,
        "before": proof.before,
        "after": proof.after,
    }
