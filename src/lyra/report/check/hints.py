"""Hints that a sentence and a passage may say opposite things: another count of denials, another direction."""

import re

from lyra.claims.words import directions, negations
from lyra.report.check.numbers import has_figure, stated
from lyra.report.check.opposite_words import Word, stated_words
from lyra.report.check.quantifiers import other_part
from lyra.report.check.swapped import nearest_clause
from lyra.report.check.vocabulary import lists, pattern
from lyra.text import is_japanese

# So many content words on either side of a figure may say which way it goes.
_NEAR = 4
# So many words a denied statement must have to be known again.
_LEAST_DENIED = 3
_OPPOSITE = {"+": "-", "-": "+"}


def has_contradiction_hint(sentence: str, quote: str) -> bool:
    """Whether one says no, up, or another part of the whole, where the other does not."""
    if _denials(sentence) % 2 != _denials(quote) % 2:
        return True
    mine, theirs = directions(sentence), directions(quote)
    return (bool(mine) and bool(theirs) and set(mine) != set(theirs)) or other_part(sentence, quote)


def _denials(text: str) -> int:
    plain = pattern("hints", "no_limit").sub(" ", text)
    return negations(plain) + len(pattern("hints", "denial").findall(plain))


def has_opposite_word(sentence: str, quote: str) -> bool:
    """Whether a quote has the opposite of a word, and not the word itself; both or neither are denied."""
    mine = {(one.stem, one.is_denied) for one in stated_words(sentence) if one.stem[-1] in _OPPOSITE}
    theirs = {(one.stem, one.is_denied) for one in stated_words(quote) if one.stem[-1] in _OPPOSITE}
    swapped_sides = {(stem[:-1] + _OPPOSITE[stem[-1]], is_denied) for stem, is_denied in mine}
    return bool(swapped_sides & theirs) and not mine & theirs


def only_one_denies(sentence: str, quote: str) -> bool:
    """Whether a clause of one has every word of the other, and one of these words is denied in one of the two alone."""
    return any(_denies_within(part, whole) for part, whole in ((quote, sentence), (sentence, quote)))


def _denies_within(part: str, whole: str) -> bool:
    clause = nearest_clause(part, whole)
    mine, theirs = stated_words(part), stated_words(clause)
    stems = {one.stem for one in mine}
    if len(stems) < _LEAST_DENIED or not stems <= {one.stem for one in theirs}:
        return False
    denied = [{one.stem for one in words if one.is_denied} for words in (mine, theirs)]
    is_odd = _denials(part) % 2 != _denials(clause) % 2
    return is_odd and bool(denied[0]) != bool(denied[1]) and bool((denied[0] | denied[1]) & stems)


def has_hidden_denial(text: str) -> bool:
    """Whether a text denies by a verb, such as "rules out": its words then do not show what it denies."""
    return bool(pattern("hints", "denial").search(text))


def plain_limits(sentence: str) -> str:
    """A sentence in which "at most" stands for "no more than": readers take that for a denial."""
    for plain, limits in lists("hints").groups("limits").items():
        for limit in limits:
            sentence = re.sub(rf"\b{limit}\b", plain, sentence)
    return sentence


def asserts_what_is_open(sentence: str, quote: str) -> bool:
    """Whether a quote leaves open, or says nothing on, what a sentence asserts: "we make no comment on whether"."""
    return bool(pattern("hints", "left_open").search(quote)) and not pattern("hints", "says_open").search(sentence)


def figure_goes_other_way(sentence: str, quote: str) -> bool:
    """Whether a figure that both have is a rise in one of them and a fall in the other."""
    shared = {one.text for one in stated(sentence) if not (one.is_year or one.is_small_word) and has_figure(one, quote)}
    sides = {
        text: [
            (_side_near(sentence, one.span), _side_near(quote, other.span))
            for one in stated(sentence)
            for other in stated(quote)
            if one.text == text and one.figure.equals(other.figure)
        ]
        for text in sorted(shared)
    }
    return any(pairs and all(mine and theirs and mine != theirs for mine, theirs in pairs) for pairs in sides.values())


def _side_near(text: str, span: tuple[int, int]) -> str:
    """+ or - where the words near a figure go one way, and none of them is denied."""
    if is_japanese(text):  # the verb stands behind its figure, in the same clause
        end = pattern("hints", "clause_end").search(text, span[1])
        own = [one for one in stated_words(text[span[1] : end.start() if end else len(text)]) if _is_amount(one)]
        return "" if not own or own[0].is_denied else own[0].stem[-1]
    before, behind = stated_words(text[: span[0]])[-_NEAR:], stated_words(text[span[1] :])[:_NEAR]
    sides = [word for word in (*before, *behind) if word.stem[:-1] == "amount"]
    return "" if any(map(_is_denied, sides)) or len({word.stem for word in sides}) != 1 else sides[0].stem[-1]


def _is_amount(word: Word) -> bool:
    return word.stem[:-1] == "amount"


def _is_denied(word: Word) -> bool:
    return word.is_denied
