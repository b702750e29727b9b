"""What makes a sentence a checkable statement, and what makes it none: one form, English and Japanese word lists."""

import re
from abc import ABC, abstractmethod
from functools import cache

from lyra.claims.verbs import is_base, is_finite
from lyra.claims.words import core_words
from lyra.word_lists import word_lists

_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_FIRST_WORD = re.compile(r"[\"'“‘(]*(\S+)")
# What a sentence opens with and can do without, in this order.
_OPENINGS = ("dateline", "label", "connective", "reporting_frame", "connective")
# How far a sentence is worth checking: numbers, names, comparisons and effects raise it, hedges and chatter lower it.
_BASE_CHECKWORTHINESS = 0.4
_WEIGHTS = {
    "number": 0.15,
    "unit": 0.10,
    "entity": 0.15,
    "comparison": 0.15,
    "effect": 0.25,
    "hedge": -0.05,
    "opinion": -0.20,
    "you": -0.15,
    "bare_noun": -0.20,
    "inner_reference": -0.20,
}


class Grammar(ABC):
    """The rules of one language."""

    language: str
    min_chars: int
    max_chars: int

    def without_opening(self, text: str) -> str:
        """The sentence without what ties it to the one before: labels, conjunctions, the frame of a report."""
        bare = text
        for name in _OPENINGS:
            bare = self._pattern(name).sub("", bare, count=1).lstrip()
        return bare

    def is_checkable(self, sentence: str, text: str) -> bool:
        """Whether it is a statement that can be checked; `text` is the sentence without its opening."""
        boilerplate = word_lists("lyra.claims", "boilerplate", self.language).pattern("boilerplate")
        return (
            self.min_chars <= len(text) <= self.max_chars
            and not self._has("unfinished", sentence)
            and not self._has("question", text)
            and not self._has("not_prose", text)
            and not boilerplate.search(text)
            and not self._is_order(text)
            and not self._has("personal", self._pattern("impersonal").sub("", text))
            and not self.needs_previous(text)
            and self._is_sentence(sentence, text)
        )

    def needs_previous(self, text: str) -> bool:
        """Whether it needs the sentence before it to be understood."""
        return self._has("refers_back", text)

    def is_hedged(self, text: str) -> bool:
        """Whether the author holds back."""
        return self._has("hedge", text)

    def checkworthiness(self, text: str) -> float:
        """How far it is worth checking, 0 to 1."""
        score = _BASE_CHECKWORTHINESS + sum(weight for name, weight in _WEIGHTS.items() if self._has(name, text))
        return min(1.0, max(0.0, score))

    def _is_order(self, text: str) -> bool:
        return self._has("imperative", text)

    @abstractmethod
    def _is_sentence(self, sentence: str, text: str) -> bool:
        """Whether it is a sentence, and no heading, caption or broken line."""

    def _has(self, name: str, text: str) -> bool:
        return self._pattern(name).search(text) is not None

    def _pattern(self, name: str) -> re.Pattern[str]:
        return word_lists("lyra.claims", "statements", self.language).pattern(name)


class English(Grammar):
    """English is told by its words, a sentence by its verb."""

    language = "en"
    min_chars = 30
    max_chars = 400

    def without_opening(self, text: str) -> str:
        bare = super().without_opening(text)
        return bare[:1].upper() + bare[1:] if bare != text else text

    def needs_previous(self, text: str) -> bool:
        """Whether it opens with a word for what a sentence before has named."""
        is_reference = super().needs_previous(text) and not self._has("impersonal_it", text)
        return is_reference or self._has_pronoun_after_opening(text)

    def _has_pronoun_after_opening(self, text: str) -> bool:
        """A pronoun after an opening without a subject it could stand for: "Added to insulin, it lowers …"."""
        opening = self._pattern("pronoun_after_opening").search(text)
        if opening is None or self._has("impersonal_it", text[opening.end(1) + 2 :]):
            return False
        return not any(is_finite(word.lower()) for word in _WORD.findall(opening.group(1))[1:])

    def _is_order(self, text: str) -> bool:
        """ "Cut the dose by half." is one, "Live births fell by …" only opens like one."""
        first, second, *_ = (*text.split(" ", 2), "")
        is_bare_verb = is_base(first.lower()) and second in _words("ordered_objects")
        return is_bare_verb or (super()._is_order(text) and not self._opens_with_a_noun(text))

    def _opens_with_a_noun(self, text: str) -> bool:
        words = [word.lower() for word in _WORD.findall(text)[:4]]
        verb = self._verb(words)
        is_noun_phrase = verb is not None and verb > 1 and not is_base(words[verb])
        return (
            words[0] in _words("imperatives_and_nouns")
            and is_noun_phrase
            and not _words("determiners") & {*words[:verb]}
        )

    def _is_sentence(self, sentence: str, text: str) -> bool:
        words = _WORD.findall(text)
        if len(words) < 5 or sum(map(len, words)) < 0.55 * len(text):
            return False
        first = _FIRST_WORD.match(text)
        if sentence == text and first and first.group(1).islower() and first.group(1).isalpha():
            return False
        verb = self._verb(words)
        if verb is None or self._has("aim", text):
            return False
        return self._has("finished", sentence) or not (
            len(words) < 8 or self._is_title(words) or self._is_in_a_clause(words, verb)
        )

    def _verb(self, words: list[str]) -> int | None:
        """Where the sentence's verb may be: not at its beginning, and not where only a noun can stand."""
        lower = [word.lower() for word in words]
        before_nouns = _words("before_nouns")
        return next(
            (at for at in range(1, len(lower)) if is_finite(lower[at]) and lower[at - 1] not in before_nouns), None
        )

    def _is_in_a_clause(self, words: list[str], verb: int) -> bool:
        """A list item such as "pain that makes it hard to move": its first verb belongs to the clause."""
        return any(word.lower() in _words("clause_openings") for word in words[:verb])

    def _is_title(self, words: list[str]) -> bool:
        long_words = [word for word in words if len(word) > 3]
        return sum(word[0].isupper() for word in long_words) > 0.5 * len(long_words)


class Japanese(Grammar):
    """Japanese is told by its script, a sentence by its particles and its end."""

    language = "ja"
    min_chars = 15
    max_chars = 250

    def needs_previous(self, text: str) -> bool:
        """Whether it opens with a word for what a sentence before has named, or leaves out its subject."""
        return super().needs_previous(text) or not self._has("subject", text)

    def _is_sentence(self, sentence: str, text: str) -> bool:
        has_predicate = self._has("predicate", text) and self._has("particle", text)
        is_long = self._has("finished", sentence) or len(text) >= 2 * self.min_chars
        return has_predicate and is_long and not self._is_tautology(text)

    def _is_tautology(self, text: str) -> bool:
        """A definition in only the words of what it defines: 「給食費無償化とは、給食費が無償になることです。」"""
        defined, _, by = text.partition("とは、")
        return bool(by) and core_words(by) <= core_words(defined) | {"こと"}


GRAMMARS: dict[str, Grammar] = {"en": English(), "ja": Japanese()}


def is_english(text: str) -> bool:
    """Whether enough of its words are those that only English has."""
    words = [word.lower() for word in _WORD.findall(text)]
    found = sum(word in _words("function_words") for word in words)
    return found >= 2 and found >= 0.12 * len(words)


@cache
def _words(name: str) -> frozenset[str]:
    """A list of English words as a set."""
    return frozenset(word_lists("lyra.claims", "statements", "en").words(name))
