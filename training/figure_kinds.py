"""What a claim about figures says, as arithmetic: each kind judges the figures of a text as E, C or neither.

`None` is the band in which readers would differ ("about a third" of 37 %): such figures are drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Values = tuple[float, ...]
Judge = Callable[[Values, Values], str | None]


@dataclass(frozen=True)
class Kind:
    """`judge` takes the figures (before, after; or one; or two entities) and the parameters that the claim names."""

    judge: Judge
    parameter: str = ""
    hints: tuple[float, ...] = ()
    of_ratio: bool = False  # holds for a text that gives only the change in per cent
    exact: bool = False  # the text must give figures without words of direction


def say(yes: bool, no: bool) -> str | None:
    return "E" if yes else "C" if no else None


def ratio(values: Values) -> float:
    return values[1] / values[0]


def in_bounds(low: float, high: float, beyond: Callable[[float], bool]) -> Judge:
    """E where the ratio lies within the bounds, C where it is clearly beyond them."""

    def judge(values: Values, _: Values) -> str | None:
        return say(low <= ratio(values) <= high, beyond(ratio(values)))

    return judge


def steps(low: float, high: float, below: float, above: float) -> Judge:
    return in_bounds(low, high, lambda r: r < below or r > above)


def up_over(values: Values, names: Values) -> str | None:
    return say(ratio(values) > 1.005 + names[0] / 100, ratio(values) < 0.995 + names[0] / 100)


def up_under(values: Values, names: Values) -> str | None:
    r, bound = ratio(values), 1 + names[0] / 100
    return say(1.01 < r < bound - 0.005, r > bound + 0.005 or r <= 1)


def down_over(values: Values, names: Values) -> str | None:
    return say(ratio(values) < 0.995 - names[0] / 100, ratio(values) > 1.005 - names[0] / 100)


def down_under(values: Values, names: Values) -> str | None:
    r, bound = ratio(values), 1 - names[0] / 100
    return say(bound + 0.005 < r < 0.99, r < bound - 0.005 or r >= 1)


def by_amount(sign: int) -> Judge:
    def judge(values: Values, names: Values) -> str | None:
        gap = sign * (values[1] - values[0]) - names[0]
        return say(abs(gap) < 1e-6, abs(gap) >= 0.08 * names[0])

    return judge


def both_exact(values: Values, names: Values) -> str | None:
    off = max(abs(v / n - 1) for v, n in zip(values, names, strict=True))
    return say(off < 1e-9, off >= 0.02)


def crossing(sign: int) -> Judge:
    """Fell below (-1) or rose above (1) the bound."""

    def judge(values: Values, names: Values) -> str | None:
        before, after = (sign * (v - names[0]) for v in values[:2])
        return say(before < 0 < after, after < 0)

    return judge


def bound(test: Callable[[float, float], bool]) -> Judge:
    def judge(values: Values, names: Values) -> str | None:
        return "E" if test(values[0], names[0]) else "C"

    return judge


def near(low: float, high: float, below: float, above: float) -> Judge:
    """The figure as a multiple of the one that the claim names."""

    def judge(values: Values, names: Values) -> str | None:
        r = values[0] / names[0]
        return say(low <= r <= high, r < below or r > above)

    return judge


def between(values: Values, names: Values) -> str | None:
    return say(names[0] < values[0] < names[1], values[0] < names[0] or values[0] > names[1])


def outside(values: Values, names: Values) -> str | None:
    return {"E": "C", "C": "E"}.get(between(values, names) or "")


def gap_over(values: Values, names: Values) -> str | None:
    gap = values[0] - values[1]
    return say(gap > names[0], gap < names[0])


def gap_exact(values: Values, names: Values) -> str | None:
    gap = abs(values[0] - values[1])
    return say(abs(gap - names[0]) < 1e-6, abs(gap - names[0]) >= 0.08 * names[0])


RISE, FALL = (1.04, 1.08, 1.15, 1.3, 1.6), (0.96, 0.92, 0.85, 0.7, 0.5)
CHANGE = {
    "rose": Kind(in_bounds(1.02, 99, lambda r: r <= 1), hints=(*RISE, *FALL, 1), of_ratio=True),
    "fell": Kind(in_bounds(0, 0.98, lambda r: r >= 1), hints=(*RISE, *FALL, 1), of_ratio=True),
    "not_rose": Kind(in_bounds(0, 1, lambda r: r >= 1.02), hints=(*RISE, *FALL, 1), of_ratio=True),
    "not_fell": Kind(in_bounds(1, 99, lambda r: r <= 0.98), hints=(*RISE, *FALL, 1), of_ratio=True),
    "same": Kind(in_bounds(1, 1, lambda r: abs(r - 1) >= 0.03), hints=(1, 1, 1, *RISE, *FALL), exact=True),
    "up_over": Kind(up_over, "percent", of_ratio=True),
    "up_under": Kind(up_under, "percent", of_ratio=True),
    "down_over": Kind(down_over, "percent_down", of_ratio=True),
    "down_under": Kind(down_under, "percent_down", of_ratio=True),
    "doubled": Kind(in_bounds(1.98, 2.02, lambda r: r < 1.75), hints=(2, 2, 1.5, 0.5, 1.3)),
    "over_doubled": Kind(in_bounds(2.06, 99, lambda r: r < 1.95), hints=(2.2, 2.4, 1.8, 1.6), of_ratio=True),
    "under_doubled": Kind(in_bounds(1.05, 1.9, lambda r: r > 2.05), hints=(1.7, 1.5, 2.2, 2.5), of_ratio=True),
    "almost_doubled": Kind(steps(1.86, 1.97, 1.55, 2.4), hints=(1.9, 1.94, 1.4, 2.6), of_ratio=True),
    "halved": Kind(in_bounds(0.49, 0.51, lambda r: r > 0.62), hints=(0.5, 0.5, 0.7, 0.8, 2), of_ratio=True),
    "over_halved": Kind(in_bounds(0, 0.47, lambda r: r > 0.53), hints=(0.42, 0.35, 0.6, 0.7), of_ratio=True),
    "under_halved": Kind(in_bounds(0.53, 0.97, lambda r: r < 0.47), hints=(0.42, 0.36, 0.6, 0.75), of_ratio=True),
    "third_up": Kind(steps(1.31, 1.36, 1.22, 1.5), hints=(1.333, 1.34, 1.15, 1.6, 0.667), of_ratio=True),
    "third_down": Kind(steps(0.645, 0.69, 0.5, 0.8), hints=(0.667, 0.67, 0.85, 0.45, 1.333), of_ratio=True),
    "quarter_up": Kind(steps(1.235, 1.265, 1.16, 1.4), hints=(1.25, 1.25, 1.1, 1.5, 0.75), of_ratio=True),
    "quarter_down": Kind(steps(0.735, 0.765, 0.62, 0.85), hints=(0.75, 0.75, 0.9, 0.5, 1.25), of_ratio=True),
    "tenth_up": Kind(steps(1.09, 1.11, 1.05, 1.2), hints=(1.1, 1.1, 1.03, 1.3, 0.9), of_ratio=True),
    "tenth_down": Kind(steps(0.89, 0.91, 0.8, 0.95), hints=(0.9, 0.9, 0.97, 0.7, 1.1), of_ratio=True),
    "tripled": Kind(in_bounds(2.95, 3.05, lambda r: r < 2.5), hints=(3, 3, 2, 1.4, 0.4)),
    "up_by": Kind(by_amount(1), "difference"),
    "down_by": Kind(by_amount(-1), "difference"),
    "from_to": Kind(both_exact, "both", exact=True),
    "fell_below": Kind(crossing(-1), "bound"),
    "rose_above": Kind(crossing(1), "bound"),
    "higher_first": Kind(in_bounds(0, 0.98, lambda r: r >= 1), hints=(*RISE, *FALL, 1), of_ratio=True),
    "lower_first": Kind(in_bounds(1.02, 99, lambda r: r <= 1), hints=(*RISE, *FALL, 1), of_ratio=True),
}
LEVEL = {
    "at_least": Kind(bound(lambda v, n: v >= n), "bound"),
    "over": Kind(bound(lambda v, n: v > n), "bound"),
    "under": Kind(bound(lambda v, n: v < n), "bound"),
    "at_most": Kind(bound(lambda v, n: v <= n), "bound"),
    "between": Kind(between, "range"),
    "outside": Kind(outside, "range"),
    "about": Kind(near(0.97, 1.03, 0.78, 1.25), "bound"),
    "nearly": Kind(near(0.94, 0.995, 0.78, 1.1), "bound"),
    "just_over": Kind(near(1.005, 1.06, 0.95, 1.3), "bound"),
    "exact": Kind(near(1, 1, 0.98, 1.02), "figure"),
}
COMPARE = {
    "more": Kind(in_bounds(0, 0.99, lambda r: r >= 1), hints=(*RISE, *FALL)),
    "less": Kind(in_bounds(1.01, 99, lambda r: r <= 1), hints=(*RISE, *FALL)),
    "level": Kind(in_bounds(1, 1, lambda r: abs(r - 1) >= 0.03), hints=(1, 1, 1, *RISE, *FALL), exact=True),
    "twice": Kind(in_bounds(0.495, 0.505, lambda r: r > 0.58), hints=(0.5, 0.5, 0.7, 0.8, 2)),
    "over_twice": Kind(in_bounds(0, 0.48, lambda r: r > 0.52), hints=(0.42, 0.35, 0.6, 0.7)),
    "half": Kind(in_bounds(1.96, 2.04, lambda r: r < 1.7), hints=(2, 2, 1.4, 1.3, 0.5)),
    "gap_over": Kind(gap_over, "difference"),
    "gap_exact": Kind(gap_exact, "difference"),
}
# Figures: what was reached, what was aimed at; for aims that must not be passed the two are given the other way round.
TARGET = {
    "met": Kind(in_bounds(0, 1, lambda r: r > 1), hints=(*RISE, *FALL, 1)),
    "missed": Kind(in_bounds(1.0001, 99, lambda r: r <= 1), hints=(*RISE, *FALL, 1)),
    "clearly_met": Kind(in_bounds(0, 0.99, lambda r: r >= 1), hints=(*RISE, *FALL, 1)),
    "missed_by": Kind(by_amount(1), "difference"),
}
# Figures: the part, the whole.
SHARE = {
    "most": Kind(in_bounds(0, 1.99, lambda r: r > 2.02), hints=(1.6, 1.8, 2.2, 2.6)),
    "minority": Kind(in_bounds(2.02, 99, lambda r: r < 1.99), hints=(1.6, 1.8, 2.2, 2.6)),
    "nearly_half": Kind(steps(2.02, 2.17, 1.8, 2.8), hints=(2.06, 2.1, 1.5, 3.5, 4)),
    "just_over_half": Kind(steps(1.83, 1.985, 1.5, 2.02), hints=(1.9, 1.95, 1.3, 2.4)),
    "about_half": Kind(steps(1.93, 2.08, 1.6, 2.6), hints=(2, 2, 1.4, 3)),
    "about_third": Kind(steps(2.9, 3.1, 2.4, 3.9), hints=(3, 3, 2, 5)),
    "about_quarter": Kind(steps(3.85, 4.15, 3.2, 5), hints=(4, 4, 2.5, 6)),
    "about_fifth": Kind(steps(4.8, 5.2, 4, 7), hints=(5, 5, 3, 9)),
    "over_two_thirds": Kind(in_bounds(0, 1.49, lambda r: r > 1.52), hints=(1.3, 1.4, 1.6, 1.8)),
    "under_third": Kind(in_bounds(3.05, 99, lambda r: r < 2.95), hints=(3.3, 3.6, 2.7, 2.4)),
    "under_tenth": Kind(in_bounds(10.2, 99, lambda r: r < 9.8), hints=(11, 14, 8, 6)),
    "nine_tenths": Kind(in_bounds(0, 1.105, lambda r: r > 1.12), hints=(1.05, 1.08, 1.2, 1.3)),
    "share_over": Kind(lambda v, n: say(100 * v[0] / v[1] > n[0] + 0.3, 100 * v[0] / v[1] < n[0] - 0.3), "share"),
    "share_under": Kind(lambda v, n: say(100 * v[0] / v[1] < n[0] - 0.3, 100 * v[0] / v[1] > n[0] + 0.3), "share"),
    "share_exact": Kind(
        lambda v, n: say(abs(100 * v[0] / v[1] - n[0]) < 1e-6, abs(100 * v[0] / v[1] - n[0]) > 4), "share"
    ),
}  # fmt: skip
# Figures: days of the start, of the end and of the date agreed.
DATES = {
    "on_time": Kind(lambda v, n: say(v[1] <= v[2], v[1] > v[2])),
    "late": Kind(lambda v, n: say(v[1] > v[2], v[1] <= v[2])),
    "early": Kind(lambda v, n: say(v[1] < v[2], v[1] >= v[2])),
    "late_by": Kind(lambda v, n: say(v[1] - v[2] == n[0], abs(v[1] - v[2] - n[0]) > 1), "days_off"),
    "early_by": Kind(lambda v, n: say(v[2] - v[1] == n[0], abs(v[2] - v[1] - n[0]) > 1), "days_off"),
    "took_over": Kind(lambda v, n: say(v[1] - v[0] > n[0] + 3, v[1] - v[0] < n[0] - 3), "weeks"),
    "took_under": Kind(lambda v, n: say(v[1] - v[0] < n[0] - 3, v[1] - v[0] > n[0] + 3), "weeks"),
    "ended_before": Kind(lambda v, n: say(v[1] < n[0], v[1] > n[0]), "day"),
    "ended_after": Kind(lambda v, n: say(v[1] > n[0], v[1] < n[0]), "day"),
    "began_before": Kind(lambda v, n: say(v[0] < n[0], v[0] > n[0]), "day"),
    "ended_on": Kind(lambda v, n: say(v[1] == n[0], v[1] != n[0]), "day"),
    "began_on": Kind(lambda v, n: say(v[0] == n[0], v[0] != n[0]), "day"),
    "agreed_on": Kind(lambda v, n: say(v[2] == n[0], v[2] != n[0]), "day"),
}
LAYOUTS = {"change": CHANGE, "level": LEVEL, "compare": COMPARE, "target": TARGET, "share": SHARE, "dates": DATES}
