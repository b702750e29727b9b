"""Amounts with their unit, in one form for English and Japanese."""

import re
from dataclasses import dataclass

from lyra.text import nfkc

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
    ("milliwatt", r"mW\b|milliwatts?\b|ミリワット"),
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
    ("hour", r"hours?\b|時間"),
    ("minute", r"minutes?\b|分(?!の|間隔)間?"),
    ("degree", r"degrees?\b|°\s?C|℃"),
    ("case", r"例|件|cases?\b"),
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
# Read from its first digit to its last or not at all, so that a thousand digits of pi cost no more than their length.
_DIGITS = r"(?<!\d)\d[\d,]*+(?:\.\d++)?"
# 5万2千 and 1億2000万 are one number each.
_COMPOUND = re.compile(rf"({_DIGITS})(兆|億|万)(\d[\d,]*)(億|万|千)?")
_NUMBER = rf"[-−]?{_DIGITS}"
_PART = rf"(?:{_NUMBER}|[一二三四五六七八九十](?=割|倍)|\b(?:{'|'.join(_WORDS)})\b)"
_AMOUNT = re.compile(
    rf"(?P<low>{_PART})\s*(?P<scale_low>千|万|億|兆)?"
    rf"(?:\s*(?:to|and|[-–—~〜～])\s*(?P<high>{_PART}))?\s*(?P<scale>千|万|億|兆|thousand\b|million\b|billion\b)?\s*"
    rf"(?:{'|'.join(f'(?P<u{at}>{pattern})' for at, (_, pattern) in enumerate(_UNITS))})",
    re.IGNORECASE,
)
# Shares told as fractions: two thirds, one in five, 3分の2, 5軒に1軒.
_NUMBERED = rf"\d+|{'|'.join(word for word, value in _WORDS.items() if isinstance(value, int) and word.isalpha())}"
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_FRACTION = re.compile(
    rf"\b(?P<n>an?|one|two|three|four)[ -](?P<d>{'|'.join(_PARTS)})(?:s\b|(?= of\b))|"
    rf"\b(?P<one>one|two|three) (?:in|out of)(?: every)? (?P<of>{_NUMBERED})\b(?!\s*(?:{_MONTHS}))|"
    r"(?<!\d)(?P<dj>\d++)分の(?P<nj>\d+)|(?<!\d)(?P<ofj>\d++)(?P<c>人|軒|世帯|件|校|社|台)に(?P<onej>\d+)(?P=c)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"(?:at least|no less than|not less than|more than|over|above|exceed\w*|minimum of)\s*(?:about )?$", re.I
)
_MOST = re.compile(
    r"(?:at most|no more than|not more than|less than|fewer than|up to|under|below|within|maximum of)\s*(?:about )?$",
    re.I,
)
_LEAST_JA = re.compile(r"^(?:以上|を(?:超え|上回))")
_MOST_JA = re.compile(r"^(?:以下|以内|未満|を下回|にとどま)")
# Which patterns that ignore case take for an i, and no table of words does.
_LATIN_I = str.maketrans("ıİ", "iI")
# "95% confidence interval 0.44 to 0.65" says how sure a figure is, not how large something is.
_ASIDE = re.compile(r"9[059]\s?%\s*(?:confidence|credible|CI\b|信頼区間)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """From `low` to `high` of a unit; both are the same where one figure is given.

    `bound` is 1 where that much or more is meant, −1 where that much or less, else 0.
    """

    low: float
    high: float
    unit: str
    bound: int = 0


def amounts(text: str) -> tuple[Amount, ...]:
    """Every amount that has a unit, shares in percent; what only says how sure a figure is is left out."""
    plain = _COMPOUND.sub(_joined, _ASIDE.sub(" ", nfkc(text).translate(_LATIN_I)))
    found = [_amount(match, plain) for match in _AMOUNT.finditer(plain)]
    return (*found, *(_share(match) for match in _FRACTION.finditer(plain)))


def _joined(match: re.Match[str]) -> str:
    high, scale, low, lower = match.groups()
    return f"{_value(high) * _SCALES[scale] + _value(low) * _SCALES.get(lower or '', 1.0):.0f}"


def _share(match: re.Match[str]) -> Amount:
    """A fraction in percent."""
    told = match.groupdict()
    if told["d"]:
        part, whole = _value("one" if told["n"].lower() in ("a", "an") else told["n"]), float(_PARTS[told["d"].lower()])
    elif told["one"]:
        part, whole = _value(told["one"]), _value(told["of"])
    else:
        part, whole = float(told["nj"] or told["onej"]), float(told["dj"] or told["ofj"])
    value = 100 * part / whole if whole else 0.0
    return Amount(value, value, "%")


def _bound(match: re.Match[str], text: str) -> int:
    before, after = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 6]
    if _LEAST.search(before) or _LEAST_JA.match(after):
        return -1 if re.search(r"\b(?:no|not) (?:more|over|above)\b", before, re.I) else 1
    return -1 if _MOST.search(before) or _MOST_JA.match(after) else 0


def _amount(match: re.Match[str], text: str) -> Amount:
    unit = next(name for at, (name, _) in enumerate(_UNITS) if match.group(f"u{at}") is not None)
    scale = _SCALES.get((match.group("scale") or match.group("scale_low") or "").lower(), 1.0)
    low = _value(match.group("low")) * scale
    high = _value(match.group("high")) * scale if match.group("high") else low
    if unit == "tenth":
        unit, low, high = "%", 10 * low, 10 * high
    return Amount(min(low, high), max(low, high), unit, _bound(match, text))


def _value(text: str) -> float:
    lower = text.lower()
    if lower in _WORDS:
        return float(_WORDS[lower])
    return float(_KANJI[text]) if text in _KANJI else abs(float(text.replace(",", "").replace("−", "-")))
