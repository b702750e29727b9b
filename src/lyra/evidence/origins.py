"""Whose words a text repeats: works, persons and agencies that it names as its source (SPEC §13, one origin).

The word lists are data, one file a language. What is not plainly named is not guessed: only the same name makes two
texts one source.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lyra.evidence.word_lists import read_lists
from lyra.model.page import identifiers_in
from lyra.model.work import agency_key, cited_key, identifier_key, person_key
from lyra.text import is_japanese, nfkc, sentences

# Judged words are a few sentences; a page without full stops must not cost more.
_LONGEST = 3_000
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_NAME = r"[A-Z][\w'’-]*[a-z][\w'’-]*"
_FULL_NAME = rf"{_NAME}(?:\s+(?:[A-Z]\.?\s+)?(?:(?:van|von|de|der|den|da|di|al|bin)\s+)*{_NAME}){{1,2}}"
_YEAR = r"(?:19|20)\d\d"
# Smith et al. (2013) · Smith and Jones, 2013 · (Smith 2013)
_CITED = re.compile(
    rf"({_NAME})(?:\s+et\s+al\.?|\s+(?:and|&)\s+(?:{_NAME}|colleagues))(?:'s|’s)?,?\s*\(?\s*({_YEAR})\b"
    rf"|\(({_NAME}),?\s+({_YEAR})[a-z]?\)"
)
# 山田ら（2019年）· 山田らの2019年の研究
_CITED_JA = re.compile(rf"([\u4e00-\u9fff々ァ-ヴー]{{2,8}})ら(?:の|は|が|による)?[(\[]?({_YEAR})年?")
# WASHINGTON, March 24 (GlobeWire) - · 【ロンドン共同】
_DATELINE = re.compile(
    r"\A\W*[A-Z][A-Z .'-]+(?:,[^()]{0,40})?\s\(([A-Z][\w .&-]{1,30})\)\s*[-–—]|\A\W*/([A-Z][\w .]{1,30})/"
)
_DATELINE_JA = re.compile(r"\A\W*【([^】]{1,20})】|\A\W*[(\[]([^)\]]{1,12})[)\]]")
_AGENCY_JA = re.compile(
    r"([\u4e00-\u9fffァ-ヴーA-Za-z]{2,12}通信)社?(?:によると|によれば|が伝え|は伝え|が報じ|は報じ|の配信)"
)
_CREDIT_JA = re.compile(r"[(\[【]([^)\]】]{1,12})[)\]】]\s*\Z")


@dataclass(frozen=True, slots=True)
class _Words:
    """The lists of one language, as patterns."""

    agencies: Mapping[str, str]
    patterns: Mapping[str, re.Pattern[str]]
    not_names: frozenset[str]


def origins(judged: str, whole: str = "") -> tuple[str, ...]:
    """Keys of all that the judged words name as their source, in order, each once.

    `whole` is the passage they stand in: an agency's name at its head, or its end, speaks for all of it.
    """
    text, passage = nfkc(judged[:_LONGEST]), nfkc(whole or judged)
    named = _japanese if is_japanese(text) else _english
    works = (identifier_key(one.kind, one.value) for one in identifiers_in(text))
    return tuple(dict.fromkeys((*works, *named(text, passage))))


def credits_finding(text: str) -> bool:
    """Whether a text speaks of a study, a paper or the like."""
    return _words("ja" if is_japanese(text) else "en").patterns["findings"].search(text) is not None


@cache
def common_words() -> frozenset[str]:
    """Words with a capital that name nobody: days, months, kinds of institutions, titles."""
    lists = read_lists("origins", "en")
    return frozenset((*lists["not_names"].split(), *lists["institutions"].split(), *lists["titles"]))


def _english(text: str, passage: str) -> Iterator[str]:
    words = _words("en")
    for match in _CITED.finditer(text):
        yield cited_key(match[1] or match[3], int(match[2] or match[4]))
    for start, end in sentences(text):
        yield from _studies(text[start:end], words)
    for match in words.patterns["speaker"].finditer(text):
        name = match["before"] or match["after"] or match["named"]
        yield from _person(name, words)
    head = _DATELINE.match(passage)
    credited = [head[1] or head[2]] if head else []
    credited += [match[1] or match[2] for match in words.patterns["credit"].finditer(text)]
    credited += [match[1] for match in words.patterns["parenthesis"].finditer(passage)]
    for name in credited:
        yield agency_key(words.agencies.get(name.casefold(), name))


def _person(name: str, words: _Words) -> Iterator[str]:
    """A person by full name; with a title, by title and family name too."""
    parts = [part for part in re.split(r"\s+", name.strip()) if part]
    title = parts.pop(0).rstrip(".") if words.patterns["title"].fullmatch(parts[0]) else ""
    if not parts or parts[0] in words.not_names:
        return
    if len(parts) > 1:
        yield person_key(" ".join((parts[0], parts[-1])))
    if title:
        yield person_key(f"{title} {parts[-1]}")


def _studies(sentence: str, words: _Words) -> Iterator[str]:
    """An institution and a year, where a sentence speaks of what was found."""
    years = set(re.findall(rf"\b({_YEAR})\b", sentence))
    if len(years) == 1 and words.patterns["findings"].search(sentence):
        for match in words.patterns["institution"].finditer(sentence):
            name = re.sub(r"^(?:The|A|An)\s+", "", match[0])
            if " " in name:
                yield cited_key(name, int(*years), is_person=False)


def _japanese(text: str, passage: str) -> Iterator[str]:
    words = _words("ja")
    plain = _western_years(text)
    for match in _CITED_JA.finditer(plain):
        yield cited_key(match[1], int(match[2]))
    for start, end in sentences(plain):
        sentence = plain[start:end]
        years = set(re.findall(rf"({_YEAR})年", sentence))
        if len(years) == 1 and words.patterns["findings"].search(sentence):
            for match in words.patterns["institution"].finditer(sentence):
                yield cited_key(match[0], int(*years), is_person=False)
        if words.patterns["saying"].search(sentence):
            for match in words.patterns["speaker"].finditer(sentence):
                yield person_key(re.sub(r"[\s・]", "", match[1]))
    for name in _credits_ja(text, passage):
        agency = next((words.agencies[known] for known in words.agencies if name.endswith(known)), None)
        if agency or name.endswith("通信"):
            yield agency_key(agency or name)


def _credits_ja(text: str, passage: str) -> Iterable[str]:
    found = [match[1] or match[2] for match in _DATELINE_JA.finditer(passage)]
    found += [match[1] for match in _CREDIT_JA.finditer(passage)]
    found += [match[1] for match in _AGENCY_JA.finditer(text)]
    return [re.split(r"[=＝\s]", name.strip().casefold().removesuffix("社"))[-1] for name in found]


def _western_years(text: str) -> str:
    """Years of the Japanese eras in the Western count: 令和元年 is 2019年."""
    return re.sub(
        r"(令和|平成|昭和)(元|\d{1,2})年",
        lambda match: f"{_ERAS[match[1]] + (1 if match[2] == '元' else int(match[2]))}年",
        text,
    )


@cache
def _words(language: str) -> _Words:
    lists = read_lists("origins", language)
    agencies = {name.casefold(): agency for agency, names in lists["agencies"].items() for name in names}
    longest = dict(sorted(agencies.items(), key=lambda item: -len(item[0])))
    patterns = _english_patterns(lists) if language == "en" else _japanese_patterns(lists)
    return _Words(longest, patterns, frozenset(str(lists.get("not_names", "")).split()))


def _english_patterns(lists: Mapping[str, Any]) -> dict[str, re.Pattern[str]]:
    title = rf"(?:{_any(lists['titles'])})\.?"
    person = rf"(?:{title}\s+(?:{_FULL_NAME}|{_NAME})|{_FULL_NAME})"
    saying = _any(lists["saying"].split())
    agency = _any(name for names in lists["agencies"].values() for name in names)
    institutions = _any(lists["institutions"].split())
    proper = r"[A-Z][\w'’&-]*"
    return {
        "title": re.compile(title),
        "speaker": re.compile(
            rf"(?P<before>{person})(?:,[^,.]{{1,80}},)?\s+(?:{saying})\b|\b(?:{saying})\s+(?P<after>{person})"
            rf"|[Aa]ccording\s+to\s+(?P<named>{person})"
        ),
        "credit": re.compile(rf"\b({agency})\s+(?:{_any(lists['crediting'])})\b|[Aa]ccording\s+to\s+({agency})\b"),
        "parenthesis": re.compile(rf"\(({agency})\)"),
        "findings": re.compile(rf"\b(?:{_any(lists['findings'].split())})\b", re.IGNORECASE),
        "institution": re.compile(
            rf"{proper}(?:\s+(?:of|for|and|the|on)\s+(?:the\s+)?{proper}|\s+{proper})*\s+(?:{institutions})\b"
            rf"(?:\s+(?:of|for|on)\s+(?:the\s+)?{proper}(?:\s+(?:and\s+)?{proper})*)?"
            rf"|\b(?:{institutions})\s+(?:of|for|on)\s+(?:the\s+)?{proper}(?:\s+(?:and\s+)?{proper})*"
        ),
    }


def _japanese_patterns(lists: Mapping[str, Any]) -> dict[str, re.Pattern[str]]:
    kanji, titles = r"\u4e00-\u9fff々", _any(lists["titles"])
    return {
        "saying": re.compile(_any(lists["saying"])),
        "findings": re.compile(_any(lists["findings"])),
        "speaker": re.compile(
            rf"(?<![{kanji}ァ-ヴー])([{kanji}]{{2,5}}(?:\s[{kanji}]{{1,3}})?|[ァ-ヴー]{{2,}}(?:・[ァ-ヴー]+)*)(?:{titles})"
        ),
        "institution": re.compile(
            rf"[{kanji}ァ-ヴーA-Za-z]{{1,14}}?(?:{_any(lists['institutions'])})(?=[のがはにとも、])"
        ),
    }


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
