"""Another embedder over older data: vectors of two models are never compared, and the old ones go all at once."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from apsw import Connection
from numpy.typing import NDArray

from lyra.app import Lyra
from lyra.clock import SystemClock
from lyra.errors import ModelError
from lyra.evidence.explore import Explorer
from lyra.model.claim import Claim
from lyra.model.edge import Relation
from lyra.model.graph_query import SimilarAnswer
from lyra.model.trust import TrustLevel
from lyra.model_store.pull import pin_folder, pull
from lyra.model_store.store import ModelStore
from lyra.research.assessing import Assessor, find_page_groups
from lyra.research.recompute import Reembedder
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import claims, embeddings, leases, sentence_vectors
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database
from lyra.storage.vectors import Vectors
from lyra.trust.levels import TrustList
from tests import tiny_models
from tests.clocks import StoppedClock

TASK = "task_00000000000a"
CLAIM = "Gliptins prolong life."
STUDY = "Patients who took gliptins lived longer than all the others in the study of two years."
TIPS = ("Tip one of the day.", "Our weekly letter.")
OLD, NEW = "minilm", "sides@2"
HALF = 0.5**0.5
UNDER_WAY = (
    "The embedder has changed: texts are being embedded again. Until then vector_search finds only those that are "
    "done; not_yet_embedded in its answer counts the others."
)


class Sides:
    """Two numbers a text, where the older model had eight: whether it speaks of gliptins. Keeps what it was asked."""

    model_id = NEW
    dimension = 2

    def __init__(self, act: Callable[[Sequence[str]], Awaitable[None]] | None = None) -> None:
        self.asked: list[str] = []
        self._act = act

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._act is not None:
            await self._act(texts)
        self.asked += texts
        rows = [[1.0, 0.0] if "gliptins" in text.lower() else [0.0, 1.0] for text in texts]
        return np.array(rows, np.float32).reshape(-1, 2)


class Gate:
    """Holds whoever comes until it is opened."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, texts: Sequence[str]) -> None:
        self.reached.set()
        await self.open.wait()


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def parts(db: Database, clock: StoppedClock, settings: Settings) -> SearchParts:
    trust = DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml"))
    unused: Any = None
    return SearchParts(db, clock, settings, unused, unused, unused, unused, Sides(), unused, trust, unused)


@pytest.fixture
async def old(db: Database, said: Any, write: Any) -> Any:
    """A claim and two fragments, embedded by the older model, which saw no likeness between the fragments."""
    told = [
        said(
            f"https://site{at}.example/a", f"site{at}.example", f"{tip} {STUDY}",
            Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED,
        )
        for at, tip in enumerate(TIPS)
    ]  # fmt: skip
    claim_id = await db.write(write, CLAIM, told)
    await db.write(embeddings.put_many, "claim", [(claim_id, [1.0] + [0.0] * 7)], OLD)
    return claim_id, *(one.fragment.id for one in told)


def reembedder(parts: SearchParts, embedder: Any = None) -> Reembedder:
    return Reembedder(parts, embedder or parts.embedder, contextlib.nullcontext)


def stored(connection: Connection) -> dict[tuple[str, str], list[float]]:
    rows = connection.execute("select model_id, target_id, embedding_blob from embeddings")
    return {
        (str(model), str(one)): [round(x, 4) for x in np.frombuffer(blob, "<f4").tolist()] for model, one, blob in rows
    }


def models(connection: Connection) -> list[tuple[str, int]]:
    rows = connection.execute("select model_id, count(*) from embeddings group by model_id order by model_id")
    return [(str(model), int(number)) for model, number in rows]


async def known(task_id: str) -> None:
    return None


async def test_every_text_gets_a_new_vector_and_the_old_ones_go(db: Database, parts: SearchParts, old: Any) -> None:
    """A claim by its words, a fragment by the mean of its sentences, of another dimension; caches of the old go too."""
    claim, first, second = old
    await db.write(sentence_vectors.put_many, {"h": np.ones((1, 8), np.float32)}, OLD, parts.clock.now())

    await reembedder(parts).run()

    half = [round(HALF, 4)] * 2
    assert await db.read(stored) == {(NEW, claim): [1.0, 0.0], (NEW, first): half, (NEW, second): half}
    assert await db.read(sentence_vectors.get_many, ["h"], OLD) == {}


async def test_claims_come_first_then_the_newest_fragments(db: Database, parts: SearchParts, old: Any) -> None:
    """What people ask for most is found again soonest."""
    embedder = Sides()

    await reembedder(parts, embedder).run()

    assert embedder.asked == [CLAIM, TIPS[1], STUDY, TIPS[0], STUDY]


async def test_search_by_meaning_tells_what_it_could_not_search(db: Database, parts: SearchParts, old: Any) -> None:
    """Nothing is compared with the older model's vectors: fragments are counted, and found when they are done."""
    explorer = Explorer(db, parts.embedder, Vectors(db), GraphQueries(db.path), known)
    asked = {"target": "fragments", "top_k": 5, "min_similarity": 0.5}

    before = [await explorer.similar("gliptins", task_id=task, **asked) for task in (None, TASK, "task_00000000000f")]
    await reembedder(parts).run()
    after = await explorer.similar("gliptins", task_id=TASK, **asked)

    assert before == [SimilarAnswer((), 0, 2), SimilarAnswer((), 0, 2), SimilarAnswer((), 0, 0)]
    assert [(hit.id, round(hit.similarity, 4)) for hit in after.hits] == [(old[2], 0.7071), (old[1], 0.7071)]
    assert (after.total_searched, after.not_yet_embedded) == (2, 0)


async def test_a_search_halfway_finds_what_is_done_and_counts_the_rest(
    db: Database, parts: SearchParts, old: Any
) -> None:
    """One of two fragments has a vector of the present model."""
    await db.write(embeddings.put_many, "fragment", [(old[1], [HALF, HALF])], NEW)

    found = await Vectors(db).search([1.0, 0.0], "fragment", NEW, task_id=TASK)

    assert [hit.id for hit in found.hits] == [old[1]]
    assert (found.total_searched, found.not_yet_embedded) == (1, 1)


async def test_what_failed_in_the_middle_loses_nothing_and_is_gone_on_with(
    db: Database, parts: SearchParts, old: Any
) -> None:
    """The claim is done and the model fails at the fragments: old vectors stay, and the claim is not asked again."""

    async def fail_at_fragments(texts: Sequence[str]) -> None:
        if STUDY in texts:
            raise ModelError("The model is broken.")

    broken = reembedder(parts, Sides(fail_at_fragments))
    await broken.start(60)
    halfway, troubles = await db.read(models), broken.troubles()
    embedder = Sides()
    await reembedder(parts, embedder).run()

    assert halfway == [(OLD, 3), (NEW, 1)]
    assert troubles == (
        "Texts could not be embedded again: The model is broken. The next start tries again.",
    )  # fmt: skip
    assert embedder.asked == [TIPS[1], STUDY, TIPS[0], STUDY]
    assert await db.read(models) == [(NEW, 3)]


async def test_a_server_that_stops_leaves_the_rest_to_the_next(db: Database, parts: SearchParts, old: Any) -> None:
    """Stopped while the model works; status tells that it is under way, and the next opening waits for nobody."""
    gate = Gate()
    first = reembedder(parts, Sides(gate))
    await first.start(0)
    await gate.reached.wait()
    troubles = first.troubles()

    await first.stop()

    assert troubles == (UNDER_WAY,)
    assert await db.read(models) == [(OLD, 3)]
    await reembedder(parts).run()
    assert await db.read(models) == [(NEW, 3)]


async def test_two_servers_do_not_do_the_work_twice(db: Database, parts: SearchParts, old: Any) -> None:
    """The second waits for the first, and finds nothing left to do."""
    gate, other, clock = Gate(), Sides(), StoppedClock()
    first = asyncio.create_task(reembedder(parts, Sides(gate)).run())
    await gate.reached.wait()
    second = asyncio.create_task(reembedder(replace(parts, clock=clock), other).run())
    await clock.somebody_sleeps()

    gate.open.set()
    await first
    await clock.advance(5)
    await second

    assert other.asked == []
    assert await db.read(models) == [(NEW, 3)]


async def test_where_nothing_is_to_be_done_no_model_is_asked(db: Database, parts: SearchParts, old: Any) -> None:
    """Everything has vectors of the present model only: nothing is begun, and no lease is taken."""
    await reembedder(parts).run()
    embedder = Sides()
    again = reembedder(parts, embedder)

    await again.start(0)

    leases = await db.read(lambda connection: connection.execute("select count(*) from leases").get)
    assert (embedder.asked, again.troubles(), leases) == ([], (), 0)


async def test_an_empty_directory_needs_nothing(parts: SearchParts) -> None:
    """Neither model nor task."""
    embedder = Sides()

    await reembedder(parts, embedder).run()

    assert embedder.asked == []


async def test_a_text_that_goes_meanwhile_gets_no_vector(db: Database, parts: SearchParts, old: Any) -> None:
    """Its claim is deleted while the model works."""

    async def delete_claim(texts: Sequence[str]) -> None:
        await db.write(lambda connection: connection.execute("delete from claims") and None)

    await reembedder(parts, Sides(delete_claim)).run()

    assert set(await db.read(stored)) == {(NEW, old[1]), (NEW, old[2])}


async def test_vectors_of_several_older_models_are_replaced_once(db: Database, parts: SearchParts, old: Any) -> None:
    """A text with vectors of two older models is embedded once."""
    await db.write(embeddings.put_many, "claim", [(old[0], [1.0, 0.0, 0.0])], "zeta@1")
    embedder = Sides()

    await reembedder(parts, embedder).run()

    assert embedder.asked.count(CLAIM) == 1
    assert await db.read(models) == [(NEW, 3)]


async def test_nothing_is_removed_while_a_text_waits(db: Database, parts: SearchParts, old: Any) -> None:
    """Another server with the older model adds a claim after claims were done: it is embedded before the end."""
    late = Claim("c_late", TASK, "Gliptins are taken once a day.", "en", parts.clock.now())

    def add_claim(connection: Connection) -> None:
        claims.insert_many(connection, [late])
        embeddings.put_many(connection, "claim", [("c_late", [1.0] + [0.0] * 7)], OLD)

    async def add_at_fragments(texts: Sequence[str]) -> None:
        if STUDY in texts:
            await db.write(add_claim)

    embedder = Sides(add_at_fragments)

    await reembedder(parts, embedder).run()

    assert embedder.asked[-1] == late.claim_text
    assert await db.read(models) == [(NEW, 4)]


async def test_claims_are_assessed_by_the_new_vectors(db: Database, parts: SearchParts, old: Any) -> None:
    """The new model sees that both pages tell one story, and not before all of the task has its vectors."""
    await Assessor(parts, TASK).group_pages()
    await Assessor(parts, TASK).assess([old[0]])
    before = await db.read(claims.get, old[0])
    await db.write(embeddings.put_many, "fragment", [(old[1], [HALF, HALF])], NEW)
    halfway = await find_page_groups(db, TASK, NEW)

    await reembedder(parts).run()

    after = await db.read(claims.get, old[0])
    assert before is not None
    assert after is not None
    assert halfway == ()
    assert len(await find_page_groups(db, TASK, NEW)) == 1
    assert [one.assessment.independent_sources for one in (before, after)] == [2, 1]


async def test_groups_by_the_older_vectors_hold_until_the_new_ones_are_there(
    db: Database, parts: SearchParts, old: Any
) -> None:
    """The older model saw one story; half of the new vectors would see none."""
    await db.write(lambda connection: connection.execute("delete from embeddings") and None)
    same = [(one, [1.0] + [0.0] * 7) for one in old[1:]]
    await db.write(embeddings.put_many, "fragment", same, OLD)
    await db.write(embeddings.put_many, "fragment", [(old[1], [1.0, 0.0])], NEW)
    halfway = await find_page_groups(db, TASK, NEW)
    await db.write(embeddings.put_many, "fragment", [(old[2], [0.0, 1.0])], NEW)

    done = await find_page_groups(db, TASK, NEW)

    assert [len(group.pages) for group in halfway] == [2]
    assert done == ()


async def test_a_server_embeds_older_data_anew_beside_its_work(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, db: Database, old: Any
) -> None:
    """The bundled embedder over vectors of another one; a command without a worker leaves them alone."""
    monkeypatch.setattr("lyra.app.background._REEMBED_TIMEOUT_S", 60.0)
    async with Lyra.open(settings):
        untouched = await db.read(models)

    async with Lyra.open(settings, with_worker=True) as lyra:
        replaced = await db.read(models)

    assert untouched == [(OLD, 3)]
    assert replaced == [(lyra.parts.embedder.model_id, 3)]


async def test_status_tells_that_texts_are_being_embedded_anew(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, db: Database, old: Any
) -> None:
    """Here another process does it: this one serves, waits, and ends without harm."""
    monkeypatch.setattr("lyra.app.background._REEMBED_TIMEOUT_S", 0.0)
    now = SystemClock().now()
    await db.write(leases.acquire, "reembedding", "another", now, now + timedelta(hours=1))

    async with Lyra.open(settings, with_worker=True) as lyra:
        report = await lyra.status.report(TASK)

    assert UNDER_WAY in report.warnings
    assert await db.read(models) == [(OLD, 3)]


async def test_a_model_of_ones_own_embeds_older_data_anew(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, db: Database, old: Any, tmp_path: Path
) -> None:
    """`lyra models use` is enough: the next server replaces the vectors of the embedder before."""
    monkeypatch.setattr("lyra.app.background._REEMBED_TIMEOUT_S", 60.0)
    folder = tiny_models.e5_folder(tmp_path / "e5")
    own = await pull(pin_folder("tiny", "embedder", folder), settings, lambda *_: None, lambda *_: None, folder)
    ModelStore(settings.models_dir).use("tiny")

    async with Lyra.open(settings, with_worker=True):
        replaced = await db.read(models)

    assert replaced == [(own.model_id, 3)]
