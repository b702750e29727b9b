"""What every academic API has in common: its interface, how it is asked, and how its answers are named."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lyra.clock import Clock
from lyra.model.page import ArchiveRef, FetchLane, FetchOutcome, FetchRequest, FetchResult, Getter, Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, CitationLink, Work

# Exponential back-off is allowed for official APIs (SPEC §4); a longer wait is left to the caller.
_WAITS_S = (1.0, 4.0)
_LONGEST_WAIT_S = 8.0
# An API that refused to the end of the back-off and named no time is not asked again for so long: a search puts dozens
# of small questions, and each would wait anew.
_REST_S = 60.0
_LONGEST_REST_S = 86_400.0
_ANSWERED = frozenset({FetchOutcome.OK, FetchOutcome.NOT_MODIFIED})


class AcademicApi(Protocol):
    """An API of scholarly works; what the network does becomes an outcome, never an exception."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Works that match a query, best first."""

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        """The works behind these identifiers that the API knows, in as few requests as it allows."""

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Links from and to `work`: at most `limit` references and as many citations."""


def works_answer(api: str, works: Iterable[Work]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(works)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API found no paper.")


def links_answer(api: str, links: Iterable[CitationLink]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(links)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, links=found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API lists no such paper.")


def merge_answers(api: str, answers: Iterable[AcademicAnswer]) -> AcademicAnswer:
    """All that the answers hold; the worst failure among them is kept even with results."""
    parts = tuple(answers)
    works = tuple(work for part in parts for work in part.works)
    links = tuple(link for part in parts for link in part.links)
    worst = next((part for part in parts if not part.outcome.is_answer), None)
    if works or links:
        outcome = SearchOutcome.RESULTS
    else:
        outcome = worst.outcome if worst else SearchOutcome.EMPTY
    reason = worst.reason if worst else None if works or links else "The API found no paper."
    retry_after_s, is_unreachable = (worst.retry_after_s, worst.is_unreachable) if worst else (None, False)
    return AcademicAnswer(api, outcome, works, links, reason, retry_after_s, is_unreachable)


@dataclass(frozen=True, slots=True)
class ApiReply:
    """Either `value` with the record that it was read from, or the answer that says why there is none."""

    value: Any = None
    failure: AcademicAnswer | None = None
    archive: ArchiveRef | None = None


class ApiCooldown(Protocol):
    """Remembers, for all processes, until when an API (`api:…`) rests."""

    async def remaining_s(self, name: str) -> float:
        """Seconds that it still rests; 0 where it may be asked."""

    async def note_answer(self, name: str, outcome: FetchOutcome, rest_s: float = 0.0) -> None:
        """It has answered, or is overloaded and rests for so long."""


class ApiClient:
    """Asks one API through the getter, under its own gate."""

    def __init__(
        self,
        api: str,
        getter: Getter,
        clock: Clock,
        cooldown: ApiCooldown,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._api = api
        self._name = f"api:{api}"
        self._getter = getter
        self._clock = clock
        self._cooldown = cooldown
        self._headers = (("accept", "application/json"), *headers)

    async def get(self, url: str, *, cause_id: str | None) -> ApiReply:
        return await self._ask(FetchRequest(url, cause_id=cause_id))

    async def post(self, url: str, payload: Any, *, cause_id: str | None) -> ApiReply:
        body = json.dumps(payload).encode()
        headers = (("content-type", "application/json"),)
        return await self._ask(FetchRequest(url, method="POST", body=body, headers=headers, cause_id=cause_id))

    async def _ask(self, request: FetchRequest) -> ApiReply:
        rest_s = await self._cooldown.remaining_s(self._name)
        if rest_s > 0:
            return self._failed(SearchOutcome.BLOCKED, "The API refused recently and is not asked for now.", rest_s)
        headers = (*self._headers, *request.headers)
        asked = replace(request, lane=FetchLane.API, gate=self._name, headers=headers, rungs=("http",))
        result = await self._getter(asked)
        for pause in _WAITS_S:
            wait = result.retry_after_s if result.retry_after_s is not None else pause
            if not _is_overloaded(result) or wait > _LONGEST_WAIT_S:
                break
            await self._clock.sleep(wait)
            result = await self._getter(asked)
        if _is_overloaded(result):
            rest_s = min(result.retry_after_s if result.retry_after_s is not None else _REST_S, _LONGEST_REST_S)
        await self._cooldown.note_answer(self._name, result.outcome, rest_s)
        return self._reply(result)

    def _reply(self, result: FetchResult) -> ApiReply:
        if result.outcome is FetchOutcome.NOT_FOUND or result.status_code == 404:
            return self._failed(SearchOutcome.EMPTY, "The API does not know it (404).")
        if result.outcome.is_access_denied or result.status_code in {401, 403, 429}:
            reason = f"The API refuses for now ({result.reason or result.status_code or result.outcome})."
            return self._failed(SearchOutcome.BLOCKED, reason, result.retry_after_s)
        if result.outcome not in _ANSWERED or (result.status_code or 200) >= 400:
            reason = f"The API did not answer ({result.reason or result.status_code or result.outcome})."
            return self._failed(
                SearchOutcome.FAILED, reason, result.retry_after_s, is_unreachable=result.is_unreachable
            )
        try:
            return ApiReply(json.loads(result.body.decode("utf-8", "replace")), archive=result.archive)
        except (ValueError, RecursionError):
            kind = "HTML" if result.body.lstrip()[:1] == b"<" else "something else"
            return self._failed(SearchOutcome.FAILED, f"The API answered with {kind} instead of JSON.")

    def _failed(
        self, outcome: SearchOutcome, reason: str, retry_after_s: float | None = None, *, is_unreachable: bool = False
    ) -> ApiReply:
        answer = AcademicAnswer(
            self._api, outcome, reason=reason, retry_after_s=retry_after_s, is_unreachable=is_unreachable
        )
        return ApiReply(failure=answer)


def _is_overloaded(result: FetchResult) -> bool:
    return result.status_code == 429 or (result.status_code or 0) >= 500
