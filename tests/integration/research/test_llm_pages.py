"""Summaries and names of pages: what a language model may say of them, and what is dropped."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lyra.app import Lyra
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.model.edge import Relation
from lyra.model.page import Page, StoredPage
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.research.llm_pages import describe_page
from lyra.research.search_run import SearchRun
from lyra.settings import Settings
from lyra.storage import journal, pages

URL = "https://www.fdso.gov/safety"
FIRST = "Saxagliptin raised admissions for heart failure by 27 % in 16,492 patients."
SECOND = "Dr Mori of the Tokyo Heart Institute called the finding important."


class Agreeing:
    """Readers that find every sentence in its quote, unless it says "never"."""

    async def judge(self, pairs: Any, _: Any) -> list[Any]:
        return [
            SimpleNamespace(label=Relation.NEUTRAL if "never" in claim else Relation.SUPPORTS) for _, claim in pairs
        ]


@pytest.fixture
async def lyra(tmp_path: Path, llm_server: Any) -> AsyncIterator[Lyra]:
    llm = {"endpoint": llm_server.endpoint, "budget_share": 1, "uses": {"summaries": True, "entities": True}}
    async with Lyra.open(Settings.model_validate({"data_dir": tmp_path, "llm": llm})) as opened:
        yield opened


async def described(lyra: Lyra, url: str = URL) -> tuple[Any, Any]:
    """The journal's entries of summary and names after one page."""
    task, _ = await lyra.tasks.create("Do gliptins harm the heart?", TaskConfig())
    search = await lyra.searches.start(task.id, "saxagliptin", SearchOptions())
    run = SearchRun(replace(lyra.parts, judge=Agreeing()), task, search)  # type: ignore[arg-type]
    html = f"<html lang='en'><body><article><h1>Safety</h1><p>{FIRST} {SECOND}</p></article></body></html>"
    document = read_document(html.encode(), content_type="text/html; charset=utf-8", url=URL)
    page = Page("p_1", url, "fdso.gov", "Safety", "en", datetime(2026, 3, 1, tzinfo=UTC), text=document.text)
    stored = StoredPage(page, to_fragments(page.id, document))
    await lyra.db.write(pages.save, stored.page, stored.fragments)
    await describe_page(run, stored)
    return (
        await lyra.db.read(journal.last_event, search.id, "summaries"),
        await lyra.db.read(journal.last_event, search.id, "entities"),
    )


def says(summary: list[dict[str, Any]], names: list[dict[str, str]]) -> Any:
    answers = {"summarise": {"sentences": summary}, "list the names": {"entities": names}}
    return lambda request: json.dumps(
        next(answer for word, answer in answers.items() if word in request["messages"][0]["content"])
    )


async def test_a_summary_keeps_only_sentences_with_a_verified_quote(lyra: Lyra, llm_server: Any) -> None:
    """Other numbers, no such sentence, foreign words or the readers' no: the sentence is dropped and counted."""
    llm_server.says = says(
        [
            {"text": "Saxagliptin raised heart failure admissions by 27 %.", "sources": [1]},
            {"text": "Saxagliptin raised heart failure admissions by 72 %.", "sources": [1]},
            {"text": "Saxagliptin raised heart failure admissions.", "sources": [9]},
            {"text": "Vaccines cause most illness nowadays.", "sources": [1]},
            {"text": "Saxagliptin never raised heart failure admissions.", "sources": [1]},
        ],
        [],
    )

    summary, _ = await described(lyra)

    (kept,) = summary.details["sentences"]
    assert kept["text"] == "Saxagliptin raised heart failure admissions by 27 %."
    assert [one["text"] for one in kept["quotes"]] == [FIRST]
    assert (summary.details["dropped"], summary.details["prompt"]) == (4, "summaries.1")


async def test_names_are_kept_as_the_page_writes_them(lyra: Lyra, llm_server: Any) -> None:
    """With the sentence that has them; what the page does not say is dropped."""
    llm_server.says = says(
        [],
        [
            {"name": "Mori", "kind": "person"},
            {"name": "Tokyo Heart Institute", "kind": "organisation"},
            {"name": "World Health Organization", "kind": "organisation"},
        ],
    )

    _, names = await described(lyra)

    assert [(one["name"], one["kind"], one["quote"]["text"]) for one in names.details["entities"]] == [
        ("Mori", "person", SECOND),
        ("Tokyo Heart Institute", "organisation", SECOND),
    ]
    assert names.details["dropped"] == 1


async def test_nothing_is_kept_of_a_model_that_talks_nonsense(lyra: Lyra, llm_server: Any) -> None:
    """The search goes on, and says so."""
    llm_server.says = lambda _: "I am a teapot."

    assert await described(lyra) == (None, None)


async def test_own_documents_are_not_shown_to_another_machine(tmp_path: Path, llm_server: Any) -> None:
    """Unless library_text says so; the endpoint here only pretends to be remote."""
    llm = {"endpoint": llm_server.endpoint, "budget_share": 1, "uses": {"summaries": True, "entities": True}}
    llm_server.says = says([{"text": "Saxagliptin raised heart failure admissions by 27 %.", "sources": [1]}], [])
    async with Lyra.open(Settings.model_validate({"data_dir": tmp_path, "llm": llm})) as lyra:
        models = lyra.parts.llm
        assert models is not None
        models._by_use["summaries"].takes_own_documents = False  # type: ignore[misc]

        summary, _ = await described(lyra, "library:notes/safety.md")

    assert (summary, llm_server.requests) == (None, [])
