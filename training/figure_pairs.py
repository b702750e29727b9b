"""Labelled pairs about figures, in English and Japanese; the label follows by arithmetic.

python figure_pairs.py --count 50000 --out figures.jsonl.gz
A claim's wording and the figures that it names are drawn first, then the label by lot, then a text whose figures make
the claim hold or fail: so the claim alone tells nothing about the label. A neutral pair has a text that was made in the
same way, and a claim about another year, place, product or quantity, or one that needs a figure that the text lacks.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from figure_kinds import LAYOUTS, Kind, Values
from figure_notation import STYLES, is_round, written
from figure_scenes import (
    Lexicon,
    Quantity,
    Scene,
    date_label,
    draw_dates,
    draw_scene,
    fit,
    parameters,
    read_lexicon,
    time_label,
    time_styles,
)
from figure_texts import ASIDES, Frame, aside, at, capitals, frames, main_sentence, page, phrase, title
from rows import Row, write_rows

WEIGHTS = {"change": 8, "level": 6, "compare": 4, "target": 2, "share": 3, "dates": 3}
LABELS = "EEECCCNN"
NARROW = frozenset(
    "rose fell not_rose not_fell same up_by down_by from_to fell_below rose_above higher_first lower_first".split()
)
NARROW_COMPARE = frozenset(("more", "less", "level", "gap_over", "gap_exact"))
# Kinds that one of the two figures can settle alone: their claims never lack just one.
SETTLED_BY_ONE = frozenset(("fell_below", "rose_above", "from_to"))
OF_PERCENT = frozenset(("third_up", "third_down", "quarter_up", "quarter_down", "tenth_up", "tenth_down"))
HOSTS = {"level": ("level", "level", "level", "level", "change", "change", "compare", "target")}
LONGER = {
    "was higher": "was longer",
    "was lower": "was shorter",
    "as high": "as long",
    "{n} higher": "{n} longer",
    "{n} lower": "{n} shorter",
}
LONG = re.compile("|".join(map(re.escape, LONGER)))
SAID = re.compile(r"\{said:((?:[^{}]|\{[nm]\})*)\}")


@dataclass(frozen=True)
class Pair:
    """A row and what it was made of, for reports and tests."""

    row: Row
    layout: str
    kind: str
    wording: str
    frame: str
    quantity: str
    has_aside: bool
    place: int


@dataclass
class Deck:
    """Labels for each wording in shuffled rounds, so that none of them falls more often on one wording."""

    chooser: random.Random
    left: dict[str, list[str]] = field(default_factory=dict)

    def draw(self, wording: str) -> str:
        if not self.left.get(wording):
            self.left[wording] = self.chooser.sample(LABELS, len(LABELS))
        return self.left[wording].pop()


@dataclass
class Plan:
    """What a claim is about."""

    entity: str
    other: str
    quantity: Quantity
    times: tuple[int, int]
    is_dated: bool


def draw_pair(lexicon: Lexicon, deck: Deck, chooser: random.Random) -> Pair:
    layout = chooser.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    claims = lexicon.words["claims"][layout]
    name, wording = chooser.choice([(name, wording) for name, wordings in claims.items() for wording in wordings])
    label = deck.draw(wording)
    if layout == "dates":
        return dated_pair(lexicon, name, wording, label, chooser)
    if layout == "share":
        return share_pair(lexicon, name, wording, label, chooser)
    return figure_pair(lexicon, layout, name, wording, label, chooser)


def figure_pair(lexicon: Lexicon, layout: str, name: str, wording: str, label: str, chooser: random.Random) -> Pair:
    kind = LAYOUTS[layout][name]
    host = chooser.choice(HOSTS.get(layout, (layout,)))
    scene, names, fits = fitted(lexicon, layout, host, name, kind, chooser)
    values = fits[label if label != "N" else chooser.choice("EC")]
    can_be_undated = not re.search(r"\{(in|t)[01]\}", wording) and not (layout == "level" and host == "change")
    plan = Plan(
        scene.entity, scene.others[0], scene.quantity, scene.times, not can_be_undated or chooser.random() > 0.25
    )
    way = way_out(layout, name, plan, chooser) if label == "N" else ""
    host = "level" if way == "part" else host
    cells, about = placed(scene, host, layout, values, names, chooser)
    plan = replace(plan, **about)
    is_change = layout == "change"
    frame = chooser.choice([each for each in frames(scene, host) if usable(each, kind, names, is_change, cells)])
    scene.number_style = fitting_style(scene, cells)
    text, has_aside, place = figure_text(scene, frame, host, cells, plan, chooser)
    if way:
        plan = moved(plan, way, layout, scene, chooser)
    claim = claim_of(wording, kind, layout, plan, names, scene, chooser)
    row = Row(text, claim, label, f"figures_{lexicon.lang}", lexicon.lang)
    return Pair(row, layout, name, wording, frame.pattern, scene.quantity.short, has_aside, place)


def fitting_style(scene: Scene, cells: dict[str, float]) -> str:
    """The scene's notation, or the plainest where it would write the figures of one sentence in different ways."""
    style, unit = scene.number_style, scene.quantity.unit
    is_mixed = style in ("words", "kanji") and not all(map(is_round, cells.values()))
    is_mixed |= unit == "hour" or (unit == "pct" and any(value != int(value) for value in cells.values()))
    return "comma" if is_mixed and style not in ("bare", "wide") else style


def fitted(
    lexicon: Lexicon, layout: str, host: str, name: str, kind: Kind, chooser: random.Random
) -> tuple[Scene, Values, dict[str, Values]]:
    """A scene and parameters for which figures of either label exist."""
    while True:
        scene = draw_scene(lexicon, host, chooser)
        if scene.quantity.is_narrow and (
            (layout == "change" and name not in NARROW) or (layout == "compare" and name not in NARROW_COMPARE)
        ):
            continue
        if scene.quantity.unit == "pct" and (kind.parameter.startswith("percent") or name in OF_PERCENT):
            continue  # "rose by 10%" of a share: points or per cent, readers differ
        names = parameters(kind, scene, chooser)
        fits = {label: fit(kind, names, label, scene, layout, chooser) for label in "EC"}
        if fits["E"] and fits["C"]:
            return scene, names, {"E": fits["E"], "C": fits["C"]}


def placed(
    scene: Scene, host: str, layout: str, values: Values, names: Values, chooser: random.Random
) -> tuple[dict[str, float], dict[str, object]]:
    """The figures by their names in the frame, and what of the plan follows from where the deciding one stands."""
    if layout == "level" and host != "level":
        return beside_another(scene, host, values[0], names, chooser)
    if host == "level":
        return {"v1": values[1 if layout == "change" else 0]}, {}
    if host == "change":
        return {"v0": values[0], "v1": values[1]}, {}
    if host == "target":
        reached, aim = values if scene.quantity.goal == "up" else values[::-1]
        return {"v1": reached, "target": aim}, {}
    return {"v1": values[0], "vb": values[1]}, {}


def beside_another(
    scene: Scene, host: str, value: float, names: Values, chooser: random.Random
) -> tuple[dict[str, float], dict[str, object]]:
    """The deciding figure beside one that does not decide, in either order."""
    quantity = scene.quantity
    step = chooser.choice((0.7, 0.85, 0.95, 1.05, 1.2, 1.4))
    other = (
        chooser.choice(names)
        if chooser.random() < 0.35
        else value * (1 + (step - 1) * (0.4 if quantity.is_narrow else 1))
    )
    other = min(quantity.on_grid(other, scene.digits), 97 if quantity.unit == "pct" else 10**12)
    first = chooser.random() < 0.5
    if host == "target":
        return {"v1": value, "target": quantity.rounded(other)}, {}
    if host == "change":
        cells = {"v0": value, "v1": other} if first else {"v0": other, "v1": value}
        return cells, {"times": (scene.times[1], scene.times[0]) if first else scene.times}
    if first:
        return {"v1": value, "vb": other}, {}
    return {"v1": other, "vb": value}, {"entity": scene.others[0], "other": scene.entity}


def usable(frame: Frame, kind: Kind, names: Values, is_change: bool, cells: dict[str, float]) -> bool:
    """Whether the frame says what the claim needs, and no rise where there is none."""
    if "v0" not in cells:
        return True
    if "p" in frame.slots:
        step = round(100 * (cells["v1"] / cells["v0"] - 1))
        is_same = kind.judge((100, 100 + step), names) == kind.judge((cells["v0"], cells["v1"]), names)
        return is_change and kind.of_ratio and abs(step) >= 3 and is_same
    return not frame.is_worded or (cells["v0"] != cells["v1"] and not kind.exact)


def figure_text(
    scene: Scene, frame: Frame, host: str, cells: dict[str, float], plan: Plan, chooser: random.Random
) -> tuple[str, bool, int]:
    scene.stated |= {(scene.entity, scene.quantity.short, scene.times[1])}
    if "v0" in cells:
        scene.stated.add((scene.entity, scene.quantity.short, scene.times[0]))
    if "vb" in cells:
        scene.stated.add((scene.others[0], scene.quantity.short, scene.times[1]))
    beside, has_aside = besides(scene, plan, cells, chooser)
    heading = title(scene, scene.entity, chooser)
    generic = scene.lexicon.words["generic"].get(scene.quantity.cls)
    is_first = bool(generic and scene.entity in heading and host in ("change", "level") and chooser.random() < 0.3)
    main = main_sentence(scene, frame, cells, generic if is_first else scene.entity)
    text, place = page(heading, main, beside, scene.lexicon.lang, is_first, chooser)
    return text, has_aside, place


def besides(scene: Scene, plan: Plan, cells: dict[str, float], chooser: random.Random) -> tuple[list[str], bool]:
    """Up to two sentences with other figures or about others, and up to two that say nothing."""
    kinds = [name for name in ASIDES if plan.is_dated or name not in ("other_year", "plan")]
    if scene.quantity.times == "visit" or not scene.quantity.is_aimed:
        kinds = [name for name in kinds if name != "plan"]
    chosen = chooser.sample(kinds, chooser.choice((0, 1, 1, 2)))
    lure = chooser.choice([value for value in cells.values() if value])
    found = [aside(scene, name, lure, chooser) for name in chosen]
    fillers = scene.lexicon.words["fillers"][scene.genre]
    found += chooser.sample(fillers, max(1 - len(found), chooser.choice((0, 1, 1))))
    chooser.shuffle(found)
    return found, bool(chosen)


def way_out(layout: str, name: str, plan: Plan, chooser: random.Random) -> str:
    """How a claim leaves what the text says."""
    ways = ["entity", "quantity"] * 2
    if name not in SETTLED_BY_ONE:
        ways += ["time"] * 2 if plan.is_dated else []
        ways += ["part"] if layout in ("change", "compare", "target") and name != "gap_over" else []
    return chooser.choice(ways)


def moved(plan: Plan, way: str, layout: str, scene: Scene, chooser: random.Random) -> Plan:
    """The plan for something that the text does not state."""
    if way == "entity":
        silent = [each for each in scene.others[1:] if not is_known(scene, each, plan)]
        named = [each for each in silent if each in scene.mentioned] or silent
        entity = chooser.choice(named if chooser.random() < 0.7 else silent)
        if layout == "compare" and chooser.random() < 0.5:
            return replace(plan, other=entity)
        return replace(plan, entity=entity)
    if way == "quantity":
        return replace(plan, quantity=scene.lexicon.quantities[scene.quantity.sib])
    if way == "time":
        known = {time for entity, _, time in scene.stated if entity in (plan.entity, plan.other)}
        return replace(plan, times=moved_times(plan.times, [t for t in scene.spare if t not in known], layout, chooser))
    return plan


def is_known(scene: Scene, entity: str, plan: Plan) -> bool:
    """Whether a figure of the quantity is given for the entity, at the claim's time or at any where it names none."""
    return any(
        who == entity and what == scene.quantity.short and (time == plan.times[1] or not plan.is_dated)
        for who, what, time in scene.stated
    )


def moved_times(times: tuple[int, int], spare: list[int], layout: str, chooser: random.Random) -> tuple[int, int]:
    if layout != "change":
        return times[0], chooser.choice(spare)
    before, after = [t for t in spare if t < times[1]], [t for t in spare if t > times[0]]
    if before and (not after or chooser.random() < 0.5):
        return chooser.choice(before), times[1]
    return times[0], chooser.choice(after)


def claim_of(
    wording: str, kind: Kind, layout: str, plan: Plan, names: Values, scene: Scene, chooser: random.Random
) -> str:
    lang, quantity = scene.lexicon.lang, plan.quantity
    style = chooser.choice(STYLES[lang])
    unit = "ppt" if quantity.unit == "pct" and kind.parameter == "difference" else quantity.unit
    if kind.parameter in ("range", "both") and style != "bare":
        style = "comma"
    is_bare = kind.parameter.startswith("percent")
    named = {
        slot: str(each) if is_bare else written(each, unit, style, lang)
        for slot, each in zip("nm", names, strict=False)
    }
    named |= {"e": plan.entity, "eb": plan.other, "short": quantity.short, "q": phrase(quantity, plan.entity, lang)}
    named |= {"qb": phrase(quantity, plan.other, lang), "that_b": f"that {quantity.prep} {plan.other}"}
    named |= times_of(plan, layout, scene, chooser)
    if lang == "ja":
        family = scene.lexicon.words["families"][quantity.fam]
        named |= {key: value if isinstance(value, str) else chooser.choice(value) for key, value in family.items()}
    if lang == "en" and quantity.fam == "time":
        wording = LONG.sub(lambda match: LONGER[match[0]], wording)
    return capitals(with_said(wording, quantity, named).format(**named), lang)


def times_of(plan: Plan, layout: str, scene: Scene, chooser: random.Random) -> dict[str, str]:
    """The claim's times, in a notation of its own."""
    lang = scene.lexicon.lang
    start = scene.time_style.removesuffix("_era")
    style = chooser.choice([each for each in time_styles(scene.quantity.times, lang) if each.startswith(start)])
    t0, t1 = (time_label(time, style, lang) for time in plan.times)
    found = {"t0": t0, "t1": t1, "in0": at(t0, style), "in1": at(t1, style), "when": "", "span": ""}
    if not plan.is_dated:
        return found
    if lang == "en":
        span = chooser.choice((f" between {t0} and {t1}", f" from {t0} to {t1}"))
        return found | {"when": f" {at(t1, style)}", "span": span}
    return found | {"when": f"{t1}の", "span": chooser.choice((f"{t0}から{t1}にかけて、", f"{t0}と{t1}を比べると、"))}


def with_said(wording: str, quantity: Quantity, named: dict[str, str]) -> str:
    """`{said:at least {n}}` as the quantity's own sentence."""

    def sentence(match: re.Match[str]) -> str:
        bound = match[1].replace("less than", "fewer than") if quantity.fam == "count" else match[1]
        return quantity.said.replace("{n}", bound).replace("{e}", named["e"])

    return SAID.sub(sentence, wording)


def share_pair(lexicon: Lexicon, name: str, wording: str, label: str, chooser: random.Random) -> Pair:
    """A part of a whole, as two counts or in per cent."""
    kind = LAYOUTS["share"][name]
    scene, names, fits = fitted_share(lexicon, kind, chooser)
    part, whole = fits[label if label != "N" else chooser.choice("EC")]
    theme = chooser.choice(lexicon.words["themes"])
    group, counter, deeds = (theme[0], "", theme[1]) if lexicon.lang == "en" else theme
    deeds = chooser.sample(deeds, 3)
    frame = chooser.choice([Frame(*each) for each in lexicon.words["frames"]["share"] if each[0] == scene.genre])
    main = share_sentence(scene, frame.pattern, (scene.entity, deeds[0]), group, counter, (part, whole))
    beside = chooser.sample(lexicon.words["fillers"][scene.genre], chooser.choice((1, 1, 2)))
    extra = share_aside(scene, deeds, chooser)
    if extra:
        count = max(1, round(whole * chooser.uniform(0.05, 0.95)))
        pattern = chooser.choice(lexicon.words["asides"]["share"])
        beside.append(share_sentence(scene, pattern, extra, group, counter, (count, whole)))
    chooser.shuffle(beside)
    text, place = page(title(scene, scene.entity, chooser), main, beside, lexicon.lang, False, chooser)
    town, deed = share_asked(scene, deeds, extra, label, chooser)
    asked = {"e": town, "group": group, "did": deed, "counter": counter, "thing": "人" if counter == "人" else "もの"}
    style = chooser.choice(STYLES[lexicon.lang])
    if names:
        asked["n"] = written(names[0], "pct", style, lexicon.lang)
    claim = capitals(wording.format(**asked), lexicon.lang)
    row = Row(text, claim, label, f"figures_{lexicon.lang}", lexicon.lang)
    return Pair(row, "share", name, wording, frame.pattern, group, bool(extra), place)


def share_aside(scene: Scene, deeds: list[str], chooser: random.Random) -> tuple[str, str] | None:
    """Whose count of what stands beside the deciding one, if any."""
    near, other = scene.entity, scene.others[0]
    return chooser.choice((None, None, (near, deeds[1]), (other, deeds[0]), (other, deeds[1])))


def share_asked(
    scene: Scene, deeds: list[str], extra: tuple[str, str] | None, label: str, chooser: random.Random
) -> tuple[str, str]:
    """The town and the deed of the claim; for a neutral pair ones that the text does not bring together."""
    near, other, far = scene.entity, *scene.others
    if label != "N":
        return near, deeds[0]
    towns = (near, other, far) if extra else (near, far)
    found = [(town, deed) for town in towns for deed in deeds[: 3 if town == near else 2]]
    return chooser.choice([each for each in found if each not in ((near, deeds[0]), extra)])


def fitted_share(lexicon: Lexicon, kind: Kind, chooser: random.Random) -> tuple[Scene, Values, dict[str, Values]]:
    towns = [each for each in lexicon.quantities.values() if each.cls == "town"]
    while True:
        genre = chooser.choice([each[0] for each in lexicon.words["frames"]["share"]])
        scene = replace(draw_scene(lexicon, "level", chooser), quantity=chooser.choice(towns), genre=genre)
        entity, *others = lexicon.names("town", 3, chooser)
        style = "comma" if scene.number_style in ("words", "kanji") else scene.number_style
        scene = replace(scene, entity=entity, others=others, number_style=style)
        parameter = parameters(kind, scene, chooser)
        fits = {label: fit(kind, parameter, label, scene, "share", chooser) for label in "EC"}
        if fits["E"] and fits["C"]:
            return scene, parameter, {"E": fits["E"], "C": fits["C"]}


def share_sentence(scene: Scene, pattern: str, who: tuple[str, str], group: str, counter: str, counts: Values) -> str:
    lang, style, unit = scene.lexicon.lang, scene.number_style, counter or "count"
    share = round(100 * counts[0] / counts[1], 1)
    figures = {"part": written(counts[0], unit, style, lang), "whole": written(counts[1], unit, style, lang)}
    named = figures | {"pct": written(share, "pct", style, lang), "e": who[0], "did": who[1]}
    return capitals(pattern.format(group=group, counter=counter, **named), lang)


NEEDS = {
    "on_time": "DP", "late": "DP", "early": "DP", "late_by": "DP", "early_by": "DP", "took_over": "SD",
    "took_under": "SD", "ended_before": "D", "ended_after": "D", "began_before": "S", "ended_on": "D", "began_on": "S",
    "agreed_on": "P",
}  # fmt: skip


def dated_pair(lexicon: Lexicon, name: str, wording: str, label: str, chooser: random.Random) -> Pair:
    """Start, completion and agreed completion of a building work."""
    kind = LAYOUTS["dates"][name]
    found = None
    while not found:
        found = draw_dates(kind, chooser)
    names, fits = found
    values = dict(zip("SDP", fits[label if label != "N" else chooser.choice("EC")], strict=True))
    all_frames = [Frame(*each) for each in lexicon.words["frames"]["dates"]]
    enough = [each for each in all_frames if set(NEEDS[name]) <= each.slots]
    lacking = [each for each in all_frames if each not in enough]
    is_part = label == "N" and bool(lacking) and NEEDS[name] != "S" and chooser.random() < 0.3
    frame = chooser.choice(lacking if is_part else enough)
    entity, *others = lexicon.names("project", 3, chooser)
    extra = chooser.choice(lexicon.words["asides"]["dates"]) if chooser.random() < 0.6 else ""
    text, place = dated_text(lexicon, frame, extra, (entity, others[0]), values, chooser)
    is_open = "P" in NEEDS[name] or "{day}" not in extra
    asked = others[0 if extra and is_open else 1] if label == "N" and not is_part else entity
    claim = dated_claim(lexicon, wording, kind, asked, names, chooser)
    row = Row(text, claim, label, f"figures_{lexicon.lang}", lexicon.lang)
    return Pair(row, "dates", name, wording, frame.pattern, "dates", bool(extra), place)


def date_styles(lang: str) -> tuple[str, ...]:
    return ("plain", "plain", "american", "iso") if lang == "en" else ("plain", "plain", "era", "iso")


def dated_text(
    lexicon: Lexicon, frame: Frame, extra: str, who: tuple[str, str], values: dict[str, float], chooser: random.Random
) -> tuple[str, int]:
    style = chooser.choice(date_styles(lexicon.lang))
    shown = {slot: date_label(day, style, lexicon.lang) for slot, day in values.items()}
    main = capitals(frame.pattern.format(e=who[0], **shown), lexicon.lang)
    beside = chooser.sample(lexicon.words["fillers"][frame.genre], 1)
    if extra:
        day = date_label(chooser.choice(list(values.values())) + chooser.randint(-300, 300), style, lexicon.lang)
        beside.append(extra.format(e=who[0], ex=who[1], day=day))
    chooser.shuffle(beside)
    heading = chooser.choice(lexicon.words["titles"][frame.genre]).format(e=who[0])
    return page(heading, main, beside, lexicon.lang, False, chooser)


def dated_claim(lexicon: Lexicon, wording: str, kind: Kind, entity: str, names: Values, chooser: random.Random) -> str:
    named = {"e": entity}
    if kind.parameter == "day":
        named["day"] = date_label(names[0], chooser.choice(date_styles(lexicon.lang)), lexicon.lang)
    elif names:
        named["n"] = written(names[0], "day", chooser.choice(("comma", "scaled", "words", "units")), lexicon.lang)
    return capitals(wording.format(**named), lexicon.lang)


def draw_pairs(lang: str, count: int, seed: int) -> list[Pair]:
    """Distinct pairs of one language."""
    lexicon, chooser = read_lexicon(lang), random.Random(f"{seed} {lang}")
    deck = Deck(chooser)
    found: dict[tuple[str, str], Pair] = {}
    while len(found) < count:
        pair = draw_pair(lexicon, deck, chooser)
        found.setdefault((pair.row.premise, pair.row.hypothesis), pair)
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50_000, help="pairs in each language")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    pairs = [pair for lang in ("en", "ja") for pair in draw_pairs(lang, options.count, options.seed)]
    random.Random(options.seed).shuffle(pairs)
    write_rows(options.out, (pair.row for pair in pairs))
    counts = Counter((pair.row.source, pair.layout, pair.row.label) for pair in pairs)
    for (source, layout, label), count in sorted(counts.items()):
        print(source, layout, label, count)


if __name__ == "__main__":
    main()
