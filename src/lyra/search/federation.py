"""Several engines as one: asked side by side, remembered for a day, their results fused."""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from lyra.clock import Clock
from lyra.errors import AllEnginesBlocked, ChromeNotReady, InvalidParams, LyraError
from lyra.model.page import FetchOutcome, FetchResult, Getter
from lyra.model.search import EngineAnswer, Outcome
from lyra.search.decoding import decode
from lyra.search.engine import Engine
from lyra.search.expand import Derived, derive
from lyra.search.fusion import Fused, fuse
from lyra.search.health import Health
from lyra.search.normalise import Rendered, admits, cache_key, tidy
from lyra.search.selectors import Transport
from lyra.settings import Settings
from lyra.storage import caches
from lyra.storage.database import Database

_BLOCKING = frozenset({FetchOutcome.BLOCKED, FetchOutcome.CHALLENGE, FetchOutcome.ROBOTS_DENIED})


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """What every engine answered to every derived query, and the addresses fused from it, best first."""

    queries: tuple[Derived, ...]
    answers: tuple[EngineAnswer, ...]
    candidates: tuple[Fused, ...]

    @property
    def is_answered(self) -> bool:
        """Whether any engine answered at all, be it with nothing."""
        return any(answer.outcome in {Outcome.RESULTS, Outcome.EMPTY} for answer in self.answers)


class Federation:
    """Asks engines by weight and health; one that fails takes only its own share away."""

    def __init__(
        self,
        engines: Mapping[str, Engine],
        getter: Getter,
        db: Database,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._engines = engines
        self._getter = getter
        self._db = db
        self._clock = clock
        self._settings = settings.engines
        self._health = Health(db, clock, settings.politeness)

    async def ask(
        self, query: str, *, engines: Sequence[str] | None = None, refute: bool = False, cause_id: str | None = None
    ) -> FederatedAnswer:
        """Put the query and what the rules derive from it to the engines named, or to those enabled.

        Raises InvalidParams for an empty query or an unknown engine, AllEnginesBlocked where none may be asked
        now, ChromeNotReady where all of them need a browser.
        """
        chosen = self.choose(engines)
        queries = derive(tidy(query), refute=refute)
        by_engine = await _together([self._ask_engine(engine, queries, cause_id) for engine in chosen])
        answers = tuple(answer for one in by_engine for answer in one)
        if all(answer.outcome is Outcome.BLOCKED for answer in answers):
            raise _all_blocked(answers)
        weights = {engine.id: engine.weight for engine in chosen}
        referers = {(engine.id, one.text): engine.url_for(one.text).url for engine in chosen for one in queries}
        return FederatedAnswer(queries, answers, fuse(answers, weights, referers))

    def choose(self, named: Sequence[str] | None = None) -> tuple[Engine, ...]:
        """The engines to ask, the weightiest first."""
        ids = tuple(dict.fromkeys(named if named is not None else self._settings.enabled))
        unknown = [name for name in ids if name not in self._engines]
        if unknown or not ids:
            about = f"There is no search engine {unknown[0][:60]!r}." if unknown else "No search engine is named."
            known = sorted(self._engines)
            raise InvalidParams(about, remedy=f"Known engines: {', '.join(known)}.", details={"known": known})
        usable = [self._engines[name] for name in ids if self._engines[name].transport is Transport.HTTP]
        if not usable:
            raise ChromeNotReady(
                f"{', '.join(ids)} can only be asked through a browser, and none is connected.",
                remedy="Name an engine that serves plain pages, such as duckduckgo or mojeek.",
            )
        return tuple(sorted(usable, key=lambda engine: (-engine.weight, engine.id)))

    async def _ask_engine(
        self, engine: Engine, queries: Iterable[Derived], cause_id: str | None
    ) -> tuple[EngineAnswer, ...]:
        """One query after another, so that an engine is never asked twice at once; a refusal ends the asking."""
        answers: list[EngineAnswer] = []
        refusal: EngineAnswer | None = None
        for query in queries:
            answer = await self._answer(engine, query.text, refusal, cause_id)
            refusal = answer if answer.outcome is Outcome.BLOCKED else None
            answers.append(answer)
        return tuple(answers)

    async def _answer(
        self, engine: Engine, query: str, refusal: EngineAnswer | None, cause_id: str | None
    ) -> EngineAnswer:
        rendered = engine.rendered(query)
        if not rendered.text:
            return EngineAnswer(engine.id, query, Outcome.FAILED, reason=f"{engine.id} understands no part of it.")
        key = cache_key(engine.id, rendered.text)
        fresh = self._clock.now() - timedelta(seconds=self._settings.serp_cache_ttl_s)
        answer = await self._db.read(caches.serp, key, fresh)
        if answer is None:
            # Going on after a refusal only prolongs it.
            answer = refusal or await self._fetched(engine, query, cause_id)
            if answer.outcome in {Outcome.RESULTS, Outcome.EMPTY}:
                await self._db.write(caches.save_serp, key, answer, self._clock.now())
        return self._shaped(replace(answer, query=query), rendered)

    async def _fetched(self, engine: Engine, query: str, cause_id: str | None) -> EngineAnswer:
        wait_s = await self._health.wait_s(engine.id)
        if wait_s > 0:
            reason = "The engine failed lately and is left alone for a while."
            return EngineAnswer(engine.id, query, Outcome.BLOCKED, (), reason, wait_s)
        result = await self._getter(replace(engine.url_for(query), cause_id=cause_id))
        answer = await asyncio.to_thread(read_result, engine, query, result)
        # A request that was never sent, or that reached nobody, says nothing of the engine.
        if result.status_code is not None or result.outcome in {FetchOutcome.CHALLENGE, FetchOutcome.TIMED_OUT}:
            await self._health.record(answer)
        return answer

    def _shaped(self, answer: EngineAnswer, rendered: Rendered) -> EngineAnswer:
        """Cut to the wanted number, held to sites the engine could not be told of, with what it was not told."""
        if answer.outcome is not Outcome.RESULTS:
            return answer
        items = tuple(item for item in answer.items if admits(rendered.dropped, item.url))
        untold = [str(part) for part in rendered.dropped] + (["the end of a long query"] if rendered.is_cut else [])
        notes = [answer.reason] if answer.reason else []
        notes += [f"The engine could not be told {', '.join(untold)}."] if untold else []
        outcome = Outcome.RESULTS if items else Outcome.EMPTY
        kept = items[: self._settings.results_per_query]
        return replace(answer, outcome=outcome, items=kept, reason=" ".join(notes) or None)


def read_result(engine: Engine, query: str, result: FetchResult) -> EngineAnswer:
    """What a fetch says: the parsed page, or why there is none."""
    if result.outcome is FetchOutcome.OK:
        return engine.parse(decode(result.body, result.header("content-type")), query)
    if result.outcome is FetchOutcome.COOLING_DOWN:
        reason = result.reason or "The engine rests after it refused."
        return EngineAnswer(engine.id, query, Outcome.BLOCKED, (), reason, result.retry_after_s)
    outcome = Outcome.BLOCKED if result.outcome in _BLOCKING else Outcome.FAILED
    detail = result.reason or (f"status {result.status_code}" if result.status_code else "no answer")
    reason = f"The engine gave no result page ({result.outcome.value}: {detail})."
    return EngineAnswer(engine.id, query, outcome, (), reason, result.retry_after_s)


def _all_blocked(answers: Iterable[EngineAnswer]) -> AllEnginesBlocked:
    reasons = {answer.engine: answer.reason for answer in answers}
    waits = [answer.retry_after_s for answer in answers if answer.retry_after_s is not None]
    return AllEnginesBlocked(
        f"Every search engine asked refuses for now: {', '.join(sorted(reasons))}.",
        remedy="Try again later, or name other engines in options.engines.",
        retry_after_s=min(waits) if waits else None,
        details={"engines": reasons},
    )


async def _together(
    questions: Iterable[Coroutine[Any, Any, tuple[EngineAnswer, ...]]],
) -> list[tuple[EngineAnswer, ...]]:
    """All at once; the first typed error stops the rest and comes out as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(question) for question in questions]
    except* LyraError as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
