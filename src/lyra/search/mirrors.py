"""A query in the other language, ja⇄en: word list and dictionary give the words, the bilingual embedder their sense.

A mirror in which a content word is missing asks something else, and is not made.
"""

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lyra import text
from lyra.search.expand import DerivedQuery, lexicon, mirrors, words_of
from lyra.search.query import is_plain_latin, query_language
from lyra.word_lists import WordLists, word_lists

if TYPE_CHECKING:
    from lyra.ml.protocols import Embedder
    from lyra.storage.dictionary import JapaneseDictionary

DICTIONARY_EXTRA = "pip install 'lyra-mcp[dictionary]'"
# A query in a language as a model says it; None where it says nothing usable.
Translate = Callable[[str, str], Awaitable[str | None]]
_LONGEST_UNIT = {"ja": 5, "en": 4}
_MOST_CHOICES = 8
# Longer ones are texts, which no engine matches word by word.
_LONGEST_QUERY_CHARS = 150
_LONGEST_GLOSS_WORDS = 4
# What a less usual translation has to gain in similarity for each place that it stands further down, in the language
# that is wanted; tried on thirty queries a language that are not among those measured.
_RANK_COST = {"en": 0.05, "ja": 0.08}
_LISTED_COST = 0.08
_STEM_CHARS, _LEAST_STEM_CHARS = 6, 4


class WordLookup(Protocol):
    """A dictionary of both directions, the most usual translation first."""

    def english_of(self, word: str) -> Sequence[str]: ...

    def japanese_of(self, word: str) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """Words of a query that are translated as one, and what they may be; none where nothing knows them."""

    source: str
    choices: tuple[str, ...]
    is_listed: bool = False


# A verb is denied: no dictionary's form of it says so.
_DENIED = Unit("ない", ())


def has_dictionary() -> bool:
    """Whether the extra with JMdict is installed."""
    return importlib.util.find_spec("jamdict_data") is not None


def installed_dictionary() -> "JapaneseDictionary | None":
    """JMdict where the extra is installed."""
    found = importlib.util.find_spec("jamdict_data")
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
        wanted = "en" if query_language(query) == "ja" else "ja"
        if len(query) > _LONGEST_QUERY_CHARS or (wanted == "ja" and not is_plain_latin(query)):
            return None
        if self._dictionary is None and (listed := _listed(query, f"mirror:{wanted}")):
            return listed
        units = await asyncio.to_thread(units_of, query, self._dictionary)
        if not units or all(unit.choices == (unit.source,) for unit in units):
            return None
        if all(unit.choices for unit in units):
            words = await self._chosen(query, units, wanted)
            return DerivedQuery(" ".join(dict.fromkeys(words)), query, f"mirror:{wanted}")
        said = None if translate is None else await translate(query, wanted)
        if said is None or not keeps_words(units, said):
            return None
        return DerivedQuery(said, query, f"mirror:{wanted}")

    async def _chosen(self, query: str, units: Sequence[Unit], wanted: str) -> list[str]:
        """For each unit the word that brings it and the whole mirror nearest to the query, the others held."""
        words = [unit.choices[0] for unit in units]
        for place, unit in enumerate(units):
            count = len(unit.choices)
            if count == 1:
                continue
            tries = [" ".join([*words[:place], one, *words[place + 1 :]]) for one in unit.choices]
            vectors = await self._embedder.embed([query, unit.source, *tries, *unit.choices])
            whole, alone = vectors[2 : 2 + count] @ vectors[0], vectors[2 + count :] @ vectors[1]
            cost = _LISTED_COST if unit.is_listed else _RANK_COST[wanted]
            scores = [(float(whole[at]) + float(alone[at])) / 2 - cost * at for at in range(count)]
            words[place] = unit.choices[scores.index(max(scores))]
        return words


def _listed(query: str, rule: str) -> DerivedQuery | None:
    """What the word list makes of a query; it knows single words where a dictionary knows the phrase."""
    return next((one for one in mirrors(query) if one.rule == rule), None)


def keeps_words(units: Sequence[Unit], said: str) -> bool:
    """Whether every word that the dictionary knows is in a model's translation, in one of its senses."""
    folded = said.casefold()
    if _DENIED in units and not _lists("en").pattern("negated").search(folded):
        return False
    return all(any(_is_in(one, folded) for one in unit.choices) for unit in units if unit.choices)


def _is_in(choice: str, folded: str) -> bool:
    """Whether a translation holds a word, up to its ending; of a gloss of several words, any long one."""
    if not choice.isascii():
        return choice in folded
    stems = [word.casefold()[:_STEM_CHARS] for word in choice.split(" ") if len(word) >= _LEAST_STEM_CHARS]
    return any(stem in folded for stem in stems or [choice.casefold()])


def units_of(query: str, dictionary: WordLookup | None) -> list[Unit]:
    """The content words of a query in order, the longest known runs of them as one."""
    found = _japanese_units if query_language(query) == "ja" else _english_units
    return list(found(query, dictionary))


def _japanese_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    empty = _lists("ja").words("empty_words")
    found = [one for one in text.located_tokens(query) if query[one[0] : one[1]] not in empty]
    place = 0
    while place < len(found):
        for size in range(min(_LONGEST_UNIT["ja"], len(found) - place), 0, -1):
            span = found[place : place + size]
            source = query[span[0][0] : span[-1][1]]
            if size > 1 and len(source.split()) > 1:
                continue
            unit = _english_unit(source, query[span[0][0] : span[-1][0]] + span[-1][2], dictionary)
            if unit.choices or size == 1:
                break
        yield unit
        place += size
    if _lists("ja").pattern("negated").search(query):
        # A verb that is denied: its dictionary form alone would ask for the opposite.
        yield _DENIED


def _english_unit(surface: str, normal: str, dictionary: WordLookup | None) -> Unit:
    """What a Japanese word, as written and in its dictionary form, may be in English."""
    if surface.isascii() or normal.isdigit():
        return Unit(surface, (surface if surface.isascii() else normal,))
    names, forms = lexicon().english_names, dict.fromkeys((surface, normal))
    listed = [one for form in forms for one in names.get(form.lower(), ())]
    looked_up = [one for form in forms for one in (dictionary.english_of(form) if dictionary else ())]
    return _unit(surface, listed, [one for one in looked_up if len(one.split(" ")) <= _LONGEST_GLOSS_WORDS])


def _english_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    words = words_of(query)
    small = frozenset(_lists("en").words("small_words"))
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_UNIT["en"], len(words) - place), 0, -1):
            span = words[place : place + size]
            unit = _japanese_unit(" ".join(span), dictionary)
            if size > 1 and not unit.is_listed and not small.isdisjoint((span[0].lower(), span[-1].lower())):
                continue
            if unit.choices or size == 1:
                break
        if size > 1 or words[place].lower() not in small:
            yield unit
        place += size


def _japanese_unit(source: str, dictionary: WordLookup | None) -> Unit:
    """What an English word or phrase may be in Japanese, in the form that glosses have."""
    if any(char.isdigit() for char in source):
        return Unit(source, (source,))
    known = lexicon().to_japanese
    word = source.lower()
    other_forms = (*_base_forms(word, "base_forms"), *_base_forms(word, "verb_forms"))
    listed = [known[word]] if word in known else [known[form] for form in other_forms if form in known]
    # Of a verb's form the dictionary knows the verb alone, and with it too much.
    forms = (source, *_base_forms(word, "base_forms"), word, *([word.replace(" ", "-")] if " " in word else []))
    looked_up = [one for form in forms for one in (dictionary.japanese_of(form) if dictionary else ())]
    return _unit(source, listed, looked_up)


def _unit(source: str, listed: Sequence[str], looked_up: Sequence[str]) -> Unit:
    """What the list says, which was written for queries; else what the dictionary does."""
    return Unit(source, tuple(dict.fromkeys(listed or looked_up))[:_MOST_CHOICES], is_listed=bool(listed))


def _base_forms(word: str, kind: str) -> Iterator[str]:
    """What the endings of a word may stand for: glosses are singular and in the infinitive."""
    yield from _lists("en").groups("irregular_forms").get(word, ())
    for ending, instead in _lists("en").groups(kind).items():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield from (word[: len(word) - len(ending)] + one.strip("-") for one in instead)


def _lists(language: str) -> WordLists:
    return word_lists("lyra.search", "queries", language)
