"""Which language a query is written in, as far as its characters tell: a few words are too short for statistics."""

import re

_KANA = re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def query_language(query: str) -> str:
    """`ja`, `zh` or `en`; two nouns in kanji side by side have no kana and are still Japanese.

    Kanji that Japanese encodings lack, such as the simplified forms of the mainland, make a query Chinese.
    """
    if _KANA.search(query):
        return "ja"
    han = _HAN.findall(query)
    if not han:
        return "en"
    return "ja" if _is_japanese_set("".join(han)) else "zh"


def is_plain_latin(query: str) -> bool:
    """Whether the letters are Latin and nothing else."""
    return bool(_LATIN.search(query)) and not _KANA.search(query) and not _HAN.search(query)


def _is_japanese_set(han: str) -> bool:
    try:
        han.encode("shift_jis")
    except UnicodeEncodeError:
        return False
    return True
