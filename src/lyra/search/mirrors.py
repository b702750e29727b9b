"""A query in the other language, ja⇄en: word list and dictionary give the words, the bilingual embedder their sense.

A mirror in which a content word is missing asks something else, and is not made.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lyra import text
from lyra.search.expand import DerivedQuery, lexicon, words_of
from lyra.search.query import is_plain_latin, query_language
from lyra.word_lists import word_lists

if TYPE_CHECKING:
    from lyra.ml.protocols import Embedder
    from lyra.storage.dictionary import JapaneseDictionary

DICTIONARY_EXTRA = "pip install 'lyra-mcp[dictionary]'"
# A query in another language as a model says it; None where it says nothing usable.
Translate = Callable[[str, str], Awaitable[str | None]]
_LONGEST_UNIT = {"ja": 5, "en": 4}
_MOST_CHOICES = 8
_LONGEST_GLOSS_WORDS = 4
# What a less usual translation has to gain in similarity for each place it stands further down.
_LISTED_COST = 0.08
_RANK_COST = {"en": 0.025, "ja": 0.04}


class WordLookup(Protocol):
    """A dictionary of both directions, the most usual translation first."""

    def english_of(self, word: str) -> Sequence[str]: ...

    def japanese_of(self, word: str) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """Words of a query that are translated as one, and what they may be; none where nothing knows them.
    """

    source: str
    choices: tuple[str, ...]
    is_listed: bool = False


def has_dictionary() -> bool:
    """Whether the extra with JMdict is installed."""
    return find_spec("jamdict_data") is not None


def installed_dictionary() -> "JapaneseDictionary | None":
    """JMdict where the extra is installed."""
    found = find_spec("jamdict_data")
    if found is None or found.origin is None:
        return None
    from lyra.storage.dictionary import JapaneseDictionary

    return JapaneseDictionary(Path(found.origin).with_name("jamdict.db"))


class MirrorMaker:
    """Makes mirrors of queries; a model is asked only where list and dictionary do not know every word."""

    def __init__(self, embedder: "Embedder", dictionary: WordLookup | None) -> None:
        self._embedder = embedder
        self._dictionary = dictionary

    async def mirror(self, query: str, translate: Translate | None = None) -> DerivedQuery | None:
        """The query in the other language, or none where no faithful one can be made."""
        language = query_language(query)
        if language != "ja" and not is_plain_latin(query):
            return None
        wanted = "en" if language == "ja" else "ja"
        units = await asyncio.to_thread(units_of, query, self._dictionary)
        if not units:
            return None
        if all(unit.choices for unit in units):
            words = await self._chosen(query, units, wanted)
            return DerivedQuery(" ".join(dict.fromkeys(words)), query, f"mirror:{wanted}")
        said = None if translate is None else await translate(query, wanted)
        return None if said is None else DerivedQuery(said, query, f"mirror:{wanted}")

    async def _chosen(self, query: str, units: Sequence[Unit], wanted: str) -> list[str]:
        """For each unit the word that brings the whole mirror nearest to the query, the others held."""
        words = [unit.choices[0] for unit in units]
        for place, unit in enumerate(units):
            if len(unit.choices) == 1:
                continue
            tries = [" ".join([*words[:place], one, *words[place + 1 :]]) for one in unit.choices]
            vectors = await self._embedder.embed([query, unit.source, *tries, *unit.choices])
            count = len(tries)
            whole = vectors[2 : 2 + count] @ vectors[0]
            alone = vectors[2 + count :] @ vectors[1]
            cost = _LISTED_COST if unit.is_listed else _RANK_COST[wanted]
            scores = [(float(whole[at]) + float(alone[at])) / 2 - cost * at for at in range(count)]
            words[place] = unit.choices[scores.index(max(scores))]
        return words


def units_of(query: str, dictionary: WordLookup | None) -> list[Unit]:
    """The content words of a query in order, the longest known runs of them as one."""
    return list(
        _japanese_units(query, dictionary) if query_language(query) == "ja" else _english_units(query, dictionary)
    )


def _japanese_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    found = [one for one in text.located_tokens(query) if query[one[0] : one[1]] not in _words("ja", "empty_words")]
    place = 0
    while place < len(found):
        for size in range(min(_LONGEST_UNIT["ja"], len(found) - place), 0, -1):
            span = found[place : place + size]
            source = query[span[0][0] : span[-1][1]]
            if " " in source or "\u3000" in source:
                continue
            unit = _english_unit(source, query[span[0][0] : span[-1][0]] + span[-1][2], dictionary)
            if unit.choices or size == 1:
                break
        yield unit
        place += size
    if word_lists("lyra.search", "queries", "ja").pattern("negated").search(query):
        # A verb that is denied: its dictionary form alone would ask for the opposite.
        yield Unit("ない", ())


def _english_unit(surface: str, normal: str, dictionary: WordLookup | None) -> Unit:
    """What a Japanese word, as written and in its dictionary form, may be in English."""
    if surface.isascii() or normal.isdigit():
        return Unit(surface, (surface if surface.isascii() else normal,))
    names, forms = lexicon().english_names, dict.fromkeys((surface, normal))
    listed = [one for form in forms for one in names.get(form.lower(), ())]
    looked_up = [one for form in forms for one in (dictionary.english_of(form) if dictionary else ())]
    return _unit(surface, listed, [one for one in looked_up if len(one.split(" ")) <= _LONGEST_GLOSS_WORDS])


def _unit(source: str, listed: Sequence[str], looked_up: Sequence[str]) -> Unit:
    """What the list says, which was written for queries; else what the dictionary does."""
    return Unit(source, tuple(dict.fromkeys(listed or looked_up))[:_MOST_CHOICES], is_listed=bool(listed))


def _english_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    words = words_of(query)
    small = _words("en", "small_words")
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_UNIT["en"], len(words) - place), 0, -1):
            span = words[place : place + size]
            if size > 1 and (span[0].lower() in small or span[-1].lower() in small):
                continue
            unit = _japanese_unit(" ".join(span), dictionary)
            if unit.choices or size == 1:
                break
        if size > 1 or words[place].lower() not in small:
            yield unit
        place += size


def _japanese_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    found = [one for one in text.located_tokens(query) if query[one[0] : one[1]] not in _words("ja", "empty_words")]
    place = 0
    while place < len(found):
        for size in range(min(_LONGEST_UNIT["ja"], len(found) - place), 0, -1):
            span = found[place : place + size]
            source = query[span[0][0] : span[-1][1]]
            if " " in source or "\u3000" in source:
                continue
            unit = _english_unit(source, query[span[0][0] : span[-1][0]] + span[-1][2], dictionary)
            if unit.choices or size == 1:
                break
        yield unit
        place += size
    if word_lists("lyra.search", "queries", "ja").pattern("negated").search(query):
        # A verb that is denied: its dictionary form alone would ask for the opposite.
        yield Unit("ない", ())


def _english_unit(surface: str, normal: str, dictionary: WordLookup | None) -> Unit:
    """What a Japanese word, as written and in its dictionary form, may be in English."""
    if surface.isascii() or normal.isdigit():
        return Unit(surface, (surface if surface.isascii() else normal,))
    names, forms = lexicon().english_names, dict.fromkeys((surface, normal))
    listed = [one for form in forms for one in names.get(form.lower(), ())]
    looked_up = [one for form in forms for one in (dictionary.english_of(form) if dictionary else ())]
    return _unit(surface, listed, [one for one in looked_up if len(one.split(" ")) <= _LONGEST_GLOSS_WORDS])


def _unit(source: str, listed: Sequence[str], looked_up: Sequence[str]) -> Unit:
    choices = tuple(dict.fromkeys((*listed, *looked_up)))[:_MOST_CHOICES]
    return Unit(source, choices, min(len(dict.fromkeys(listed)), len(choices)))


def _english_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    words = words_of(query)
    small = _words("en", "small_words")
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_UNIT["en"], len(words) - place), 0, -1):
            span = words[place : place + size]
            if size > 1 and (span[0].lower() in small or span[-1].lower() in small):
                continue
            unit = _japanese_unit(" ".join(span), dictionary)
            if unit.choices or size == 1:
                break
        if size > 1:
            yield _with_parts(unit, [_japanese_unit(one, dictionary) for one in span if one.lower() not in small])
        elif words[place].lower() not in small:
            yield unit
        place += size


def _with_parts(unit: Unit, parts: Sequence[Unit]) -> Unit:
    """A phrase that may also be said word by word: the dictionary's word for it may be one that nobody uses."""
    if unit.listed or not all(one.choices for one in parts):
        return unit
    return Unit(unit.source, (*unit.choices, " ".join(one.choices[0] for one in parts)))


def _japanese_unit(source: str, dictionary: WordLookup | None) -> Unit:
    if any(char.isdigit() for char in source):
        return Unit(source, (source,))
    known = lexicon().to_japanese
    forms = dict.fromkeys(_base_forms(source.lower()))
    listed = [known[form] for form in forms if form in known]
    looked_up = [one for form in forms for one in (dictionary.japanese_of(form) if dictionary else ())]
    return _unit(source, listed, looked_up)


def _base_forms(word: str) -> Iterator[str]:
    """The word and what its endings may stand for, the plain form first: glosses are singular and in the infinitive."""
    lists = word_lists("lyra.search", "queries", "en")
    yield from lists.groups("irregular_forms").get(word, ())
    for ending, instead in lists.groups("base_forms").items():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield from (word[: len(word) - len(ending)] + one.strip("-") for one in instead)
    yield word
    if " " in word:
        yield word.replace(" ", "-")


def _words(language: str, name: str) -> tuple[str, ...]:
    return word_lists("lyra.search", "queries", language).words(name)
