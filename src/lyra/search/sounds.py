"""Whether a word in katakana may be a word in Latin letters, by their consonants alone."""

import re
from difflib import SequenceMatcher

_KATAKANA = re.compile(r"[ァ-ヺー・]+")
# Consonants that Japanese does not tell apart, or writes alike, are one letter.
_ROWS = {
    "k": "カキクケコガギグゲゴ",
    "s": "サシスセソザジズゼゾチヂ",
    "t": "タツテトダヅデド",
    "n": "ナニヌネノマミムメモン",
    "h": "ハヒフヘホ",
    "p": "バビブベボパピプペポヴ",
    "r": "ラリルレロ",
}
_OF_KANA = {kana: letter for letter, row in _ROWS.items() for kana in row}
_SPELLINGS = (
    ("ph", "h"),
    ("pf", "h"),
    ("ch", "s"),
    ("sh", "s"),
    ("th", "s"),
    ("ck", "k"),
    ("x", "ks"),
    ("ci", "si"),
    ("ce", "se"),
)
_OF_LATIN = str.maketrans("cqgzjdmbvfl", "kkksstnpphr", "aeiouwy")
_LEAST_LIKENESS = 0.75


def is_katakana(word: str) -> bool:
    return _KATAKANA.fullmatch(word) is not None


def katakana_runs(text: str) -> list[str]:
    return _KATAKANA.findall(text)


def sounds_alike(katakana: str, latin: str) -> bool:
    """Whether they begin with the same consonant and have mostly the same ones; words without any are like none."""
    heard, spelt = "".join(_OF_KANA.get(kana, "") for kana in katakana), latin.lower()
    for spelling, letter in _SPELLINGS:
        spelt = spelt.replace(spelling, letter)
    written = re.sub(r"(.)\1", r"\1", re.sub("[^a-z]", "", spelt).translate(_OF_LATIN))
    return heard[:1] == written[:1] != "" and SequenceMatcher(None, heard, written).ratio() >= _LEAST_LIKENESS
