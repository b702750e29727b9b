"""What is shown is what was judged, with the bundled small reader: the stored text judged again gives its answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from lyra.calibration.bundled import CalibratedAnswer, logistic
from lyra.claims.stance import StanceJudge
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id
from lyra.ml.card import load_card, model_directory
from lyra.ml.onnx import OnnxReader
from lyra.model.claim import Claim
from lyra.model.edge import PAGE_BREAK, Edge, PartRole, ReaderAnswer, without_page
from lyra.model.page import Page, StoredPage
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.graph_builder import GraphBuilder
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import claims, edges, pages, searches, tasks
from lyra.storage.database import Database
from lyra.trust.levels import TrustList

from .test_graph_builder import WordVectors

TASK = "task_00000000000a"
SITE = '<meta property="og:site_name" content="Trial News">'
ENGLISH, JAPANESE = "The band lengthens the sleep of nurses.", "刈取りによって蓼見湖の透明度は上がった。"
PAGES = (
    (
        "https://www.trial.example/en",
        "<h1>The band and sleep</h1><h2>Results</h2><p>The band was worn by 412 nurses for twelve weeks. "
        "It lengthened their sleep by 24 minutes a day. Coffee was not counted.</p>"
        "<p>They gained no sleep from the band on days off.</p>"
        "<table><tr><th>Group</th><th>Sleep of nurses in minutes</th></tr><tr><td>With the band</td><td>384</td></tr>"
        "<tr><td>Without the band</td><td>360</td></tr></table>",
    ),
    (
        "https://www.mizu.example/ja",
        "<h1>蓼見湖の水質</h1><h2>結果</h2><p>水草の刈取りは2021年に始まった。蓼見湖の透明度は50センチ上がった。"
        "漁獲量は変わらない。</p><p>刈らなかった区画では変わりませんでした。</p>",
    ),
)
PAGES_BEGIN = (
    "The band was worn by 412 nurses for twelve weeks. It lengthened their sleep by 24 minutes a day. "
    "Coffee was not counted.",
    "水草の刈取りは2021年に始まった。蓼見湖の透明度は50センチ上がった。漁獲量は変わらない。",
)


class SmallReader:
    """The bundled small reader in this process."""

    model_ids: ClassVar = {"small": "small@1"}

    def __init__(self) -> None:
        self._model = OnnxReader(load_card(model_directory("small")), threads=1)

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        rows = await asyncio.to_thread(self._model.answers, [(without_page(text), claim) for text, claim in pairs])
        return [
            ReaderAnswer(float(bears), float(side), "small", self._model.card.model_id) for bears, side in rows.tolist()
        ]


class AsStrong(SmallReader):
    """The same model in the place of the strong reader, which is told of the page beforehand."""

    model_ids: ClassVar = {"strong": "strong@1"}

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        told = [(text.replace(PAGE_BREAK, "\n\n"), claim) for text, claim in pairs]
        return [replace(one, reader="strong") for one in await super().read(told, weighty)]


class AsTheyAre:
    version = "none"

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        return [CalibratedAnswer(logistic(answer.bears), logistic(answer.side)) for answer in answers]


@pytest.fixture(scope="module")
def reader() -> SmallReader:
    return SmallReader()


@pytest.fixture
async def judged(db: Database, clock: Any, settings: Settings, reader: SmallReader) -> tuple[Edge, ...]:
    """The edges of two pages, read with the bundled small reader."""
    return await judge_pages(db, clock, settings, reader)


async def judge_pages(db: Database, clock: Any, settings: Settings, reader: SmallReader) -> tuple[Edge, ...]:
    def begin(connection: Any) -> None:
        tasks.insert(
            connection, Task(TASK, "What do band and cutting do?", TaskStatus.EXPLORING, clock.now(), Budget())
        )
        searches.insert(connection, Search("s_1", TASK, "band", SearchOptions(), SearchStatus.RUNNING, clock.now()))
        asked = ((ENGLISH, "en"), (JAPANESE, "ja"))
        claims.insert_many(
            connection, [Claim(f"c_{code}", TASK, text, code, clock.now(), is_hypothesis=True) for text, code in asked]
        )

    await db.write(begin)
    trust = DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml"))
    judge = StanceJudge(reader, AsTheyAre(), {})
    unused: Any = None
    parts = SearchParts(db, clock, settings, unused, unused, unused, unused, WordVectors(), judge, trust, unused)
    graph = GraphBuilder(parts, TASK, "What do band and cutting do?", "s_1", "band")
    await graph.load()
    for url, body in PAGES:
        html = f"<html><head>{SITE}</head><body><article>{body}</article></body></html>"
        document = read_document(html.encode(), content_type="text/html; charset=utf-8", url=url)
        page = Page(
            derived_id("p", url),
            url,
            "example",
            document.title,
            document.language,
            clock.now(),
            text=document.text,
            site_name=document.site_name,
        )
        stored = StoredPage(page, to_fragments(page.id, document))
        await db.write(pages.save, page, stored.fragments)
        await graph.add_page(stored)
    return await db.read(edges.of_task, TASK)


async def test_judging_the_stored_text_again_gives_the_stored_answer(
    db: Database, judged: tuple[Edge, ...], reader: SmallReader
) -> None:
    """To the last bit, for every edge: hypotheses and found claims, English and Japanese, prose and table."""
    known = {one.id: one.claim_text for one in await db.read(claims.of_task, TASK)}
    kept = [one for one in judged if one.judged_text is not None]

    again = await reader.read([(one.judged_text.text, known[one.target_id]) for one in kept if one.judged_text])

    assert len(kept) == len(judged) > 0
    assert [(logistic(one.bears), logistic(one.side)) for one in again] == [
        (one.answers.bears_raw, one.answers.side_raw) for one in kept if one.answers
    ]


async def test_every_part_of_a_fragment_and_the_quote_stand_where_they_are_said_to(
    db: Database, judged: tuple[Edge, ...]
) -> None:
    """`fragment[start:end]` is the part; the quote begins where the deciding words do."""
    texts = {
        one.id: one.text_content for url, _ in PAGES for one in await db.read(pages.fragments_of, derived_id("p", url))
    }
    parts = [
        (edge, edge.judged_text.text[part.start : part.end], part)
        for edge in judged
        if edge.judged_text
        for part in edge.judged_text.parts
        if part.fragment_start is not None
    ]

    cut = [
        texts[part.fragment_id or edge.source_id][part.fragment_start : part.fragment_end] for edge, _, part in parts
    ]

    assert cut == [words for _, words, _ in parts]
    starts = [(one, one.judged_text.quote_start) for one in judged if one.judged_text]
    assert [texts[one.source_id][start:][: len(one.quote or "")] for one, start in starts] == [
        one.quote for one, _ in starts
    ]


async def test_title_heading_sentence_before_and_columns_are_told_from_the_quote(judged: tuple[Edge, ...]) -> None:
    """Each in its role, so that every face can mark it."""
    roles = {part.role for edge in judged if edge.judged_text for part in edge.judged_text.parts}

    assert roles == set(PartRole) - {PartRole.SITE, PartRole.BEGINNING}


async def test_the_strong_reader_is_told_how_the_page_begins(db: Database, clock: Any, settings: Settings) -> None:
    """With the name of the site, each in its role and at its place; judging the stored text again gives the answer."""
    reader = AsStrong()
    kept = [one for one in await judge_pages(db, clock, settings, reader) if one.judged_text]
    known = {one.id: one.claim_text for one in await db.read(claims.of_task, TASK)}

    again = await reader.read([(one.judged_text.text, known[one.target_id]) for one in kept if one.judged_text])

    told = {
        (part.role, one.judged_text.text[part.start : part.end])
        for one in kept
        if one.judged_text
        for part in one.judged_text.parts
        if part.role in (PartRole.SITE, PartRole.BEGINNING)
    }
    assert told == {
        (PartRole.SITE, "Trial News"),
        (PartRole.BEGINNING, PAGES_BEGIN[0]),
        (PartRole.BEGINNING, PAGES_BEGIN[1]),
    }
    assert [(logistic(one.bears), logistic(one.side)) for one in again] == [
        (one.answers.bears_raw, one.answers.side_raw) for one in kept if one.answers
    ]
