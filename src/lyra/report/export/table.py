"""Quotes as one table in CSV: a row for each quote with its claim and its source, or for a claim without any."""

import csv
import io
from collections.abc import Callable
from typing import Any

from lyra.clock import stamp
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.report.export.records import TaskRecords
from lyra.report.links import passage_link

# With what a spreadsheet takes a cell for a formula; the wide ones count in Japanese ones.
_FORMULA = tuple("=+-@＝＋－＠")
_BYTE_ORDER_MARK = "\ufeff"  # without it Excel takes UTF-8 for the system's own character set

_CLAIM: dict[str, Callable[[ReportClaim], Any]] = {
    "claim_id": lambda one: one.claim.id,
    "claim": lambda one: one.claim.claim_text,
    "language": lambda one: one.claim.language,
    "is_hypothesis": lambda one: one.claim.is_hypothesis,
    "verdict": lambda one: one.assessment.verdict.value,
    "confidence": lambda one: round(one.assessment.evidence.confidence, 3),
    "uncertainty": lambda one: round(one.assessment.evidence.uncertainty, 3),
    "controversy": lambda one: round(one.assessment.evidence.controversy, 3),
    "independent_sources": lambda one: one.assessment.independent_sources,
    "verification_status": lambda one: one.assessment.verification_status.value,
    "refutation_status": lambda one: one.assessment.refutation_status.value,
}
_QUOTE: dict[str, Callable[[QuotedEvidence], Any]] = {
    "stance": lambda one: one.relation.value,
    "quote": lambda one: one.quote,
    "char_start": lambda one: one.char_start,
    "char_end": lambda one: one.char_end,
    "text_hash": lambda one: one.text_hash,
    "content_hash": lambda one: one.content_hash,
    "nli_confidence": lambda one: round(one.nli_confidence, 3),
    "votes": lambda one: not one.no_vote,
    "no_vote": lambda one: one.no_vote,
    "is_retracted": lambda one: one.is_retracted,
    "reviewer": lambda one: one.review and one.review.reviewer,
    "reviewed_at": lambda one: one.review and stamp(one.review.reviewed_at),
    "review_reason": lambda one: one.review and one.review.reason,
    "judged_relation": lambda one: one.review and one.review.judged_relation.value,
    "trust_level": lambda one: one.trust_level,
    "page_number": lambda one: one.page_number,
    "published_date": lambda one: one.published_date,
    "updated_date": lambda one: one.updated_date,
    "found_at": lambda one: stamp(one.fetched_at),
    "link": passage_link,
    "edge_id": lambda one: one.edge_id,
    "fragment_id": lambda one: one.fragment_id,
    "page_id": lambda one: one.page_id,
}
_SOURCE: dict[str, Callable[[CitedSource], Any]] = {
    "url": lambda one: one.url,
    "title": lambda one: one.title,
    "domain": lambda one: one.domain,
    "authors": lambda one: "; ".join(one.authors),
    "year": lambda one: one.year,
    "venue": lambda one: one.venue,
    "doi": lambda one: one.doi,
    "pmid": lambda one: one.pmid,
}
COLUMNS = ("task_id", *_CLAIM, *_QUOTE, *_SOURCE)


def csv_text(records: TaskRecords) -> str:
    """RFC 4180 with a byte order mark. A text that a spreadsheet would take for a formula, or that begins with an
    apostrophe, has an apostrophe before it, so that taking one away gives the text."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    sources = {one.page_id: one for one in records.sources}
    for claim in records.claims:
        for quoted in claim.quotes or (None,):
            source = None if quoted is None else sources[quoted.page_id]
            cells = [records.task.id, *_values(_CLAIM, claim), *_values(_QUOTE, quoted), *_values(_SOURCE, source)]
            writer.writerow([_cell(one) for one in cells])
    return _BYTE_ORDER_MARK + table.getvalue()


def _values(columns: dict[str, Callable[[Any], Any]], record: Any) -> list[Any]:
    return [None if record is None else value(record) for value in columns.values()]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    return f"'{value}" if value.lstrip().startswith((*_FORMULA, "'")) else value
