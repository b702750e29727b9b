"""What became of fuzzed inputs: how many, how each ended, and every one that escaped or hung."""

import traceback
from dataclasses import dataclass, field
from typing import Any

_NAMED = 20


@dataclass
class FuzzFigures:
    """`escapes` are errors without a type of Lyra's own; `hangs` took longer than the limit."""

    part: str
    inputs: int = 0
    slowest_s: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    escapes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        return not (self.escapes or self.hangs)

    def count(self, name: str, seconds: float, limit_s: float) -> None:
        self.inputs += 1
        self.slowest_s = max(self.slowest_s, seconds)
        if seconds > limit_s:
            self.hangs.append(f"{name}: {seconds:.1f} s")

    def escaped(self, name: str, frames: traceback.StackSummary, exc: BaseException) -> None:
        last = f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"
        self.escapes.append(f"{name}: {type(exc).__name__} at {last}: {str(exc)[:120]!r}")

    def shown(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "is_passed": self.is_passed,
            "inputs": self.inputs,
            "slowest_s": round(self.slowest_s, 2),
            "outcomes": self.outcomes,
            "escaped": len(self.escapes),
            "escapes": self.escapes[:_NAMED],
            "hung": len(self.hangs),
            "hangs": self.hangs[:_NAMED],
        }
