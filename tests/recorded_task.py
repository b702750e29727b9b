"""A small task as a search leaves it: pages in a real archive, read into a real graph by models a test can foresee."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lyra.archive.warc import WarcArchive
from lyra.calibration.bundled import CalibratedAnswer, logistic
from lyra.claims.stance import StanceJudge
from lyra.claims.words import content_words
from lyra.extract.fragments import to_fragments
from lyra.extract.reader import DocumentReader
from lyra.ids import bytes_hash, derived_id
from lyra.model.archive import Exchange
from lyra.model.claim import Claim
from lyra.model.edge import ReaderAnswer
from lyra.model.page import Page, StoredPage
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.flow import note_digest
from lyra.research.graph_builder import GraphBuilder
from lyra.research.search_run import SearchParts
from lyra.research.tasks import claim_id
from lyra.research.trust import DomainTrust
from lyra.settings import Models, Settings
from lyra.storage import candidates, claims, links, pages, searches, tasks
from lyra.storage.database import Database
from lyra.trust.levels import TrustList
from lyra.urls import registrable_domain
from tests.clocks import HeldClock

TASK = "task_00000000000a"
SEARCH = "s_0000000000aa"
QUESTION = "Does saxagliptin increase hospitalisation for heart failure?"
HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."
COOKIE = "session=8f1c-secret-of-the-reader"
_HEADERS = (("Content-Type", "text/html; charset=utf-8"), ("Set-Cookie", COOKIE), ("Server", "nginx"))
PAGES = {
    "https://www.fdso.gov/safety/heart?token=abcdef123456": (
        "Saxagliptin increased the risk of hospitalisation for heart failure by 27 percent in a trial of 16,492 "
        "patients. The agency asked for a warning on the label in April 2016.",
    ),
    "https://www.jmetd-journal.org/2014/heart": (
        "Saxagliptin did not increase the risk of hospitalisation for heart failure in 1.5 million patients.",
    ),
    "https://clinic-notes.example.com/heart": (
        "Hospitalisation for heart failure was a higher risk on saxagliptin, doctors at nine other clinics reported.",
    ),
}


class WordVectors:
    """A vector with one place for each word; texts with the same words have the same vector."""

    model_id = "words@1"
    dimension = 512

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            for word in content_words(text):
                rows[at, crc32(word.encode()) % self.dimension] = 1.0
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class SaysNo:
    """Refutes where exactly one of the two texts says "not", as surely as `side` is large."""

    model_ids: ClassVar = {"large": "says-no@1"}

    def __init__(self, side: float = 4.0) -> None:
        self._side = side

    async def read(self, given: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        sides = (-self._side if ("not" in text) != ("not" in claim) else self._side for text, claim in given)
        return [ReaderAnswer(3.0, side, "large", "says-no@1") for side in sides]


class AsTheyAre:
    """Chances without any calibration."""

    version = "none"

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        return [CalibratedAnswer(logistic(answer.bears), logistic(answer.side)) for answer in answers]


def parts_over(db: Database, settings: Settings, readers: SaysNo | None = None) -> SearchParts:
    """Everything that building a graph needs, and nothing that fetches."""
    clock = HeldClock()
    fields: dict[str, Any] = dict.fromkeys(SearchParts.__dataclass_fields__)
    return SearchParts(
        **{
            **fields,
            "db": db,
            "clock": clock,
            "settings": settings,
            "embedder": WordVectors(),
            "judge": StanceJudge(readers or SaysNo(), AsTheyAre(), {}),
            "trust": DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml")),
            "reader": DocumentReader(Models()),
        }
    )


@dataclass(frozen=True)
class RecordedTask:
    """An open database with one task that has been read."""

    db: Database
    archive: WarcArchive
    settings: Settings
    parts: SearchParts

    async def load(self) -> GraphBuilder:
        """A search that takes the task up, as after a start or a crash."""
        graph = GraphBuilder(self.parts, TASK, QUESTION, SEARCH, "saxagliptin heart failure")
        await graph.load()
        return graph

    async def read(self, graph: GraphBuilder, url: str) -> None:
        """Archive a page, store it and add it to the graph, as the fetch phase does."""
        body = "".join(f"<p>{one}</p>" for one in PAGES[url])
        html = (
            f"<html lang='en'><head><title>Report</title></head><body><article>{body}</article></body></html>".encode()
        )
        clock = self.parts.clock
        ref = await self.archive.store(Exchange(url, "GET", clock.now(), status_code=200, headers=_HEADERS, body=html))
        document = await self.parts.reader.read(html, content_type="text/html; charset=utf-8", url=url)
        page = Page(
            derived_id("p", url), url, registrable_domain(url), "Report", "en", clock.now(), url,
            content_hash=bytes_hash(html), archive=ref, text=document.text, extractor=document.extractor,
        )  # fmt: skip
        stored = StoredPage(page, to_fragments(page.id, document))
        found = Candidate(derived_id("r", SEARCH, url), SEARCH, url, "Report", "", "mojeek", rank=1)

        def store(connection: Any) -> None:
            pages.save(connection, page, stored.fragments)
            links.note(connection, page.id, [])
            candidates.add(connection, [found])

        await self.db.write(store)
        await graph.add_page(
            stored, lambda connection: candidates.set_state(connection, found.id, CandidateState.FETCHED, None, page.id)
        )

    async def end(self, graph: GraphBuilder) -> None:
        """Assess everything and note the digest, as at the end of a search."""
        await graph.assess_all([claim_id(TASK, HYPOTHESIS)])
        await self.db.write(note_digest, TASK, SEARCH, self.parts.clock.now())


async def begin_task(home: Path) -> RecordedTask:
    """A task with one hypothesis and one search; nothing is read yet."""
    settings = Settings(data_dir=home)
    db = await Database.open(settings.database_path)
    parts = parts_over(db, settings)
    now = parts.clock.now()

    def begin(connection: Any) -> None:
        tasks.insert(connection, Task(TASK, QUESTION, TaskStatus.EXPLORING, now, Budget()))
        search = Search(SEARCH, TASK, "saxagliptin heart failure", SearchOptions(), SearchStatus.SATISFIED, now)
        searches.insert(connection, search)
        hypothesis = Claim(claim_id(TASK, HYPOTHESIS), TASK, HYPOTHESIS, "en", now, is_hypothesis=True)
        claims.insert_many(connection, [hypothesis])

    await db.write(begin)
    return RecordedTask(db, WarcArchive(settings.archive_dir, parts.clock, db=db), settings, parts)


async def record_task(home: Path, *, crashes_after: int | None = None) -> RecordedTask:
    """A task that has read all pages; after so many of them the process died, and another one took over."""
    task = await begin_task(home)
    graph = await task.load()
    for done, url in enumerate(PAGES):
        if done == crashes_after:
            graph = await task.load()
        await task.read(graph, url)
    await task.end(graph)
    return task


async def close(task: RecordedTask) -> None:
    await task.archive.close()
    await task.parts.reader.close()
    await task.db.close()


def with_readers(task: RecordedTask, readers: SaysNo) -> RecordedTask:
    """The same task judged by other readers from here on."""
    return replace(task, parts=replace(task.parts, judge=StanceJudge(readers, AsTheyAre(), {})))
