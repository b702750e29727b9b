"""`lyra inspect extract` shows what the extractor makes of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lyra.extract.reader import DocumentReader, inspect_file
from lyra.settings import Models

_PARAGRAPH = "Sitagliptin lowered HbA1c by 0.7 percentage points compared with placebo in the trial."


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader(Models())
    yield made
    made.close_blocking()


def test_a_file_is_described_with_its_fragments(tmp_path: Path, reader: DocumentReader) -> None:
    """The object is what issue and benchmark read: text without title, fragments with place and context."""
    path = tmp_path / "note.md"
    path.write_text(f"# Title\n\n## Results\n\n{_PARAGRAPH}\n", encoding="utf-8")

    described = inspect_file(path, reader)

    assert described == {
        "file": str(path),
        "title": "Title",
        "text": f"Results\n\n{_PARAGRAPH}",
        "date": None,
        "updated": None,
        "authors": [],
        "language": "en",
        "page_type": "article",
        "quality": described["quality"],
        "identifiers": [],
        "links": [],
        "remarks": [],
        "extractor": "lyra-extract/2",
        "fragments": [
            {
                "text": _PARAGRAPH,
                "start": 9,
                "end": 9 + len(_PARAGRAPH),
                "type": "paragraph",
                "headings": ["Results"],
                "page_number": None,
                "language": "en",
            }
        ],
    }


@pytest.mark.parametrize(
    ("body", "kind"), [(b"\x89PNG\r\n\x1a\n", "a PNG image"), (b"\x7fELF\x02\x01\x01", "an executable")]
)
def test_a_file_that_cannot_be_read_is_named_with_its_error(
    tmp_path: Path, reader: DocumentReader, body: bytes, kind: str
) -> None:
    """One bad file among many must not end the command."""
    path = tmp_path / "picture.html"
    path.write_bytes(body)

    assert inspect_file(path, reader) == {
        "file": str(path),
        "ok": False,
        "error_code": "INVALID_PARAMS",
        "error": f"The body looks like {kind}.",
        "retryable": False,
        "remedy": "HTML, PDF, plain text, Markdown, DOCX, ODT, PPTX, XLSX, EPUB and mail can be read.",
        "details": {"looks_like": kind.partition(" ")[2]},
    }


def test_a_missing_file_is_an_error_of_the_same_shape(tmp_path: Path, reader: DocumentReader) -> None:
    """A mistyped name is told as such."""
    path = tmp_path / "absent.html"

    assert inspect_file(path, reader) == {
        "file": str(path),
        "ok": False,
        "error_code": "INVALID_PARAMS",
        "error": "The file cannot be opened: No such file or directory.",
        "retryable": False,
    }
