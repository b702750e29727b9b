"""The archive's health and size over real files: what a check finds, what a crash leaves, what pruning takes."""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.archive.captures import Captures
from lyra.archive.checking import ArchiveProblem
from lyra.archive.files import warc_files
from lyra.archive.maintenance import ArchiveMaintenance
from lyra.archive.warc import WarcArchive
from lyra.errors import StorageError
from lyra.ids import derived_id, text_hash
from lyra.model.archive import Capture, Exchange, Resource
from lyra.model.claim import Claim, Mention
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Page
from lyra.model.task import Budget, Task, TaskStatus
from lyra.redact.key import redactor_of
from lyra.redact.redactor import PLAIN
from lyra.storage import archive_index, claims, pages, tasks
from lyra.storage.database import Database

MakeExchange = Callable[..., Exchange]
WORDS = "Saxagliptin increased admissions for heart failure by 27% compared with placebo."


async def _as_evidence(db: Database, url: str, ref: ArchiveRef, clock: Any) -> str:
    """A page read from this record, with a fragment that a claim rests on; returns the page's id."""
    page_id = derived_id("p", url)
    fragment = Fragment(
        derived_id("f", page_id),
        page_id,
        WORDS,
        FragmentType.PARAGRAPH,
        "",
        (),
        0,
        0,
        0,
        len(WORDS),
        text_hash(WORDS),
        "en",
    )
    page = Page(page_id, url, "fdso.gov", "Safety", "en", clock.now(), archive=ref, text=WORDS)

    def write(connection: Any) -> None:
        tasks.insert(connection, Task("task_00000000000a", "Safe?", TaskStatus.EXPLORING, clock.now(), Budget()))
        claims.insert_many(connection, [Claim("c_1", "task_00000000000a", WORDS, "en", clock.now())])
        pages.save(connection, page, [fragment])
        claims.add_mentions(connection, [Mention("c_1", fragment.id, WORDS, 0, len(WORDS), fragment.text_hash)])

    await db.write(write)
    return page_id


async def test_a_sound_archive_passes_and_its_records_are_counted(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance
) -> None:
    """Every record of every kind is read."""
    await indexed.store(exchange("https://a.example/", "One."))
    await indexed.store(exchange("https://a.example/", "One."))

    checked = await keeper.check()

    assert (checked.is_whole, checked.files, checked.unindexed) == (True, 1, 0)
    assert checked.records == {"request": 2, "response": 1, "revisit": 1, "warcinfo": 1}


async def test_a_forged_record_is_named_as_warcio_names_it(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, folder: Path, warcio_check: Any
) -> None:
    """Other words under the old digest are found, with file, place and id."""
    ref = await indexed.store(exchange("https://a.example/", "risk rises"))
    await indexed.close()
    path = folder / ref.path
    data = path.read_bytes()
    forged = gzip.compress(gzip.decompress(data[ref.offset : ref.offset + ref.length]).replace(b"rises", b"falls"))
    path.write_bytes(data[: ref.offset] + forged + data[ref.offset + ref.length :])

    checked = await keeper.check()

    assert {(p.path, p.offset, p.record_id) for p in checked.problems} == {(ref.path, ref.offset, ref.record_id)}
    assert warcio_check(path) == 1


@pytest.mark.usefixtures("ended_process")
async def test_the_next_archive_mends_what_a_killed_process_left(
    folder: Path, db: Database, moving_clock: Any, exchange: MakeExchange, keeper: ArchiveMaintenance, warcio_check: Any
) -> None:
    """A record torn in the middle is cut off, and a whole one that was never entered is entered."""
    killed = WarcArchive(folder, moving_clock)
    whole = await killed.store(exchange("https://a.example/1", "Kept."))
    torn = await killed.store(exchange("https://a.example/2", "Torn."))
    path = folder / torn.path
    path.write_bytes(path.read_bytes()[: torn.offset + torn.length // 2])
    before = await keeper.check()

    after = WarcArchive(folder, moving_clock, db=db)
    await after.store(exchange("https://a.example/3", "Next."))
    await after.close()

    checked = await keeper.check()
    assert before.problems[-1].path == torn.path
    assert (checked.is_whole, checked.unindexed) == (True, 0)
    assert path.stat().st_size == torn.offset
    assert (await db.read(archive_index.get, whole.record_id)).ref == whole  # type: ignore[union-attr]
    assert warcio_check(path) == 0


@pytest.mark.usefixtures("ended_process")
async def test_repair_completes_a_lost_index(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, db: Database
) -> None:
    """The files are the truth: the index follows from them."""
    ref = await indexed.store(exchange("https://a.example/", "One."))
    await indexed.close()
    known = await db.read(archive_index.all_records)
    await db.write(archive_index.forget_files, [ref.path])

    checked = await keeper.check(repair=True)

    assert (checked.is_whole, checked.unindexed) == (True, 0)
    assert await db.read(archive_index.all_records) == known


@pytest.mark.parametrize("cut_bytes", [1, 8, 9, 100, 250, 300, 330])
async def test_a_file_that_was_cut_off_is_named(
    indexed: WarcArchive,
    exchange: MakeExchange,
    keeper: ArchiveMaintenance,
    folder: Path,
    ended_process: None,
    cut_bytes: int,
) -> None:
    """The last record is a request, which no digest of an answer covers: its gzip member has no end."""
    ref = await indexed.store(exchange("https://a.example/", "risk rises"))
    await indexed.close()
    path = folder / ref.path
    os.truncate(path, path.stat().st_size - cut_bytes)
    end = ref.offset + ref.length

    checked = await keeper.check()

    left = path.stat().st_size - end
    problem = ArchiveProblem(ref.path, f"{left} bytes at the end are not a complete record", end)
    assert (checked.problems, checked.is_whole) == ((problem,), False)
    assert checked.records == {"response": 1, "warcinfo": 1}


async def test_a_changed_request_is_named(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, folder: Path, ended_process: None
) -> None:
    """Its block has a digest, as that of an answer has."""
    asked = replace(exchange("https://a.example/", "risk rises"), request_headers=(("Accept", "text/html"),))
    ref = await indexed.store(asked)
    await indexed.close()
    path, end = folder / ref.path, ref.offset + ref.length
    data = path.read_bytes()
    changed = gzip.decompress(data[end:]).replace(b"Accept: text/html", b"Accept: text/text")
    path.write_bytes(data[:end] + gzip.compress(changed))

    checked = await keeper.check()

    assert [(one.path, one.offset) for one in checked.problems] == [(ref.path, end)]


async def test_a_record_without_its_file_is_missing(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, folder: Path
) -> None:
    """What the index promises must be there."""
    ref = await indexed.store(exchange("https://a.example/", "One."))
    await indexed.close()
    (folder / ref.path).unlink()

    checked = await keeper.check()

    assert (checked.is_whole, checked.missing, checked.problems) == (False, (ref.record_id,), ())


async def test_a_file_that_is_no_archive_is_a_problem_of_that_file(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, folder: Path
) -> None:
    """One bad file does not end the check."""
    await indexed.store(exchange("https://a.example/", "One."))
    (folder / "20260131" / "notes.warc.gz").write_bytes(b"not gzip at all")

    checked = await keeper.check()

    assert [(p.path, p.offset) for p in checked.problems] == [("20260131/notes.warc.gz", 0)]
    assert checked.records["response"] == 1


@pytest.mark.usefixtures("ended_process")
async def test_pruning_keeps_what_evidence_rests_on_and_everything_still_leads_to_its_bytes(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, db: Database, moving_clock: Any,
    folder: Path, warcio_check: Any,
) -> None:  # fmt: skip
    """The original of a needed revisit stays with it; the page's reference follows into the new file."""
    origin = await indexed.store(exchange("https://www.fdso.gov/safety", WORDS))
    again = await indexed.store(exchange("https://www.fdso.gov/safety", WORDS))
    await indexed.store(exchange("https://engine.example/?q=x", "Results"))
    await indexed.close()
    page_id = await _as_evidence(db, "https://www.fdso.gov/safety", again, moving_clock)

    foreseen = await keeper.prune(max_bytes=0, keep_days=None, is_dry_run=True)
    pruned = await keeper.prune(max_bytes=0, keep_days=None)

    page = await db.read(pages.get, page_id)
    assert page is not None
    assert page.archive is not None
    assert (foreseen.records, pruned.records, pruned.evidence_records) == (1, 1, 0)
    assert page.archive.record_id == again.record_id
    assert page.archive.path != again.path
    assert (await indexed.read(page.archive))[1] == exchange("", WORDS).body
    assert not (folder / origin.path).exists()
    assert warcio_check(folder / page.archive.path) == 0
    assert (await keeper.check()).is_whole


@pytest.mark.usefixtures("ended_process")
async def test_by_force_evidence_goes_too_and_the_page_says_so(
    indexed: WarcArchive,
    exchange: MakeExchange,
    keeper: ArchiveMaintenance,
    db: Database,
    moving_clock: Any,
    folder: Path,
) -> None:
    """The page stays with its words, without a record."""
    ref = await indexed.store(exchange("https://www.fdso.gov/safety", WORDS))
    await indexed.close()
    page_id = await _as_evidence(db, "https://www.fdso.gov/safety", ref, moving_clock)

    pruned = await keeper.prune(max_bytes=0, keep_days=None, is_forced=True)

    page = await db.read(pages.get, page_id)
    assert (pruned.records, pruned.evidence_records) == (1, 1)
    assert (page.archive, page.text) == (None, WORDS)  # type: ignore[union-attr]
    assert warc_files(folder) == []


@pytest.mark.usefixtures("ended_process")
async def test_pruning_is_in_the_journal_and_takes_the_captures_along(
    indexed: WarcArchive,
    exchange: MakeExchange,
    keeper: ArchiveMaintenance,
    db: Database,
    moving_clock: Any,
    folder: Path,
) -> None:
    """A screenshot without its page proves nothing."""
    ref = await indexed.store(exchange("https://a.example/", "One."))
    await indexed.close()
    capture = Capture("https://a.example/", ref.record_id, moving_clock.now(), b"\x89PNG" + bytes(9_000))
    await Captures(folder, moving_clock).store(capture)
    moving_clock.moment += timedelta(days=40)
    before = await keeper.sizes()

    await keeper.prune(max_bytes=None, keep_days=30)

    after = await keeper.sizes()
    rows = await db.read(
        lambda c: c.execute("select details ->> 'records' from event_log where kind = 'archive_pruned'").get
    )
    assert (before.captures, before.capture_bytes > 9_000, before.records) == (1, True, 1)
    assert (after.captures, after.total_bytes, after.records) == (0, 0, 0)
    assert rows == 1


async def test_a_file_that_is_being_written_is_left_alone(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance
) -> None:
    """Another server may append to it this moment."""
    ref = await indexed.store(exchange("https://a.example/", "One."))

    pruned = await keeper.prune(max_bytes=0, keep_days=None)

    assert (pruned.records, pruned.left) == (0, ((ref.path, "the process that writes it is still running"),))


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("https://a.example/f?X-Amz-Signature={}&page=2", "fe5f80f77d5fa3beca038a248ff027d0"),
        ("https://a.example/f?X-Amz-Signature={}&page=2", "wordsonly"),
        ("https://a.example/oauth/callback?code={}", "correct-horse"),
    ],
)
async def test_an_address_with_a_secret_is_found_by_the_address_itself(
    folder: Path, db: Database, exchange: MakeExchange, moving_clock: Any, address: str, secret: str
) -> None:
    """Its hash is kept, so who has the address finds the record, and who reads the index has no address."""
    redactor = redactor_of(folder.parent)
    archive = WarcArchive(folder, moving_clock, db=db, redactor=redactor)
    ref = await archive.store(exchange(address.format(secret), "One."))

    listed = await ArchiveMaintenance(folder, db, moving_clock, redactor).of_address(address.format(secret))

    assert [(one.ref, one.url) for one in listed] == [(ref, address.format(redactor.mask(secret)))]


async def test_the_index_lists_an_address_by_time_and_writes_cdxj(
    indexed: WarcArchive, exchange: MakeExchange, keeper: ArchiveMaintenance, moving_clock: Any
) -> None:
    """`http` or `https`, `www.` or not: one page's history."""
    first = await indexed.store(exchange("https://www.a.example/x", "One."))
    second = await indexed.store(exchange("http://a.example/x", "Two.", moment=moving_clock.now() + timedelta(days=1)))

    listed = await keeper.of_address("https://a.example/x")

    assert [record.ref.record_id for record in listed] == [second.record_id, first.record_id]
    key, moment, fields = (await keeper.cdxj()).splitlines()[0].split(" ", 2)
    assert (key, moment) == ("example,a)/x", "20260131093000")
    assert json.loads(fields) == {
        "url": "https://www.a.example/x",
        "mime": "text/html",
        "status": "200",
        "digest": listed[1].digest,
        "length": str(first.length),
        "offset": str(first.offset),
        "filename": first.path,
    }


async def test_a_capture_is_found_by_its_record_and_keeps_no_secret(folder: Path, moving_clock: Any) -> None:
    """Three files under the record's own name; keys in addresses are gone."""
    record_id = "<urn:uuid:12345678-1234-1234-1234-123456789abc>"
    resource = Resource("https://a.example/x?token=t0psecret", "GET", moving_clock.now(), 200, "text/css", "ab" * 32, 5)
    captures = Captures(folder, moving_clock, PLAIN.with_known_secrets(["k-0123456789"]))

    ref = await captures.store(
        Capture("https://a.example/k-0123456789", record_id, moving_clock.now(), b"\x89PNG", (resource,))
    )

    base = "captures/20260131/12345678-1234-1234-1234-123456789abc"
    written = "".join((folder / path).read_text() for path in (ref.resources, ref.har))
    assert (ref.screenshot, ref.resources, ref.har) == (f"{base}.png", f"{base}.cdxj", f"{base}.har")
    assert await captures.of_record(record_id) == ref
    assert await captures.of_record("<urn:uuid:00000000-1234-1234-1234-123456789abc>") is None
    assert (folder / ref.resources).read_text() == (
        'example,a)/x?token=redacted 20260131093000 {"url": "https://a.example/x?token=redacted", "mime": "text/css", '
        f'"status": "200", "digest": "sha256:{"ab" * 32}", "length": "5"}}\n'
    )
    assert [secret for secret in ("t0psecret", "k-0123456789") if secret in written] == []


async def test_a_capture_that_cannot_be_written_leaves_nothing(tmp_path: Path, moving_clock: Any) -> None:
    """The error is typed and no half capture stays."""
    (tmp_path / "captures").write_text("a file where a folder should be")
    capture = Capture("https://a.example/", "<urn:uuid:12345678-1234-1234-1234-123456789abc>", moving_clock.now(), b"x")

    with pytest.raises(StorageError):
        await Captures(tmp_path, moving_clock).store(capture)

    assert os.listdir(tmp_path) == ["captures"]
