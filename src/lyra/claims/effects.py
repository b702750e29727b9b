"""Whether a sentence speaks of one effect, more, less or none: it helps to find the sentence that answers a claim."""

from lyra.claims.words import content_words
from lyra.text import is_japanese
from lyra.word_lists import WordLists, word_lists

# Opposite directions, by the surest words first: verbs of change, comparisons, verbs that only say "brings about".
_DIRECTIONS = (("rise", "fall"), ("more", "less"), ("cause",))


def _lists(text: str) -> WordLists:
    return word_lists("lyra.claims", "effects", "ja" if is_japanese(text) else "en")


def has_effect(text: str) -> bool:
    """Whether a text speaks of no effect or of one direction; of two directions it says nothing certain."""
    lists = _lists(text)
    # A bound such as "more than 10" is no effect. Lengths stay.
    bare = lists.pattern("bound").sub(lambda match: " " * len(match.group()), text)
    if lists.pattern("no_effect").search(bare):
        return True
    for directions in _DIRECTIONS:
        found = sum(1 for name in directions if lists.pattern(name).search(bare))
        if found:
            return found == 1
    return False


def has_effect_on(sentence: str, subject: str) -> bool:
    """The same for the clause that shares most words with `subject`; in Japanese for what follows a concession.

    A clause that only says that others do not ("…; sitagliptin does not") speaks for those it names.
    """
    clauses = _clauses(sentence)
    if is_japanese(sentence):
        return has_effect(clauses[-1]) or has_effect(sentence)
    clauses = [clause for clause in clauses if clause]
    wanted = content_words(subject)
    if _denies(clauses, wanted):
        return True
    nearest = max(clauses, key=lambda clause: len(wanted & content_words(clause))) if len(clauses) > 1 else sentence
    return has_effect(nearest)


def claims_effect(claim: str) -> bool:
    """Whether any clause of a claim speaks of an effect."""
    return any(map(has_effect, [claim] if is_japanese(claim) else _clauses(claim)))


def _clauses(sentence: str) -> list[str]:
    return _lists(sentence).pattern("clause_break").split(sentence)


def _denies(clauses: list[str], wanted: frozenset[str]) -> bool:
    """Whether a clause that ends with "does not" names something wanted that no other clause names."""
    ellipsis = word_lists("lyra.claims", "effects", "en").pattern("ellipsis")
    for at, clause in enumerate(clauses):
        if at and ellipsis.search(clause):
            others = content_words(" ".join(clauses[:at] + clauses[at + 1 :]))
            if (wanted & content_words(clause)) - others:
                return True
    return False
