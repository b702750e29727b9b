"""The words of a statement that carry its meaning, and those that turn it round: numbers, negations, directions."""

import re
from collections import Counter
from functools import lru_cache

from lyra.text import nfkc, tokens

_STOP = frozenset(
    "a an the of and or to in on at by for from with as is are was were be been being am has have had do does "
    "did it its this that these those they them their he she his her we our you your i who whom which what "
    "when where why how than then there here also both each some any all most many more very such same other "
    "another can could may might will would shall should must into over under about after before during "
    "between among through per via if because while although but so up down out off only just even too now "
    "為る 有る 居る 事 物 成る 因る 於く 此の 其の 此れ 其れ 言う 所 為 様 等 及び 又は 出来る 無い 行う "
    "対する 関する 付く 就く 取る".split()
)
_UP = (
    "increas rais rise ris rose risen higher greater elevat grow grew heighten "
    "高める 高い 増加 上昇 増える 高まる 上がる"
).split()
_DOWN = (
    "decreas reduc lower declin fall fell fallen drop dropp less fewer smaller diminish "
    "低下 減少 下がる 低い 減る 下げる 減らす"
).split()
_DIRECTIONS = {**dict.fromkeys(_UP, "↑"), **dict.fromkeys(_DOWN, "↓")}

_NUMBER = re.compile(r"(?<![A-Za-z\d.,])(?<![A-Za-z][-–])[-−+]?\d[\d,]*(?:\.\d+)?")
_LETTERS = re.compile("[a-z]+")
_NUMBER_WORDS = {
    "twice": "2",
    "double": "2",
    "doubled": "2",
    "doubles": "2",
    "half": "0.5",
    "halved": "0.5",
    "triple": "3",
}
_SPELLED = dict(
    zip(
        "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty hundred".split(),
        "2 3 4 5 6 7 8 9 10 11 12 15 20 30 50 100".split(),
        strict=True,
    )
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|neither|nor|none|cannot|nothing|hardly|rarely|seldom|fail(?:s|ed)? to|lack(?:s|"
    r"ed)?|absence of|unlikely)\b|n['’]t\b|ない|なかった|なく(?:て)?|ません|ず(?:、|に|$)|なし|無し|にくい|否定"
)


def content_words(text: str) -> frozenset[str]:
    """The meaningful words in a light stem: no stop words, no plural or tense of regular English."""
    return frozenset(map(_content, tokens(text))) - {""}


def matching_words(text: str) -> frozenset[str]:
    """What a lexical search matches: content words, and numbers however they are written ("five" is "5")."""
    spelled = {_SPELLED[word] for word in _SPELLED.keys() & set(_LETTERS.findall(text.lower()))}
    return content_words(text) | frozenset(f"#{one}" for one in numbers(text) | spelled)


def core_words(text: str) -> frozenset[str]:
    """The content words that two wordings of one statement share: light words fall, directions are one word each."""
    return frozenset(_direction(word) or word for word in content_words(text) if word not in _LIGHT)


def numbers(text: str) -> frozenset[str]:
    """Every number as a plain decimal, wherever it stands alone."""
    folded = nfkc(text)
    digits = {_plain(match.group()) for match in _NUMBER.finditer(folded)}
    words = _NUMBER_WORDS.keys() & set(_LETTERS.findall(folded.lower()))
    return frozenset(digits | {_NUMBER_WORDS[word] for word in words})


def negations(text: str) -> int:
    """How often the text says no."""
    return len(_NEGATION.findall(text.lower()))


def directions(text: str) -> Counter[str]:
    """How often the text says up and down."""
    return Counter(found for word in tokens(text) if (found := _direction(_stem(word))) is not None)


def same_key(text: str) -> str:
    """Equal for texts that differ only in case, width, spacing and punctuation."""
    folded = nfkc(text).casefold()
    return re.sub(r"[^\w%.]+|\.(?!\d)", " ", folded).strip()


@lru_cache(8192)
def _direction(word: str) -> str | None:
    if word in _DIRECTIONS:
        return _DIRECTIONS[word]
    return next((sign for start, sign in _DIRECTIONS.items() if len(start) > 4 and word.startswith(start)), None)


@lru_cache(8192)
def _content(word: str) -> str:
    """The stem of a word that carries meaning, or nothing; texts of one topic have few words, each many times."""
    return "" if word in _STOP or _is_number(word) else _stem(word)


@lru_cache(8192)
def _stem(word: str) -> str:
    """Plural, -ed and -ing off; both spellings of -ise; enough to match wordings, no dictionary."""
    if not word.isascii() or len(word) <= 4 or any(char.isdigit() for char in word):
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)] + instead
    return word


_ENDINGS = (
    ("isation", "iz"),
    ("ization", "iz"),
    ("ising", "iz"),
    ("izing", "iz"),
    ("ised", "iz"),
    ("ized", "iz"),
    ("ises", "iz"),
    ("izes", "iz"),
    ("ise", "iz"),
    ("ize", "iz"),
    ("ies", "y"),
    ("ied", "y"),
    ("sses", "ss"),
    ("ation", ""),
    ("tion", "t"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
    ("e", ""),
)


# Words that say nothing a merged claim would miss.
_LIGHT = frozenset(
    _stem(word)
    for word in "patient people person adult individual subject treatment therapy use used using study trial "
    "significantly significant approximately roughly about around nearly almost overall respectively currently "
    "generally usually often well known shown reported found observed 患者 人 方 約 程度 群".split()
)


def _is_number(word: str) -> bool:
    return word.replace(".", "").replace(",", "").isdigit()


def _plain(number: str) -> str:
    bare = number.replace(",", "").replace("−", "-").lstrip("+")
    whole, _, decimals = bare.partition(".")
    return f"{whole}.{decimals.rstrip('0')}" if decimals.strip("0") else whole
