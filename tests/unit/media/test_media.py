"""What kind of content a body is."""

import pytest

from lyra.media import MediaKind, binary_format, sniff, with_article


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"%PDF-1.7 ...", MediaKind.PDF),
        (b"\xef\xbb\xbf\n%PDF-1.4 ...", MediaKind.PDF),
        (b"<!doctype html><title>How %PDF-1.7 files begin</title>", MediaKind.HTML),
        (b"  <html><body>%PDF-1.4", MediaKind.HTML),
        (b"<p>plain", None),
    ],
    ids=["pdf", "pdf after a mark", "page about pdf", "page with the bytes", "page"],
)
def test_the_bytes_tell_what_a_pdf_is(body: bytes, expected: MediaKind | None) -> None:
    """A server may call a page a PDF and a PDF a page."""
    assert sniff(body) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"PK\x03\x04...", "a ZIP archive or Office file"),
        (b"\x7fELF\x02", "an executable"),
        (b"\x00\x00\x00\x1cftypisom", "an MP4 media file"),
        (b"RIFF\x00\x00\x00\x00WAVE", "a RIFF media file"),
    ],
    ids=["zip", "elf", "mp4", "riff"],
)
def test_binary_formats_are_named_by_their_first_bytes(body: bytes, expected: str) -> None:
    """The name stands in a sentence, so it has its article."""
    assert with_article(binary_format(body) or "") == expected
