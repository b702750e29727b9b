"""What is seen in a saved answer, for `lyra inspect challenge`."""

from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.fetch import media
from lyra.fetch.media import Media
from lyra.fetch.page_state import Look, PageState, look


def inspect_challenge(path: Path) -> dict[str, Any]:
    """`file challenge page_state evidence`, or `error_code error` where the file cannot be read."""
    try:
        body = path.read_bytes()
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        return {"file": str(path), "error_code": InvalidParams.code, "error": f"Cannot read the file: {reason}."}
    seen = _seen(body)
    return {
        "file": str(path),
        "challenge": seen.challenge.name if seen.challenge else None,
        "page_state": seen.state.value,
        "evidence": seen.evidence or None,
    }


def _seen(body: bytes) -> Look:
    """A saved file has no headers: what its first bytes show to be no page is content of another kind."""
    binary = media.foreign(body)
    if binary is not None:
        return Look(PageState.CONTENT, f"the file is {binary}")
    if media.sniffed(body) is Media.PDF:
        return Look(PageState.CONTENT, "the file is a PDF")
    return look(200, {}, body)
