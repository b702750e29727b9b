"""Queries in the other language by the user's own language model, for words that no dictionary knows."""

from pydantic import BaseModel, ConfigDict, Field

from lyra.errors import LlmTimeSpent, ModelError
from lyra.ml.prompts import prompt
from lyra.model.search import SearchOutcome
from lyra.research.search_run import SearchRun
from lyra.search.mirrors import Translate
from lyra.search.query import normalise_query, query_language

_NAMES = {"en": "English", "ja": "Japanese"}


class TranslatedQuery(BaseModel):
    """What a model says a query is in the other language."""

    model_config = ConfigDict(extra="forbid")

    translation: str = Field(min_length=1, max_length=200)


def translator(run: SearchRun) -> Translate | None:
    """Asks the model of the use `mirrors`; none where that is off."""
    model = run.llm.generator("mirrors")
    if model is None:
        return None

    async def translate(query: str, wanted: str) -> str | None:
        material = {"query": query, "from": _NAMES["ja" if wanted == "en" else "en"], "to": _NAMES[wanted]}
        asked = prompt("mirrors")
        try:
            said = await model.complete(asked.text, material, TranslatedQuery, session=run.task.id)
        except LlmTimeSpent:
            return None
        except ModelError as exc:
            await run.log_answer("llm", SearchOutcome.FAILED, exc.message, judged="mirrors", stage=1)
            return None
        found = normalise_query(said.answer.translation)
        is_wanted = query_language(found) == wanted
        await run.log(
            "mirror", query, translation=found, model=model.model_id, server=model.place, prompt=asked.id,
            seconds=said.seconds, is_in_language=is_wanted,
        )  # fmt: skip
        return found if is_wanted else None

    return translate
