"""The rules on saved pages of the real web: exact quotes, nothing but sentences, at speed."""

import subprocess
from pathlib import Path

import pytest

from lyra.claims.statements import document_statements
from lyra.extract.document import read_document
from lyra.model.page import Document

_ARCHIVE = Path(__file__).parents[4] / "shared" / "data" / "extraction" / "postlight" / "fixtures.tar.zst"
_PAGES = 40


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    if not _ARCHIVE.exists():
        pytest.skip("the third-party data set (../shared/data) is not on this machine")
    folder = tmp_path_factory.mktemp("pages")
    unpacked = subprocess.run(["tar", "--zstd", "-xf", _ARCHIVE, "-C", folder], check=False, capture_output=True)
    if unpacked.returncode:
        pytest.skip("tar cannot unpack zstd on this machine")
    files = sorted(folder.rglob("*.html"))[:_PAGES]
    return [read_document(file.read_bytes(), content_type="text/html") for file in files]


def test_quotes_are_exact_on_real_pages(documents: list[Document]) -> None:
    """What the report quotes must be found in the page, letter by letter."""
    found = [(one, document) for document in documents for one in document_statements(document)]

    assert [one.quote for one, _ in found] == [document.text[one.start : one.end] for one, document in found]


def test_no_furniture_on_real_pages(documents: list[Document]) -> None:
    """The words that betray page furniture occur in no statement."""
    texts = [one.text.lower() for document in documents for one in document_statements(document)]

    betrayed = [text for text in texts if any(word in text for word in ("cookie", "newsletter", "click here", "©"))]

    assert betrayed == []
