"""A getter that plays recorded answers, and time that does not wait."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from lyra.model.page import FetchOutcome, FetchRequest, FetchResult


@dataclass
class Played:
    """Answers one after another; the last one stays."""

    results: list[FetchResult] = field(default_factory=list)
    asked: list[FetchRequest] = field(default_factory=list)

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked.append(request)
        return self.results[min(len(self.asked), len(self.results)) - 1]

    def json(self, value: Any) -> None:
        self.raw(json.dumps(value).encode())

    def raw(self, body: bytes, status_code: int = 200) -> None:
        self.results.append(FetchResult("", FetchOutcome.OK, status_code=status_code, body=body))

    def gives(self, outcome: FetchOutcome, **fields: Any) -> None:
        self.results.append(FetchResult("", outcome, **fields))


class NoWait:
    """A clock that moves by its sleeps alone, at once."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 11, 15, tzinfo=UTC)

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class MemoryCooldown:
    """Rests of APIs by that clock."""

    def __init__(self, clock: NoWait) -> None:
        self._clock = clock
        self._until_s: dict[str, float] = {}

    async def remaining_s(self, name: str) -> float:
        return max(0.0, self._until_s.get(name, 0.0) - self._clock.monotonic())

    async def note_answer(self, name: str, outcome: FetchOutcome, rest_s: float = 0.0) -> None:
        self._until_s[name] = self._clock.monotonic() + rest_s
