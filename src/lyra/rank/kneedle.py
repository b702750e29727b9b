"""Where a ranked list bends: Kneedle (Satopää et al., 2011) for scores in falling order. Pure.

Written out because the `kneed` package costs the server 0.75 s and 77 MB on first use. It finds the same knees, but
for one: `kneed` takes the first point for a peak wherever good results form a plateau before the cliff, and would cut
nothing there; the paper's peaks have neighbours on both sides.
"""

from collections.abc import Sequence


def knee(scores: Sequence[float], sensitivity: float = 1.0) -> int | None:
    """The place of the knee of a convex, falling curve, or none where it does not bend."""
    count = len(scores)
    if count < 2 or scores[0] == scores[-1]:
        return None
    low, high = min(scores), max(scores)
    step = 1 / (count - 1)
    above = [1 - (score - low) / (high - low) - place * step for place, score in enumerate(scores)]
    peak: int | None = None
    for place in range(1, count - 1):
        if _is_peak(above, place):
            peak = place
        if _is_valley(above, place):
            peak = None
        if peak is not None and above[place + 1] < above[peak] - sensitivity * step:
            return peak
    return None


def cut(scores: Sequence[float], *, minimum: int, maximum: int, sensitivity: float) -> int:
    """How many of the best to keep: those before the knee of the first `maximum`, at least `minimum`.

    Without a knee all of them (EX §4.3.2).
    """
    considered = scores[:maximum]
    bend = knee(considered, sensitivity)
    return len(considered) if bend is None else min(max(bend, minimum), len(considered))


def _is_peak(values: Sequence[float], place: int) -> bool:
    return values[place] >= values[place - 1] and values[place] >= values[place + 1]


def _is_valley(values: Sequence[float], place: int) -> bool:
    return values[place] <= values[place - 1] and values[place] <= values[place + 1]
