"""Bytes to characters: BOM, then the HTTP header, then what the markup declares, then detection.

A declaration is believed only where the bytes bear it out, so that a wrong one does not turn into mojibake.
"""

import codecs
import re

_SAMPLE_BYTES = 64_000
_HIGH = re.compile(rb"[\x80-\xff]")
# So many bytes above ASCII that happen to form valid UTF-8 are UTF-8.
_CERTAIN_BYTES = 12
# Of fewer bytes above ASCII than this nobody can tell the language.
_TELLING_BYTES = 3
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\([JI]")
_COMMON_JAPANESE = re.compile("[\u3040-\u309f\u30a1-\u30fc、。]")
# In every character set of the web but UTF-16 these bytes say what they say in ASCII (and none undoes an escape).
_PROBE = b"<Az09>\\u0041"
_WIDE = ("utf-16", "utf-32")
_UNLIKELY = re.compile("[\ufffd\uff61-\uff9f\x80-\x9f\ue000-\uf8ff]")
# How many undecodable places in a thousand characters a declared encoding may have before it is doubted.
_TOLERATED_ERRORS = 2


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a body. Undecodable bytes become U+FFFD; never raises."""
    from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

    bom_encoding, bom = read_bom(body)
    if bom_encoding is not None and bom is not None:
        return body[len(bom) :].decode(bom_encoding, "replace")
    declared = (http_content_type_encoding(content_type), _as_ascii_superset(html_body_declared_encoding(body)))
    for encoding in declared:
        if encoding is not None and _decodes_as(body, encoding):
            return _text(body, encoding)
    return _text(body, detect(body))


def media_type_of(content_type: str | None) -> str:
    """`text/html` of a header that says `Text/HTML; charset=utf-8`; empty where there is none."""
    return (content_type or "").split(";", 1)[0].strip().lower()


def _text(body: bytes, encoding: str) -> str:
    from w3lib.encoding import to_unicode

    return str(to_unicode(body, encoding))


def _as_ascii_superset(encoding: str | None) -> str | None:
    """Markup that could be read as ASCII cannot be UTF-16, whatever it says (WHATWG prescan)."""
    return "utf-8" if encoding is not None and encoding.startswith(_WIDE) else encoding


def _decodes_as(body: bytes, encoding: str) -> bool:
    """Whether the bytes can be meant in that encoding: few errors, and no UTF-8 under another name."""
    sample = body[:_SAMPLE_BYTES]
    if not _is_character_set(encoding, sample):
        return False
    if encoding != "utf-8" and _is_utf8(sample) and len(_HIGH.findall(sample)) >= _CERTAIN_BYTES:
        return False
    return _error_rate(sample, encoding) <= _TOLERATED_ERRORS / 1000


def _is_character_set(encoding: str, sample: bytes) -> bool:
    """Whether these bytes can be written in it: a header can also name EBCDIC, base64 or any other codec of Python."""
    if encoding.startswith(_WIDE):
        return b"\x00" in sample  # as a part of every space, line end and bracket
    try:
        text = _PROBE.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return False
    return text.startswith("<Az09>") and text.endswith("u0041")


def _error_rate(sample: bytes, encoding: str) -> float:
    text = sample.decode(encoding, "replace")
    return max(0, text.count("\ufffd") - 1) / max(1, len(text))  # the cut may split one character


def _is_utf8(sample: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def detect(body: bytes) -> str:
    """The most plausible encoding of undeclared bytes; windows-1252 where nothing speaks for another."""
    sample = body[:_SAMPLE_BYTES]
    if _ISO_2022_JP.search(sample):
        return "iso2022_jp"
    if _is_utf8(sample):
        return "utf-8"
    japanese = max(("cp932", "euc_jp"), key=lambda encoding: _japanese_score(sample, encoding))
    if _japanese_score(sample, japanese) > 0:
        return japanese
    return _detect_other(sample)


def _japanese_score(sample: bytes, encoding: str) -> float:
    """Share of kana and Japanese punctuation among non-ASCII characters, less what Japanese text rarely has."""
    text = sample.decode(encoding, "replace")
    foreign = sum(1 for char in text if char > "\x7f")
    good = len(_COMMON_JAPANESE.findall(text))
    bad = len(_UNLIKELY.findall(text))
    return (good - 4 * bad) / foreign - 0.15 if foreign else 0.0


def _detect_other(sample: bytes) -> str:
    from charset_normalizer import from_bytes
    from w3lib.encoding import resolve_encoding

    high = re.sub(rb"<[^<>]{0,2000}>", b" ", sample)[:20_000]
    if len(_HIGH.findall(high)) < _TELLING_BYTES:
        return "cp1252"
    best = from_bytes(high).best()
    found = resolve_encoding(best.encoding) if best is not None else None
    return found if found is not None and _is_character_set(found, sample) else "cp1252"
