"""A claim turned by rule: its figures changed or written otherwise, its names exchanged, a cause added or taken away.

What turns a word, a negation or a small number is in `perturb.py` and `japanese_edits.py`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import japanese_edits
import perturb
from figure_notation import STYLES, written

Rule = Callable[[str, random.Random], str | None]

SCALES = {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9, "千": 10**3, "万": 10**4, "億": 10**8}
FIGURE = {
    "en": re.compile(r"(?<![\w.,/-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?: (thousand|million|billion))?(?![\w,./-]*\d)"),
    "ja": re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(千|万|億)?(?![\d.,千万億])"),
}
YEAR = re.compile(r"(?:19|20)\d\d$")
NAMED = re.compile(r"[A-Z]\w* $|[A-Za-zァ-ヴー]-?$")  # what stands before the number of a model
FACTORS = (0.1, 0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 10)
NAMES = {
    "en": re.compile(r"(?<=[a-z,] )[A-Z][a-zA-Z-]{2,}(?: [A-Z][a-zA-Z-]{2,})*"),
    "ja": re.compile(
        r"[ァ-ヴー]{3,}|[一-龠々ヶ]{2,4}(?:市|町|村|県|区|線|駅|病院|大学|社|館|橋|川|島|湾|湖)|「[^」]{2,15}」"
    ),
}
NO_NAMES = frozenset(
    "January February March April May June July August September October November December Monday Tuesday Wednesday "
    "Thursday Friday Saturday Sunday Table Figure".split()
)
CAUSES = {
    "en": (
        "because of higher prices", "because of the new rules", "because of the weather", "because of a lack of staff",
        "because of that change", "thanks to public money", "owing to lower demand", "as a result of the closure",
    ),
    "ja": (
        "物価の上昇により、", "新しい規則のため、", "天候のため、", "人手不足のため、", "この変更により、",
        "公費の投入により、", "需要の減少を受けて、", "閉鎖の影響で、",
    ),
}  # fmt: skip
CAUSE = {
    "en": re.compile(r",? (?:because(?: of)?|thanks to|owing to|due to|as a result of) [^.;,]+(?=[.,;])"),
    "ja": re.compile(r"[^、。はがを]{2,20}(?:のため|により|によって|を受けて|の影響で)、?"),
}


def figure_in(claim: str, lang: str, chooser: random.Random) -> re.Match[str] | None:
    """One figure of the claim that is neither a year nor a part of a name."""
    found = FIGURE[lang].finditer(claim)
    places = [each for each in found if not YEAR.match(each[1]) and not NAMED.search(claim[: each.start()])]
    return chooser.choice(places) if places else None


def value_of(match: re.Match[str]) -> float:
    value = float(match[1].replace(",", "")) * SCALES[match[2] or ""]
    return int(value) if value == int(value) else value


def replaced(claim: str, match: re.Match[str], text: str) -> str:
    return claim[: match.start()] + text + claim[match.end() :]


def other_figure(claim: str, lang: str, chooser: random.Random) -> str | None:
    """A figure of another size in the same notation; small numbers and years by the rules that were there."""
    match = figure_in(claim, lang, chooser)
    if not match or (chooser.random() < 0.4 and "," not in claim and "." not in claim[:-1]):
        return (perturb if lang == "en" else japanese_edits).change_number(claim, chooser)
    value = value_of(match) / SCALES[match[2] or ""] * chooser.choice(FACTORS)
    shown = round(value, 1) if "." in match[1] else round(value)
    number = f"{shown:,}" if "," in match[1] else str(shown)
    return replaced(claim, match, number + match[0][len(match[1]) :]) if shown else None


def other_notation(claim: str, lang: str, chooser: random.Random) -> str | None:
    """The same figure with or without commas, in words, in millions or 万, 割 for per cent."""
    match = figure_in(claim, lang, chooser)
    if not match:
        return None
    percent = re.match(r" ?(?:%|％|パーセント| per cent| percent)", claim[match.end() :])
    unit = "pct" if percent else "count" if lang == "en" else ""
    forms = {written(value_of(match), unit, style, lang) for style in STYLES[lang]}
    if value_of(match) >= 10**8:
        forms = {form for form in forms if re.search("億|illion", form)}
    end = match.end() + (percent.end() if percent else 0)
    forms.discard(claim[match.start() : end])
    return claim[: match.start()] + chooser.choice(sorted(forms)) + claim[end:] if forms else None


def names_in(texts: list[str], lang: str) -> list[str]:
    """Names that more than one of the texts has."""
    found = Counter(name for text in texts for name in set(NAMES[lang].findall(text)))
    return sorted(name for name, count in found.items() if count > 1 and name not in NO_NAMES)


def like(name: str) -> str:
    """What two names must share to stand for one another: the ending of a place, quotes, or the script."""
    if name.startswith("「"):
        return "「"
    return name[-1] if re.match("[一-龠々ヶ]", name) else "ア" if "ァ" <= name[0] <= "ヿ" else "A"


def other_name(claim: str, names: list[str], chooser: random.Random) -> str | None:
    """A name in the claim exchanged for another of the group."""
    mine = [name for name in names if name in claim]
    if not mine:
        return None
    name = chooser.choice(mine)
    others = [each for each in names if like(each) == like(name) and each not in claim and each not in name]
    return claim.replace(name, chooser.choice(others)) if others else None


def cause_turned(claim: str, lang: str, chooser: random.Random) -> str | None:
    """A cause taken away where there is one, else added."""
    without = CAUSE[lang].sub("", claim, count=1)
    if without != claim:
        return without[:1].upper() + without[1:] if len(without) > 6 else None
    cause = chooser.choice(CAUSES[lang])
    if lang == "ja":
        return cause + claim
    return f"{claim[:-1]} {cause}." if claim.endswith(".") else None


def rules(lang: str, names: list[str]) -> dict[str, Rule]:
    """Every way to turn a claim, by name."""
    edits = perturb if lang == "en" else japanese_edits
    return {
        "negated": perturb.toggle_negation if lang == "en" else japanese_edits.negate,
        "swapped": edits.swap_word,
        "figure": lambda claim, chooser: other_figure(claim, lang, chooser),
        "renoted": lambda claim, chooser: other_notation(claim, lang, chooser),
        "renamed": lambda claim, chooser: other_name(claim, names, chooser),
        "cause": lambda claim, chooser: cause_turned(claim, lang, chooser),
    }
