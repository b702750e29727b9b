"""Faults on demand: what a host or page does instead of, or on top of, answering."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

from simweb.doors import Asks, Doors
from simweb.messages import Request, Response

Refusal = Literal[
    "status", "challenge", "captcha", "login_wall", "paywall", "consent", "script_gate", "soft_404", "redirect_loop",
    "rate_limit", "gzip_bomb",
]  # fmt: skip
Spoiling = Literal["slow", "truncated", "reset", "wrong_charset", "lying_length", "endless", "drip"]
Certificate = Literal["certificate_expired", "certificate_other_name", "certificate_unknown_ca"]
Kind = Refusal | Spoiling | Certificate

SPOILING: frozenset[str] = frozenset(get_args(Spoiling))
CERTIFICATE: frozenset[str] = frozenset(get_args(Certificate))
KINDS: tuple[Kind, ...] = (*get_args(Refusal), *get_args(Spoiling), *get_args(Certificate))


@dataclass(frozen=True)
class Fault:
    """One way to fail; docs/reference/simweb.md says what each kind does and which fields it reads.

    `times` limits how many requests it strikes, `share` is the probability that it strikes one. `exits` strikes only
    what comes directly or only what comes over Tor; `asks` says who can open a challenge (simweb.doors).
    """

    kind: Kind
    status: int = 503
    retry_after_s: int | None = None
    delay_s: float = 1.0
    after_bytes: int = 200
    pause_s: float = 1.0
    charset: str = "shift_jis"
    expanded_bytes: int = 268_435_456
    times: int | None = None
    share: float = 1.0
    exits: Literal["all", "direct", "tor"] = "all"
    asks: Asks = "person"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"there is no kind of fault {self.kind!r}")
        if self.exits not in ("all", "direct", "tor") or self.asks not in get_args(Asks):
            raise ValueError(f"exits {self.exits!r} or asks {self.asks!r} is unknown")


@dataclass
class _Rule:
    pattern: str
    fault: Fault
    is_of_world: bool
    struck: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    last_s: dict[str, float] = field(default_factory=dict)


class Faults:
    """The faults in force.

    A pattern is a host (`www.x.org`) or host and path, both with wildcards (`www.x.org/a*`). Chance depends on the
    seed, the pattern, the address and how often it was asked, not on the order in which addresses are asked.
    """

    def __init__(
        self,
        of_world: Iterable[tuple[str, Fault]] = (),
        seed: int = 0,
        now: Callable[[], float] = time.monotonic,
        doors: Doors | None = None,
    ) -> None:
        self.doors = Doors() if doors is None else doors
        self._lock = threading.Lock()
        self._seed = seed
        self._now = now
        self._rules = [_Rule(pattern, fault, is_of_world=True) for pattern, fault in of_world]

    def set(self, pattern: str, fault: Fault) -> None:
        """Put a fault in force; it goes before those set earlier and before the world's own."""
        with self._lock:
            self._rules.insert(0, _Rule(pattern, fault, is_of_world=False))

    def scatter(self, kinds: Iterable[Kind], share: float, pattern: str = "*") -> None:
        """Strike about `share` of the requests, by the seed, each time with one of the kinds."""
        faults = [Fault(kind) for kind in kinds]
        for number, fault in enumerate(faults):
            # The rule asked last is left with what the others before it did not take.
            others = share / len(faults) * (len(faults) - 1 - number)
            self.set(pattern, replace(fault, share=share / len(faults) / (1 - others)))

    def in_force(self) -> tuple[tuple[str, Fault], ...]:
        """Pattern and fault of every rule, the one that goes first first."""
        with self._lock:
            return tuple((rule.pattern, rule.fault) for rule in self._rules)

    def clear(self, pattern: str | None = None) -> None:
        """Lift the faults that were set (all, or those of one pattern); the world's own stay."""
        with self._lock:
            self._rules = [rule for rule in self._rules if rule.is_of_world or pattern not in (None, rule.pattern)]

    def lift_all(self) -> None:
        """Lift every fault, the world's own too."""
        with self._lock:
            self._rules.clear()

    def strike(self, request: Request) -> Fault | None:
        """The fault that this request meets; certificates are met before there is a request."""
        with self._lock:
            for rule in self._rules:
                if self._is_met(rule, request) and self._is_due(rule, request):
                    rule.struck += 1
                    return rule.fault
        return None

    def strike_handshake(self, host: str) -> Certificate | None:
        """What is wrong with the certificate that a connection to `host` is shown."""
        asked = Request("CONNECT", "https", host, "/")
        with self._lock:
            for rule in self._rules:
                kind = rule.fault.kind
                if (
                    kind in CERTIFICATE
                    and fnmatchcase(host, rule.pattern.partition("/")[0])
                    and self._is_due(rule, asked)
                ):
                    rule.struck += 1
                    return kind  # type: ignore[return-value]  # narrowed by membership, which mypy does not follow
        return None

    def _is_met(self, rule: _Rule, request: Request) -> bool:
        fault = rule.fault
        return (
            fault.kind not in CERTIFICATE
            and _matches(rule.pattern, request)
            and fault.exits in ("all", request.exit)
            and not self.doors.opens(fault.kind, request)
        )

    def _is_due(self, rule: _Rule, request: Request) -> bool:
        if rule.fault.times is not None and rule.struck >= rule.fault.times:
            return False
        if rule.fault.kind == "rate_limit":
            return self._is_too_soon(rule, request)
        return rule.fault.share >= 1.0 or self._chance(rule, request) < rule.fault.share

    def _is_too_soon(self, rule: _Rule, request: Request) -> bool:
        """Whether the host was asked less than `pause_s` ago; asking too soon starts the pause anew."""
        if request.path == "/robots.txt":
            return False
        now = self._now()
        last = rule.last_s.get(request.host)
        rule.last_s[request.host] = now
        return last is not None and now - last < rule.fault.pause_s

    def _chance(self, rule: _Rule, request: Request) -> float:
        rule.seen[request.url] += 1
        drawn = f"{self._seed} {rule.pattern} {rule.fault.kind} {request.url} {rule.seen[request.url]}"
        return int.from_bytes(hashlib.sha256(drawn.encode()).digest()[:7], "big") / 256**7


def _matches(pattern: str, request: Request) -> bool:
    host, slash, path = pattern.partition("/")
    return fnmatchcase(request.host, host) and (not slash or fnmatchcase(request.target, slash + path))


def spoil(response: Response, fault: Fault) -> Response:
    """The true answer, delivered late, cut short, mislabelled, without end, or not at all."""
    match fault.kind:
        case "slow":
            return replace(response, delay_s=response.delay_s + fault.delay_s)
        case "truncated":
            return replace(response, cut_after_bytes=fault.after_bytes)
        case "wrong_charset":
            media = response.headers.get("content-type", "text/html").partition(";")[0]
            return response.with_headers(content_type=f"{media}; charset={fault.charset}")
        case "lying_length":
            return replace(response, announced_bytes=len(response.body) // 2)
        case "endless":
            return replace(response, is_endless=True)
        case "drip":
            return replace(response, drip_s=fault.delay_s, drip_bytes=max(1, fault.after_bytes))
    return replace(response, is_reset=True)
