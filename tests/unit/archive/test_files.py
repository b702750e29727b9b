"""Finding the end of the last whole record."""

import gzip
from pathlib import Path

import pytest

from lyra.archive.files import complete_bytes

FIRST = gzip.compress(b"WARC/1.1 first record" * 200)
SECOND = gzip.compress("二番目の記録".encode() * 300)


@pytest.mark.parametrize(
    ("data", "known", "expected"),
    [
        (FIRST + SECOND, 0, len(FIRST) + len(SECOND)),
        (FIRST + SECOND[:-1], 0, len(FIRST)),
        (FIRST + SECOND[:3], len(FIRST), len(FIRST)),
        (FIRST + b"\x00garbage", 0, len(FIRST)),
        (FIRST, len(FIRST), len(FIRST)),
        (b"", 0, 0),
    ],
    ids=["whole", "one byte short", "begun", "garbage", "known", "empty"],
)
def test_a_record_under_way_is_left_out(tmp_path: Path, data: bytes, known: int, expected: int) -> None:
    """A backup that ends within a record would look damaged to every other reader of such files."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)

    found = complete_bytes(path, known)

    assert found == expected
