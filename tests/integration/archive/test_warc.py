"""The archive on a real disk: readable by place, valid WARC, and whole after a crash."""

import asyncio
import errno
import gzip
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.archive.records import make_record_pair, read_records
from lyra.archive.warc import WarcArchive
from lyra.disk import writing
from lyra.errors import DiskFull, StorageError
from lyra.model.archive import Exchange, Truncation
from lyra.model.page import ArchiveRef
from tests.clocks import HeldClock

NOW = datetime(2026, 1, 31, 9, 30, 0, 123_000, tzinfo=UTC)
PAGE = "DPP-4阻害薬は低血糖を起こしにくい。".encode("shift_jis")
EXCHANGE = Exchange(
    "https://www.iyaku-anzen.go.jp/safety?id=7",
    "GET",
    NOW,
    request_headers=(("Host", "www.iyaku-anzen.go.jp"), ("User-Agent", "Mozilla/5.0")),
    status_code=200,
    status_text="OK",
    headers=(("Content-Type", "text/html; charset=Shift_JIS"), ("Content-Encoding", "br"), ("Content-Length", "17")),
    body=PAGE,
    ip_address="192.0.2.7",
)


@pytest.fixture
def archive(tmp_path: Path) -> WarcArchive:
    return WarcArchive(tmp_path, HeldClock(NOW))


async def test_a_document_that_no_request_brought_is_kept_as_it_is(archive: WarcArchive, tmp_path: Path) -> None:
    """A file is a `resource` of its moment, without request, status or headers of an answer; the file is whole."""
    ref = await archive.store_file("file:///home/aiko/%95%F1.txt", PAGE, "text/plain; charset=shift_jis", NOW)

    contents = await archive.contents(ref)
    records = list(read_records(tmp_path, ref.path))
    assert contents.body == PAGE
    assert contents.headers == (("Content-Type", "text/plain; charset=shift_jis"),)
    assert (contents.entry.archived_at, contents.entry.status_code, contents.entry.media_type) == (
        NOW,
        None,
        "text/plain",
    )
    assert [(one.kind, one.problems) for one in records] == [("warcinfo", ()), ("resource", ())]


def program(directory: Path, steps: str) -> str:
    """A program that stores exchanges of 30 kB of noise in a process of its own."""
    return f"""
import asyncio, json, os, resource, signal, sys
sys.path[:0] = {sys.path!r}
from dataclasses import asdict
from pathlib import Path
from lyra.archive.records import make_record_pair, read_records
from lyra.archive.warc import WarcArchive
from lyra.disk import writing
from lyra.clock import SystemClock
from lyra.errors import StorageError
from lyra.model.archive import Exchange

async def main():
    archive = WarcArchive(Path({str(directory)!r}), SystemClock())
    exchange = Exchange("https://a.example/", "GET", SystemClock().now(), status_code=200, body=os.urandom(30_000))
{steps}

asyncio.run(main())
"""


def run_program(directory: Path, steps: str) -> str:
    command = [sys.executable, "-c", program(directory, steps)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "warcio.cli", "check", str(path)], capture_output=True, text=True)


async def test_body_and_headers_are_read_back_by_place(archive: WarcArchive) -> None:
    """The bytes come back as they were, Shift_JIS and all; what the client undid is told by the original's name."""
    await archive.store(replace(EXCHANGE, body=b"another page before"))
    ref = await archive.store(EXCHANGE)

    assert await archive.read(ref) == (
        (
            ("Content-Type", "text/html; charset=Shift_JIS"),
            ("X-Archive-Orig-Content-Encoding", "br"),
            ("X-Archive-Orig-Content-Length", "17"),
            ("Content-Length", str(len(PAGE))),
        ),
        PAGE,
    )


async def test_file_is_valid_warc(archive: WarcArchive, tmp_path: Path) -> None:
    """`warcio check` accepts the file with every kind of answer in it."""
    await archive.store(EXCHANGE)
    await archive.store(replace(EXCHANGE, status_code=304, status_text="Not Modified", headers=(), body=b""))
    await archive.store(replace(EXCHANGE, method="POST", request_body=b"q=DPP-4", status_code=403, headers=()))
    await archive.store(replace(EXCHANGE, truncation=Truncation.DISCONNECT, body=b"<p>half"))
    ref = await archive.store(replace(EXCHANGE, headers=(("X-Odd", "日本\r\nInjected: 1"),), status_text="とても良い"))

    checked = await asyncio.to_thread(check, tmp_path / ref.path)

    assert (checked.returncode, checked.stdout) == (0, "")


async def test_request_and_response_name_each_other(archive: WarcArchive, tmp_path: Path) -> None:
    """The records say when, what, to which address, and which request led to which response."""
    ref = await archive.store(EXCHANGE)

    text = gzip.decompress((tmp_path / ref.path).read_bytes()).decode("utf-8", "replace")
    assert f"WARC-Record-ID: {ref.record_id}" in text
    assert f"WARC-Concurrent-To: {ref.record_id}" in text
    assert "WARC-Date: 2026-01-31T09:30:00.123000Z" in text
    assert "WARC-IP-Address: 192.0.2.7" in text
    assert "GET /safety?id=7 HTTP/1.1\r\nHost: www.iyaku-anzen.go.jp\r\nUser-Agent: Mozilla/5.0\r\n" in text


async def test_truncated_body_keeps_its_beginning_and_says_so(archive: WarcArchive, tmp_path: Path) -> None:
    """Of an endless body 64 KiB are evidence enough."""
    ref = await archive.store(replace(EXCHANGE, body=b"x" * 500_000, truncation=Truncation.LENGTH))

    _, body = await archive.read(ref)
    assert len(body) == 65_536
    assert b"WARC-Truncated: length" in gzip.decompress((tmp_path / ref.path).read_bytes())


@pytest.mark.parametrize("left_out", [4_000, 1], ids=["half of the text", "the last byte"])
async def test_a_record_that_was_cut_off_is_not_taken_for_a_whole_one(
    archive: WarcArchive, tmp_path: Path, left_out: int
) -> None:
    """Also where the bytes that are left can be unpacked; what follows in the file does not matter."""
    cut = await archive.store(replace(EXCHANGE, body=random.Random(1).randbytes(9_000)))
    path = tmp_path / cut.path
    path.write_bytes(path.read_bytes()[: cut.offset + cut.length - left_out])

    with pytest.raises(StorageError) as caught:
        await archive.read(cut)

    told = f"The archived record {cut.record_id} in {cut.path} cannot be read: it is damaged: the end of it is missing."
    assert caught.value.message == told


async def test_new_day_and_full_file_begin_a_new_file(tmp_path: Path) -> None:
    """Files are per day and of bounded size; earlier references stay good."""
    clock = HeldClock(NOW)
    archive = WarcArchive(tmp_path, clock, rotate_bytes=2_000)
    refs = [await archive.store(EXCHANGE) for _ in range(4)]
    clock.moment = NOW.replace(month=2, day=1)
    refs.append(await archive.store(EXCHANGE))

    bodies = [(await archive.read(ref))[1] for ref in refs]
    assert bodies == [PAGE] * 5
    assert [Path(ref.path).parent.name for ref in refs] == ["20260131"] * 4 + ["20260201"]
    assert len({ref.path for ref in refs}) == 3


async def test_stores_at_once_do_not_mix(archive: WarcArchive) -> None:
    """Concurrent stores are written one after the other, each readable at its own place."""
    refs = await asyncio.gather(*(archive.store(replace(EXCHANGE, body=b"%d" % n)) for n in range(30)))

    assert [(await archive.read(ref))[1] for ref in refs] == [b"%d" % n for n in range(30)]


async def test_torn_tail_harms_nothing_before_it(archive: WarcArchive, tmp_path: Path) -> None:
    """After a crash in the middle of a write the last record is gone, named as unreadable; the others are whole."""
    whole, torn = await archive.store(EXCHANGE), await archive.store(EXCHANGE)
    path = tmp_path / torn.path
    path.write_bytes(path.read_bytes()[: torn.offset + torn.length // 2])

    _, body = await archive.read(whole)
    with pytest.raises(StorageError) as caught:
        await archive.read(torn)

    assert body == PAGE
    assert caught.value.message.startswith(f"The archived record {torn.record_id} in {torn.path} cannot be read: ")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ref: replace(ref, path="20260131/nowhere.warc.gz"),
        lambda ref: replace(ref, offset=0, length=200),
        lambda ref: replace(ref, offset=ref.offset + 10),
        lambda ref: replace(ref, offset=10_000_000),
        lambda ref: replace(ref, length=0),
        lambda ref: replace(ref, record_id="<urn:uuid:00000000-0000-0000-0000-000000000000>"),
    ],
    ids=["missing-file", "other-record", "shifted", "beyond-the-end", "no-length", "other-id"],
)
async def test_wrong_reference_is_a_typed_error(archive: WarcArchive, spoil: object) -> None:
    """A reference that does not fit never gives other bytes than those it names."""
    ref: ArchiveRef = await archive.store(EXCHANGE)

    with pytest.raises(StorageError):
        await archive.read(spoil(ref))  # type: ignore[operator]


async def test_reference_cannot_leave_the_archive(tmp_path: Path) -> None:
    """A reference comes from the database, which may come from elsewhere: files beside the archive stay unread."""
    ref = await WarcArchive(tmp_path / "other", HeldClock(NOW)).store(EXCHANGE)
    archive = WarcArchive(tmp_path / "archive", HeldClock(NOW))

    with pytest.raises(StorageError) as caught:
        await archive.read(replace(ref, path=f"../other/{ref.path}"))

    assert caught.value.message.endswith("it is outside the archive.")


async def test_changed_bytes_are_noticed(archive: WarcArchive, tmp_path: Path) -> None:
    """A record rewritten with other words no longer matches its digest and is not handed out as evidence."""
    ref = await archive.store(replace(EXCHANGE, body=b"risk rises"))
    path = tmp_path / ref.path
    data = path.read_bytes()
    record = gzip.decompress(data[ref.offset : ref.offset + ref.length]).replace(b"risk rises", b"risk falls")
    forged = gzip.compress(record)
    path.write_bytes(data[: ref.offset] + forged + data[ref.offset + ref.length :])

    with pytest.raises(StorageError):
        await archive.read(replace(ref, length=len(forged)))


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EACCES, StorageError)]
)
def test_what_the_disk_says_is_typed(tmp_path: Path, number: int, kind: type[StorageError]) -> None:
    """A full disk and a forbidden one are different troubles with different remedies."""
    with pytest.raises(StorageError) as caught, writing(tmp_path):
        raise OSError(number, os.strerror(number))

    assert type(caught.value) is kind


def test_write_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    """A write that stops half-way leaves no torn record: the error is typed, and the file is still valid WARC."""
    ran = run_program(
        tmp_path,
        """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    ref = await archive.store(exchange)
    path = Path(archive._directory, ref.path)
    size = path.stat().st_size
    try:
        await archive.store(exchange)
    except StorageError as exc:
        print(exc.message.rpartition(": ")[2], path.stat().st_size - size)
""",
    )
    (file,) = tmp_path.rglob("*.warc.gz")

    checked = check(file)

    assert (ran, checked.returncode, checked.stdout) == ("File too large. 0\n", 0, "")


async def test_killed_process_leaves_readable_records(tmp_path: Path) -> None:
    """Kill −9 while writing: every record that was confirmed before is whole."""
    endless = """
    while True:
        print(json.dumps(asdict(await archive.store(exchange))), flush=True)
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program(tmp_path, endless), stdout=asyncio.subprocess.PIPE
    )
    lines = [await process.stdout.readline() for _ in range(20)]  # type: ignore[union-attr]
    process.kill()
    await process.communicate()
    archive = WarcArchive(tmp_path, HeldClock(NOW))

    bodies = [(await archive.read(ArchiveRef(**json.loads(line))))[1] for line in lines]

    assert [len(body) for body in bodies] == [30_000] * 20


def test_a_record_without_a_date_is_an_unreadable_file(tmp_path: Path) -> None:
    """Whatever its headers say, a damaged file is an error of its type (found by `lyra bench fuzz`)."""
    whole = gzip.decompress(make_record_pair(EXCHANGE).response)
    (tmp_path / "damaged.warc").write_bytes(whole.replace(b"WARC-Date:", b"WARC-Dote:"))

    with pytest.raises(StorageError) as caught:
        list(read_records(tmp_path, "damaged.warc"))

    assert caught.value.message == ("The archive file damaged.warc cannot be read: Invalid isoformat string: 'None'.")
