"""Bytes of a result page as text: the header's character set, the page's own, else UTF-8."""

import codecs
import re

_META = re.compile(rb"<meta[^>]+charset=[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEADER = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)


def decode(body: bytes, content_type: str | None = None) -> str:
    """Never fails: what cannot be read becomes U+FFFD."""
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
