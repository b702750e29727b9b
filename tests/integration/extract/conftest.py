"""PDFs made by hand, so that the tests need no file of anybody else's."""

from collections.abc import Callable

import pytest

Text = tuple[float, float, float, str]
MakePdf = Callable[..., bytes]


def _pdf(*pages: list[Text], info: str = "", encrypt: str = "") -> bytes:
    """A PDF of Helvetica lines, each given as x, y, size and words."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for n, lines in enumerate(pages):
        stream = "\n".join(f"BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET" for x, y, size, words in lines)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    objects.append(f"<< {info} >>")
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {encrypt} >>"
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n{trailer}\nstartxref\n{len(body)}\n%%EOF"
    return body + end.encode("latin-1")


@pytest.fixture
def make_pdf() -> MakePdf:
    return _pdf
