"""What is seen in a saved answer, for `lyra inspect challenge` and whoever reads a file as if it had been fetched."""

import mimetypes
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.fetch.classify import classify
from lyra.fetch.page_state import Look, PageState, look
from lyra.media import MediaKind, binary_format, sniff, with_article
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchResult

# When a saved answer came; only the headers that it lacks would be counted from it.
_UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)


def inspect_challenge(path: Path) -> dict[str, Any]:
    """`file challenge page_state evidence`, or `file` and its error where the file cannot be read."""
    try:
        seen = _seen(_bytes_of(path))
    except InvalidParams as exc:
        return {"file": str(path), **exc.fields()}
    return {
        "file": str(path),
        "challenge": seen.challenge.name if seen.challenge else None,
        "page_state": seen.state.value,
        "evidence": seen.evidence or None,
    }


def saved_answer(path: Path, lane: FetchLane) -> FetchResult:
    """A file as if it had been fetched with status 200, of the type its name tells; InvalidParams if unreadable."""
    body = _bytes_of(path)
    kind, _ = mimetypes.guess_type(path.name)
    headers = (("content-type", kind),) if kind else ()
    return judged(Exchange(path.name, "GET", _UNKNOWN, status_code=200, headers=headers, body=body), lane)


def judged(exchange: Exchange, lane: FetchLane) -> FetchResult:
    """An answer that came some time ago, as if it had just been fetched."""
    verdict = classify(exchange, lane)
    return FetchResult(
        exchange.url,
        verdict.outcome,
        status_code=exchange.status_code,
        headers=exchange.headers,
        body=exchange.body,
        reason=verdict.reason,
        retry_after_s=verdict.retry_after_s,
        challenge=verdict.challenge,
        page_state=verdict.page_state,
    )


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise InvalidParams(f"Cannot read the file: {exc.strerror or type(exc).__name__}.") from exc


def _seen(body: bytes) -> Look:
    """A saved file has no headers: what its first bytes show to be no page is content of another kind."""
    binary = binary_format(body)
    if binary is not None:
        return Look(PageState.CONTENT, f"the file is {with_article(binary)}")
    if sniff(body) is MediaKind.PDF:
        return Look(PageState.CONTENT, "the file is a PDF")
    return look(200, {}, body)
