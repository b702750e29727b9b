"""What the user's own language model says of a page as a whole: a summary with quotes, and the names in it.

Nothing of it enters claims or verdicts. A sentence stays where the readers find it in the quotes that it names, a name
where the page has it letter for letter; the rest is dropped and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lyra.claims.sentences import sentence_spans
from lyra.claims.statements import NOT_PROSE
from lyra.claims.windows import Setting
from lyra.claims.words import content_words, negations, numbers
from lyra.errors import LlmTimeSpent, ModelError, ObeyedOrder
from lyra.ml.prompts import prompt
from lyra.ml.protocols import AnswerForm, Completion, Generator
from lyra.model.edge import Relation
from lyra.model.page import StoredPage
from lyra.model.search import SearchOutcome
from lyra.research.injections import block_obeyed
from lyra.research.search_run import SearchRun, is_own_document

SUMMARY, ENTITIES = "summaries", "entities"
_MOST_CHARS = 3_200
_TITLE_CHARS = 300
_MOST_SENTENCES = 5
# Of a summary's words so many stand in its quotes; the others join them.
_LEAST_WORDS_SHARED = 0.6


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SummarySentence(_Form):
    text: str = Field(min_length=1, max_length=400)
    sources: list[int] = Field(min_length=1, max_length=5)


class PageSummary(_Form):
    """A page in a few sentences, each with the numbers of the sentences that say it."""

    sentences: list[SummarySentence] = Field(max_length=_MOST_SENTENCES)


class NamedEntity(_Form):
    name: str = Field(min_length=1, max_length=120)
    kind: Literal["person", "organisation", "place", "product", "law"]


class PageEntities(_Form):
    """The names in a page."""

    entities: list[NamedEntity] = Field(max_length=30)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the page and where it stands: a quote that can be looked up."""

    fragment_id: str
    start: int
    end: int
    text: str


async def describe_page(run: SearchRun, stored: StoredPage) -> None:
    """Ask for what is switched on, and keep what can be proven; the search goes on whatever comes."""
    sentences = _sentences(stored)
    if not sentences:
        return
    await _summarise(run, stored, sentences)
    await _name_entities(run, stored, sentences)


async def _summarise(run: SearchRun, stored: StoredPage, sentences: Sequence[_Sentence]) -> None:
    listed = " ".join(f"[{number}] {one.text}" for number, one in enumerate(sentences, 1))
    asked = await _ask(
        run, stored, SUMMARY, {"title": stored.page.title[:_TITLE_CHARS], "sentences": listed}, PageSummary
    )
    if asked is None:
        return
    model, said = asked
    kept = []
    for one in said.answer.sentences:
        quotes = [sentences[number - 1] for number in dict.fromkeys(one.sources) if 0 < number <= len(sentences)]
        if quotes and await _is_said(run, stored.page.title, one.text, quotes):
            kept.append({"text": one.text, "quotes": [_quote(quote) for quote in quotes]})
    dropped = len(said.answer.sentences) - len(kept)
    await _log(run, stored, SUMMARY, model, said, sentences=kept, dropped=dropped)


async def _name_entities(run: SearchRun, stored: StoredPage, sentences: Sequence[_Sentence]) -> None:
    text = " ".join(one.text for one in sentences)
    asked = await _ask(run, stored, ENTITIES, {"title": stored.page.title[:_TITLE_CHARS], "text": text}, PageEntities)
    if asked is None:
        return
    model, said = asked
    kept: dict[str, dict[str, Any]] = {}
    for one in said.answer.entities:
        where = next((sentence for sentence in sentences if one.name in sentence.text), None)
        if where is not None and any(map(str.isalpha, one.name)):
            kept.setdefault(one.name, {"name": one.name, "kind": one.kind, "quote": _quote(where)})
    dropped = len(said.answer.entities) - len(kept)
    await _log(run, stored, ENTITIES, model, said, entities=list(kept.values()), dropped=dropped)


async def _ask(
    run: SearchRun, stored: StoredPage, use: str, material: dict[str, str], form: type[AnswerForm]
) -> tuple[Generator, Completion[AnswerForm]] | None:
    model = run.llm.generator(use, is_own_document=is_own_document(stored.page.url))
    if model is None:
        return None
    try:
        return model, await model.complete(prompt(use).text, material, form, session=run.task.id)
    except LlmTimeSpent:
        return None
    except ModelError as exc:
        if isinstance(exc, ObeyedOrder):
            await block_obeyed(run.parts.db, stored, run.parts.clock.now())
        await run.log_answer("llm", SearchOutcome.FAILED, exc.message, judged=use, stage=1, page_id=stored.page.id)
        return None


async def _is_said(run: SearchRun, title: str, text: str, quotes: Sequence[_Sentence]) -> bool:
    """Whether the quotes say it: their numbers and denials, most of their words, and the readers' word for it."""
    said = " ".join(one.text for one in quotes)
    words = content_words(text)
    shared = len(words & content_words(f"{said} {title}")) / len(words) if words else 0.0
    if not numbers(text) <= numbers(said) or (bool(negations(text)) and not negations(said)):
        return False
    if shared < _LEAST_WORDS_SHARED:
        return False
    (stance,) = await run.parts.judge.judge([(said, text)], [Setting(title)])
    return stance.label is Relation.SUPPORTS


def _sentences(stored: StoredPage) -> list[_Sentence]:
    """The prose of the page in sentences, as far as a question has room."""
    found: list[_Sentence] = []
    room = _MOST_CHARS
    for fragment in stored.fragments:
        if fragment.fragment_type in NOT_PROSE:
            continue
        for start, end in sentence_spans(fragment.text_content):
            room -= end - start + 6
            if room < 0:
                return found
            found.append(_Sentence(fragment.id, start, end, fragment.text_content[start:end]))
    return found


def _quote(one: _Sentence) -> dict[str, Any]:
    return {"fragment_id": one.fragment_id, "start": one.start, "end": one.end, "text": one.text}


async def _log(
    run: SearchRun, stored: StoredPage, use: str, model: Generator, said: Completion[Any], **found: object
) -> None:
    await run.log(
        use,
        stored.page.id,
        url=stored.page.url,
        model=model.model_id,
        server=model.place,
        prompt=prompt(use).id,
        seconds=said.seconds,
        cut_chars=said.cut_chars,
        **found,
    )
