"""Classes of drugs, by the endings of their names: a text about a member speaks of its class."""

from functools import lru_cache

from lyra.word_lists import word_lists

_LEAST_PREFIX = 2


@lru_cache(4096)
def classes_of(word: str) -> frozenset[str]:
    """The words for the class that a name belongs to by its ending; none for most words."""
    lists = word_lists("lyra.claims", "drug_classes", "en", "ja")
    bare = word.removesuffix("s")
    for name, endings in lists.groups("endings").items():
        if any(bare.endswith(ending) and len(bare) >= len(ending) + _LEAST_PREFIX for ending in endings):
            return frozenset(lists.groups("class_words")[name])
    return frozenset(lists.groups("class_words")[bare]) if bare in lists.words("whole_names") else frozenset()


def with_classes(words: frozenset[str]) -> frozenset[str]:
    """The words and the words for the classes of those that are names."""
    return words.union(*map(classes_of, words))
