"""Amounts with their unit, and whether two statements give amounts that can both be true; English and Japanese."""

import re
import unicodedata
from dataclasses import dataclass

# Two measurements of one thing differ; from this factor on they do not speak of one amount any more.
FAR_APART = 2.0

_SCALES = {"千": 1e3, "万": 1e4, "億": 1e8, "兆": 1e12, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_KANJI = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "half": 0.5, "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "triple": 3, "tripled": 3,
}  # fmt: skip
_UNITS = (
    ("point", r"percentage[- ]points?|points?|ポイント"),
    ("%", r"%|percent(?!age)|per cent|パーセント"),
    ("tenth", r"割"),
    ("times", r"[- ]?fold\b|times\b|倍"),
    ("yen", r"円|yen\b|JPY\b"),
    ("dollar", r"dollars?\b|USD\b|ドル"),
    ("person", r"people\b|patients?\b|participants?\b|persons?\b|users\b|人|名"),
    ("watt", r"W\b|watts?\b|ワット"),
    ("centimetre", r"cm\b|centimet(?:re|er)s?\b|センチ"),
    ("millimetre", r"mm\b|millimet(?:re|er)s?\b|ミリ"),
    ("gram", r"g\b|grams?\b|グラム"),
    ("kilogram", r"kg\b|kilograms?\b|キロ"),
    ("milligram", r"mg\b|milligrams?\b"),
    ("year", r"years?\b|年(?:間|以内)"),
    ("month", r"months?\b|か月|カ月|ヶ月"),
    ("week", r"weeks?\b|週"),
    ("day", r"days?\b|日間"),
    ("case", r"例|件|cases?\b"),
)
_NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"
_PART = rf"(?:{_NUMBER}|[一二三四五六七八九十](?=割|倍)|\b(?:{'|'.join(_WORDS)})\b)"
_AMOUNT = re.compile(
    rf"(?P<low>{_PART})\s*(?P<scale_low>千|万|億|兆)?"
    rf"(?:\s*(?:to|and|[-–—~〜～])\s*(?P<high>{_PART}))?\s*(?P<scale>千|万|億|兆|thousand\b|million\b|billion\b)?\s*"
    rf"(?:{'|'.join(f'(?P<u{at}>{pattern})' for at, (_, pattern) in enumerate(_UNITS))})",
    re.IGNORECASE,
)
# "95% confidence interval 0.44 to 0.65" says how sure a figure is, not how large something is.
_ASIDE = re.compile(r"9[059]\s?%\s*(?:confidence|credible|CI\b|信頼区間)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """From `low` to `high` of a unit; both are the same where one figure is given."""

    low: float
    high: float
    unit: str

    def is_near(self, other: "Amount", factor: float = FAR_APART) -> bool:
        """Whether the two overlap, or lie less than `factor` apart."""
        if self.low <= other.high and other.low <= self.high:
            return True
        smaller, larger = sorted((self, other), key=lambda one: one.low)
        return smaller.high > 0 and larger.low < factor * smaller.high


def amounts(text: str) -> tuple[Amount, ...]:
    """Every amount that has a unit, shares in percent; what only says how sure a figure is is left out."""
    plain = _ASIDE.sub(" ", unicodedata.normalize("NFKC", text))
    return tuple(_amount(match) for match in _AMOUNT.finditer(plain))


def _amount(match: re.Match[str]) -> Amount:
    unit = next(name for at, (name, _) in enumerate(_UNITS) if match.group(f"u{at}") is not None)
    scale = _SCALES.get((match.group("scale") or match.group("scale_low") or "").lower(), 1.0)
    low = _value(match.group("low")) * scale
    high = _value(match.group("high")) * scale if match.group("high") else low
    if unit == "tenth":
        unit, low, high = "%", 10 * low, 10 * high
    return Amount(min(low, high), max(low, high), unit)


def _value(text: str) -> float:
    lower = text.lower()
    if lower in _WORDS:
        return float(_WORDS[lower])
    return float(_KANJI[text]) if text in _KANJI else abs(float(text.replace(",", "").replace("−", "-")))


def are_far_apart(premise: str, hypothesis: str) -> bool:
    """Whether both give amounts in one unit and, for some unit, no two of them are near."""
    return any(not near for near in _nearness(premise, hypothesis).values())


def are_near(premise: str, hypothesis: str) -> bool:
    """Whether both give amounts in one unit and, for each such unit, two of them are near."""
    found = _nearness(premise, hypothesis)
    return bool(found) and all(found.values())


def _nearness(premise: str, hypothesis: str) -> dict[str, bool]:
    """For each unit that both use, whether any amount of one is near any of the other."""
    first, second = amounts(premise), amounts(hypothesis)
    return {
        unit: any(one.is_near(other) for one in first for other in second if one.unit == other.unit == unit)
        for unit in {one.unit for one in first} & {one.unit for one in second}
    }
