"""How often each tool was called in this process, how that ended, and how long it took."""

from bisect import bisect_left
from collections import Counter

# Upper bounds in seconds, the last without one.
BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class CallFigures:
    """Counts calls; what Prometheus reads."""

    def __init__(self) -> None:
        self._ended: Counter[tuple[str, str]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def add(self, tool: str, code: str, seconds: float) -> None:
        """A call that has ended: `ok`, or the code of its error."""
        self._ended[tool, code] += 1
        counts = self._buckets.setdefault(tool, [0] * (len(BUCKETS_S) + 1))
        counts[bisect_left(BUCKETS_S, seconds)] += 1
        self._seconds[tool] = self._seconds.get(tool, 0.0) + seconds

    def prometheus(self) -> str:
        """The text exposition format."""
        lines = ["# HELP lyra_calls_total Calls of tools by how they ended.", "# TYPE lyra_calls_total counter"]
        lines += [
            f'lyra_calls_total{{tool="{tool}",code="{code}"}} {count}'
            for (tool, code), count in sorted(self._ended.items())
        ]
        lines += ["# HELP lyra_call_seconds Seconds a call took.", "# TYPE lyra_call_seconds histogram"]
        for tool, counts in sorted(self._buckets.items()):
            lines += self._histogram(tool, counts)
        return "\n".join(lines) + "\n"

    def _histogram(self, tool: str, counts: list[int]) -> list[str]:
        lines, total = [], 0
        for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), counts, strict=True):
            total += count
            lines.append(f'lyra_call_seconds_bucket{{tool="{tool}",le="{bound}"}} {total}')
        return [
            *lines,
            f'lyra_call_seconds_sum{{tool="{tool}"}} {self._seconds[tool]:.3f}',
            f'lyra_call_seconds_count{{tool="{tool}"}} {total}',
        ]
