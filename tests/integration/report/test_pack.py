"""Packs of a task: what gets in and what never does, and what `check_pack` finds in a pack that was changed."""

import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from lyra.archive.captures import Captures
from lyra.errors import InvalidParams
from lyra.evidence.task_graph import evidence_of
from lyra.extract.reader import DocumentReader
from lyra.model.archive import Capture
from lyra.model.task import Budget, Task, TaskStatus
from lyra.report.pack.contents import (
    GRAPH,
    MANIFEST,
    RECORDS,
    PackedFile,
    graph_lines,
    parse_graph,
    parse_manifest,
)
from lyra.report.pack.make import MadePack, Packer
from lyra.report.pack.verify import PackCheck, check_pack
from lyra.report.pack.zip_file import write_zip
from lyra.report.write import Reporter
from lyra.settings import Models
from lyra.storage import archive_index, tasks
from tests.recorded_task import COOKIE, PAGES, TASK, RecordedTask, close, record_task

Check = Callable[[Path], PackCheck]
OTHER_QUESTION = "Is the neighbour's dog allowed to bark at night?"
CARDS = {"says-no@1": b'{"name": "says-no"}', "other@1": b"{}"}


@pytest.fixture
async def task(tmp_path: Path) -> AsyncIterator[RecordedTask]:
    recorded = await record_task(tmp_path / "home")
    other = Task("task_00000000000b", OTHER_QUESTION, TaskStatus.EXPLORING, recorded.parts.clock.now(), Budget())
    await recorded.db.write(tasks.insert, other)
    yield recorded
    await close(recorded)


@pytest.fixture
def packer(task: RecordedTask) -> Packer:
    captures = Captures(task.settings.archive_dir, task.parts.clock)
    reporter = Reporter(task.db, task.parts.trust.of_pages)
    folder = task.settings.archive_dir
    return Packer(task.db, task.archive, captures, folder, reporter, lambda: CARDS, "words@1", ())


@pytest.fixture
async def made(task: RecordedTask, packer: Packer, tmp_path: Path) -> MadePack:
    return await packer.make(await task.db.read(tasks.get, TASK), tmp_path / "task.lyrapack")


@pytest.fixture
def check() -> Check:
    reader = DocumentReader(Models())
    return lambda path: check_pack(path, reader)


def files_of(path: Path) -> dict[str, bytes]:
    """By a zip reader that is not ours."""
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def forged(path: Path, change: "Callable[[dict[str, bytes]], None]") -> Path:
    """The pack with changed files and a manifest that names their hashes: consistent in form, false in content."""
    import hashlib

    files = files_of(path)
    change(files)
    manifest = parse_manifest(files.pop(MANIFEST))
    listed = tuple(
        PackedFile(name, len(files[name]), hashlib.sha256(files[name]).hexdigest()) for name in sorted(files)
    )
    graph = parse_graph(files[GRAPH])
    made = replace(manifest, files=listed, graph_digest=graph.digest)
    other = path.with_name("forged.lyrapack")
    with other.open("wb") as stream:
        write_zip(stream, {**files, MANIFEST: made.to_bytes()})
    return other


async def test_a_pack_proves_every_quote(task: RecordedTask, made: MadePack, check: Check) -> None:
    """Another zip reader opens it, another WARC reader reads its records, and all quotes are in the archived bytes."""
    evidence = await task.db.read(evidence_of, TASK)

    found = check(made.path)

    files = files_of(made.path)
    records = [one.rec_headers.get_header("WARC-Target-URI") for one in ArchiveIterator(io.BytesIO(files[RECORDS]))]
    assert (found.problems, found.remarks, found.digest) == ([], [], made.digest)
    assert (found.pages, found.quotes_found) == (3, found.quotes)
    assert found.quotes == len(evidence.mentions) + sum(bool(edge.quote) for edge in evidence.edges)
    assert parse_graph(files[GRAPH]).digest == evidence.digest == made.manifest.graph_digest
    assert sorted(url.partition("?")[0] for url in records) == sorted(url.partition("?")[0] for url in PAGES)
    assert files["models/says-no_1.json"] == CARDS["says-no@1"]
    assert made.path.stat().st_mode & 0o777 == 0o600


async def test_the_same_task_gives_the_same_pack(task: RecordedTask, packer: Packer, made: MadePack) -> None:
    """One content, one file: nothing of the moment or the machine is in it."""
    again = await packer.make(await task.db.read(tasks.get, TASK), made.path.with_name("again.lyrapack"))

    assert again.digest == made.digest


def test_nothing_of_the_user_and_of_other_tasks_gets_in(made: MadePack) -> None:
    """Neither cookies nor tokens in addresses, nor what another task asked."""
    files = files_of(made.path)
    plain = b"".join(gzip.decompress(one) if one.startswith(b"\x1f\x8b") else one for one in files.values())

    assert [name for name in (COOKIE, "abcdef123456", "et-cookie", OTHER_QUESTION) if name.encode() in plain] == []


async def test_a_known_secret_stops_the_pack(task: RecordedTask, packer: Packer, tmp_path: Path) -> None:
    """A key of the settings that stands in a page is not handed on, and no file is left."""
    careful = replace(packer, secrets=("hospitalisation for heart failure",))
    folder = tmp_path / "out"
    folder.mkdir()

    with pytest.raises(InvalidParams, match="holds a key or password of your settings"):
        await careful.make(await task.db.read(tasks.get, TASK), folder / "task.lyrapack")

    assert list(folder.iterdir()) == []


async def test_a_screenshot_goes_with_its_record(task: RecordedTask, packer: Packer, tmp_path: Path) -> None:
    """What a browser saw of a page of the evidence is packed under the name of the page's record."""
    page = (await task.db.read(evidence_of, TASK)).pages[0]
    assert page.record_id is not None
    capture = Capture(page.url, page.record_id, task.parts.clock.now(), b"\x89PNG")
    await Captures(task.settings.archive_dir, task.parts.clock).store(capture)

    made = await packer.make(await task.db.read(tasks.get, TASK), tmp_path / "task.lyrapack")

    name = page.record_id.removeprefix("<urn:uuid:").removesuffix(">")
    assert files_of(made.path)[f"screenshots/{name}.png"] == b"\x89PNG"


async def test_a_record_that_is_gone_is_named(task: RecordedTask, packer: Packer, tmp_path: Path, check: Check) -> None:
    """The pack names the page, and so does the check: its quotes cannot be proven, though nothing was changed."""
    gone = "https://clinic-notes.example.com/heart"
    await task.db.write(lambda c: c.execute("delete from archive_records where url = ?", (gone,)).fetchall())

    made = await packer.make(await task.db.read(tasks.get, TASK), tmp_path / "task.lyrapack")

    found = check(made.path)
    assert made.manifest.missing == (gone,)
    assert [(one.kind, one.where) for one in found.missing] == [("missing", gone)]
    assert (found.problems, found.is_consistent, found.is_fine) == ([], True, False)


async def test_every_page_of_a_record_that_is_gone_is_named(
    task: RecordedTask, packer: Packer, tmp_path: Path, check: Check
) -> None:
    """An answer of an API holds several pages: none of them may look as if somebody had taken its record away."""
    first, second, third = sorted((await task.db.read(evidence_of, TASK)).pages, key=lambda page: page.url)
    await task.db.write(lambda c: c.execute("update pages set warc_record_id = ? where id = ?",
                                            (first.record_id, second.id)).fetchall())  # fmt: skip
    await task.db.write(
        lambda c: c.execute("delete from archive_records where record_id = ?", (first.record_id,)).fetchall()
    )

    made = await packer.make(await task.db.read(tasks.get, TASK), tmp_path / "task.lyrapack")

    found = check(made.path)
    assert made.manifest.missing == (first.url, second.url)
    assert (sorted(one.where for one in found.missing), found.problems) == ([first.url, second.url], [])
    assert third.url not in made.missing_quotes


def test_a_record_that_was_taken_out_later_is_a_problem(made: MadePack, check: Check) -> None:
    """The manifest does not say that the archive lacked it: that is another thing than one that was never there."""
    other = forged(made.path, lambda files: None)
    files = files_of(other)
    manifest = parse_manifest(files.pop(MANIFEST))
    other.unlink()
    with other.open("wb") as stream:
        write_zip(stream, {**files, MANIFEST: replace(manifest, records=manifest.records[1:]).to_bytes()})

    found = check(other)

    assert ([one.kind for one in found.problems], found.missing) == (["record"], [])


async def test_a_record_that_was_cut_off_is_named_with_the_reason(
    task: RecordedTask, packer: Packer, tmp_path: Path
) -> None:
    """Its bytes are checked before they are packed: what is damaged is not packed as if it were whole."""
    page = (await task.db.read(evidence_of, TASK)).pages[0]
    entry = await task.db.read(archive_index.get, str(page.record_id))
    assert entry is not None
    file = task.settings.archive_dir / entry.ref.path
    file.write_bytes(file.read_bytes()[: entry.ref.offset + entry.ref.length - 9])

    made = await packer.make(await task.db.read(tasks.get, TASK), tmp_path / "task.lyrapack")

    assert page.url in made.manifest.missing
    assert made.damaged[page.url].endswith("cannot be read: it is damaged: the end of it is missing.")


def test_every_changed_byte_is_found(made: MadePack, check: Check) -> None:
    """Sixty single bytes at seeded places, and each of the zip's own bytes at the end: none passes."""
    original, chance = made.path.read_bytes(), random.Random(7)
    places = [chance.randrange(len(original)) for _ in range(60)] + list(range(len(original) - 22, len(original)))

    passed = []
    for at in places:
        made.path.write_bytes(original[:at] + bytes([original[at] ^ chance.randrange(1, 256)]) + original[at + 1 :])
        passed += [at] if check(made.path).is_consistent else []

    assert passed == []


def test_a_forged_quote_is_found_in_the_archived_bytes(made: MadePack, check: Check) -> None:
    """Hashes can be written anew; the words of the archived page cannot be argued with."""

    def change(files: dict[str, bytes]) -> None:
        graph = parse_graph(files[GRAPH])
        edges = tuple(replace(one, quote="Saxagliptin is harmless.") for one in graph.edges[:1]) + graph.edges[1:]
        files[GRAPH] = b"".join(graph_lines(replace(graph, edges=edges)))

    found = check(forged(made.path, change))

    assert [(one.kind, one.quote) for one in found.problems] == [("quote", "Saxagliptin is harmless.")]


def test_a_forged_record_is_found(made: MadePack, check: Check) -> None:
    """A record that is no whole member of the file is told with its page."""

    def change(files: dict[str, bytes]) -> None:
        files[RECORDS] = gzip.compress(b"x" * len(files[RECORDS]))[: len(files[RECORDS])].ljust(len(files[RECORDS]))

    found = check(forged(made.path, change))

    assert {one.kind for one in found.problems} == {"record"}


def test_a_record_that_unpacks_without_end_is_refused(
    made: MadePack, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more of a record is unpacked than any page has."""
    monkeypatch.setattr("lyra.report.pack.verify._MAX_RECORD_BYTES", 100)

    found = check(made.path)

    assert {one.problem.partition(" is ")[2] for one in found.problems} == {"larger than any page, or not whole."}


def test_a_file_too_many_is_found(made: MadePack, check: Check) -> None:
    """Also one that the manifest names: a pack holds what packs hold, and no pack within it."""

    def change(files: dict[str, bytes]) -> None:
        files["inner.lyrapack"] = made.path.read_bytes()

    found = check(forged(made.path, change))

    assert [(one.where, one.problem) for one in found.problems] == [("inner.lyrapack", "It is not a file of a pack.")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("screenshots/e.lyrapack", b"\x89PNG"),
        ("screenshots/e.png", b"PK\x03\x04"),
        ("models/e.exe", b"{}"),
    ],
    ids=["another ending", "no picture in it", "no card"],
)
def test_a_file_that_is_not_what_its_folder_holds_is_found(
    made: MadePack, check: Check, name: str, content: bytes
) -> None:
    """Screenshots are pictures and cards of models are JSON, whatever the manifest lists."""
    found = check(forged(made.path, lambda files: files.update({name: content})))

    assert [(one.where, one.problem) for one in found.problems] == [(name, "It is not a file of a pack.")]


def test_a_zip_of_other_making_is_refused(made: MadePack, check: Check) -> None:
    """The same files in an ordinary zip are not the pack: something could hide in it."""
    other = made.path.with_name("other.zip")
    with zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in sorted(files_of(made.path).items()):
            written.writestr(name, content)

    found = check(other)

    assert [(one.kind, one.where) for one in found.problems] == [("form", "other.zip")]


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b'{"format": "zip"}', b"[" * 100_000, json.dumps({"format": "lyra-evidence-pack"}).encode()],
    ids=["empty", "a list", "another format", "nested without end", "nothing in it"],
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, check: Check, manifest: bytes) -> None:
    """Whatever stands there, the answer is that the pack is not intact."""
    file = tmp_path / "bad.lyrapack"
    with file.open("wb") as stream:
        write_zip(stream, {MANIFEST: manifest})

    found = check(file)

    assert [one.kind for one in found.problems] == ["form"]


async def test_an_existing_file_is_left_alone(task: RecordedTask, packer: Packer, made: MadePack) -> None:
    """A pack is never written over."""
    before = made.path.read_bytes()

    with pytest.raises(InvalidParams, match="exists already"):
        await packer.make(await task.db.read(tasks.get, TASK), made.path)

    assert made.path.read_bytes() == before


def test_a_device_or_pipe_is_refused_at_once(tmp_path: Path, check: Check) -> None:
    """Both would be read without an end."""
    pipe = tmp_path / "pack.zip"
    os.mkfifo(pipe)

    with pytest.raises(InvalidParams, match="is not a plain file"):
        check(pipe)
    with pytest.raises(InvalidParams, match="is not a plain file"):
        check(Path("/dev/zero"))
