"""The canonical zip: read back by another reader, and refused in any other form."""

import io
import struct
import zipfile

import pytest

from lyra.errors import InvalidParams
from lyra.report.pack.zip_file import read_chunks, read_zip, write_zip

FILES: dict[str, bytes] = {"b/two.txt": b"two", "a.txt": b"one", "c.bin": b""}


def written(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    write_zip(stream, files)
    return stream.getvalue()


def test_files_come_back_sorted_and_whole() -> None:
    """By our own reader and by Python's; the order in which they were given does not matter."""
    data = written(FILES)

    stream = io.BytesIO(data)
    found = {name: b"".join(read_chunks(stream, one)) for name, one in read_zip(stream).items()}

    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert (opened.testzip(), opened.namelist()) == (None, ["a.txt", "b/two.txt", "c.bin"])
    assert found == FILES
    assert written(dict(reversed(FILES.items()))) == data


@pytest.mark.parametrize(
    "name", ["../up.txt", "/root.txt", "a\\b", "", "a//b", "C:/x", "a/./b", "ü.txt", "a/b/c/d/e", ".x"]
)
def test_names_that_lead_elsewhere_are_not_written(name: str) -> None:
    """No path trick gets into a pack."""
    with pytest.raises(InvalidParams, match="is not a name that a pack may contain"):
        written({name: b""})


def changed(old: bytes, new: bytes) -> bytes:
    """The zip with one text in place of another of the same length, in both lists."""
    return written(FILES).replace(old, new)


def _with_symlink() -> bytes:
    data = bytearray(written({"a.txt": b"/etc/passwd"}))
    at = data.index(b"PK\x01\x02") + 38
    data[at : at + 4] = struct.pack("<I", 0o120777 << 16)
    return bytes(data)


def _with_comment() -> bytes:
    data = bytearray(written(FILES))
    data[-2:] = struct.pack("<H", 4)
    return bytes(data) + b"note"


def _with_gap() -> bytes:
    """Four bytes between the files and the list, whose place is told rightly."""
    data = written(FILES)
    at = data.index(b"PK\x01\x02")
    end = bytearray(data[-22:])
    end[16:20] = struct.pack("<I", at + 4)
    return data[:at] + b"HIDE" + data[at:-22] + bytes(end)


def _compressed() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.txt", b"x" * 1000)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is too short for a zip"),
        (b"no zip at all, but text", "it has no list of files at its end: it was cut off, or something was added"),
        (written(FILES)[:-1], "it has no list of files at its end: it was cut off, or something was added"),
        (written(FILES) + b"\0", "it has no list of files at its end: it was cut off, or something was added"),
        (b"PK" + written(FILES), "the list of files at its end does not fit its size"),
        (_with_comment(), "it has no list of files at its end: it was cut off, or something was added"),
        (_with_gap(), "its list of files is not as it must be"),
        (_with_symlink(), "its list of files is not as it must be"),
        (_compressed(), "a.txt is compressed, which no pack is"),
        (changed(b"b/two.txt", b"../up.txt"), "'../up.txt' is not a name that a pack may contain"),
        (changed(b"c.bin", b"a.txt"), "a.txt is there twice, or out of order"),
    ],
    ids=["empty", "no zip", "cut off", "added", "before", "comment", "gap", "link", "compressed", "path", "twice"],
)
def test_another_form_is_refused(data: bytes, why: str) -> None:
    """Each with what is wrong."""
    with pytest.raises(InvalidParams) as caught:
        read_zip(io.BytesIO(data))

    assert caught.value.message == f"The pack is not intact: {why}."


def test_changed_bytes_of_a_file_are_found() -> None:
    """The checksum of the zip is compared while a file is read."""
    stream = io.BytesIO(written(FILES).replace(b"two", b"twp").replace(b"twp.txt", b"two.txt"))
    files = read_zip(stream)

    with pytest.raises(InvalidParams, match=r"the bytes of b/two\.txt were changed"):
        b"".join(read_chunks(stream, files["b/two.txt"]))
