"""Writes figures with units in the notations of English and Japanese pages; every notation says the same value."""

from __future__ import annotations

from decimal import Decimal

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
KANJI = "〇一二三四五六七八九"
WIDE = str.maketrans("0123456789.,%", "０１２３４５６７８９．，％")
STYLES = {
    "en": ("comma", "comma", "comma", "bare", "scaled", "scaled", "words"),
    "ja": ("comma", "comma", "bare", "scaled", "scaled", "wide", "kanji", "units"),
}
EN_UNITS = {
    "count": "{}", "gbp": "£{}", "usd": "${}", "pct": "{}%", "degree": "{} °C", "day": "{} days",
    "minute": "{} minutes", "hour": "{} hours", "km": "{} km", "kg": "{} kg",
    "tonne": "{} tonnes", "mm": "{} mm", "point": "{} points",
    "mmhg": "{} mmHg", "mwh": "{} MWh", "ppt": "{} percentage points",
    "mpm": "{} metres per minute",
}  # fmt: skip
EN_LONG = {
    "gbp": "{} pounds", "usd": "{} dollars", "pct": "{} per cent", "degree": "{} degrees Celsius",
    "km": "{} kilometres", "kg": "{} kilograms", "mm": "{} millimetres", "mwh": "{} megawatt hours",
}  # fmt: skip
JA_UNITS = {
    "yen": "{}円", "pct": "{}%", "degree": "{}度", "day": "{}日", "minute": "{}分", "hour": "{}時間", "km": "{}km",
    "kg": "{}kg", "tonne": "{}トン", "mm": "{}mm", "point": "{}点", "mmhg": "{}mmHg", "mwh": "{}MWh",
    "ppt": "{}ポイント",
}  # fmt: skip
JA_LONG = {"pct": "{}パーセント", "degree": "{}℃", "km": "{}キロメートル", "kg": "{}キログラム", "mm": "{}ミリ"}
NO_KANJI = frozenset(("pct", "mmhg", "mwh", "km", "kg", "mm", "回/分"))
Number = int | float


def plain(value: Number) -> str:
    """3.50 as 3.5, 1200.0 as 1200."""
    text = format(Decimal(str(value)).normalize(), "f")
    return text.removesuffix(".0")


def comma(value: Number) -> str:
    whole, dot, rest = plain(value).partition(".")
    return f"{int(whole):,}{dot}{rest}" if whole.lstrip("-").isdigit() and abs(int(whole)) > 999 else plain(value)


def english_words(value: int) -> str:
    if value < 20:
        return ONES[value]
    if value < 100:
        tens, ones = divmod(value, 10)
        return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")
    for size, name in ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred")):
        if value >= size:
            high, low = divmod(value, size)
            rest = f" and {english_words(low)}" if 0 < low < 100 else f" {english_words(low)}" if low else ""
            return f"{english_words(high)} {name}{rest}"
    return str(value)


def kanji_words(value: int) -> str:
    """38000 as 三万八千."""
    for size, name in ((100_000_000, "億"), (10_000, "万")):
        if value >= size:
            high, low = divmod(value, size)
            return kanji_words(high) + name + (kanji_words(low) if low else "")
    found = ""
    for size, name in ((1000, "千"), (100, "百"), (10, "十")):
        digit, value = divmod(value, size)
        found += ("" if digit == 1 else KANJI[digit]) + name if digit else ""
    return found + (KANJI[value] if value else "")


def short(value: Number, size: int) -> str | None:
    """The value in units of `size`, where at most two decimals say it whole."""
    scaled = Decimal(str(value)) / size
    return comma(float(scaled)) if scaled == round(scaled, 2) and scaled >= 1 else None


def is_round(value: Number) -> bool:
    """A whole number with at most two digits that are not trailing zeros, as people write it in words."""
    return value == int(value) and 0 < value < 10**9 and len(str(int(value)).rstrip("0")) <= 2


def english(value: Number, unit: str, style: str) -> str:
    if unit in ("gbp", "usd") and value != int(value):
        return (EN_LONG if style in ("bare", "words") else EN_UNITS)[unit].format(f"{value:.2f}")
    special = english_time(value, unit) if style in ("scaled", "words") else None
    if special:
        return special
    is_large_sum = unit in ("gbp", "usd") and value >= 10**8
    if (style == "scaled" or is_large_sum) and unit in ("count", "gbp", "usd", "tonne"):
        for size, name in ((10**9, "billion"), (10**6, "million")):
            if short(value, size):
                return EN_UNITS[unit].format(f"{short(value, size)} {name}")
    if style == "scaled" and unit == "km" and value < 100:
        return f"{comma(round(value * 1000))} metres"
    if style == "words" and is_round(value) and unit not in ("mmhg", "mwh"):
        return EN_LONG.get(unit, EN_UNITS[unit]).format(english_words(int(value)))
    number = plain(value) if style == "bare" and value < 10_000 else comma(value)
    pattern = EN_LONG.get(unit, EN_UNITS[unit]) if style in ("bare", "words") else EN_UNITS[unit]
    return pattern.format(number)


def english_time(value: Number, unit: str) -> str | None:
    if unit == "day" and value % 7 == 0 and value > 7:
        return f"{plain(value / 7)} weeks"
    if unit == "minute" and value > 60:
        hours, minutes = divmod(int(value), 60)
        return f"{hours} hour{'s' * (hours > 1)}" + (f" {minutes} minutes" if minutes else "")
    if unit == "hour" and value < 10:
        return f"{plain(round(value * 60))} minutes"
    return None


def japanese(value: Number, unit: str, style: str) -> str:
    special = japanese_special(value, unit, style)
    if special:
        return special
    pattern = JA_UNITS.get(unit, "{}" + unit)
    if unit == "yen" and value >= 10**7:
        return pattern.format(man(int(value))).translate(WIDE if style == "wide" else {})
    whole = value == int(value)
    if style == "kanji" and whole and is_round(value) and value < 10**8 and unit not in NO_KANJI:
        return pattern.format(kanji_words(int(value)))
    if style == "scaled" and whole and value >= 10_000:
        return pattern.format(man(int(value)))
    if style == "wide":
        return pattern.format(comma(value)).translate(WIDE)
    if style == "bare":
        return JA_LONG.get(unit, pattern).format(plain(value))
    return pattern.format(comma(value))


def japanese_special(value: Number, unit: str, style: str) -> str | None:
    """割 for percentages, 千円 and 百万円, hours and minutes, weeks."""
    if unit == "pct" and style in ("kanji", "scaled") and value >= 10 and value == int(value):
        tens, ones = divmod(int(value), 10)
        return f"{tens}割" + (f"{ones}分" if ones else "") if tens < 10 else None
    if unit == "yen" and style == "units" and value == int(value):
        for size, name in ((1_000_000, "百万円"), (1_000, "千円")):
            if value >= size * 10 and value % size == 0:
                return f"{int(value) // size:,}{name}"
    if unit == "minute" and style in ("scaled", "units") and value > 60:
        hours, minutes = divmod(int(value), 60)
        return f"{hours}時間" + (f"{minutes}分" if minutes else "")
    if unit == "day" and style in ("scaled", "units") and value % 7 == 0 and value > 7:
        return f"{plain(value / 7)}週間"
    if unit == "hour" and style == "units" and value < 10:
        return f"{plain(round(value * 60))}分"
    if unit == "km" and style == "units" and value < 100:
        return f"{comma(round(value * 1000))}m"
    return None


def man(value: int) -> str:
    """38200 as 3万8,200; 38000 as 3万8千; 120000000 as 1億2,000万."""
    high, rest = divmod(value, 100_000_000)
    mid, low = divmod(rest, 10_000)
    found = (f"{high:,}億" if high else "") + (f"{mid:,}万" if mid else "")
    if low and low % 1000 == 0:
        return f"{found}{low // 1000}千"
    return found + (f"{low:,}" if low else "")


def written(value: Number, unit: str, style: str, lang: str) -> str:
    return english(value, unit, style) if lang == "en" else japanese(value, unit, style)
