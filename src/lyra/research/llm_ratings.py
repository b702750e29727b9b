"""Second ratings of pages and papers by the user's own language model; rules alone where there is none.

The journal says which stage judged, and why where the second was asked and did not answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lyra.academic.catalogue import ABSTRACT_CHARS, ScoredLink, rank_by_relevance
from lyra.errors import LlmTimeSpent, ModelError, ObeyedOrder, UnreadableAnswer
from lyra.extract.classify import combine_scores, is_doubtful
from lyra.ml.prompts import prompt
from lyra.ml.protocols import Completion, Generator
from lyra.model.event import Event
from lyra.model.page import StoredPage
from lyra.model.search import SearchOutcome
from lyra.model.work import Work
from lyra.research.injections import block_obeyed
from lyra.research.search_run import SearchRun, is_own_document
from lyra.storage import journal, pages

if TYPE_CHECKING:
    from apsw import Connection

_BEST = 10
_TITLE_CHARS = 300
_TEXT_CHARS = 2_000  # enough to know a page by, and half the time of what L2 allows


class _Rating(BaseModel):
    model_config = ConfigDict(extra="forbid")

    score: int = Field(ge=0, le=_BEST)


class PageRating(_Rating):
    """What a model says of a page."""

    problems: list[Literal["advertising", "generated", "aggregated", "seo_spam", "no_sources", "no_insight"]] = Field(
        default=[], max_length=6
    )


class PaperRating(_Rating):
    """What a model says of a cited or citing paper."""


async def rate_page(run: SearchRun, stored: StoredPage) -> StoredPage:
    """The page with the quality that both stages give it, where the rules are in doubt; else as it was."""
    page = stored.page
    model = run.llm.generator("quality", is_own_document=is_own_document(page.url))
    if model is None or not is_doubtful(page.quality):
        return stored
    asked = prompt("quality")
    material = {"title": page.title[:_TITLE_CHARS], "text": page.text[:_TEXT_CHARS]}
    try:
        completion = await model.complete(asked.text, material, PageRating, session=run.task.id)
    except LlmTimeSpent:
        return stored
    except ModelError as exc:
        if isinstance(exc, ObeyedOrder):
            await block_obeyed(run.parts.db, stored, run.parts.clock.now())
        await run.log_answer("llm", SearchOutcome.FAILED, exc.message, judged="quality", stage=1, page_id=page.id)
        return stored
    opinion = completion.answer.score / _BEST
    judged = replace(page, quality=combine_scores(page.quality, opinion))
    event = _event(
        run,
        "quality",
        page.id,
        model,
        [completion],
        url=page.url,
        quality=judged.quality,
        rules=page.quality,
        llm=opinion,
        problems=list(dict.fromkeys(completion.answer.problems)),
    )
    await run.parts.db.write(_keep_quality, judged.id, judged.quality, event)
    return replace(stored, page=judged)


async def rate_papers(run: SearchRun, work: Work, scored: Sequence[ScoredLink]) -> tuple[ScoredLink, ...]:
    """The papers around a work in the order of both stages; in stage 1's where no model answers."""
    model = run.llm.generator("citations")
    if model is None or not scored:
        return tuple(scored)
    try:
        completions = await _ask_about(run, model, work, [one.other for one in scored])
    except ModelError as exc:
        await run.log_answer("llm", SearchOutcome.FAILED, exc.message, judged="citations", stage=1, work_id=work.id)
        return tuple(scored)
    if not any(completions):
        return tuple(scored)
    event = _event(
        run, "citations", work.id, model, completions, papers=len(completions), unread=completions.count(None)
    )
    await run.parts.db.write(journal.append, [event])
    return rank_by_relevance(scored, [one.answer.score / _BEST if one else None for one in completions])


async def _ask_about(
    run: SearchRun, model: Generator, work: Work, others: Sequence[Work]
) -> list[Completion[PaperRating] | None]:
    """What the model says of each paper; None for an unreadable answer, and for those the batch had no time for."""
    deadline = run.parts.clock.monotonic() + run.parts.settings.llm.timeout_s
    completions: list[Completion[PaperRating] | None] = []
    for other in others:
        if run.parts.clock.monotonic() >= deadline:
            break
        try:
            material = _material(run, work, other)
            completions.append(
                await model.complete(prompt("citations").text, material, PaperRating, session=run.task.id)
            )
        except UnreadableAnswer:
            completions.append(None)
        except LlmTimeSpent:
            break
    return [*completions, *[None] * (len(others) - len(completions))]


def _material(run: SearchRun, work: Work, other: Work) -> dict[str, str]:
    return {
        "question": run.task.query[:ABSTRACT_CHARS],
        "query": run.search.query[:ABSTRACT_CHARS],
        "paper": (work.abstract or work.title)[:ABSTRACT_CHARS],
        "other_paper": (other.abstract or other.title)[:ABSTRACT_CHARS],
    }


def _event(
    run: SearchRun,
    kind: str,
    subject: str,
    model: Generator,
    completions: Sequence[Completion[Any] | None],
    **details: object,
) -> Event:
    """The journal's line for a judgement of the second stage."""
    read = [one for one in completions if one is not None]
    common = {
        "stage": 2,
        "model": model.model_id,
        "server": model.place,
        "prompt": prompt(kind).id,
        "seconds": round(sum(one.seconds for one in read), 3),
        "dangers": sorted({name for one in read for name in one.dangers}),
        "cut_chars": sum(one.cut_chars for one in read),
    }
    return run.event(kind, subject, **common, **details)


def _keep_quality(connection: "Connection", page_id: str, quality: float, event: Event) -> None:
    """The score and who gave it: both or, where the process dies, neither."""
    pages.set_quality(connection, page_id, quality)
    journal.append(connection, [event])
