"""Pages with figures: a title, the sentence with the figures, and sentences beside it, some with other figures."""

from __future__ import annotations

import random
import re
import string
from dataclasses import dataclass

from figure_kinds import Values
from figure_scenes import Quantity, Scene, time_label

CAPITAL = re.compile(r"(^|[.?!] |\|\| |\n)([a-z])")
ASIDES = ("other_year", "neighbour", "sibling", "missing", "plan")
GLUE = {"en": " ", "ja": ""}
STOP = {"en": ".", "ja": "。"}


@dataclass(frozen=True)
class Frame:
    genre: str
    pattern: str

    @property
    def slots(self) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(self.pattern) if name}

    @property
    def is_worded(self) -> bool:
        """Says the direction in words."""
        return bool(self.slots & {"rose", "rose_end", "more", "higher", "d"})


def frames(scene: Scene, layout: str) -> list[Frame]:
    found = [Frame(*each) for each in scene.lexicon.words["frames"][layout]]
    has_ago = scene.quantity.times == "year" and scene.times[1] - scene.times[0] in (1, 2, 3)
    barred = set() if has_ago else {"ago"}
    barred |= {"p"} if scene.quantity.unit == "pct" else set()  # "rose by 5%" of a share has two readings
    return [each for each in found if each.genre == scene.genre and not each.slots & barred]


def capitals(text: str, lang: str) -> str:
    return CAPITAL.sub(lambda match: match[1] + match[2].upper(), text) if lang == "en" else text


def phrase(quantity: Quantity, entity: str, lang: str) -> str:
    """The number of visitors to the museum; 美術館の入館者数."""
    return f"{quantity.short} {quantity.prep} {entity}" if lang == "en" else f"{entity}の{quantity.short}"


def at(label: str, style: str) -> str:
    return f"{'at' if style == 'visit' else 'in'} {label}"


def direction(scene: Scene, values: Values) -> dict[str, str]:
    """Words for a rise or a fall, the difference and the change in per cent."""
    is_up = values[1] > values[0]
    gap, step = abs(values[1] - values[0]), abs(round(100 * (values[1] / values[0] - 1)))
    unit = "ppt" if scene.quantity.unit == "pct" else scene.quantity.unit
    found = {"d": scene.figure(round(gap, 1), unit=unit), "p": str(step)}
    if scene.lexicon.lang == "en":
        words = ("rose", "more", "higher") if is_up else ("fell", "less", "lower")
        return found | dict(zip(("rose", "more", "higher"), words, strict=True))
    family = scene.lexicon.words["families"][scene.quantity.fam]
    names = ("up_and", "more", "up") if is_up else ("down_and", "less", "down")
    ends = (family[names[0]], family[names[1]], family[names[2]][0])
    return found | dict(zip(("rose", "more", "rose_end"), ends, strict=True))


def ago(scene: Scene) -> str:
    gap = scene.times[1] - scene.times[0]
    if scene.lexicon.lang == "ja":
        return "前年" if gap == 1 else f"{gap}年前"
    return "a year earlier" if gap == 1 else f"{('two', 'three')[gap - 2]} years earlier" if gap < 4 else ""


def slots(scene: Scene, entity: str) -> dict[str, str]:
    """What every frame may name."""
    lang, style = scene.lexicon.lang, scene.time_style
    labels = [time_label(time, style, lang) for time in scene.times]
    return {
        "e": entity, "q": phrase(scene.quantity, entity, lang), "short": scene.quantity.short, "t0": labels[0],
        "t1": labels[1], "in0": at(labels[0], style), "in1": at(labels[1], style), "ago": ago(scene),
        "eb": scene.others[0], "qb": phrase(scene.quantity, scene.others[0], lang),
    }  # fmt: skip


def main_sentence(scene: Scene, frame: Frame, values: dict[str, float], entity: str) -> str:
    """The sentence with the figures; `values` names them as the frame does."""
    named = slots(scene, entity) | {name: scene.figure(value) for name, value in values.items() if value is not None}
    if "v1" in values and scene.quantity.said:
        named["said1"] = scene.quantity.said.format(e=entity, n=named["v1"])
    if "v0" in values:
        named |= direction(scene, (values["v0"], values["v1"]))
    if "target" in values:
        named["target"] = aimed(scene, named["target"])
    return capitals(frame.pattern.format(**named), scene.lexicon.lang)


def aimed(scene: Scene, figure: str) -> str:
    if scene.lexicon.lang == "ja":
        return figure + ("以上" if scene.quantity.goal == "up" else "以下")
    return f"at least {figure}" if scene.quantity.goal == "up" else f"no more than {figure}"


def aside(scene: Scene, name: str, lure: float | None, chooser: random.Random) -> str:
    """A sentence with another figure, or one that says there is none; what it states is noted in the scene."""
    quantity, entity, time = scene.quantity, scene.entity, scene.spare[0]
    if name == "neighbour":
        entity, time = scene.others[1], chooser.choice((scene.times[1], scene.spare[0]))
    elif name == "sibling":
        quantity, time = scene.lexicon.quantities[quantity.sib], chooser.choice((scene.times[1], scene.spare[0]))
    elif name == "missing":
        entity = scene.others[2]
    elif name == "plan":
        time = max(*scene.times, *scene.spare) + chooser.randint(1, 4)
    value = quantity.on_grid(quantity.drawn(chooser), scene.digits)
    if lure and name != "sibling" and chooser.random() < 0.5:
        value = quantity.on_grid(lure * chooser.choice((1, 1, 0.9, 1.1)), 4)
    scene.mentioned.add(entity)
    if name != "missing":
        scene.stated.add((entity, quantity.short, time))
    label = time_label(time, scene.time_style, scene.lexicon.lang)
    return chooser.choice(scene.lexicon.words["asides"][name]).format(
        ex=entity, qx=phrase(quantity, entity, scene.lexicon.lang), shortx=quantity.short, tx=label,
        inx=at(label, scene.time_style), vx=scene.figure(value, unit=quantity.unit),
    )  # fmt: skip


def title(scene: Scene, entity: str, chooser: random.Random) -> str:
    return str(chooser.choice(scene.lexicon.words["titles"][scene.genre]).format(e=entity))


def page(
    heading: str, main: str, beside: list[str], lang: str, is_first: bool, chooser: random.Random
) -> tuple[str, int]:
    """The whole text, and the place of the sentence that decides."""
    place = 0 if is_first else chooser.randint(0, len(beside))
    sentences = [capitals(each, lang) for each in beside]
    sentences.insert(place, main if main[-1] in ".。" else main + STOP[lang])
    breaks = ("\n", "\n", "　" if lang == "ja" else " " if heading.endswith("?") else ". ")
    return capitals(heading, lang) + chooser.choice(breaks) + GLUE[lang].join(sentences), place
