"""Takes what workers have read into a task: the pairs across documents, independence and verdicts, as a search would.

Pages enter in the order of the collection. What the workers' models have said is recalled instead of asked again, so
that the graph is the one that reading here would have made.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lyra.app import Lyra, bundled_calibration, stance_judge
from lyra.archive.warc import WarcArchive
from lyra.bulk.memory import ModelMemory, RememberingEmbedder, RememberingReader
from lyra.bulk.parts import Problem, RowPlace, RowReader, index_rows, shown
from lyra.bulk.plan import Plan, load_plan
from lyra.bulk.reading import ReadDocument, Row, RowStatus, read_document, store
from lyra.bulk.run import model_ids
from lyra.bulk.sources import Place, RawDocument, read_place
from lyra.clock import parse_stamp
from lyra.errors import DocumentUnavailable, InvalidParams, LyraError, StorageError
from lyra.extract.process import document_from_json
from lyra.ids import bytes_hash
from lyra.ml.caches import CachedReader
from lyra.model.archive import Exchange
from lyra.model.search import CandidateState, Search, SearchPhase, SearchStatus
from lyra.model.task import TaskStatus
from lyra.redact.key import redactor_of
from lyra.research.flow import note_digest
from lyra.research.graph_builder import GraphBuilder
from lyra.research.llm_ratings import rate_page
from lyra.research.recompute import reassess
from lyra.research.search_run import SearchParts, SearchRun, count_sources, final_status, satisfaction
from lyra.storage import candidates, edges, searches, tasks
from lyra.urls import is_web_url

if TYPE_CHECKING:
    from apsw import Connection

Tell = Callable[[int, int], None]
_NO_TYPE = "application/octet-stream"
_TAKES_A_SIDE = frozenset({"supports", "refutes"})


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """`is_archived`: the bytes are copied into the archive. `only_bearing`: pages that take no side are left out."""

    is_archived: bool = True
    only_bearing: bool = False
    tell: Tell = lambda done, of: None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What came of an import; `recalled` and `asked` count vectors (`embed`) and answers of readers (`read`)."""

    search_id: str
    digest: str
    imported: int
    known: int
    left_out: int
    failed: int
    not_archived: tuple[Problem, ...]
    recalled: dict[str, int]
    asked: dict[str, int]
    has_other_models: bool


async def import_bulk(lyra: Lyra, out: str, task_id: str, options: ImportOptions) -> ImportReport:
    """Take a folder that `lyra bulk` has written into a task. Doing it again goes on where it stopped."""
    plan = load_plan(out)
    task = await lyra.tasks.get_own(task_id)
    if task.held_at is not None:
        raise InvalidParams(f"The task {task.id} is paused.", remedy="`lyra task resume` continues it.")
    rows = await asyncio.to_thread(index_rows, out)
    memory = ModelMemory()
    parts = _recalling(lyra, memory)
    search = replace(plan.search(), task_id=task.id, query=task.query, created_at=lyra.clock.now())
    search = replace(search, id=search.id if task.id == plan.task_id else f"s_{plan.id[:6]}{task.id[-6:]}")
    search = await lyra.db.write(_begin, search)
    run = SearchRun(parts, task, search)
    try:
        return await _Import(lyra, parts, run, plan, memory, options).run(rows)
    except asyncio.CancelledError:
        await lyra.db.write(_interrupt, search.id, lyra.clock.now())
        raise
    except LyraError as exc:
        await lyra.db.write(_fail, search.id, exc, lyra.clock.now())
        raise


class _Import:
    def __init__(
        self, lyra: Lyra, parts: SearchParts, run: SearchRun, plan: Plan, memory: ModelMemory, options: ImportOptions
    ) -> None:
        self._parts = parts
        self._run = run
        self._plan = plan
        self._memory = memory
        self._options = options
        settings = lyra.settings
        redactor = redactor_of(settings.data_dir)
        self._archive = WarcArchive(settings.archive_dir, lyra.clock, db=lyra.db, redactor=redactor)
        self._has_other_models = model_ids(lyra) != plan.models
        self._not_archived: list[Problem] = []

    async def run(self, rows: list[RowPlace]) -> ImportReport:
        search = self._run.search
        graph = GraphBuilder(self._parts, search.task_id, self._run.task.query, search.id, search.query)
        await self._run.enter_phase(SearchPhase.FETCH)
        await graph.load()
        done = await self._parts.db.read(candidates.of_search, search.id)
        read = {one.url for one in done if one.state.is_read}
        counts = {"imported": 0, "known": 0, "left_out": 0, "failed": 0}
        load = RowReader()
        for number, place in enumerate(rows):
            self._options.tell(number, len(rows))
            counts["failed" if place.status is RowStatus.FAILED else await self._page(graph, load, place, read)] += 1
        await self._archive.close()
        self._options.tell(len(rows), len(rows))
        digest = await self._finish(graph)
        return ImportReport(
            search.id,
            digest,
            **counts,
            not_archived=tuple(self._not_archived),
            recalled=dict(self._memory.recalled),
            asked=dict(self._memory.asked),
            has_other_models=self._has_other_models,
        )

    async def _page(self, graph: GraphBuilder, load: RowReader, place: RowPlace, read: set[str]) -> str:
        row = await asyncio.to_thread(load, place)
        if row["url"] in read:
            return "known"
        if self._options.only_bearing and not any(one["relation"] in _TAKES_A_SIDE for one in row["stances"]):
            return "left_out"
        document = await self._document(row)
        self._memory.forget()
        if not self._has_other_models:
            _fill(self._memory, row)
        await store(self._parts.db, document, self._parts)
        stored = await rate_page(self._run, document.stored)
        candidate, page = document.candidate, stored.page

        def note(connection: "Connection") -> None:
            candidates.set_state(connection, candidate.id, CandidateState.FETCHED, None, page.id)

        await self._run.count_page(await graph.add_page(stored, note))
        return "imported"

    async def _document(self, row: Row) -> ReadDocument:
        raw = RawDocument(
            url=row["url"],
            domain=row["domain"],
            body=b"",
            headers=tuple((one["name"], one["value"]) for one in row["headers"]),
            fetched_at=parse_stamp(row["fetched_at"]),
        )
        place = Place(row["address"], row["offset"], row["version"])
        read = read_document(self._run.search.id, raw, document_from_json(json.loads(row["document"])))
        page = replace(read.stored.page, content_hash=row["content_hash"])
        if self._options.is_archived:
            page = replace(page, archive=await self._archived(place, raw, page.content_hash, row))
        return replace(read, stored=replace(read.stored, page=page))

    async def _archived(self, place: Place, raw: RawDocument, content_hash: str, row: Row) -> Any:
        """Where the bytes are kept from now on; none where the source has gone or has changed since."""
        try:
            found = await asyncio.to_thread(read_place, place, self._plan.max_body_bytes)
            if bytes_hash(found.body) != content_hash:
                raise DocumentUnavailable("It has changed since it was read.")
        except (StorageError, InvalidParams) as exc:
            self._not_archived.append(Problem(shown(row), exc.message))
            return None
        headers, moment = raw.headers, raw.fetched_at
        if not is_web_url(raw.url):
            return await self._archive.store_file(raw.url, found.body, raw.content_type or _NO_TYPE, moment)
        exchange = Exchange(raw.url, "GET", moment, status_code=200, status_text="OK", headers=headers, body=found.body)
        return await self._archive.store(exchange)

    async def _finish(self, graph: GraphBuilder) -> str:
        search, parts = self._run.search, self._parts
        await self._run.enter_phase(SearchPhase.ASSESS)
        await graph.assess_all()
        await reassess(parts)
        digest = await parts.db.write(note_digest, search.task_id, search.id, parts.clock.now())
        heard = count_sources(await parts.db.read(edges.evidence_of_search, search.id), graph.joined)
        await self._run.finish(
            final_status(heard.sources, has_primary=heard.has_primary, has_secondary=heard.has_secondary),
            independent_sources=heard.sources,
            has_primary_source=heard.has_primary,
            satisfaction_score=satisfaction(heard.sources, has_primary=heard.has_primary),
            reason="the collection was read to its end",
        )
        return digest


def _begin(connection: "Connection", search: Search) -> Search:
    """The search of this import, new or taken up again."""
    known = searches.get(connection, search.id)
    if known is None:
        searches.insert(connection, search)
    else:
        search = replace(
            known, status=SearchStatus.RUNNING, reason=None, finished_at=None, error_code=None, error_remedy=None,
            is_retryable=None,
        )  # fmt: skip
        searches.save(connection, search)
    tasks.set_status(connection, search.task_id, TaskStatus.EXPLORING)
    return search


def _interrupt(connection: "Connection", search_id: str, now: datetime) -> None:
    reason = "the import was interrupted; the same command continues it"
    searches.end(connection, search_id, SearchStatus.CANCELLED, reason=reason, now=now)


def _fail(connection: "Connection", search_id: str, error: LyraError, now: datetime) -> None:
    searches.end(
        connection, search_id, SearchStatus.FAILED, error.message, now, error_code=error.code,
        error_remedy=error.remedy, is_retryable=error.retryable,
    )  # fmt: skip


def _recalling(lyra: Lyra, memory: ModelMemory) -> SearchParts:
    def recalling(reader: Any) -> RememberingReader:
        return RememberingReader(CachedReader(reader), memory)

    readers = lyra.models.cascade_of(recalling)
    judge = stance_judge(lyra.models, readers, bundled_calibration(lyra.models), lyra.calibration)
    return replace(lyra.parts, embedder=RememberingEmbedder(lyra.parts.embedder, memory), judge=judge)


def _fill(memory: ModelMemory, row: Row) -> None:
    import numpy as np

    memory.vectors.update((one["text_hash"], np.frombuffer(one["vector"], np.float32)) for one in row["vectors"])
    memory.answers.update(
        ((one["reader"], one["pair"]), np.array([one["bears"], one["side"]], np.float32)) for one in row["answers"]
    )
