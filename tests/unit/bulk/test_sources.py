"""What a collection holds: its documents in order, whatever its files are called and however broken they are."""

import gzip
import io
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lyra.bulk.files import StoredFile, address_of, list_files
from lyra.bulk.parts import part_name
from lyra.bulk.sources import Place, RawDocument, listed, places_in, read_place
from lyra.bulk.worker import Problem, chunks, pieces_of
from lyra.errors import DocumentUnavailable, InvalidParams

LIMIT = 1_000


def record(url: str, body: bytes, *, status: str = "200 OK", media: str = "text/html", packed: bool = False) -> bytes:
    """One answer as a gzip member of a WARC file."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    headers = [("Content-Type", media)] + ([("Content-Encoding", "gzip")] if packed else [])
    made = writer.create_warc_record(
        url,
        "response",
        payload=io.BytesIO(gzip.compress(body) if packed else body),
        http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": "2026-01-31T09:30:00Z"},
    )
    writer.write_record(made)
    return out.getvalue()


def warc(folder: Path, *records: bytes) -> StoredFile:
    path = folder / "crawl.warc.gz"
    path.write_bytes(b"".join(records))
    return next(list_files(address_of(str(path))))


def test_files_come_by_name_without_hidden_ones_and_links_to_folders(tmp_path: Path) -> None:
    """A link to the folder above is not followed: the walk ends."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.html").write_bytes(b"two")
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / ".DS_Store").write_bytes(b"no")
    (tmp_path / "b" / "loop").symlink_to(tmp_path, target_is_directory=True)

    found = [one.address for one in listed([address_of(str(tmp_path))])]

    assert found == [(tmp_path / "a.txt").as_uri(), (tmp_path / "b" / "2.html").as_uri()]


def test_a_name_in_shift_jis_is_read(tmp_path: Path) -> None:
    """Its bytes are no UTF-8; the address has them escaped."""
    name = os.fsdecode("報告.txt".encode("shift_jis"))
    (tmp_path / name).write_text("Der Bericht.", "utf-8")
    (file,) = listed([address_of(str(tmp_path))])

    (place,) = places_in(file)

    assert file.address.endswith("/%95%F1%8D%90.txt")
    assert read_place(place, LIMIT).body == b"Der Bericht."


def test_pages_of_a_crawl_are_found_among_everything_else(tmp_path: Path) -> None:
    """Requests, refusals, pictures and robots.txt are no documents; the place is the offset of the record."""
    first, second = record("https://a.example/1", b"<p>One.</p>"), record("https://a.example/2", b"<p>Two.</p>")
    others = (
        record("https://a.example/robots.txt", b"User-agent: *", media="text/plain"),
        record("https://a.example/gone", b"gone", status="410 Gone"),
        record("https://a.example/p.png", b"png", media="image/png"),
    )
    file = warc(tmp_path, first, *others, second)

    offsets = [place.offset for place in places_in(file)]

    assert offsets == [0, len(first) + sum(map(len, others))]


def test_a_record_is_read_with_its_address_date_and_headers(tmp_path: Path) -> None:
    """The body without its packing, the address in its one form."""
    file = warc(tmp_path, record("https://WWW.example.org/a?utm_source=x", b"<p>One.</p>", packed=True))
    (place,) = places_in(file)

    found = read_place(place, LIMIT)

    assert found == RawDocument(
        url="https://www.example.org/a",
        domain="example.org",
        body=b"<p>One.</p>",
        headers=(("Content-Type", "text/html"), ("Content-Encoding", "gzip")),
        fetched_at=datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
    )


def test_a_crawl_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    """The file is named with what ails it, and its whole records are read."""
    whole, torn = record("https://a.example/1", b"<p>One.</p>"), record("https://a.example/2", b"<p>Two.</p>")
    file = warc(tmp_path, whole, b"this is no record\r\n\r\n" + torn)

    pieces, (problem,) = pieces_of([file], frozenset())

    assert [place.offset for piece in pieces for place in piece] == [0]
    assert problem.file == str(tmp_path / "crawl.warc.gz")
    assert problem.reason.startswith("It cannot be opened: ")


def test_a_file_beyond_the_limit_is_refused_for_good(tmp_path: Path) -> None:
    """No more of it is read than the limit."""
    (tmp_path / "large.txt").write_bytes(b"x" * (LIMIT + 1))
    (file,) = listed([address_of(str(tmp_path))])
    (place,) = places_in(file)

    with pytest.raises(InvalidParams) as refused:
        read_place(place, LIMIT)

    assert refused.value.message == "It is larger than 0.001 MB (network.max_body_bytes)."


def test_a_file_that_changes_is_read_another_time(tmp_path: Path) -> None:
    """What was listed is not what is there now: it is neither read nor given up."""
    (tmp_path / "a.txt").write_bytes(b"before")
    (file,) = listed([address_of(str(tmp_path))])
    (place,) = places_in(file)
    (tmp_path / "a.txt").write_bytes(b"after that")

    with pytest.raises(DocumentUnavailable) as problem:
        read_place(place, LIMIT)

    assert (problem.value.message, problem.value.retryable) == ("It changed while it was read.", True)


def test_two_copies_of_a_file_are_one_source_and_others_are_not(tmp_path: Path) -> None:
    """A file counts by its content."""
    for name, text in (("a.txt", b"same"), ("b.txt", b"same"), ("c.txt", b"other")):
        (tmp_path / name).write_bytes(text)
    places = [place for file in listed([address_of(str(tmp_path))]) for place in places_in(file)]

    first, copy, other = (read_place(place, LIMIT).domain for place in places)

    assert (first == copy, first == other) == (True, False)


@pytest.mark.parametrize(
    ("documents", "sizes"),
    [(0, []), (1, [1]), (15, [1] * 15), (40, [2] * 20), (600, [32] * 18 + [24])],
    ids=["none", "one", "few", "some", "many"],
)
def test_pieces_are_small_where_documents_are_few(documents: int, sizes: list[int]) -> None:
    """So that every worker has something to do; never more than are written at once."""
    places = [Place(f"file:///{number}.txt", None, "1-1") for number in range(documents)]

    assert [len(piece) for piece in chunks(places)] == sizes


def test_a_piece_has_the_name_of_what_it_holds() -> None:
    """The same documents in the same version, the same name; how the store is reached is no part of it."""
    given = ("s3://b/a.txt?endpoint_override=x:9000", "5-7"), ("s3://b/a.txt", "5-7"), ("s3://b/a.txt", "5-8")

    first, same, other = (part_name([Place(address, None, version)]) for address, version in given)

    assert (first == same, first == other) == (True, False)


def test_what_has_a_row_is_not_read_again(tmp_path: Path) -> None:
    """A file by its key; of a crawl the name of its part decides."""
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.txt").write_bytes(b"two")
    files = listed([address_of(str(tmp_path))])
    (first,) = places_in(files[0])

    pieces, problems = pieces_of(files, frozenset({first.key}))

    assert [[place.address for place in piece] for piece in pieces] == [[files[1].address]]
    assert problems == []


def test_a_problem_sorts_by_file() -> None:
    """Lists of them are the same however workers were scheduled."""
    assert sorted([Problem("b", "x"), Problem("a", "y")]) == [Problem("a", "y"), Problem("b", "x")]
