"""What was asked of the simulated web, and whether it was asked politely."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from simweb.domains import registrable
from simweb.messages import Exit, Request


@dataclass(frozen=True)
class Visit:
    """One request as the server saw it; times are seconds of a monotonic clock.

    `in_flight_host` and `in_flight_domain` count the *other* requests to the same host or registrable
    domain that were unanswered when this one arrived. `status` and `ended_s` are None until answered. `exit` is the
    network it came out of, `circuit` the user name its SOCKS client gave.
    """

    number: int
    arrived_s: float
    method: str
    scheme: str
    host: str
    target: str
    headers: Mapping[str, str]
    in_flight_host: int
    in_flight_domain: int
    status: int | None = None
    ended_s: float | None = None
    exit: Exit = "direct"
    circuit: str = ""

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"

    @property
    def path(self) -> str:
        return self.target.split("?", 1)[0]

    @property
    def domain(self) -> str:
        return registrable(self.host)


class Journal:
    """Visits in the order of arrival; written by the server's loop, read by any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._visits: list[Visit] = []
        self._hosts: Counter[str] = Counter()
        self._domains: Counter[str] = Counter()
        self._first = 0
        self._resolved: list[tuple[str, bool]] = []

    def arrive(self, request: Request) -> int:
        """Record a request; the number answers to `leave`."""
        with self._lock:
            domain = registrable(request.host)
            number = self._first + len(self._visits)
            self._visits.append(
                Visit(
                    number, self._now(), request.method, request.scheme, request.host, request.target,
                    dict(request.headers), self._hosts[request.host], self._domains[domain],
                    exit=request.exit, circuit=request.circuit,
                )
            )  # fmt: skip
            self._hosts[request.host] += 1
            self._domains[domain] += 1
            return number

    def leave(self, number: int, host: str, status: int | None) -> None:
        """Record that the answer has gone out; `status` None means none was given."""
        with self._lock:
            self._hosts[host] -= 1
            self._domains[registrable(host)] -= 1
            index = number - self._first
            if index >= 0:
                self._visits[index] = replace(self._visits[index], status=status, ended_s=self._now())

    def resolve(self, host: str, *, is_address: bool) -> None:
        """Record a name, or an address that its client had resolved itself, that SOCKS was asked to reach."""
        with self._lock:
            self._resolved.append((host, is_address))

    def dns_leaks(self) -> tuple[str, ...]:
        """The addresses that came instead of names: the client had asked its own name server."""
        with self._lock:
            return tuple(host for host, is_address in self._resolved if is_address)

    def visits(self, host: str | None = None) -> tuple[Visit, ...]:
        """All visits so far, or those to one host."""
        with self._lock:
            return tuple(visit for visit in self._visits if host is None or visit.host == host)

    def violations(self) -> tuple[Visit, ...]:
        """Visits that arrived while another request to the same registrable domain was unanswered."""
        return tuple(visit for visit in self.visits() if visit.in_flight_domain > 0)

    def shortest_pause_s(self, domain: str) -> float | None:
        """The shortest time between an answer and the next request to `domain`; None with fewer than two."""
        visits = [visit for visit in self.visits() if visit.domain == domain]
        pauses = [after.arrived_s - before.ended_s for before, after in pairwise(visits) if before.ended_s is not None]
        return min(pauses, default=None)

    def clear(self) -> None:
        """Forget the visits; requests in flight stay counted."""
        with self._lock:
            self._first += len(self._visits)
            self._visits.clear()
