"""Bytes of a result page as text: its byte order mark, the header's character set, the page's own, else UTF-8."""

import codecs
import re

_META = re.compile(rb"<meta[^>]+charset=[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEADER = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
# As in browsers, the mark goes before what is declared.
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode(body: bytes, content_type: str | None = None) -> str:
    """Never fails: what cannot be read becomes U+FFFD."""
    marked = next((codec for mark, codec in _MARKS if body.startswith(mark)), None)
    if marked is not None:
        return body.decode(marked, "replace")
    named = _HEADER.search(content_type or "")
    declared = _META.search(body[:4096])
    guess = named[1] if named else declared[1].decode("ascii", "replace") if declared else "utf-8"
    return body.decode(_codec(guess), "replace")


def _codec(name: str) -> str:
    try:
        found = codecs.lookup(name)
    except LookupError:
        return "utf-8"
    # Codecs such as base64 or zlib are no character sets.
    return found.name if getattr(found, "_is_text_encoding", True) else "utf-8"
