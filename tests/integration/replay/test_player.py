"""Replaying a recorded task: the same graph, also after a crash; other means, missing records and old tasks named."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import NotReplayable
from lyra.evidence.task_graph import evidence_of
from lyra.model.edge import Relation, Review
from lyra.model.event import Event
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.trust import TrustLevel
from lyra.redact.key import redactor_of
from lyra.redact.redactor import public_url
from lyra.replay.player import ReplayParts
from lyra.replay.replay import OriginalArchive, Replay, ReplayResult, other_means, read_checked, replay
from lyra.replay.trust import RecordedTrust
from lyra.research.graph_builder import GraphBuilder
from lyra.settings import Settings
from lyra.settings.research import Evidence
from lyra.storage import archive_index, domains, journal, reviews, searches
from lyra.storage.database import Database
from tests.clocks import HeldClock
from tests.recorded_task import (
    HYPOTHESIS,
    PAGES,
    QUESTION,
    SEARCH,
    TASK,
    RecordedTask,
    SaysNo,
    begin_task,
    close,
    parts_over,
    record_task,
)

MODELS = {"embedder": "words@1", "large": "says-no@1"}


@pytest.fixture
async def task(tmp_path: Path) -> AsyncIterator[RecordedTask]:
    recorded = await record_task(tmp_path / "home")
    yield recorded
    await close(recorded)


async def replayed(
    task: RecordedTask, scratch: Path, readers: SaysNo | None = None, evidence: Evidence | None = None
) -> Replay:
    """The task played into a scratch database with these means, by default those of the recording."""
    settings = Settings(data_dir=scratch)
    db = await Database.open(settings.database_path)
    parts = parts_over(db, settings, readers)
    given = ReplayParts(
        parts,
        task.db,
        OriginalArchive(task.db, task.archive),
        redactor_of(task.settings.data_dir),
        evidence,
    )
    try:
        recording = await read_checked(task.db, TASK)
        chosen = settings.model_copy(update={"evidence": evidence}) if evidence else None
        others = other_means(recording, MODELS, chosen)
        trust = RecordedTrust(db, parts.clock, scratch / "domains.yaml", given.redactor)
        return await replay(given, recording, trust, others)
    finally:
        await parts.reader.close()
        await db.close()


async def test_a_replay_gives_the_same_graph(task: RecordedTask, tmp_path: Path) -> None:
    """From journal and archive alone the digest is the stored one, at the end of the search and now."""
    stored = await task.db.read(evidence_of, TASK)

    found = await replayed(task, tmp_path / "scratch")

    assert (found.result, found.digest, found.pages) == (ReplayResult.EQUAL, stored.digest, 3)
    assert found.digests == ((stored.digest, stored.digest),)
    assert (found.problems, found.other_means, found.difference.changed) == ((), (), ())
    assert {edge.relation for edge in stored.edges} >= {"supports", "refutes"}


async def test_a_task_whose_process_died_in_the_middle_gives_the_same_graph(tmp_path: Path) -> None:
    """What the next process took up from the database is taken up at the same point again."""
    task = await record_task(tmp_path / "home", crashes_after=2)

    found = await replayed(task, tmp_path / "scratch")
    await close(task)

    assert (found.result, found.digest) == (ReplayResult.EQUAL, found.digest_stored)


async def test_a_task_is_replayed_as_soon_as_its_search_has_ended(tmp_path: Path) -> None:
    """Killed after two pages it is refused, as the journal has no end of the search; taken up and ended it is equal."""
    task = await begin_task(tmp_path / "home")
    search = await task.db.read(searches.get, SEARCH)
    assert search is not None
    await task.db.write(searches.save, replace(search, status=SearchStatus.RUNNING))
    first, second, third = PAGES
    graph = await task.load()
    await task.read(graph, first)
    await task.read(graph, second)
    with pytest.raises(NotReplayable, match="is unfinished"):
        await replayed(task, tmp_path / "early")
    graph = await task.load()
    await task.read(graph, third)
    await task.end(graph)
    await task.db.write(searches.save, search)

    found = await replayed(task, tmp_path / "scratch")
    await close(task)

    assert (found.result, found.digest, found.pages) == (ReplayResult.EQUAL, found.digest_stored, 3)


async def test_a_search_that_waits_for_its_turn_does_not_stop_a_replay(task: RecordedTask, tmp_path: Path) -> None:
    """It has read nothing yet: the graph is the one that the journal tells of."""
    waiting = Search("s_0000000000cc", TASK, "later", SearchOptions(), SearchStatus.RUNNING, task.parts.clock.now())
    await task.db.write(searches.insert, waiting)

    found = await replayed(task, tmp_path / "scratch")

    assert found.result is ReplayResult.EQUAL


async def test_a_task_that_was_rechecked_gives_the_same_graph(tmp_path: Path) -> None:
    """The searches of rechecks are part of the recording, though no list of a task's searches shows them."""
    task = await begin_task(tmp_path / "home")
    first, second, third = PAGES
    graph = await task.load()
    await task.read(graph, first)
    await task.end(graph)
    when, query = task.parts.clock.now(), "saxagliptin heart failure"
    again = Search("s_0000000000bb", TASK, query, SearchOptions(), SearchStatus.SATISFIED, when, recheck_id="rr_1")
    await task.db.write(searches.insert, again)
    graph = GraphBuilder(task.parts, TASK, QUESTION, again.id, query)
    await graph.load()
    await task.read(graph, second)
    await task.read(graph, third)
    await task.end(graph)

    found = await replayed(task, tmp_path / "scratch")
    await close(task)

    assert (found.result, found.digest, found.pages) == (ReplayResult.EQUAL, found.digest_stored, 3)
    assert [then == now for then, now in found.digests] == [True, True]


async def test_a_task_of_a_person_is_replayed_without_the_person(task: RecordedTask, tmp_path: Path) -> None:
    """People of a shared server are not part of the recording."""

    def own(connection: Any) -> None:
        connection.execute("insert into people values ('pe_1', 'Aiko', 'researcher', 'hash', '2026-01-01', null, null)")
        connection.execute("update tasks set owner = 'pe_1'")

    await task.db.write(own)

    found = await replayed(task, tmp_path / "scratch")

    assert found.result is ReplayResult.EQUAL


async def test_a_level_that_was_learned_elsewhere_is_in_force_again(tmp_path: Path) -> None:
    """Another task had taught a level before the pages were read; the recording tells it."""
    task = await begin_task(tmp_path / "home")
    now = task.parts.clock.now()
    await task.db.write(lambda c: domains.set_trust(c, "example.com", TrustLevel.LOW, "learned", now=now))
    graph = await task.load()
    for url in PAGES:
        await task.read(graph, url)
    await task.end(graph)

    found = await replayed(task, tmp_path / "scratch")
    stored = await task.db.read(evidence_of, TASK)
    await close(task)

    assert {edge.source_trust_level for edge in stored.edges} >= {"low"}
    assert found.result is ReplayResult.EQUAL


async def test_a_level_of_an_address_with_a_secret_is_in_force_again(tmp_path: Path) -> None:
    """The journal names the address by the secret's hash, and the replay finds it there."""
    task = await begin_task(tmp_path / "home")
    now = task.parts.clock.now()
    await task.db.write(lambda c: domains.set_trust(c, "fdso.gov", TrustLevel.LOW, "learned", now=now))
    graph = await task.load()
    for url in PAGES:
        await task.read(graph, url)
    await task.end(graph)

    found = await replayed(task, tmp_path / "scratch")
    told = await task.db.read(lambda c: c.execute("select group_concat(details) from event_log").get)
    await close(task)

    assert found.result is ReplayResult.EQUAL
    assert "abcdef123456" not in told


async def test_a_level_that_an_older_journal_tells_under_the_whole_address_is_in_force_again(tmp_path: Path) -> None:
    """Such entries are redacted when they are read."""
    settings = Settings(data_dir=tmp_path)
    db = await Database.open(settings.database_path)
    redactor = redactor_of(tmp_path)
    address = "https://www.fdso.gov/safety/heart?token=abcdef123456"
    trust = RecordedTrust(db, HeldClock(datetime(2026, 3, 14, tzinfo=UTC)), tmp_path / "domains.yaml", redactor)

    trust.learn({address: "low"})
    found = await trust.levels([address, redactor.url(address)])
    await db.close()

    assert found == {address: TrustLevel.LOW, redactor.url(address): TrustLevel.LOW}


async def test_an_override_of_the_user_is_in_force_again(task: RecordedTask, tmp_path: Path) -> None:
    """It was set after the pages were read, and shaped the last assessment."""
    before = (await task.db.read(evidence_of, TASK)).digest
    overrides = task.settings.data_dir / "domains.yaml"
    overrides.write_text("user_overrides:\n- domain: example.com\n  trust_level: academic\n", "utf-8")
    await task.end(await task.load())

    found = await replayed(task, tmp_path / "scratch")

    assert found.digest_stored != before
    assert found.result is ReplayResult.EQUAL


async def test_a_missing_record_is_named_and_the_rest_goes_on(task: RecordedTask, tmp_path: Path) -> None:
    """The page without its record is left out, and the result says that it is incomplete."""
    gone = "https://clinic-notes.example.com/heart"
    await task.db.write(
        lambda c: c.execute("update event_log set details = json_set(details, '$.page.archive', json('null')) "
                            "where kind = 'page_read' and subject = ?", (gone,)).fetchall()
    )  # fmt: skip

    found = await replayed(task, tmp_path / "scratch")

    assert (found.result, found.pages) == (ReplayResult.INCOMPLETE, 2)
    assert [(one.url, one.problem) for one in found.problems] == [(gone, "No record of it was kept in the archive.")]


async def test_a_record_that_was_cut_off_is_called_damaged(task: RecordedTask, tmp_path: Path) -> None:
    """Not another extractor, but the damage is the reason."""
    (file,) = task.settings.archive_dir.rglob("*.warc.gz")
    page = (await task.db.read(evidence_of, TASK)).pages[0]
    entry = await task.db.read(archive_index.get, str(page.record_id))
    assert entry is not None
    file.write_bytes(file.read_bytes()[: entry.ref.offset + entry.ref.length - 9])

    found = await replayed(task, tmp_path / "scratch")

    told = {one.record_id: one.problem for one in found.problems}
    assert found.result is ReplayResult.INCOMPLETE
    assert told[page.record_id].endswith("cannot be read: it is damaged: the end of it is missing.")


async def test_an_archive_that_was_lost_is_told_page_by_page(task: RecordedTask, tmp_path: Path) -> None:
    """Without its WARC files nothing can be read, and every page is named."""
    for file in task.settings.archive_dir.rglob("*.warc.gz"):
        file.unlink()

    found = await replayed(task, tmp_path / "scratch")

    named, expected = {public_url(one.url) for one in found.problems}, set(map(public_url, PAGES))
    assert (found.result, found.pages, named) == (ReplayResult.INCOMPLETE, 0, expected)


async def test_other_readers_are_compared_claim_by_claim(task: RecordedTask, tmp_path: Path) -> None:
    """A reader that takes the other side turns stances, and the hypothesis comes first with both verdicts."""
    found = await replayed(task, tmp_path / "scratch", SaysNo(-4.0))

    first = found.difference.changed[0]
    turned = {(one.url, one.before, one.after) for one in first.stances}
    assert (found.result, first.claim) == (ReplayResult.DIFFERENT, HYPOTHESIS)
    assert ("https://www.jmetd-journal.org/2014/heart", "refutes", "supports") in turned
    assert first.before is not None
    assert first.after is not None
    assert (first.before.supporting_count, first.before.refuting_count) == (2, 1)
    assert (first.after.supporting_count, first.after.refuting_count) == (1, 2)


async def test_other_settings_are_named_with_both_values(task: RecordedTask, tmp_path: Path) -> None:
    """With a lower floor claims are adopted that were not; the setting is told with both values."""
    found = await replayed(task, tmp_path / "scratch", evidence=Evidence(adoption_floor=0.0))

    adopted = [(one.before, one.after) for one in found.difference.changed]
    assert found.other_means == ("evidence.adoption_floor: 0.7 then, 0.0 now",)
    assert [(then and then.adoption_status, now and now.adoption_status) for then, now in adopted] == [
        ("pending", "adopted")
    ] * 2


async def test_reviews_are_part_of_the_recording(task: RecordedTask, tmp_path: Path) -> None:
    """What a person decided about a stance is decided again at the same point."""
    edge = await task.db.read(
        lambda c: str(c.execute("select id from edges where relation = 'refutes' order by id limit 1").get)
    )
    now = task.parts.clock.now()
    claim = await task.db.read(lambda c: str(c.execute("select target_id from edges where id = ?", (edge,)).get))
    review = Review("rv_1", edge, TASK, claim, Relation.NEUTRAL, "misread", "person", Relation.REFUTES, 0.9, now)
    details = {"review_id": review.id}

    def decide(connection: Any) -> None:
        reviews.put(connection, review)
        journal.append(connection, [Event("review", now, edge, details, TASK, cause_id=review.id)])

    await task.db.write(decide)
    graph = await task.load()
    await task.end(graph)

    found = await replayed(task, tmp_path / "scratch")

    assert found.result is ReplayResult.EQUAL
    assert {one.relation for one in (await task.db.read(evidence_of, TASK)).edges if one.nli_label == "refutes"} >= {
        "neutral"
    }


async def test_a_task_of_an_older_version_is_not_replayable(task: RecordedTask) -> None:
    """The reason is the journal, with every page that it does not tell of."""
    await task.db.write(lambda c: c.execute("delete from event_log where kind = 'page_read'").fetchall())

    with pytest.raises(NotReplayable) as caught:
        await read_checked(task.db, TASK)

    assert caught.value.message == (
        f"The task {TASK} is not replayable: its journal does not say what was read of these pages: it was made before"
        " replays were recorded, or the pages were imported."
    )
    assert (len(caught.value.details["problems"]), caught.value.exit_code) == (3, 2)


async def test_the_original_is_left_as_it_was(task: RecordedTask, tmp_path: Path) -> None:
    """A replay writes into its scratch directory alone."""
    before = await task.db.read(_contents)

    await replayed(task, tmp_path / "scratch", SaysNo(-4.0))

    assert await task.db.read(_contents) == before


def _contents(connection: Any) -> list[Any]:
    tables = ("event_log", "claims", "edges", "pages", "fragments", "serp_items", "queries", "tasks")
    return [connection.execute(f"select * from {name}").fetchall() for name in tables]


async def test_graphs_of_different_order_have_one_digest(task: RecordedTask) -> None:
    """The digest knows neither ids nor the order of rows."""
    found = await task.db.read(evidence_of, TASK)
    claims = tuple(replace(one, id=f"x{one.id}") for one in reversed(found.claims))
    mentions = tuple(replace(one, claim_id=f"x{one.claim_id}") for one in reversed(found.mentions))
    edges = tuple(replace(one, claim_id=f"x{one.claim_id}") for one in reversed(found.edges))

    other = replace(found, claims=claims, mentions=mentions, edges=edges, pages=found.pages[::-1])

    assert other.digest == found.digest
