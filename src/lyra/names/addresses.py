"""Japanese addresses in normal form: the prefecture by its code, the rest without its many ways to write numbers."""

import re
from dataclasses import dataclass
from functools import cache

from lyra.names.organisations import name_key
from lyra.text import nfkc
from lyra.word_lists import word_lists

_POSTCODE = re.compile(r"〒?\s*\d{3}-\d{4}\s*")
_NUMBERED = re.compile(r"([〇一二三四五六七八九十百]+)(?=丁目|番|号|条)")
_SEPARATOR = re.compile(r"(?<=\d)\s*(?:丁目|番地の?|番|の|号)\s*(?=\d)")
_LAST = re.compile(r"(?<=\d)(?:丁目|番地|番|号)")
_DASH = re.compile(r"(?<=\d)[‐-―−ーｰ](?=\d)")
_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")}


@dataclass(frozen=True, slots=True)
class Address:
    """`prefecture` is the JIS X 0401 code, or none; `key` compares the whole."""

    prefecture: str | None
    rest: str

    @property
    def key(self) -> str:
        return f"{self.prefecture or ''}{name_key(self.rest.replace('-', 'の'))}"


def read_address(text: str) -> Address:
    """An address as it is written anywhere, taken apart."""
    plain = _POSTCODE.sub("", " ".join(nfkc(text).split())).strip()
    plain = _NUMBERED.sub(lambda found: str(_number(found[1])), plain)
    plain = _LAST.sub("", _SEPARATOR.sub("-", _DASH.sub("-", plain)))
    for written, code in _prefectures():
        if plain.startswith(written):
            return Address(code, plain[len(written) :].strip())
    return Address(_latin_prefecture(plain), plain)


def _latin_prefecture(text: str) -> str | None:
    """The prefecture that an address in Latin letters names, where it names one alone."""
    words = set(re.findall(r"[a-z]+", text.casefold()))
    named = {code for written, code in _latin_prefectures() if written in words}
    return named.pop() if len(named) == 1 else None


def _number(written: str) -> int:
    """A number below a thousand in Chinese numerals."""
    total, last = 0, None
    for char in written:
        if char in _DIGITS:
            last = (last or 0) * 10 + _DIGITS[char]
        else:
            total += (1 if last is None else last) * (10 if char == "十" else 100)
            last = None
    return total + (last or 0)


@cache
def _prefectures() -> tuple[tuple[str, str], ...]:
    groups = word_lists("lyra.names", "prefectures", "ja").groups("prefectures")
    return tuple((names[0], code) for code, names in groups.items())


@cache
def _latin_prefectures() -> tuple[tuple[str, str], ...]:
    groups = word_lists("lyra.names", "prefectures", "ja").groups("prefectures")
    return tuple((names[2], code) for code, names in groups.items())
