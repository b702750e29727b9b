"""Second ratings of pages and papers by a language model."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from lyra.academic.catalogue import ScoredLink
from lyra.app import Lyra
from lyra.clock import SystemClock
from lyra.ml.language_models import LanguageModels
from lyra.ml.protocols import Completion
from lyra.model.page import Page, StoredPage
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.model.work import CitationLink, Work
from lyra.research.llm_ratings import PaperRating, rate_page, rate_papers
from lyra.research.search_run import SearchRun
from lyra.settings import Settings
from lyra.storage import causal_chains, pages

FOUND = Work("doi:10.1/0", "Saxagliptin and heart failure", abstract="We followed 16,492 patients. " * 40)
NEAR = Work("doi:10.1/1", "Near", abstract="Alogliptin and admissions for heart failure. " * 40)
FAR = Work("doi:10.1/2", "遠い論文", abstract="給食の無償化と学力の関係を調べた。" * 60)
SCORED = tuple(ScoredLink(CitationLink(FOUND, other), other, score) for other, score in ((FAR, 0.6), (NEAR, 0.4)))
NO_ANSWER = "llm failed: The LLM server answered with status 500."


@pytest.fixture
async def lyra(tmp_path: Path, llm_server: Any) -> AsyncIterator[Lyra]:
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "llm": {"endpoint": llm_server.endpoint, "budget_share": 1}}
    )
    async with Lyra.open(settings) as opened:
        yield opened


async def begin(lyra: Lyra) -> SearchRun:
    task, _ = await lyra.tasks.create("Do gliptins harm the heart?", TaskConfig())
    search = await lyra.searches.start(task.id, "saxagliptin heart failure", SearchOptions())
    return SearchRun(lyra.parts, task, search)


async def keep(lyra: Lyra, quality: float) -> StoredPage:
    text = "給食を無料にすると学力が上がると話題です。今すぐチェック。"
    url = "https://hojokin-matome24.net/kyushoku"
    page = Page("p_1", url, "hojokin-matome24.net", "給食まとめ", "ja", datetime(2026, 3, 1, tzinfo=UTC))
    stored = StoredPage(replace(page, quality=quality, text=text), ())
    await lyra.db.write(pages.save, stored.page, ())
    return stored


async def stored_quality(lyra: Lyra) -> float | None:
    page = await lyra.db.read(pages.get, "p_1")
    return page.quality if page else None


async def told(lyra: Lyra, run: SearchRun, *kinds: str) -> list[dict[str, Any]]:
    """The journal's entries of these kinds, without how long the model took and where it is."""
    events = await lyra.db.read(causal_chains.events, run.task.id, after=0, limit=100)
    found = [{"kind": one.kind, "subject": one.subject, **one.details} for one in events if one.kind in kinds]
    return [{name: value for name, value in one.items() if name not in ("seconds", "server")} for one in found]


async def test_a_doubtful_page_is_judged_again(lyra: Lyra, llm_server: Any) -> None:
    """0.6 of the model's word and 0.4 of the rules are stored, and the journal says who judged what."""
    llm_server.says = lambda _: '{"score": 2, "problems": ["advertising", "no_sources", "advertising"]}'
    run, stored = await begin(lyra), await keep(lyra, 0.5)

    judged = await rate_page(run, stored)

    assert judged.page.quality == 0.32
    assert await stored_quality(lyra) == 0.32
    assert await told(lyra, run, "quality", "answer") == [
        {
            "kind": "quality",
            "subject": "p_1",
            "stage": 2,
            "model": "qwen2.5:3b",
            "prompt": "quality.1",
            "dangers": [],
            "cut_chars": 0,
            "url": "https://hojokin-matome24.net/kyushoku",
            "quality": 0.32,
            "rules": 0.5,
            "llm": 0.2,
            "problems": ["advertising", "no_sources"],
        }
    ]


@pytest.mark.parametrize("quality", [0.39, 0.61, 1.0])
async def test_a_clear_page_costs_no_question(lyra: Lyra, llm_server: Any, quality: float) -> None:
    """Outside 0.4 to 0.6 the rules' word stands."""
    run, stored = await begin(lyra), await keep(lyra, quality)

    judged = await rate_page(run, stored)

    assert (judged, llm_server.requests) == (stored, [])


async def test_a_page_goes_on_without_the_model(lyra: Lyra, llm_server: Any) -> None:
    """The rules' score stays, the journal names stage 1, and the client reads of it among the search's problems."""
    llm_server.status = 500
    run, stored = await begin(lyra), await keep(lyra, 0.5)

    judged = await rate_page(run, stored)
    report = await lyra.searches.report(run.search)

    assert judged == stored
    assert await stored_quality(lyra) == 0.5
    assert [(one["subject"], one["judged"], one["stage"]) for one in await told(lyra, run, "answer")] == [
        ("llm", "quality", 1)
    ]
    assert report.problems == (NO_ANSWER,)


async def test_papers_are_chosen_by_both_stages(lyra: Lyra, llm_server: Any) -> None:
    """The model's word turns stage 1's order round; of each abstract it is shown 500 characters."""
    llm_server.says = lambda request: json.dumps({"score": 9 if "Alogliptin" in str(request["messages"]) else 1})
    run = await begin(lyra)

    chosen = await rate_papers(run, FOUND, SCORED)

    shown = json.loads(llm_server.requests[0]["messages"][1]["content"])
    assert [(one.other.id, one.score) for one in chosen] == [
        ("doi:10.1/1", pytest.approx(0.57)),
        ("doi:10.1/2", pytest.approx(0.23)),
    ]
    assert (shown["question"], shown["query"]) == ("Do gliptins harm the heart?", "saxagliptin heart failure")
    assert (len(shown["other_paper"]), 495 < len(shown["paper"]) <= 500) == (500, True)
    assert await told(lyra, run, "citations", "answer") == [
        {
            "kind": "citations",
            "subject": "doi:10.1/0",
            "stage": 2,
            "model": "qwen2.5:3b",
            "prompt": "citations.1",
            "dangers": [],
            "cut_chars": 0,
            "papers": 2,
            "unread": 0,
        }
    ]


async def test_an_unreadable_answer_counts_a_half(lyra: Lyra, llm_server: Any) -> None:
    """0.5·0.5 + 0.3·stage 1; the journal counts it."""
    llm_server.says = lambda request: '{"score": 0}' if "給食" in str(request["messages"]) else "very relevant"
    run = await begin(lyra)

    chosen = await rate_papers(run, FOUND, SCORED)

    assert [(one.other.id, one.score) for one in chosen] == [
        ("doi:10.1/1", pytest.approx(0.37)),
        ("doi:10.1/2", pytest.approx(0.18)),
    ]
    assert [(one["papers"], one["unread"]) for one in await told(lyra, run, "citations")] == [(2, 1)]


async def test_papers_keep_stage_ones_order_without_the_model(lyra: Lyra, llm_server: Any) -> None:
    """A server at fault is asked once, not for every paper, and the client reads of it."""
    llm_server.status = 500
    run = await begin(lyra)

    chosen = await rate_papers(run, FOUND, SCORED)
    again = await rate_papers(run, FOUND, SCORED)
    report = await lyra.searches.report(run.search)

    assert (chosen, again) == (SCORED, SCORED)
    assert len(llm_server.requests) == 1
    assert report.problems == (NO_ANSWER,)


async def test_without_an_llm_nothing_is_asked_or_written(lyra: Lyra, llm_server: Any) -> None:
    """The default: stage 1 alone."""
    run, stored = await begin(lyra), await keep(lyra, 0.5)
    run = SearchRun(replace(lyra.parts, llm=None), run.task, run.search)

    judged, chosen = await rate_page(run, stored), await rate_papers(run, FOUND, SCORED)

    assert (judged, chosen, llm_server.requests) == (stored, SCORED, [])
    assert await told(lyra, run, "quality", "citations", "answer") == []


async def test_a_batch_ends_with_its_time(lyra: Lyra) -> None:
    """A slow model judges as many papers as fit into llm.timeout_s; the others count a half."""

    class Slow(SystemClock):
        model_id, place, takes_own_documents = "slow", "127.0.0.1:1", True
        time = 0.0

        def monotonic(self) -> float:
            return self.time

        async def complete(self, *_: object, session: str) -> Completion[PaperRating]:
            self.time += 121
            return Completion(PaperRating(score=10), (), 121.0)

    slow, run = Slow(), await begin(lyra)
    models = LanguageModels({"citations": slow}, slow, 1.0)
    run = SearchRun(replace(lyra.parts, llm=models, clock=slow), run.task, run.search)

    chosen = await rate_papers(run, FOUND, SCORED)

    assert [(one.other.id, one.score) for one in chosen] == [
        ("doi:10.1/2", pytest.approx(0.68)),
        ("doi:10.1/1", pytest.approx(0.37)),
    ]
    assert [(one["papers"], one["unread"]) for one in await told(lyra, run, "citations")] == [(2, 1)]


async def test_the_model_works_in_the_slot_that_excludes_a_visible_browser(lyra: Lyra, llm_server: Any) -> None:
    """The gpu slot, behind embedding, for every process on this machine to see (SPEC §9)."""
    held: list[tuple[str, int]] = []

    def look(_: object) -> str:
        connection = apsw.Connection(str(lyra.settings.database_path), flags=apsw.SQLITE_OPEN_READONLY)
        held.extend(connection.execute("select slot, priority from leases where name glob 'slot:*'"))
        connection.close()
        return '{"score": 5}'

    llm_server.says = look
    run, stored = await begin(lyra), await keep(lyra, 0.5)

    await rate_page(run, stored)

    assert held == [("gpu", 50)]
