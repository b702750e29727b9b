"""Whose words a text repeats: works, persons and agencies that it names as its source (SPEC §13, one origin).

The word lists are data, one file a language. What is not plainly named is not guessed: only the same name makes two
texts one source.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from lyra.model.page import identifiers_in
from lyra.model.work import agency_key, author_keys, authors_key, cited_key, identifier_key, person_key
from lyra.text import is_japanese, nfkc, sentences
from lyra.word_lists import WordLists, word_lists

# Judged words are a few sentences; a page without full stops must not cost more.
_LONGEST = 3_000


def origins(judged: str, whole: str = "") -> tuple[str, ...]:
    """Keys of all that the judged words name as their source, in order, each once.

    `whole` is the passage around them: an agency's name at its head or end applies to all of it.
    """
    text, passage = nfkc(judged[:_LONGEST]), nfkc(whole or judged)
    named = _japanese if is_japanese(text) else _english
    works = (identifier_key(one.kind, one.value) for one in identifiers_in(text))
    return tuple(dict.fromkeys((*works, *named(text, passage))))


def credits_finding(text: str) -> bool:
    """Whether a text mentions a study, a paper or the like, or what researchers have found."""
    lists = _lists("ja" if is_japanese(text) else "en")
    return any(lists.pattern(name).search(text) for name in ("finding", "found_by_science"))


@cache
def common_words() -> frozenset[str]:
    """Capitalised words that are not names: days, months, kinds of institutions, titles."""
    lists = _lists("en")
    return frozenset((*lists.words("not_names"), *lists.words("institutions"), *lists.words("titles")))


def _english(text: str, passage: str) -> Iterator[str]:
    lists = _lists("en")
    for match in lists.pattern("cited").finditer(text):
        yield cited_key(match[1] or match[3], int(match[2] or match[4]))
    for start, end in sentences(text):
        for name, year in _institutions(text[start:end], lists):
            bare = re.sub(r"^(?:The|A|An)\s+", "", name)
            if " " in bare:
                yield cited_key(bare, year, is_person=False)
    for match in lists.pattern("authors").finditer(text):
        yield authors_key(match[1], match[2])
    for match in lists.pattern("speaker").finditer(text):
        name = match["before"] or match["after"] or match["named"] or match["thinking"]
        yield from _person(name, lists)
    head = lists.pattern("dateline").match(passage)
    credited = [head[1] or head[2]] if head else []
    credited += [match[1] or match[2] for match in lists.pattern("credit").finditer(text)]
    credited += [match[1] for match in lists.pattern("parenthesis").finditer(passage)]
    for name in credited:
        yield agency_key(_agencies("en").get(name.casefold(), name))


def _person(name: str, lists: WordLists) -> Iterator[str]:
    """A person by full name; with a title, by title and family name too."""
    parts = [part for part in re.split(r"\s+", name.strip()) if part]
    title = parts.pop(0).rstrip(".") if lists.pattern("title").fullmatch(parts[0]) else ""
    if not parts or parts[0] in lists.words("not_names"):
        return
    if len(parts) > 1:
        yield from author_keys(" ".join((parts[0], parts[-1])))
    if title:
        yield person_key(f"{title} {parts[-1]}")


def _japanese(text: str, passage: str) -> Iterator[str]:
    lists = _lists("ja")
    plain = _western_years(text, lists)
    for match in lists.pattern("cited").finditer(plain):
        yield cited_key(match[1], int(match[2]))
    for start, end in sentences(plain):
        sentence = plain[start:end]
        for name, year in _institutions(sentence, lists):
            yield cited_key(name, year, is_person=False)
        if lists.pattern("saying").search(sentence):
            for match in lists.pattern("speaker").finditer(sentence):
                yield from author_keys(re.sub(r"[\s・]", "", match[1]))
    agencies = _agencies("ja")
    for name in _credits_ja(text, passage, lists):
        agency = next((agencies[known] for known in agencies if name.endswith(known)), None)
        if agency or name.endswith("通信"):
            yield agency_key(agency or name)


def _institutions(sentence: str, lists: WordLists) -> Iterator[tuple[str, int]]:
    """Institutions with a year, where a sentence is about a finding and names one year."""
    years = set(lists.pattern("year").findall(sentence))
    if len(years) == 1 and lists.pattern("finding").search(sentence):
        for match in lists.pattern("institution").finditer(sentence):
            yield match[0], int(*years)


def _credits_ja(text: str, passage: str, lists: WordLists) -> Iterable[str]:
    found = [match[1] or match[2] for match in lists.pattern("dateline").finditer(passage)]
    found += [match[1] for match in lists.pattern("credit").finditer(passage)]
    found += [match[1] for match in lists.pattern("agency").finditer(text)]
    return [re.split(r"[=＝\s]", name.strip().casefold().removesuffix("社"))[-1] for name in found]


def _western_years(text: str, lists: WordLists) -> str:
    """Years of the Japanese eras in the Western count: 令和元年 is 2019年."""
    eras = lists.numbers("eras")
    return lists.pattern("era_year").sub(
        lambda match: f"{int(eras[match[1]]) + (1 if match[2] == '元' else int(match[2]))}年", text
    )


@cache
def _agencies(language: str) -> dict[str, str]:
    """The agency that each name in lower case is credited for, longer names first."""
    names = [(name.casefold(), agency) for agency, own in _lists(language).groups("agencies").items() for name in own]
    return dict(sorted(names, key=lambda pair: -len(pair[0])))


def _lists(language: str) -> WordLists:
    return word_lists("lyra.evidence", ("persons", "origins"), language)
