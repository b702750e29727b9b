"""`lyra replay`: the recording of a task is checked, played into a scratch data directory, and compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from lyra.archive.records import RecordContents
from lyra.archive.warc import WarcArchive
from lyra.errors import NotReplayable
from lyra.evidence.task_graph import evidence_of
from lyra.model.page import ArchiveRef
from lyra.model.search import SearchStatus
from lyra.replay.difference import GraphDifference, compare_graphs, difference_fields
from lyra.replay.player import KINDS, PlayedGraph, Player, ReplayParts
from lyra.replay.sources import SourceProblem
from lyra.replay.trust import RecordedTrust
from lyra.research import flow
from lyra.storage import archive_index
from lyra.storage.database import Database
from lyra.storage.recordings import Recording, read_recording

if TYPE_CHECKING:
    from lyra.settings import Settings


class ReplayResult(StrEnum):
    """EQUAL: the same graph. SINCE_CHANGED: that of the last search's end, which was changed afterwards, by other tasks
    or a newer Lyra. NOTHING: no page was read. INCOMPLETE: the archive lacked records. DIFFERENT: another graph."""

    EQUAL = "equal"
    SINCE_CHANGED = "since_changed"
    NOTHING = "nothing"
    INCOMPLETE = "incomplete"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay found. `digests` has what the journal noted at the end of each search and what the replay came to
    there; `other_means` says in which way settings or models were others than the recorded ones."""

    task_id: str
    result: ReplayResult
    digest: str
    digest_stored: str
    digest_recorded: str | None
    pages: int
    edges: int
    digests: tuple[tuple[str, str], ...]
    problems: tuple[SourceProblem, ...]
    other_means: tuple[str, ...]
    difference: GraphDifference

    @property
    def is_same(self) -> bool:
        return self.result in (ReplayResult.EQUAL, ReplayResult.SINCE_CHANGED, ReplayResult.NOTHING)


async def read_checked(db: Database, task_id: str) -> Recording:
    """What was recorded of a task. Raises TaskNotFound, or NotReplayable with the reason."""
    found = await db.read(read_recording, task_id, KINDS, flow.READ)
    if found.unrecorded:
        raise NotReplayable(
            f"The task {task_id} is not replayable: its journal does not say what was read of these pages: it was made"
            " before replays were recorded, or the pages were imported.",
            remedy="Ask the question again in a new task; tasks of this version are recorded for replay.",
            details={"problems": list(found.unrecorded)},
        )
    if unfinished := unfinished_searches(found):
        raise NotReplayable(
            f"The task {task_id} cannot be replayed yet: its search {unfinished[0]!r} is unfinished.",
            remedy="Let it go on to its end with `lyra watch TASK` or an open `lyra serve`, then replay the task.",
            details={"problems": list(unfinished)},
        )
    return found


def unfinished_searches(recording: Recording) -> tuple[str, ...]:
    """The queries of searches that have changed the graph and not come to their end: under way, or left by a process
    that died. One that waits for its turn is none."""
    last = {event.search_id: event.kind for event in recording.events if event.search_id is not None}
    return tuple(
        one.query
        for one in recording.searches
        if one.status is SearchStatus.RUNNING and last.get(one.id, flow.DIGEST) != flow.DIGEST
    )


def recorded_models(recording: Recording) -> dict[str, str]:
    """The models of the last run that was recorded; empty where nothing was read."""
    runs = [event for event in recording.events if event.kind == flow.LOAD]
    return dict(runs[-1].details["models"]) if runs else {}


def other_means(recording: Recording, models: Mapping[str, str], settings: "Settings | None") -> tuple[str, ...]:
    """In which way the means of this replay are not those of the recording; `settings` where others were chosen."""
    found: dict[str, None] = {}
    for event in (event for event in recording.events if event.kind == flow.LOAD):
        then = event.details["models"]
        for part in sorted({*then, *models}):
            if then.get(part) != models.get(part):
                found[f"{part}: {then.get(part, 'none')} then, {models.get(part, 'none')} now"] = None
        chosen = settings.evidence.model_dump(mode="json") if settings else event.details["evidence"]
        for name, value in event.details["evidence"].items():
            if chosen.get(name) != value:
                found[f"evidence.{name}: {value} then, {chosen.get(name)} now"] = None
    return tuple(found)


class OriginalArchive:
    """The archived answers of the original, found by their id: a record may lie elsewhere by now."""

    def __init__(self, db: Database, archive: WarcArchive) -> None:
        self._db = db
        self._archive = archive

    async def __call__(self, ref: ArchiveRef) -> RecordContents:
        entry = await self._db.read(archive_index.get, ref.record_id)
        return await self._archive.contents(entry.ref if entry else ref)


async def replay(given: ReplayParts, recording: Recording, trust: RecordedTrust, others: tuple[str, ...]) -> Replay:
    """Play the recording and compare what comes out with the graph that is stored."""
    played = await Player(given, recording, trust).play()
    stored = await given.original.read(evidence_of, recording.task.id)
    return _judged(recording, played, stored.digest, others, compare_graphs(stored, played.evidence))


def _judged(
    recording: Recording, played: PlayedGraph, stored: str, others: tuple[str, ...], difference: GraphDifference
) -> Replay:
    digest = played.evidence.digest
    last = recording.events[-1] if recording.events else None
    recorded = last.subject if last and last.kind == flow.DIGEST else None
    if any(one.is_missing for one in played.problems):
        result = ReplayResult.INCOMPLETE
    elif digest == stored:
        has_read = any(event.kind == flow.READ for event in recording.events)
        result = ReplayResult.EQUAL if has_read else ReplayResult.NOTHING
    else:
        result = ReplayResult.SINCE_CHANGED if digest == recorded else ReplayResult.DIFFERENT
    return Replay(
        task_id=recording.task.id,
        result=result,
        digest=digest,
        digest_stored=stored,
        digest_recorded=recorded,
        pages=played.pages,
        edges=len(played.evidence.edges),
        digests=played.digests,
        problems=played.problems,
        other_means=others,
        difference=difference,
    )


def replay_fields(found: Replay) -> dict[str, Any]:
    """The replay as plain data."""
    return {
        "task_id": found.task_id,
        "result": found.result.value,
        "digest": found.digest,
        "digest_stored": found.digest_stored,
        "digest_recorded": found.digest_recorded,
        "pages": found.pages,
        "edges": found.edges,
        "searches": [{"recorded": then, "replayed": now} for then, now in found.digests],
        "problems": [asdict(one) for one in found.problems],
        "other_means": list(found.other_means),
        "difference": difference_fields(found.difference),
    }
