"""How often a server is asked: requests per person, and requests without a valid token per address, in memory."""

from dataclasses import dataclass

from lyra.clock import Clock

# So many requests without a valid token from one address in a minute; then it has to wait for the next.
MAX_REFUSALS = 20
BARRED_S = 60.0
_MAX_ADDRESSES = 10_000


@dataclass(slots=True)
class _Bucket:
    """Requests that a person may still make now."""

    left: float
    seen_at: float


class RequestLimits:
    """Counts requests per person and refusals per address, in memory."""

    def __init__(self, clock: Clock, per_second: float) -> None:
        self._clock = clock
        self._per_second = per_second
        self._buckets: dict[str, _Bucket] = {}
        self._refusals: dict[str, tuple[float, int]] = {}

    def wait_s(self, person_id: str) -> float:
        """Count a request of the person; how long they have to wait, 0 where it may pass. Bursts of 3 s are fine."""
        now, most = self._clock.monotonic(), 3 * self._per_second
        bucket = self._buckets.setdefault(person_id, _Bucket(most, now))
        bucket.left = min(most, bucket.left + (now - bucket.seen_at) * self._per_second)
        bucket.seen_at = now
        if bucket.left < 1:
            return (1 - bucket.left) / self._per_second
        bucket.left -= 1
        return 0.0

    def is_barred(self, address: str) -> bool:
        """Whether too many requests of the address had no valid token in this minute."""
        since, count = self._refusals.get(address, (0.0, 0))
        return count >= MAX_REFUSALS and self._clock.monotonic() - since < BARRED_S

    def count_refusal(self, address: str) -> None:
        now = self._clock.monotonic()
        since, count = self._refusals.get(address, (now, 0))
        if now - since >= BARRED_S:
            since, count = now, 0
        if len(self._refusals) >= _MAX_ADDRESSES:  # an attacker with many addresses shall not fill the memory
            self._refusals.clear()
        self._refusals[address] = (since, count + 1)
