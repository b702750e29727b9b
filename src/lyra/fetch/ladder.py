"""The ladder: which rung a fetch climbs to next. Pure; never the same rung twice, and never past three."""

from collections.abc import Sequence

from lyra.model.page import FetchOutcome

# From the lightest to the heaviest; a rung that is not built takes itself out.
RUNGS = ("http",)
_MOST_TRIED = 3
# What another way of asking may change. A missing page, a rule or a person's task is the same on every rung.
_WORTH_CLIMBING = frozenset({FetchOutcome.BLOCKED, FetchOutcome.TIMED_OUT, FetchOutcome.FAILED})


def next_rung(tried: Sequence[str], outcome: FetchOutcome | None = None, rungs: Sequence[str] = RUNGS) -> str | None:
    """The rung to try after `outcome` on the last of `tried`; the first one where nothing was tried; None to stop."""
    if tried and (outcome not in _WORTH_CLIMBING or len(tried) >= _MOST_TRIED):
        return None
    return next((rung for rung in rungs if rung not in tried), None)
