"""Faults on demand: what a host or page does instead of, or on top of, answering."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from simweb.messages import Request, Response

Kind = Literal["status", "challenge", "soft_404", "slow", "truncated", "reset"]


@dataclass(frozen=True)
class Fault:
    """One way to fail.

    `status` refuses with that code, `challenge` asks for a human, `soft_404` says 200 to a missing page;
    `slow`, `truncated` and `reset` spoil the delivery of the true answer. `times` limits how many requests
    it strikes, `share` is the probability that it strikes one.
    """

    kind: Kind
    status: int = 503
    retry_after_s: int | None = None
    delay_s: float = 1.0
    after_bytes: int = 200
    times: int | None = None
    share: float = 1.0


@dataclass
class _Rule:
    pattern: str
    fault: Fault
    is_of_world: bool
    struck: int = 0


class Faults:
    """The faults in force.

    A pattern is a host (`www.x.org`) or host and path, both with wildcards (`www.x.org/a*`).
    """

    def __init__(self, of_world: Iterable[tuple[str, Fault]] = (), seed: int = 0) -> None:
        self._lock = threading.Lock()
        self._random = random.Random(seed)
        self._rules = [_Rule(pattern, fault, is_of_world=True) for pattern, fault in of_world]

    def set(self, pattern: str, fault: Fault) -> None:
        """Put a fault in force; it goes before those set earlier and before the world's own."""
        with self._lock:
            self._rules.insert(0, _Rule(pattern, fault, is_of_world=False))

    def clear(self, pattern: str | None = None) -> None:
        """Lift the faults that were set (all, or those of one pattern); the world's own stay."""
        with self._lock:
            self._rules = [rule for rule in self._rules if rule.is_of_world or pattern not in (None, rule.pattern)]

    def lift_all(self) -> None:
        """Lift every fault, the world's own too."""
        with self._lock:
            self._rules.clear()

    def strike(self, request: Request) -> Fault | None:
        """The fault that this request meets."""
        with self._lock:
            for rule in self._rules:
                if _matches(rule.pattern, request) and self._is_due(rule):
                    rule.struck += 1
                    return rule.fault
        return None

    def _is_due(self, rule: _Rule) -> bool:
        if rule.fault.times is not None and rule.struck >= rule.fault.times:
            return False
        return rule.fault.share >= 1.0 or self._random.random() < rule.fault.share


def _matches(pattern: str, request: Request) -> bool:
    host, slash, path = pattern.partition("/")
    return fnmatchcase(request.host, host) and (not slash or fnmatchcase(request.target, slash + path))


def spoil(response: Response, fault: Fault) -> Response:
    """The true answer, delivered late, cut short, or not at all."""
    if fault.kind == "slow":
        return replace(response, delay_s=response.delay_s + fault.delay_s)
    if fault.kind == "truncated":
        return replace(response, cut_after_bytes=fault.after_bytes)
    return replace(response, is_reset=True)
