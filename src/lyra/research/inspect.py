"""Looking inside: the statements that a file's text would give, without a task."""

from pathlib import Path
from typing import Any

from lyra.claims.inspect import inspect_claims
from lyra.errors import LyraError
from lyra.extract.inspect import document_of_file
from lyra.extract.reader import DocumentReader


def claims_of_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file claims[]{text quote start end language}`, or the file's error."""
    try:
        return dict(inspect_claims(str(path), document_of_file(path, reader)))
    except LyraError as exc:
        return {"file": str(path), "error_code": exc.code, "error": exc.message}
