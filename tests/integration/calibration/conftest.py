"""A book over a fresh database, a clock that is held, and samples of an overconfident judge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest

from lyra.calibration.book import CalibrationBook
from lyra.calibration.reports import AddedSample
from lyra.ids import derived_id, text_hash
from lyra.model.calibration import CalibrationSource
from lyra.model.claim import Claim
from lyra.model.edge import Edge, Relation
from lyra.model.page import Fragment, FragmentType, Page
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.reviewing import ReviewInput, Reviews
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Calibration, Settings
from lyra.storage import claims, edges, pages, tasks
from lyra.storage.database import Database
from lyra.trust.levels import TrustList
from tests.conftest import NewDatabase

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
BASIS = "two_answers-705aaa71"
STANCES = ("supports", "refutes", "neutral")


@dataclass
class HeldClock:
    """Moves on by a second whenever it is looked at."""

    moment: datetime = NOW

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


def overconfident(count: int, seed: int = 3) -> list[tuple[list[float], str]]:
    """Stance probabilities whose log-odds are five times too large, and the stance that was right."""
    random = np.random.default_rng(seed)
    honest = random.normal(0, 1.2, (count, 3))
    chances = np.exp(honest) / np.exp(honest).sum(axis=1, keepdims=True)
    truth = (chances.cumsum(axis=1) < random.random((count, 1))).sum(axis=1)
    said = np.exp(5 * honest) / np.exp(5 * honest).sum(axis=1, keepdims=True)
    return [(row.tolist(), STANCES[at]) for row, at in zip(said, truth, strict=True)]


async def feed(
    book: CalibrationBook, samples: list[tuple[list[float], str]], language: str = "en"
) -> list[AddedSample]:
    """Add the samples one by one, as a person would."""
    source = CalibrationSource.NLI_JUDGE
    return [await book.add_sample(source, prediction, actual, language=language) for prediction, actual in samples]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "lyra.db"


@pytest.fixture
async def db(path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(path), readers=2)
    yield database
    await database.close()


OpenBook = Callable[..., CalibrationBook]


@pytest.fixture
def open_book(db: Database) -> OpenBook:
    """A book with the production settings but for those named; a basis stands for the weights in use."""
    clock = HeldClock()

    def opened(basis: str = BASIS, **settings: object) -> CalibrationBook:
        return CalibrationBook(db, clock, Calibration(**settings), {CalibrationSource.NLI_JUDGE: basis})  # type: ignore[arg-type]

    return opened


@pytest.fixture
def book(open_book: OpenBook) -> CalibrationBook:
    return open_book()


class _Model:
    """Names the model whose vectors are stored."""

    model_id = "minilm"


Correct = Callable[..., Awaitable[AddedSample]]


@pytest.fixture
def correct(db: Database, tmp_path: Path) -> Correct:
    """Reviews an edge as a person does; returns what calibration made of it."""
    settings, clock, unused = Settings(data_dir=tmp_path), HeldClock(), None
    trust = DomainTrust(db, clock, TrustList(tmp_path / "domains.yaml"))
    parts = SearchParts(db, clock, settings, unused, unused, unused, unused, _Model(), unused, trust, unused)  # type: ignore[arg-type]

    async def corrected(book: CalibrationBook, edge_id: str, actual: object, context: str = "") -> AddedSample:
        reviewed = await Reviews(parts, book).add_one(ReviewInput(edge_id, actual, context, "person"))  # type: ignore[arg-type]
        assert reviewed.added is not None
        return reviewed.added

    return corrected


Rows = Callable[[str], list[tuple[object, ...]]]


@pytest.fixture
def rows(path: Path, db: Database) -> Rows:
    """What another reader of the file sees."""

    def found(sql: str) -> list[tuple[object, ...]]:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    return found


def store_edges(
    connection: apsw.Connection,
    count: int,
    version: str,
    claim: str,
    probabilities: tuple[float, float, float],
    model_id: str = "lyra-reader-small@3.0.0+66a34e80",
) -> list[str]:
    """Edges of one claim as the judge writes them; returns their ids."""
    task_id = derived_id("task", claim)[:17]  # twelve digits, as tasks have
    made = Claim(derived_id("c", claim), task_id, claim, "ja", NOW)
    page = Page(derived_id("p", claim), f"https://www.pmda.go.jp/{made.id}", "pmda.go.jp", "添付文書", "ja", NOW)
    texts = [f"{claim} 第{number}報。" for number in range(count)]
    fragments = [
        Fragment(
            id=derived_id("f", text),
            page_id=page.id,
            text_content=text,
            fragment_type=FragmentType.PARAGRAPH,
            heading_context="",
            heading_hierarchy=(),
            element_index=place,
            position=place,
            char_start=0,
            char_end=len(text),
            text_hash=text_hash(text),
            language="ja",
        )
        for place, text in enumerate(texts)
    ]
    tasks.insert(connection, Task(task_id, "DPP-4阻害薬は安全か", TaskStatus.CREATED, NOW, Budget()))
    pages.save(connection, page, fragments)
    claims.insert_many(connection, [made])
    label = Relation(STANCES[max(range(3), key=probabilities.__getitem__)])
    found = [
        Edge(
            id=derived_id("e", fragment.id, made.id),
            source_type="fragment",
            source_id=fragment.id,
            target_type="claim",
            target_id=made.id,
            relation=label,
            created_at=NOW,
            nli_label=label.value,
            nli_confidence=max(probabilities),
            nli_raw=max(probabilities),
            model_id=model_id,
            calibration_version=version,
            probabilities=probabilities,
        )
        for fragment in fragments
    ]
    edges.insert_many(connection, found)
    return [edge.id for edge in found]
