"""Findings as plain data, for programs and for clients."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lyra.model.check import CheckedKind, CheckResult, CheckStatus, Finding
from lyra.report.links import deep_link


def result_fields(result: CheckResult, *, with_resolved: bool = True) -> dict[str, Any]:
    """JSON-ready; `ok` is whether nothing failed."""
    kept = (
        result.findings if with_resolved else [one for one in result.findings if one.status is not CheckStatus.RESOLVED]
    )
    return {
        "ok": not result.failures,
        "counts": {status.value: result.count(status) for status in CheckStatus if result.count(status)},
        "sentences": result.sentences,
        "unchecked_sentences": result.unchecked_sentences,
        "remarks": list(result.remarks),
        "findings": [finding_fields(one) for one in kept],
    }


def count_wrong(result: CheckResult) -> int:
    """How many things are wrong: a sentence that says the opposite by its figure alone is that figure once more."""
    failures = result.failures
    figures = [one.place.start for one in failures if one.status is CheckStatus.OTHER_NUMBER]
    return sum(1 for one in failures if not _is_told_by_figure(one, figures))


def _is_told_by_figure(one: Finding, figures: Sequence[int]) -> bool:
    is_opposite = one.kind is CheckedKind.STATEMENT and one.status is CheckStatus.CONTRADICTED
    return is_opposite and any(one.place.start <= each < one.place.end for each in figures)


def finding_fields(one: Finding) -> dict[str, Any]:
    """What a finding has; empty parts are left out."""
    fields: dict[str, Any] = {
        "kind": one.kind.value,
        "status": one.status.value,
        "line": one.place.line,
        "column": one.place.column,
        "start": one.place.start,
        "end": one.place.end,
        "text": one.text,
        "sentence": one.sentence,
    }
    if one.difference:
        fields["difference"] = one.difference
    if one.sources:
        fields["sources"] = list(one.sources)
    if one.passage is not None:
        passage = {name: value for name, value in asdict(one.passage).items() if value not in ("", None)}
        page = one.passage.page_number
        link = f"{one.passage.url.split('#')[0]}#page={page}" if page else deep_link(one.passage.url, one.passage.quote)
        fields["passage"] = {**passage, "link": link}
    return fields
