"""A document's bytes to fragments, claims, vectors and stances: the same steps as in a search, for one page alone.

Each page is read into a graph of its own that holds the task's hypotheses and nothing else. So what comes out depends
on the page and the plan only, whichever process or machine reads it and whatever it has read before.
"""

import asyncio
import shutil
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lyra.app import Lyra, bundled_calibration, stance_judge
from lyra.bulk.memory import ModelMemory, RememberingEmbedder, RememberingReader
from lyra.bulk.plan import Plan
from lyra.bulk.sources import Place, RawDocument
from lyra.clock import stamp
from lyra.errors import InvalidParams, ModelError
from lyra.evidence.task_graph import evidence_of
from lyra.extract.fragments import to_fragments
from lyra.extract.process import document_to_json
from lyra.extract.reader import DocumentReader
from lyra.ids import derived_id
from lyra.ml.caches import CachedEmbedder, CachedReader
from lyra.ml.remote import IsolatedModels
from lyra.model.page import Document, FetchOutcome, FetchResult, Page, StoredPage
from lyra.model.search import Candidate
from lyra.model.task_evidence import TaskEvidence
from lyra.model_store.store import chosen_models, chosen_strong
from lyra.research.graph_builder import GraphBuilder
from lyra.research.injections import scan_document
from lyra.research.phases.fetch import Scan, page_of, store_page
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import candidates, embeddings, searches, transactions
from lyra.storage.columns import to_json
from lyra.storage.database import Database
from lyra.trust.levels import TrustList

if TYPE_CHECKING:
    from apsw import Connection

ENGINE = "bulk"
Row = dict[str, Any]


class RowStatus(StrEnum):
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read, and the page it becomes."""

    document: Document
    stored: StoredPage
    candidate: Candidate
    result: FetchResult


class PageReader:
    """Reads documents one after another with models that are loaded once. Use as an asynchronous context."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self._plan = plan
        models = settings.models.model_copy(update={"threads": settings.models.threads or 1, "idle_exit_s": 86_400.0})
        self._settings = settings.model_copy(update={"evidence": plan.evidence, "models": models})
        self._memory = ModelMemory()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> "PageReader":
        """Raises ModelError where the models are missing or other ones than the plan names."""
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def _open(self) -> None:
        self._scratch = Path(self._stack.enter_context(TemporaryDirectory(prefix="lyra-bulk-")))
        settings = self._settings.moved_to(self._scratch)
        lyra = await self._stack.enter_async_context(Lyra.open(settings))
        chosen, strong = chosen_models(settings), chosen_strong(settings)
        models = IsolatedModels(settings.models, chosen=chosen, strong=strong)
        self._stack.push_async_callback(models.close)
        self._reader = DocumentReader(settings.models)
        self._stack.push_async_callback(self._reader.close)
        self._parts = self._remembering(lyra, models)
        await self._check_models(models)
        self._template = self._scratch / "empty.db"
        db = await Database.open(self._template, readers=1)
        await db.write(_seed, self._plan)
        await db.close()

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def read(self, place: Place, raw: RawDocument) -> Row:
        """What the page gives, as a row. Raises InvalidParams where nothing can be read from it, else PipelineError."""
        document = await self._reader.read(raw.body, content_type=raw.content_type, url=raw.url)
        if not document.text:
            raise InvalidParams(document.remarks[0] if document.remarks else "It holds no text.")
        read = read_document(self._plan.search().id, raw, document)
        database = self._scratch / "page.db"
        await asyncio.to_thread(shutil.copy, self._template, database)
        db = await Database.open(database, readers=1)
        try:
            evidence, vectors = await self._graph_of(db, read)
        finally:
            await db.close()
            await asyncio.to_thread(_remove, database)
        return self._row(place, raw, read, evidence, vectors)

    async def _graph_of(self, db: Database, read: ReadDocument) -> tuple[TaskEvidence, dict[str, Any]]:
        self._memory.forget()
        parts = self._parts_on(db)
        search = self._plan.search()
        graph = GraphBuilder(parts, search.task_id, self._plan.query, search.id, search.query)
        await graph.load()
        await store(db, read, parts)
        await graph.add_page(read.stored)
        found = await db.read(evidence_of, search.task_id)
        model_id = parts.embedder.model_id
        vectors = await db.read(embeddings.get_many, "fragment", [one.id for one in read.stored.fragments], model_id)
        return found, vectors | await db.read(embeddings.get_many, "claim", [one.id for one in found.claims], model_id)

    def _parts_on(self, db: Database) -> SearchParts:
        trust = DomainTrust(db, self._parts.clock, TrustList(self._scratch / "domains.yaml"))
        return replace(self._parts, db=db, trust=trust)

    def _remembering(self, lyra: Lyra, models: IsolatedModels) -> SearchParts:
        def remembering(reader: Any) -> RememberingReader:
            return RememberingReader(CachedReader(reader), self._memory)

        calibrator = bundled_calibration(models)
        judge = stance_judge(models, models.cascade_of(remembering), calibrator)
        embedder = RememberingEmbedder(CachedEmbedder(models.embedder), self._memory)
        return replace(lyra.parts, embedder=embedder, judge=judge, llm=None)

    async def _check_models(self, models: IsolatedModels) -> None:
        known = {"embedder": models.embedder.model_id, **self._parts.judge.model_ids}
        if known != self._plan.models:
            raise ModelError("This machine has other models than the one that began.", remedy="Install the same ones.")
        await models.embedder.embed(["It rained."])

    def _row(
        self, place: Place, raw: RawDocument, read: ReadDocument, evidence: TaskEvidence, vectors: dict[str, Any]
    ) -> Row:
        page = read.stored.page
        return {
            **place_fields(place),
            "status": RowStatus.READ.value,
            "url": page.url,
            "page_id": page.id,
            "domain": page.domain,
            "title": page.title,
            "language": page.language,
            "published_date": page.date,
            "fetched_at": stamp(page.fetched_at),
            "content_hash": page.content_hash,
            "headers": [{"name": name, "value": value} for name, value in raw.headers],
            "document": to_json(document_to_json(read.document)),
            "fragments": [_fragment_row(one, vectors) for one in read.stored.fragments],
            "claims": [
                asdict(one) | {"vector": vectors[one.id].tolist()} for one in evidence.claims if not one.is_hypothesis
            ],
            "mentions": [asdict(one) for one in evidence.mentions],
            "stances": [asdict(one) for one in evidence.edges],
            "vectors": [{"text_hash": key, "vector": row.tobytes()} for key, row in self._memory.vectors.items()],
            "answers": [
                {"reader": reader, "pair": key, "bears": float(row[0]), "side": float(row[1])}
                for (reader, key), row in self._memory.answers.items()
            ],
        }


def check_models(plan: Plan, settings: Settings) -> None:
    """Raises ModelError where this machine cannot read by the plan."""

    async def start() -> None:
        async with PageReader(plan, settings):
            pass

    asyncio.run(start())


def place_fields(place: Place) -> Row:
    return {"key": place.key, "address": place.address, "offset": place.offset, "version": place.version}


def read_document(search_id: str, raw: RawDocument, document: Document) -> ReadDocument:
    """The page that a document becomes: its ids are those that a search would have given it."""
    candidate = Candidate(
        id=derived_id("r", search_id, raw.url),
        search_id=search_id,
        url=raw.url,
        title=document.title or raw.url.rstrip("/").rpartition("/")[2],
        snippet="",
        engine=ENGINE,
        rank=1,
    )
    result = FetchResult(
        raw.url, FetchOutcome.OK, raw.url, 200, raw.headers, raw.body, rung=ENGINE, fetched_at=raw.fetched_at
    )
    page: Page = replace(page_of(candidate, result, document, raw.fetched_at), domain=raw.domain)
    return ReadDocument(document, StoredPage(page, to_fragments(page.id, document)), candidate, result)


async def store(db: Database, read: ReadDocument, parts: SearchParts) -> None:
    """Keep the page with its scan for orders to an AI, its links and its candidate."""
    found = await asyncio.to_thread(scan_document, read.document, read.stored.page.title)
    scanned = Scan(found, parts.clock.now(), read.candidate.search_id)
    await db.write(_store, read, scanned)


def _store(connection: "Connection", read: ReadDocument, scanned: Scan) -> None:
    candidates.add(connection, [read.candidate])
    store_page(connection, read.candidate, read.stored, read.document, read.result, scanned)


def _seed(connection: "Connection", plan: Plan) -> None:
    transactions.create_task(connection, plan.task(), plan.hypotheses)
    searches.insert(connection, plan.search())


def _fragment_row(fragment: Any, vectors: dict[str, Any]) -> Row:
    return {
        "id": fragment.id,
        "text": fragment.text_content,
        "fragment_type": fragment.fragment_type.value,
        "heading_context": fragment.heading_context,
        "char_start": fragment.char_start,
        "char_end": fragment.char_end,
        "page_number": fragment.page_number,
        "language": fragment.language,
        "vector": vectors[fragment.id].tolist(),
    }


def _remove(database: Path) -> None:
    for one in (database, Path(f"{database}-wal"), Path(f"{database}-shm")):
        one.unlink(missing_ok=True)
