"""Which language model serves which use, and how much of a search's time they may take together."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lyra.clock import Clock
from lyra.errors import LlmTimeSpent, ModelError
from lyra.ml.protocols import AnswerForm, Completion, Generator

# What an answer is expected to take before one has been seen, and the least time that a question gets, in seconds.
_FIRST_GUESS_S = 2.0
_LEAST_TIME_S = 15.0
# How much of what is known of a model's speed comes from its last answer.
_NEWEST_SHARE = 0.3


class LanguageModels:
    """The user's language models by use; none for a use that is off. Remembers how long each takes."""

    def __init__(self, by_use: Mapping[str, Generator], clock: Clock, share: float) -> None:
        self._by_use = by_use
        self._clock = clock
        self._share = share
        self._typical_s: dict[str, float] = {}

    def begin_search(self) -> "SearchLlm":
        """The models for one search, whose time begins now."""
        return SearchLlm(self, self._by_use, LlmBudget(self._clock, self._share))

    def typical_s(self, model_id: str) -> float:
        """How long a model's answer takes, as far as is known."""
        return self._typical_s.get(model_id, _FIRST_GUESS_S)

    def learn(self, model_id: str, seconds: float) -> None:
        known = self._typical_s.get(model_id, seconds)
        self._typical_s[model_id] = known + _NEWEST_SHARE * (seconds - known)


class LlmBudget:
    """The time of one search: models together may take `share` of all of it, their own included."""

    def __init__(self, clock: Clock, share: float) -> None:
        self._clock = clock
        self._share = share
        self._began = clock.monotonic()
        self.spent_s = 0.0

    @property
    def elapsed_s(self) -> float:
        return self._clock.monotonic() - self._began

    def left_s(self) -> float:
        """Seconds that the next answer may take so that the share is kept; infinite where it is lifted.

        With t more seconds of a model, spent + t ≤ share · (elapsed + t).
        """
        if self._share >= 1:
            return float("inf")
        return (self._share * self.elapsed_s - self.spent_s) / (1 - self._share)


@dataclass
class SearchLlm:
    """What one search asks of language models, and what became of it: `asked`, `failed` and `skipped` by use."""

    models: LanguageModels
    by_use: Mapping[str, Generator]
    budget: LlmBudget
    asked: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    servers: dict[str, str] = field(default_factory=dict)

    def generator(self, use: str, *, is_own_document: bool = False) -> "Generator | None":
        """The model for a use; None where it is off, or where it may not see the user's own documents."""
        model = self.by_use.get(use)
        if model is None or (is_own_document and not model.takes_own_documents):
            return None
        return _WithinBudget(model, self, use)


class _WithinBudget:
    """A generator that asks only while the search's time allows it, and gives up where its time is over."""

    def __init__(self, model: Generator, search: SearchLlm, use: str) -> None:
        self._model = model
        self._search = search
        self._use = use

    @property
    def model_id(self) -> str:
        return self._model.model_id

    @property
    def place(self) -> str:
        return self._model.place

    @property
    def takes_own_documents(self) -> bool:
        return self._model.takes_own_documents

    async def complete(
        self, system: str, material: Mapping[str, str], form: type[AnswerForm], *, session: str
    ) -> Completion[AnswerForm]:
        search, budget = self._search, self._search.budget
        left_s = budget.left_s()
        if search.models.typical_s(self.model_id) > left_s:
            search.skipped[self._use] += 1
            raise _time_spent()
        started = budget.elapsed_s
        search.servers[self.model_id] = self.place
        try:
            async with asyncio.timeout(None if left_s == float("inf") else max(_LEAST_TIME_S, left_s)):
                completion = await self._model.complete(system, material, form, session=session)
        except TimeoutError:
            search.skipped[self._use] += 1
            search.models.learn(self.model_id, budget.elapsed_s - started)
            raise _time_spent() from None
        except ModelError:
            search.failed[self._use] += 1
            raise
        finally:
            budget.spent_s += budget.elapsed_s - started
        search.asked[self._use] += 1
        search.models.learn(self.model_id, completion.seconds)
        return completion


def _time_spent() -> LlmTimeSpent:
    return LlmTimeSpent(
        "Language models have had their share of this search's time.",
        remedy="Raise llm.budget_share (1 lifts the limit), or take a faster model.",
    )
