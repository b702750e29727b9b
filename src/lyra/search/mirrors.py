"""A query in the other language, ja⇄en: word list and dictionary give the words, the bilingual embedder their sense.

A mirror in which a content word is missing asks something else, and is not made.
"""

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lyra import text
from lyra.search.expand import DerivedQuery, english_terms, lexicon, mirrors, words_of
from lyra.search.query import is_plain_latin, query_language
from lyra.search.sounds import is_katakana, katakana_runs, sounds_alike
from lyra.word_lists import WordLists, word_lists

if TYPE_CHECKING:
    from lyra.ml.protocols import Embedder
    from lyra.storage.dictionary import JapaneseDictionary

DICTIONARY_EXTRA = "pip install 'lyra-mcp[dictionary]'"
# A query in a language as a model says it; None where it says nothing usable.
Translate = Callable[[str, str], Awaitable[str | None]]
_LONGEST_UNIT = {"ja": 7, "en": 5}
# Of a word with more translations the wrong one was taken in 6 of 14 queries (`lyra bench mirrors`, November 2026).
_MOST_SENSES = 17
# Longer ones are texts, which no engine matches word by word.
_LONGEST_QUERY_CHARS = 150
_LONGEST_GLOSS_WORDS = 4
# What a less usual translation has to gain in similarity for each place that it stands further down, in the language
# that is wanted; tried on thirty queries a language that are not among those measured.
_RANK_COST = {"en": 0.05, "ja": 0.05}
_LISTED_COST = 0.08
# Of 46 English words of two listed meanings the rest of the query chose 38 rightly, the whole mirror 25, as many as the
# first meaning alone (November 2026; by these the rule was chosen, none is of the fifth set).
_MEANING_COST = 0.03
_GLOSSES_READ = 3
# Choices at least so alike mean the same. Where one of another meaning came nearest to the chosen one, it was wrong in
# every fifth word (Japanese ones: every third), elsewhere in every thirtieth (tenth): 553 words of the older queries,
# November 2026.
_SAME_MEANING = 0.6
_LEAST_LEAD = {"en": 0.08, "ja": 0.12}
# Each choice is looked at again once the others are made.
_SWEEPS = 2
_VERB_ENDINGS = tuple("うくぐすつぬぶむる")
_STEM_CHARS, _LEAST_STEM_CHARS = 6, 4
# How near a word that no dictionary knows must be to what a translation says besides the known ones.
_LEAST_UNKNOWN_LIKENESS = 0.5


class WordLookup(Protocol):
    """A dictionary of both directions, the most usual translation first."""

    def english_of(self, word: str) -> Sequence[str]: ...

    def japanese_of(self, word: str) -> Sequence[str]: ...

    def english_name_of(self, word: str) -> str | None: ...

    def japanese_name_of(self, word: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """Words of a query that are translated as one, and what they may be; none where nothing knows them.

    A name is one that only the dictionary of names has.
    """

    source: str
    choices: tuple[str, ...]
    is_listed: bool = False
    is_name: bool = False

    @property
    def is_vague(self) -> bool:
        """Whether it has so many senses that none can be chosen for it."""
        return not self.is_listed and len(self.choices) > _MOST_SENSES

    @property
    def is_kept(self) -> bool:
        """Whether the other language writes it alike."""
        return self.choices == (self.source,)


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
        if not units or all(unit.is_kept for unit in units):
            return None
        if all(unit.choices and not unit.is_vague for unit in units):
            words = await self._chosen(query, units, wanted)
            if words is not None:
                return DerivedQuery(" ".join(dict.fromkeys(words)), query, f"mirror:{wanted}")
        translation = None if translate is None else await translate(query, wanted)
        if (
            translation is None
            or not keeps_words(units, translation)
            or not await self._keeps_unknown(units, translation)
        ):
            return None
        return DerivedQuery(translation, query, f"mirror:{wanted}")

    async def _keeps_unknown(self, units: Sequence[Unit], translation: str) -> bool:
        """Whether a translation holds the words that no dictionary knows: as they are, by their sound, or by the sense
        of what is left of it without the known words."""
        unknown = [unit.source for unit in units if not unit.choices and unit is not _DENIED]
        missing = [word for word in unknown if not _appears_in(word, translation)]
        if not missing:
            return True
        left = _without_known(units, translation)
        if len(left.split()) < len(missing):
            return False
        vectors = await self._embedder.embed([left, *missing])
        return bool((vectors[1:] @ vectors[0]).min() >= _LEAST_UNKNOWN_LIKENESS)

    async def _chosen(self, query: str, units: Sequence[Unit], wanted: str) -> list[str] | None:
        """For each unit the word that brings it and the whole mirror nearest to the query, the others held.

        Of the listed meanings of an English word the one is taken that fits the rest of the query. None where a word of
        another meaning comes near to a chosen one.
        """
        words = [unit.choices[0] for unit in units]
        open_places = []
        for place, unit in enumerate(units):
            if len(unit.choices) == 1:
                continue
            if unit.is_listed and wanted == "ja":
                words[place] = await self._fitting(query, unit)
            else:
                open_places.append(place)
        doubted: dict[int, bool] = {}
        for _ in range(_SWEEPS):
            before = list(words)
            for place in open_places:
                words[place], doubted[place] = await self._nearest(query, units[place], words, place, wanted)
            if words == before:
                break
        return None if any(doubted.values()) else words

    async def _nearest(self, query: str, unit: Unit, words: Sequence[str], place: int, wanted: str) -> tuple[str, bool]:
        """The choice nearest to the query, and whether one of another meaning is hardly farther."""
        count = len(unit.choices)
        tries = [" ".join([*words[:place], one, *words[place + 1 :]]) for one in unit.choices]
        vectors = await self._embedder.embed([query, unit.source, *tries, *unit.choices])
        whole, alone = vectors[2 : 2 + count] @ vectors[0], vectors[2 + count :] @ vectors[1]
        cost = _LISTED_COST if unit.is_listed else _RANK_COST[wanted]
        scores = [(float(whole[at]) + float(alone[at])) / 2 - cost * log2(1 + at) for at in range(count)]
        best = scores.index(max(scores))
        alike = vectors[2 + count :] @ vectors[2 + count + best]
        others = [score for score, likeness in zip(scores, alike, strict=True) if likeness < _SAME_MEANING]
        is_doubted = not unit.is_listed and max(others, default=-1.0) > scores[best] - _LEAST_LEAD[wanted]
        return unit.choices[best], is_doubted

    async def _fitting(self, query: str, unit: Unit) -> str:
        """The meaning nearest to what the query says besides, in Japanese and in the dictionary's words for it."""
        rest = " ".join(query.replace(unit.source, " ", 1).split())
        if self._dictionary is None or not rest:
            return unit.choices[0]
        known = ([one for one in self._dictionary.english_of(choice) if one != unit.source] for choice in unit.choices)
        explained = [", ".join(glosses[:_GLOSSES_READ]) or unit.source for glosses in known]
        vectors = await self._embedder.embed([rest, *unit.choices, *explained])
        count = len(unit.choices)
        near = (vectors[1 : 1 + count] + vectors[1 + count :]) @ vectors[0] / 2
        scores = [float(near[at]) - _MEANING_COST * log2(1 + at) for at in range(count)]
        return unit.choices[scores.index(max(scores))]


def _listed(query: str, rule: str) -> DerivedQuery | None:
    """What the word list makes of a query; it knows single words where a dictionary knows the phrase."""
    return next((one for one in mirrors(query) if one.rule == rule), None)


def keeps_words(units: Sequence[Unit], translation: str) -> bool:
    """Whether every word that the dictionary knows is in a model's translation, in one of its senses; names too."""
    folded = translation.casefold()
    if _DENIED in units and not _lists("en").pattern("negated").search(folded):
        return False
    return all(
        any(_is_in(one, folded) for one in unit.choices) or (unit.is_kept and _appears_in(unit.source, translation))
        for unit in units
        if unit.choices
    )


def _appears_in(word: str, translation: str) -> bool:
    """Whether a translation has a word as it is, or as the other script spells it."""
    if word.casefold() in translation.casefold():
        return True
    if is_katakana(word):
        return any(sounds_alike(word, one) for one in words_of(translation))
    return word.isascii() and any(sounds_alike(one, word) for one in katakana_runs(translation))


def _without_known(units: Sequence[Unit], translation: str) -> str:
    """What is left of a translation without the words that the dictionary knows and those that say nothing."""
    choices = [one for unit in units for one in unit.choices]
    small = frozenset(_lists("en").words("small_words"))
    if translation.isascii():
        known = {word.casefold()[:_STEM_CHARS] for one in choices for word in one.split(" ")}
        left = [word for word in words_of(translation) if word.casefold()[:_STEM_CHARS] not in known]
        return " ".join(word for word in left if word.lower() not in small)
    for one in sorted(choices, key=len, reverse=True):
        translation = translation.replace(one, " ")
    return " ".join(translation.split())


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
            if unit is not None:
                break
        if size == 1 and _is_bound(found, place) and not (unit is not None and (unit.is_listed or unit.is_kept)):
            # One character of a longer word says by itself something else: 市 of 京都市 is no market.
            unit = _affix(source, found, place)
        elif size == 1 and unit is not None and place + 1 < len(found) and _is_manner(query, found, place):
            unit = Unit(query[found[place][0] : found[place + 1][1]], tuple(f"how to {one}" for one in unit.choices))
            size = 2
        yield unit or Unit(source, ())
        place += size
    if _lists("ja").pattern("negated").search(query):
        # A verb that is denied: its dictionary form alone would ask for the opposite.
        yield _DENIED


def _is_bound(found: Sequence[tuple[int, int, str]], place: int) -> bool:
    """Whether a word is one character and written together with its neighbour."""
    start, end, _ = found[place]
    follows = place > 0 and found[place - 1][1] == start
    leads = place + 1 < len(found) and found[place + 1][0] == end
    return end - start == 1 and (follows or leads)


def _affix(source: str, found: Sequence[tuple[int, int, str]], place: int) -> Unit | None:
    """What a character says at the end or the beginning of a word; after a figure it counts, and is not known."""
    start = found[place][0]
    lists = lexicon()
    if place > 0 and found[place - 1][1] == start:
        said = None if found[place - 1][2].isdigit() else lists.english_suffixes.get(source)
    else:
        said = lists.english_prefixes.get(source)
    return _unit(source, said, is_listed=True) if said else None


def _is_manner(query: str, found: Sequence[tuple[int, int, str]], place: int) -> bool:
    """Whether 方 follows the stem of a verb: 測り方 is how to measure, and no direction."""
    (start, end, normal), (follows, last, _) = found[place], found[place + 1]
    return (
        end == follows and query[follows:last] == "方" and query[start:end] != normal and normal[-1:] in _VERB_ENDINGS
    )


def _english_unit(surface: str, normal: str, dictionary: WordLookup | None) -> Unit | None:
    """What a Japanese word, as written and in its dictionary form, may be in English; None where nothing knows it.

    A word that only a description explains has no choices: its parts would say less.
    """
    if surface.isascii() or normal.isdigit():
        return Unit(surface, (surface if surface.isascii() else normal,))
    names, forms = lexicon().english_names, dict.fromkeys((surface, normal))
    if listed := [one for form in forms for one in names.get(form.lower(), ())]:
        return _unit(surface, listed, is_listed=True)
    if dictionary is None:
        return None
    if looked_up := [one for form in forms for one in dictionary.english_of(form)]:
        return _unit(surface, [one for one in looked_up if _is_short(one)])
    name = dictionary.english_name_of(surface)
    return Unit(surface, (name,)) if name else None


def _is_short(gloss: str) -> bool:
    words = gloss.split(" ")
    return len(words) <= _LONGEST_GLOSS_WORDS and "one's" not in words


def _english_units(query: str, dictionary: WordLookup | None) -> Iterator[Unit]:
    words = words_of(query)
    if len(words) > 1 and not any(word.islower() for word in words):
        # Where every word has its capital, none tells a name.
        words = [word.lower() for word in words]
    small = frozenset(_lists("en").words("small_words"))
    run: list[Unit] = []
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_UNIT["en"], len(words) - place), 0, -1):
            span = words[place : place + size]
            unit = _japanese_unit(span, dictionary, is_first=place == 0)
            edges = {_unmarked(span[0]) if place == 0 else span[0], span[-1]}
            is_guess = size > 1 and unit is not None and not unit.is_listed
            if is_guess and not small.isdisjoint(edges):
                continue
            if is_guess and all(known for _, known in english_terms(" ".join(span), lexicon().to_japanese)):
                # What was written for queries says the words more plainly than a rare name of all of them.
                continue
            if unit is not None:
                break
        is_small = size == 1 and (_unmarked(span[0]) if place == 0 else span[0]) in small
        if all(word[0].isupper() for word in span) and not is_small:
            run.append(unit or Unit(" ".join(span), ()))
        else:
            yield from _name(run)
            run = []
            if not is_small:
                yield unit or Unit(" ".join(span), ())
        place += size
    yield from _name(run)


def _unmarked(word: str) -> str:
    """The first word of a query without the capital that sentences begin with; WHO is another word."""
    return word if word.isupper() and len(word) > 1 else word.lower()


def _name(run: Sequence[Unit]) -> Iterator[Unit]:
    """Words with capitals side by side are one name, kept as it is where a part of it is: Naomi Osaka is no city."""
    is_part = len(run) > 1 and any(unit.is_name or (unit.is_kept and not unit.source.isupper()) for unit in run)
    for unit in run:
        yield Unit(unit.source, (unit.source,)) if is_part else unit


def _japanese_unit(span: Sequence[str], dictionary: WordLookup | None, *, is_first: bool) -> Unit | None:
    """What an English word or phrase may be in Japanese, in the form that glosses have; None where nothing knows it.

    A word with a capital is a name: the dictionary has it with its capital, or it is written in Latin letters. Only
    the first word of a query may have its capital for another reason.
    """
    source = " ".join(span)
    if len(span) == 1 and any(char.isdigit() for char in source):
        return Unit(source, (source,))
    if name := lexicon().japanese_names.get(source):
        return Unit(source, (name,), is_listed=True)
    is_name = any(char.isupper() for char in source[1 if is_first else 0 :])
    if is_name or source[0].isupper():
        found = _as_name(source, dictionary)
        if found is not None:
            return found
    if is_name:
        return Unit(source, (source,)) if len(span) == 1 else None
    word = source.lower()
    other_forms = (*_base_forms(word, "base_forms"), *_base_forms(word, "verb_forms"))
    if listed := _listed_senses(word) or [one for form in other_forms for one in _listed_senses(form)]:
        return _unit(source, listed, is_listed=True)
    # Of a verb's form the dictionary knows the verb alone, and with it too much.
    forms = (source, *_base_forms(word, "base_forms"), word, *_other_spelling(word))
    looked_up = [one for form in forms for one in (dictionary.japanese_of(form) if dictionary else ())]
    if looked_up:
        return _unit(source, looked_up)
    return Unit(source, (source,)) if source[0].isupper() and len(span) == 1 else None


def _other_spelling(word: str) -> Iterator[str]:
    """With hyphens for blanks or without them, or with blanks for hyphens."""
    if " " in word:
        yield from (word.replace(" ", "-"), word.replace(" ", ""))
    elif "-" in word:
        yield word.replace("-", " ")


def _listed_senses(word: str) -> tuple[str, ...]:
    """What the lists have for an English word in lower case."""
    lists = lexicon()
    known = lists.to_japanese.get(word)
    return lists.japanese_senses.get(word) or ((known,) if known else ())


def _as_name(source: str, dictionary: WordLookup | None) -> Unit | None:
    """What list or dictionary have with this capital."""
    listed = lexicon().to_japanese.get(source.lower())
    if listed is not None and source in lexicon().english_spellings:
        return Unit(source, (listed,), is_listed=True)
    if dictionary is None:
        return None
    if looked_up := dictionary.japanese_of(source):
        return _unit(source, looked_up)
    name = dictionary.japanese_name_of(source)
    return Unit(source, (name,), is_name=True) if name else None


def _unit(source: str, choices: Sequence[str], *, is_listed: bool = False) -> Unit:
    """Each of what may be said for a word once."""
    return Unit(source, tuple(dict.fromkeys(choices)), is_listed)


def _base_forms(word: str, kind: str) -> Iterator[str]:
    """What the endings of a word may stand for: glosses are singular and in the infinitive."""
    yield from _lists("en").groups("irregular_forms").get(word, ())
    for ending, instead in _lists("en").groups(kind).items():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield from (word[: len(word) - len(ending)] + one.strip("-") for one in instead)


def _lists(language: str) -> WordLists:
    return word_lists("lyra.search", "queries", language)
