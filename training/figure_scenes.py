"""Who and what a page with figures is about: quantities, names, times and figures drawn to fit a claim."""

from __future__ import annotations

import datetime
import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from figure_kinds import Kind, Values
from figure_notation import STYLES, written

FOLDER = Path(__file__).parent / "figures"
YEARS = range(2009, 2025)
WEEKS = (0, 4, 8, 12, 16, 20, 24, 36, 48, 52)
SPREAD = (0.5, 0.67, 0.75, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.25, 1.33, 1.5, 2, 0.1, 10)
TRIES = 150


@dataclass(frozen=True)
class Quantity:
    """A kind of figure: how it is called, its unit, and the sizes that are plausible."""

    short: str
    unit: str
    lo: float
    hi: float
    cls: str
    sib: str
    fam: str
    goal: str
    genres: list[str]
    prep: str = ""
    said: str = ""
    dec: int = 0
    times: str = "year"
    is_aimed: bool = True

    @property
    def is_narrow(self) -> bool:
        """Temperatures, pressures, scores: what neither doubles nor halves."""
        return self.hi / self.lo < 3

    def drawn(self, chooser: random.Random) -> float:
        return math.exp(chooser.uniform(math.log(self.lo), math.log(self.hi)))

    def on_grid(self, value: float, digits: int) -> float:
        """The value as a page would print it."""
        if self.dec:
            return round(value, self.dec)
        places = max(0, math.floor(math.log10(max(value, 1))) + 1 - digits)
        return int(round(value, -places)) if value >= 1000 else round(value)

    def rounded(self, value: float, digits: int = 1) -> float:
        """A round figure of the same size, as claims name bounds."""
        if self.hi <= 100:
            return max(1, round(value))
        places = max(0, math.floor(math.log10(value)) - digits)
        return int(round(value, -places))

    def is_plausible(self, value: float) -> bool:
        top = 97 if self.unit == "pct" else self.hi * (1.15 if self.is_narrow else 2)
        return self.lo * (0.85 if self.is_narrow else 0.3) <= value <= top


@dataclass(frozen=True)
class Lexicon:
    lang: str
    words: dict[str, Any]
    quantities: dict[str, Quantity]

    def name(self, cls: str, chooser: random.Random) -> str:
        pattern = self.words["classes"][cls]
        pattern = pattern if isinstance(pattern, str) else chooser.choice(pattern)
        names = {key.removesuffix("s"): chooser.choice(pool) for key, pool in self.words["names"].items()}
        return str(pattern.format(**names, number=chooser.randint(2, 98)))

    def names(self, cls: str, count: int, chooser: random.Random) -> list[str]:
        """Different names."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.name(cls, chooser)] = None
        return list(found)


def read_lexicon(lang: str) -> Lexicon:
    words = yaml.safe_load((FOLDER / f"{lang}.yaml").read_text("utf-8"))
    return Lexicon(lang, words, {name: Quantity(**each) for name, each in words["quantities"].items()})


def time_label(time: int, style: str, lang: str) -> str:
    """The name of a year, a financial year or a visit of a trial."""
    if style == "visit":
        if lang == "ja":
            return f"{time}週後" if time else "投与前"
        return f"week {time}" if time else "baseline"
    if lang == "en":
        return f"{time}/{(time + 1) % 100:02}" if style == "fiscal" else str(time)
    ending = "年度" if style.startswith("fiscal") else "年"
    if not style.endswith("era"):
        return f"{time}{ending}"
    era, count = ("令和", time - 2018) if time >= 2019 else ("平成", time - 1988)
    return f"{era}{'元' if count == 1 else count}{ending}"


def time_styles(times: str, lang: str) -> tuple[str, ...]:
    if times == "visit":
        return ("visit",)
    if lang == "en":
        return ("year", "year", "fiscal")
    return ("year", "fiscal", "year_era", "fiscal_era")


@dataclass
class Scene:
    """What one page knows: names, times and the notation it uses."""

    lexicon: Lexicon
    quantity: Quantity
    entity: str
    others: list[str]
    times: tuple[int, int]
    spare: list[int]
    time_style: str
    number_style: str
    digits: int
    genre: str
    stated: set[tuple[str, str, int]] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)

    def figure(self, value: float, style: str = "", unit: str = "") -> str:
        return written(value, unit or self.quantity.unit, style or self.number_style, self.lexicon.lang)


def draw_scene(lexicon: Lexicon, layout: str, chooser: random.Random) -> Scene:
    genres = {frame[0] for frame in lexicon.words["frames"][layout]}
    fitting = [each for each in lexicon.quantities.values() if each.is_aimed or layout != "target"]
    quantity = chooser.choice(fitting)
    names = lexicon.names(quantity.cls, 5, chooser)
    pool = list(WEEKS if quantity.times == "visit" else YEARS)
    start = chooser.randrange(len(pool) - 1)
    times = (pool[start], pool[min(len(pool) - 1, start + chooser.choice((1, 1, 1, 2, 3)))])
    near = [time for time in pool if time not in times and abs(pool.index(time) - start) < 7]
    chooser.shuffle(near)
    return Scene(
        lexicon, quantity, names[0], names[1:], times, near,
        chooser.choice(time_styles(quantity.times, lexicon.lang)), chooser.choice(STYLES[lexicon.lang]),
        chooser.choice((2, 3, 3, 4, 4)), chooser.choice(sorted(genres & set(quantity.genres))),
    )  # fmt: skip


def parameters(kind: Kind, scene: Scene, chooser: random.Random) -> Values:
    """The figures that the claim names, drawn before those of the text."""
    quantity = scene.quantity
    base = quantity.drawn(chooser)
    if kind.parameter in ("percent", "percent_down", "share"):
        return (chooser.choice({"percent": (5, 10, 15, 20, 25, 30, 40, 50, 60, 75), "percent_down":
            (5, 10, 15, 20, 25, 30, 40, 50), "share": tuple(range(5, 100, 5))}[kind.parameter]),)  # fmt: skip
    if kind.parameter == "difference":
        small = base * chooser.uniform(0.03, 0.1 if quantity.is_narrow else 0.4)
        return (round(small, 1) if quantity.dec else max(1, quantity.rounded(small, 1)),)
    if kind.parameter == "bound":
        return (quantity.rounded(base, chooser.choice((0, 1))),)
    if kind.parameter == "range":
        low = quantity.rounded(base)
        return low, quantity.rounded(low * chooser.choice((1.2, 1.3, 1.5)))
    if kind.parameter == "figure":
        return (quantity.on_grid(base, scene.digits),)
    if kind.parameter == "both":
        other = base * (1 + (chooser.choice(SPREAD[:-2]) - 1) * (0.3 if quantity.is_narrow else 1))
        return quantity.on_grid(base, scene.digits), quantity.on_grid(other, scene.digits)
    return ()


def fit(kind: Kind, names: Values, wanted: str, scene: Scene, layout: str, chooser: random.Random) -> Values | None:
    """Figures of a text that make the claim hold (E) or fail (C); None where none are found."""
    proposals = {"level": one_figure, "share": part_and_whole, "target": reached_and_aim}
    propose = proposals.get(layout, two_figures)
    for _ in range(TRIES):
        values = propose(kind, names, scene, chooser)
        is_plausible = layout == "share" or all(scene.quantity.is_plausible(value) for value in values)
        if is_plausible and kind.judge(values, names) == wanted:
            return values
    return None


def one_figure(kind: Kind, names: Values, scene: Scene, chooser: random.Random) -> Values:
    draw = chooser.random()
    near = chooser.choice(names)
    if draw < 0.25:
        return (near,)
    wide = chooser.choice((0.05, 0.3, 0.5) if not scene.quantity.is_narrow else (0.02, 0.1, 0.3))
    value = near * chooser.uniform(1 - wide, 1 + wide)
    if draw > 0.85 and not scene.quantity.is_narrow:
        value = near * chooser.choice((0.1, 10, 0.5, 2))
    return (scene.quantity.on_grid(value, scene.digits),)


def two_figures(kind: Kind, names: Values, scene: Scene, chooser: random.Random) -> Values:
    quantity = scene.quantity
    first = quantity.on_grid(quantity.drawn(chooser), scene.digits)
    step = ratio_of(kind, names, quantity, chooser)
    second = quantity.on_grid(first * step, scene.digits)
    if kind.parameter == "difference":
        shift = chooser.choice((1, -1)) * names[0] * chooser.choice((1, 1, 1, 0.5, 2, 0.8, 1.5, 3))
        second = round(first + shift, 1) if quantity.dec else round(first + shift)
    elif kind.parameter == "both":
        first, second = chooser.choice(
            ((names[0], names[1]), (names[0], names[1]), (names[1], names[0]), (names[0], second), (first, names[1]))
        )
    elif kind.parameter == "bound":
        first, second = (quantity.on_grid(names[0] * chooser.uniform(0.75, 1.35), scene.digits) for _ in range(2))
    return first, second


def reached_and_aim(kind: Kind, names: Values, scene: Scene, chooser: random.Random) -> Values:
    """What was reached and a round aim; the other way round where less is better."""
    quantity, is_up = scene.quantity, scene.quantity.goal == "up"
    aim = quantity.rounded(quantity.drawn(chooser))
    step = ratio_of(kind, names, quantity, chooser)
    reached = quantity.on_grid(aim / step if is_up else aim * step, scene.digits)
    if kind.parameter:
        shift = names[0] * chooser.choice((1, 1, -1, 0.5, 2, 1.5, 3))
        reached = aim - shift if is_up else aim + shift
        reached = round(reached, 1) if quantity.dec else round(reached)
    return (reached, aim) if is_up else (aim, reached)


def ratio_of(kind: Kind, names: Values, quantity: Quantity, chooser: random.Random) -> float:
    if kind.parameter.startswith("percent"):
        sign = -1 if kind.parameter.endswith("down") else 1
        step = 1 + sign * names[0] / 100 * chooser.uniform(0.4, 1.8)
        return step if chooser.random() < 0.85 else 2 - step
    step = chooser.choice(kind.hints or SPREAD[:-2])
    if step != 1 and chooser.random() < 0.6:
        step *= chooser.uniform(0.96, 1.04)
    return 1 + (step - 1) * 0.3 if quantity.is_narrow else step


def part_and_whole(kind: Kind, names: Values, scene: Scene, chooser: random.Random) -> Values:
    whole = (
        chooser.choice((20, 40, 100, 1)) * chooser.randint(3, 60)
        if chooser.random() < 0.7
        else chooser.randint(60, 3000)
    )
    whole = max(whole, 24)
    if kind.parameter:
        share = names[0] / 100 + chooser.choice((0, 0, 0.02, -0.02, 0.1, -0.1, 0.25, -0.25))
    else:
        share = 1 / (chooser.choice(kind.hints) * chooser.uniform(0.95, 1.05))
    return min(whole - 1, max(1, round(whole * share))), whole


def draw_dates(kind: Kind, chooser: random.Random) -> tuple[Values, dict[str, Values]] | None:
    """The parameter of the claim, and days of start, end and agreement for either label."""
    first = datetime.date(chooser.randint(2012, 2023), chooser.randint(1, 12), chooser.randint(1, 28)).toordinal()
    names: Values = ()
    if kind.parameter == "days_off":
        names = (chooser.choice((3, 5, 7, 10, 14, 14, 21, 28, 35, 42, 60)),)
    elif kind.parameter == "weeks":
        names = (7 * chooser.randint(6, 90),)
    elif kind.parameter == "day":
        names = (first,)
    found: dict[str, Values] = {}
    for wanted in "EC":
        for _ in range(TRIES):
            values = days(names, kind.parameter, first, chooser)
            if values[0] < values[1] and kind.judge(values, names) == wanted:
                found[wanted] = values
                break
    return (names, found) if len(found) == 2 else None


def days(names: Values, parameter: str, first: int, chooser: random.Random) -> Values:
    start = first + chooser.randint(-400, 400)
    end = start + chooser.randint(40, 640)
    agreed = end + chooser.choice((0, 7, -7, 14, -14, 28, -28, *chooser.sample(range(-90, 90), 3)))
    if parameter == "days_off":
        agreed = end + chooser.choice((1, -1)) * int(names[0]) * chooser.choice((1, 1, 2, 3))
    elif parameter == "weeks":
        end = start + int(names[0] * chooser.choice((0.5, 0.8, 0.9, 1.1, 1.2, 1.6))) + chooser.randint(-6, 6)
        agreed = end + chooser.randint(-60, 60)
    elif parameter == "day":
        moved = first + chooser.choice(
            (0, 0, 0, 1, -1, 30, -30, 31, -31, 365, -365, *chooser.sample(range(-90, 90), 3))
        )
        start, end, agreed = chooser.choice(
            ((moved, moved + end - start, moved + agreed - start), (moved - end + start, moved, moved + agreed - end),
             (moved - 200, moved + end - agreed, moved))
        )  # fmt: skip
    return start, end, agreed


def date_label(day: float, style: str, lang: str) -> str:
    date = datetime.date.fromordinal(int(day))
    if style == "iso":
        return date.isoformat()
    if lang == "en":
        return f"{date:%B} {date.day}, {date.year}" if style == "american" else f"{date.day} {date:%B %Y}"
    year = f"{date.year}年"
    if style == "era":
        is_reiwa = date >= datetime.date(2019, 5, 1)
        count = date.year - (2018 if is_reiwa else 1988)
        year = f"{'令和' if is_reiwa else '平成'}{'元' if count == 1 else count}年"
    return f"{year}{date.month}月{date.day}日"
