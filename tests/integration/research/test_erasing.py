"""A hard deletion leaves nothing of what was asked in any byte of the data directory, and everything others need."""

import asyncio
import gzip
import itertools
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest

from lyra.archive import warc
from lyra.archive.erasing import ErasedArchive, Eraser
from lyra.archive.maintenance import ArchiveMaintenance
from lyra.archive.warc import WarcArchive
from lyra.clock import Clock, SystemClock
from lyra.fetch.browser.history import IN_USE
from lyra.ids import derived_id, text_hash
from lyra.model.archive import Exchange, RecordKind
from lyra.model.claim import Claim
from lyra.model.edge import Edge, Relation
from lyra.model.event import Event
from lyra.model.job import Job, JobState
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Page
from lyra.model.search import (
    Candidate,
    CandidateState,
    EngineAnswer,
    Search,
    SearchOptions,
    SearchOutcome,
    SearchStatus,
    SentQuery,
)
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.cleanup import Cleaner, deleted_fields
from lyra.research.held_pages import HeldPages
from lyra.settings import Settings
from lyra.storage import (
    archive_index,
    caches,
    candidates,
    claims,
    derived_queries,
    edges,
    erasing,
    jobs,
    journal,
    leases,
    pages,
    searches,
    tasks,
)
from lyra.storage.database import Database

WORD = "zyxquarkel"
QUERY = f"{WORD} 心不全 risk"
GONE, OTHER = "task_00000000000a", "task_00000000000b"
SERP = f"https://www.mojeek.com/search?q={quote_plus(QUERY)}"
API = f"https://api.openalex.org/works?search={quote_plus(QUERY)}&per-page=3"
HOP = f"https://duckduckgo.com/?q={quote_plus(QUERY)}"
SHARED, OWN, PAPER = "https://a.example/shared", "https://b.example/own", "https://doi.org/10.1/paper"
BODY = b"<p>Gliptins do not prolong life.</p>" * 60


@dataclass
class Planted:
    """A data directory in which two tasks have worked, and where the shared page and the shared paper stand."""

    settings: Settings
    clock: Clock
    db: Database
    archive: WarcArchive

    async def store(
        self, url: str, body: bytes, cause: str | None, lane: str = "page", referer: str | None = None
    ) -> ArchiveRef:
        headers = (("Referer", referer),) if referer else ()
        exchange = Exchange(
            url, "GET", self.clock.now(), headers, status_code=200, headers=(("Content-Type", "text/html"),), body=body
        )
        ref = await self.archive.store(exchange)
        if cause is not None:
            details = {"lane": lane, "record_id": ref.record_id, "final_url": url}
            await self.db.write(journal.append, [Event("fetch", self.clock.now(), url, details, cause_id=cause)])
        return ref

    async def read_page(self, url: str, ref: ArchiveRef, *task_numbers: int) -> None:
        text = f"Gliptins do not prolong life ({url})."
        page = Page(
            id=derived_id("p", url), url=url, domain="a.example", title="Gliptins", language="en",
            fetched_at=self.clock.now(), archive=ref, text=text,
        )  # fmt: skip
        fragment = Fragment(
            id=derived_id("f", url), page_id=page.id, text_content=text, fragment_type=FragmentType.PARAGRAPH,
            heading_context="", heading_hierarchy=(), element_index=0, position=0, char_start=0, char_end=len(text),
            text_hash=text_hash(text), language="en",
        )  # fmt: skip
        await self.db.write(pages.save, page, [fragment])
        for number in task_numbers:
            found = Candidate(
                f"r_{number}_{page.id}", f"s_{number}", url, "Title", "…", "mojeek", 1, CandidateState.FETCHED,
                page_id=page.id,
            )  # fmt: skip
            await self.db.write(candidates.add, [found])


@pytest.fixture
async def planted(settings: Settings, db: Database, clock: Any, monkeypatch: pytest.MonkeyPatch) -> Planted:
    numbers = itertools.count(1)
    monkeypatch.setattr(warc, "file_name", lambda day: f"lyra-{day}-999999999-w_{next(numbers)}.warc.gz")
    archive = WarcArchive(settings.archive_dir, clock, db=db)
    found = Planted(settings, clock, db, archive)
    await _plant(found)
    await archive.close()
    return found


async def _plant(planted: Planted) -> None:
    db, now = planted.db, planted.clock.now()
    begun = now - timedelta(minutes=1)
    for number, (task_id, asked) in enumerate(((GONE, QUERY), (OTHER, "gliptins"))):
        await db.write(tasks.insert, Task(task_id, f"Is {asked} true?", TaskStatus.CREATED, begun, Budget()))
        search = Search(f"s_{number}", task_id, asked, SearchOptions(), SearchStatus.SATISFIED, now, started_at=now)
        await db.write(searches.insert, search)
        claim = Claim(f"c_{number}", task_id, f"It is {asked}.", "en", now, search_id=search.id, is_hypothesis=True)
        await db.write(claims.insert_many, [claim])
    sent = SentQuery("d_0", "s_0", QUERY, QUERY, "asked", "asked", now)
    await db.write(derived_queries.save, [sent])
    answer = EngineAnswer("mojeek", QUERY, SearchOutcome.EMPTY)
    await db.write(caches.save_serp, "serp_1", answer, now)
    await planted.store(HOP, b"moved", None)
    await planted.store(SERP, f"<title>{QUERY}</title>".encode() * 90, "s_0", "serp")
    paper = await planted.store(API, b'{"results": ["Gliptins"]}' * 60, "s_0", "api")
    own = await planted.store(OWN, f"<p>About {WORD}.</p>".encode() * 90, "s_0", "page", SERP)
    shared = await planted.store(SHARED, BODY, "s_0", "page", SERP)
    await planted.read_page(OWN, own, 0)
    await planted.read_page(SHARED, shared, 0, 1)
    await planted.read_page(PAPER, paper, 0, 1)
    await planted.store("https://www.mojeek.com/search?q=gliptins", b"<title>gliptins</title>" * 90, "s_1", "serp")
    await asyncio.to_thread(_plant_files, planted.settings)


def _plant_files(settings: Settings) -> None:
    settings.log_dir.mkdir()
    lines = [f'{{"error": "no answer to {SERP}"}}\n', '{"event": "call"}\n', f'{{"task": "{GONE}"}}\n']
    (settings.log_dir / "lyra-2026-03-14.log").write_text("".join(lines))
    with gzip.open(settings.log_dir / "lyra-2026-03-01.log.gz", "wt") as packed:
        packed.writelines(lines)
    settings.reports_dir.mkdir()
    (settings.reports_dir / f"{GONE}.md").write_text(f"# Is {QUERY} true?")
    (settings.reports_dir / f"{OTHER}.md").write_text("# Is gliptins true?")


def traces(directory: Path) -> dict[str, int]:
    """How often the planted word stands in each file, in any case, also within what is compressed."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            text = raw + (gzip.decompress(raw) if path.suffix == ".gz" else b"")
            found[path.relative_to(directory).as_posix()] = text.lower().count(WORD.encode())
    return {name: count for name, count in found.items() if count}


async def check(planted: Planted) -> tuple[bool, bytes, bytes]:
    """Whether the archive is whole, and the bodies of the page and the paper that both tasks have read."""
    checked = await ArchiveMaintenance(planted.settings.archive_dir, planted.db, planted.clock).check()
    bodies = []
    for url in (SHARED, PAPER):
        page = await planted.db.read(pages.by_url, url)
        assert page is not None
        assert page.archive is not None
        bodies.append((await planted.archive.contents(page.archive)).body)
    return checked.is_whole and not checked.unindexed, bodies[0], bodies[1]


async def test_what_a_page_loaded_goes_with_it(planted: Planted) -> None:
    """A browser's page names the records of what it loaded; of the task alone, they are gone too."""
    loaded = await planted.store("https://cdn.example/figures.json", f'{{"of": "{WORD}"}}'.encode() * 90, None)
    await planted.archive.close()
    details = {"lane": "page", "record_id": "<urn:uuid:0>", "final_url": OWN, "assets": [loaded.record_id]}
    await planted.db.write(journal.append, [Event("fetch", planted.clock.now(), OWN, details, cause_id="s_0")])

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_what_a_page_loaded_before_it_failed_goes_too(planted: Planted) -> None:
    """A browser's page that came to nothing has no record of its own, and names those of what it loaded."""
    loaded = await planted.store("https://cdn.example/figures.json", f'{{"of": "{WORD}"}}'.encode() * 90, None)
    await planted.archive.close()
    details = {"lane": "page", "record_id": None, "final_url": None, "assets": [loaded.record_id]}
    failed = Event("fetch", planted.clock.now(), "https://c.example/", details, cause_id="s_0")
    await planted.db.write(journal.append, [failed])

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_no_byte_of_the_data_directory_holds_what_was_asked(planted: Planted) -> None:
    """Question, hypothesis, query, result page, journal, log, report and page of this task alone are gone."""
    directory = planted.settings.data_dir
    before = await asyncio.to_thread(traces, directory)

    deleted = await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert sorted(before) == [
        "archive/20260314/lyra-20260314-999999999-w_1.warc.gz",
        "logs/lyra-2026-03-01.log.gz",
        "logs/lyra-2026-03-14.log",
        "lyra.db-wal",
        f"reports/{GONE}.md",
    ]
    assert await asyncio.to_thread(traces, directory) == {}
    assert await check(planted) == (True, BODY, b'{"results": ["Gliptins"]}' * 60)
    fields = deleted_fields(deleted)
    assert fields["archive_records"] == {"to_erase": 3, "erased": 3, "cleaned": 2, "files_rewritten": 1}
    assert (fields["log_lines"], fields["reports"], fields["left"]) == (4, [f"{GONE}.md"], [])
    assert fields["not_covered"] == [
        "backups (lyra backup) and what a restore moved aside",
        "packs, exports and reports written elsewhere",
        "cookies in the browser's profile, which are your log-ins",
        "questions to you (wait_for_user) that neither name the task nor repeat what it asked",
        "notes to calibration samples that belong to no judgement",
    ]


async def begin_reading(planted: Planted) -> None:
    """The other task has a search under way whose next page is the one that only the deleted task has read."""
    now = planted.clock.now()
    search = Search("s_2", OTHER, "gliptins", SearchOptions(), SearchStatus.RUNNING, now, started_at=now)
    await planted.db.write(searches.insert, search)
    await planted.db.write(candidates.add, [Candidate("r_2", "s_2", OWN, "Title", "…", "mojeek", 1)])
    await planted.db.write(jobs.enqueue, Job("j_2", "search", JobState.RUNNING, now, task_id=OTHER))
    await planted.db.write(leases.acquire, "job:j_2", "a process", now, now + timedelta(seconds=15))


async def end_reading(planted: Planted) -> None:
    """The search has come to its end without having read the page."""
    now = planted.clock.now()
    await planted.db.write(candidates.set_state, "r_2", CandidateState.FAILED, "no answer")
    await planted.db.write(searches.end, "s_2", SearchStatus.EXHAUSTED, "nothing found", now)


async def test_a_page_that_a_search_may_be_reading_is_named_and_erased_after_it(planted: Planted) -> None:
    """In the answer with the reason, and while the search runs it stays; then no byte of it is left."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)
    await begin_reading(planted)

    deleted = await cleaner.delete(GONE, is_hard=True, is_dry_run=False)
    await cleaner.delete_held()
    held = await planted.db.read(pages.by_url, OWN)
    await end_reading(planted)
    await cleaner.delete_held()

    reason = "a running search may be reading it; it is erased when that search has ended"
    assert deleted_fields(deleted)["left"] == [{"path": OWN, "reason": reason}]
    assert held is not None
    assert await planted.db.read(pages.by_url, OWN) is None
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}
    assert await check(planted) == (True, BODY, b'{"results": ["Gliptins"]}' * 60)


async def test_a_page_that_another_task_repeats_is_erased(planted: Planted) -> None:
    """A text of the other task is known as its near-duplicate: no byte of the page is left for that."""
    copy, original = derived_id("f", SHARED), derived_id("f", OWN)
    await planted.db.write(pages.set_near_duplicates, [(copy, original)])

    deleted = await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert deleted_fields(deleted)["left"] == []
    assert await planted.db.read(pages.by_url, OWN) is None
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_a_page_that_an_earlier_deletion_left_is_erased(planted: Planted) -> None:
    """It is nobody's; its record in the archive goes with it."""
    lost = "https://lost.example/"
    ref = await planted.store(lost, f"<p>The {WORD} stays.</p>".encode() * 90, None)
    await planted.read_page(lost, ref)
    await planted.archive.close()
    await planted.clock.sleep(1)
    event = Event("task_deleted", planted.clock.now(), "task_00000000000c", {"is_hard": True, "removed": {}})
    await planted.db.write(journal.append, [event])

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert await planted.db.read(pages.by_url, lost) is None
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_a_page_that_another_task_cites_is_named(planted: Planted) -> None:
    """In the answer with the reason; it goes with that task."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)
    ends = [derived_id("p", url) for url in (SHARED, OWN)]
    cited = Edge("e_0", "page", ends[0], "page", ends[1], Relation.CITES, planted.clock.now(), cause_id="s_1")
    await planted.db.write(edges.insert_many, [cited])

    first = await cleaner.delete(GONE, is_hard=True, is_dry_run=False)
    last = await cleaner.delete(OTHER, is_hard=True, is_dry_run=False)

    reason = "a search of another task found a citation from or to it; it is erased with that task"
    assert deleted_fields(first)["left"] == [{"path": OWN, "reason": reason}]
    assert deleted_fields(last)["left"] == []
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_the_next_start_erases_what_a_search_held_whose_process_is_gone(planted: Planted) -> None:
    """It was killed: its row says `running` for ever, and nobody renews its lease."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)
    await begin_reading(planted)
    await cleaner.delete(GONE, is_hard=True, is_dry_run=False)
    await planted.clock.sleep(16)

    await cleaner.finish_erasing()

    assert await planted.db.read(pages.by_url, OWN) is None
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_held_pages_are_looked_for_when_a_process_ends(planted: Planted) -> None:
    """A search on the command line ends with its process: what it held goes before that."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)
    held_pages = HeldPages(cleaner, SystemClock(), lease_s=600)
    await begin_reading(planted)
    await cleaner.delete(GONE, is_hard=True, is_dry_run=False)
    held_pages.start()
    await end_reading(planted)

    await held_pages.stop()

    assert await planted.db.read(pages.by_url, OWN) is None


async def test_soft_first_and_hard_later_leaves_nothing_either(planted: Planted) -> None:
    """What the searches made is remembered without their words until the hard deletion."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)

    await cleaner.delete(GONE, is_hard=False, is_dry_run=False)
    await cleaner.delete(GONE, is_hard=True, is_dry_run=False)

    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}
    assert await check(planted) == (True, BODY, b'{"results": ["Gliptins"]}' * 60)


async def test_a_failed_fetch_of_another_task_keeps_nothing_back(planted: Planted) -> None:
    """What was not answered has no record: the other task's journal names none, and needs none."""
    failed = {"lane": "page", "outcome": "failed", "record_id": None, "assets": [None]}
    event = Event("fetch", planted.clock.now(), "https://c.example/", failed, cause_id="s_1")
    await planted.db.write(journal.append, [event])

    deleted = await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    archived = {"to_erase": 3, "erased": 3, "cleaned": 2, "files_rewritten": 1}
    assert deleted_fields(deleted)["archive_records"] == archived
    assert await asyncio.to_thread(traces, planted.settings.data_dir) == {}


async def test_records_that_no_journal_names_go_with_the_addresses_of_the_task(planted: Planted) -> None:
    """Attempts that led nowhere and looks into an archive; those of an address that another task has found stay."""
    copy = "https://web.archive.org/web/20260314000000id_/"
    urls = (OWN, copy + OWN, SHARED, copy + SHARED)
    stored = [await planted.store(url, f"<p>Later: {number}.</p>".encode(), None) for number, url in enumerate(urls)]
    await planted.archive.close()

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    left = [await planted.db.read(archive_index.get, one.record_id) for one in stored]
    assert [one and one.url for one in left] == [None, None, SHARED, copy + SHARED]


async def test_the_journal_keeps_of_the_task_only_that_it_was_deleted(planted: Planted) -> None:
    """Levels of domains that its claims had lifted name it too."""
    now = planted.clock.now()
    lifted = [Event("trust_changed", now, "a.example", {"after": "low", "task_id": one}) for one in (GONE, OTHER)]
    await planted.db.write(journal.append, lifted)

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    found = await planted.db.read(
        lambda connection: connection.execute("select kind, subject from event_log where kind <> 'fetch'").fetchall()
    )
    assert found == [("trust_changed", "a.example"), ("task_deleted", GONE)]


async def test_the_history_of_the_browser_goes_unless_one_runs(planted: Planted) -> None:
    """Cookies stay: they are a person's log-ins. A profile that is open is named."""
    folders = [planted.settings.browser_dir / mode / "Default" for mode in ("headful", "headless")]
    for folder in folders:
        (folder / "Cache").mkdir(parents=True)
        for name in ("Cookies", "History", "History-journal", "Cache/1"):
            (folder / name).write_text(OWN)
    lock = folders[0].parent / "SingletonLock"
    lock.symlink_to(f"{socket.gethostname()}-{os.getpid()}")

    deleted = await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    assert [sorted(one.name for one in folder.iterdir()) for folder in folders] == [
        ["Cache", "Cookies", "History", "History-journal"],
        ["Cookies"],
    ]
    assert deleted.left == ((str(folders[0].parent), IN_USE),)


async def test_what_another_task_asked_too_stays(planted: Planted) -> None:
    """The words are the other task's own: its records and its log lines are not touched."""
    other = Search("s_2", OTHER, QUERY, SearchOptions(), SearchStatus.SATISFIED, planted.clock.now())
    await planted.db.write(searches.insert, other)
    repeated = await planted.store(SERP, f"<title>{QUERY}</title>".encode() * 90, "s_2", "serp")

    await Cleaner(planted.db, planted.clock, planted.settings).delete(GONE, is_hard=True, is_dry_run=False)

    entry = await planted.db.read(archive_index.get, repeated.record_id)
    assert entry is not None
    assert (entry.kind, entry.url) == (RecordKind.REVISIT, SERP)
    assert (await planted.archive.contents(entry.ref)).body == f"<title>{QUERY}</title>".encode() * 90
    assert (await check(planted))[0] is True


async def test_a_file_that_is_being_written_is_named_and_erased_later(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may hold it open: the answer says so, and the next start does the rest."""
    cleaner = Cleaner(planted.db, planted.clock, planted.settings)
    with monkeypatch.context() as alive:
        alive.setattr("lyra.archive.erasing.is_being_written", lambda _: True)
        deleted = await cleaner.delete(GONE, is_hard=True, is_dry_run=False)

    later = await cleaner.finish_erasing()

    (left,) = deleted_fields(deleted)["left"]
    assert left["reason"].startswith("the process that writes it is still running")
    assert later == ErasedArchive(records=3, cleaned_records=2, files=1)
    assert await planted.db.read(erasing.pending) == ()


# A process that deletes the task and is killed at one point of the rewriting.
_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from lyra.archive import erasing, pruning
from lyra.clock import SystemClock
from lyra.research.cleanup import Cleaner
from lyra.settings import Settings
from lyra.storage import archive_index
from lyra.storage import erasing as listed
from lyra.storage.database import Database

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

point = sys.argv[2]
if point == "while the new file is written":
    pruning.sync_folder = die
    pruning.os.fsync = die
elif point == "before the index follows":
    archive_index.relocate = die
elif point == "before the old file goes":
    erasing.remove_files = die
else:
    listed.done = die

async def main():
    settings = Settings(data_dir=Path(sys.argv[1]))
    db = await Database.open(settings.database_path)
    await Cleaner(db, SystemClock(), settings).delete("task_00000000000a", is_hard=True, is_dry_run=False)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "point",
    [
        "while the new file is written",
        "before the index follows",
        "before the old file goes",
        "before the list says so",
    ],
)
async def test_a_kill_in_the_middle_loses_nothing_and_the_next_start_ends_it(planted: Planted, point: str) -> None:
    """kill -9 at every step: what others need can be read at once, and what had to go is gone after the next start."""
    command = [sys.executable, "-c", _KILLED, str(planted.settings.data_dir), point]
    killed = await asyncio.to_thread(subprocess.run, command, check=False, capture_output=True, text=True)
    at_once = (await check(planted))[1:]

    await Eraser(planted.settings.archive_dir, planted.db).finish()

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert at_once == (BODY, b'{"results": ["Gliptins"]}' * 60)
    assert await check(planted) == (True, BODY, b'{"results": ["Gliptins"]}' * 60)
    archived = await asyncio.to_thread(traces, planted.settings.archive_dir)
    assert (archived, await planted.db.read(erasing.pending)) == ({}, ())
