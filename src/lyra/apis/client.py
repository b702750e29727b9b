"""How an official API is asked: gently, with patience, and whatever the network does becomes a value."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urlencode

from lyra.clock import Clock
from lyra.model.page import ArchiveRef, FetchLane, FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.model.search import SearchOutcome

# Exponential back-off is allowed for official APIs (SPEC §4); a longer wait is left to the caller.
_WAITS_S = (1.0, 4.0)
_LONGEST_WAIT_S = 8.0
# An API that refused to the end of the back-off and named no time is not asked again for so long: a search puts dozens
# of small questions, and each would wait anew.
_REST_S = 60.0
_LONGEST_REST_S = 86_400.0
_ANSWERED = frozenset({FetchOutcome.OK, FetchOutcome.NOT_MODIFIED})


@dataclass(frozen=True, slots=True)
class ApiFailure:
    """Why an API gave no value: it knows nothing of it, refuses, or failed."""

    api: str
    outcome: SearchOutcome
    reason: str
    retry_after_s: float | None = None
    is_unreachable: bool = False


@dataclass(frozen=True, slots=True)
class ApiReply:
    """Either `value` with the record that it was read from, or why there is none."""

    value: Any = None
    failure: ApiFailure | None = None
    archive: ArchiveRef | None = None


class ApiCooldown(Protocol):
    """Remembers, for all processes, until when an API (`api:…`) rests."""

    async def remaining_s(self, name: str) -> float:
        """Seconds that it still rests; 0 where it may be asked."""

    async def note_answer(self, name: str, outcome: FetchOutcome, rest_s: float = 0.0) -> None:
        """It has answered, or is overloaded and rests for so long."""


Headers = tuple[tuple[str, str], ...]
Parse = Callable[[bytes], Any]


def parse_json(body: bytes) -> Any:
    """The value of a JSON text; ValueError or RecursionError where it is none."""
    return json.loads(body.decode("utf-8", "replace"))


class ApiClient:
    """Asks one API through the getter, under its own gate."""

    def __init__(
        self,
        api: str,
        getter: Getter,
        clock: Clock,
        cooldown: ApiCooldown,
        headers: Headers = (),
    ) -> None:
        self._api = api
        self._name = f"api:{api}"
        self._getter = getter
        self._clock = clock
        self._cooldown = cooldown
        self._headers = (("accept", "application/json"), *headers)

    async def get(
        self, url: str, *, cause_id: str | None, headers: Headers = (), parse: Parse = parse_json
    ) -> ApiReply:
        """`headers` override those of every request; `parse` raises ValueError for what this API does not answer."""
        return await self._ask(FetchRequest(url, headers=headers, cause_id=cause_id), parse)

    async def post(self, url: str, payload: Any, *, cause_id: str | None) -> ApiReply:
        body = json.dumps(payload).encode()
        headers = (("content-type", "application/json"),)
        request = FetchRequest(url, method="POST", body=body, headers=headers, cause_id=cause_id)
        return await self._ask(request, parse_json)

    async def log_in(self, url: str, form: dict[str, str], headers: Headers, *, cause_id: str | None) -> ApiReply:
        """Ask for a token by a form; the exchange is kept nowhere, as its answer is a secret."""
        fields = (("content-type", "application/x-www-form-urlencoded"), *headers)
        body = urlencode(form).encode()
        request = FetchRequest(url, method="POST", body=body, headers=fields, cause_id=cause_id, is_archived=False)
        return await self._ask(request, parse_json)

    async def _ask(self, request: FetchRequest, parse: Parse) -> ApiReply:
        rest_s = await self._cooldown.remaining_s(self._name)
        if rest_s > 0:
            return self._failed(SearchOutcome.BLOCKED, "The API refused recently and is not asked for now.", rest_s)
        own = {name for name, _ in request.headers}
        headers = (*(one for one in self._headers if one[0] not in own), *request.headers)
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
        return self._reply(result, parse)

    def _reply(self, result: FetchResult, parse: Parse) -> ApiReply:
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
            return ApiReply(parse(result.body), archive=result.archive)
        except (ValueError, RecursionError) as exc:
            # A reader says itself what is missing; a decoder's words would be about bytes.
            if type(exc) is ValueError:
                return self._failed(SearchOutcome.FAILED, f"The API's answer {exc}.")
            return self._failed(SearchOutcome.FAILED, _unreadable(result.body))

    def _failed(
        self, outcome: SearchOutcome, reason: str, retry_after_s: float | None = None, *, is_unreachable: bool = False
    ) -> ApiReply:
        return ApiReply(
            failure=ApiFailure(
                self._api, outcome, reason=reason, retry_after_s=retry_after_s, is_unreachable=is_unreachable
            )
        )


def _is_overloaded(result: FetchResult) -> bool:
    return result.status_code == 429 or (result.status_code or 0) >= 500


def _unreadable(body: bytes) -> str:
    start = body.lstrip()[:1]
    if start in (b"{", b"["):
        return "The API answered with half a JSON text."
    if start == b"<":
        return "The API answered with HTML instead of JSON."
    return "The API answered with something else instead of JSON."
