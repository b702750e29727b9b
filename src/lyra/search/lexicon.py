"""The word lists behind expansion: synonyms, Japanese–English terms, and a few German, French and Chinese ones."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from lyra.word_lists import word_lists

OTHER_LANGUAGES = ("de", "fr", "zh")
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_LONGEST_TERM_WORDS = 6


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Terms in lower case on the left. `to_english` is keyed by Japanese, `to_japanese` and `to_others` by English."""

    to_english: Mapping[str, str]
    to_japanese: Mapping[str, str]
    to_others: Mapping[str, Mapping[str, str]]
    synonyms: Mapping[str, Mapping[str, str]]


@cache
def lexicon() -> Lexicon:
    """The lists that come with Lyra, read once."""
    bilingual = word_lists("lyra.search", "bilingual", "ja").groups("english")
    others = word_lists("lyra.search", "others", "en").groups("german_french_chinese")
    return Lexicon(
        to_english={term.lower(): names[0] for term, names in bilingual.items()},
        # The first Japanese term listed for an English name is its mirror.
        to_japanese={name.lower(): term for term, names in reversed([*bilingual.items()]) for name in reversed(names)},
        to_others={
            language: {term.lower(): names[place] for term, names in others.items()}
            for place, language in enumerate(OTHER_LANGUAGES)
        },
        synonyms={language: dict(_synonyms(language)) for language in ("en", "ja")},
    )


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, hyphens within them kept."""
    return _WORD.findall(text)


def english_terms(query: str, terms: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """The query cut into known terms and single words, longest terms first: pairs of the words and what they map to."""
    words = words_of(query)
    cut: list[tuple[str, str | None]] = []
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_TERM_WORDS, len(words) - place), 0, -1):
            piece = " ".join(words[place : place + size])
            if found := _known(piece.lower(), terms):
                break
        else:
            piece, found = words[place], None
        cut.append((piece, found))
        place += len(piece.split(" "))
    return cut


def japanese_terms(query: str, terms: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """The query cut at known terms, longest first; what stands between them comes as it is."""
    known = sorted((term for term in terms if term in query.lower()), key=len, reverse=True)
    if not known:
        return [(query, None)]
    pattern = re.compile("|".join(map(re.escape, known)), re.IGNORECASE)
    cut: list[tuple[str, str | None]] = []
    place = 0
    for match in pattern.finditer(query):
        cut += [(query[place : match.start()], None)] if query[place : match.start()].strip() else []
        cut.append((match.group(), terms.get(match.group().lower())))
        place = match.end()
    return cut + ([(query[place:], None)] if query[place:].strip() else [])


def _known(piece: str, terms: Mapping[str, str]) -> str | None:
    """What a term maps to, in the singular too."""
    return terms.get(piece) or (terms.get(piece[:-1]) if piece.endswith("s") else None)


def _synonyms(language: str) -> Iterable[tuple[str, str]]:
    """Each name with the one that replaces it: the first of its group, for the first itself the second."""
    for first, others in word_lists("lyra.search", "synonyms", language).groups("synonyms").items():
        yield first.lower(), others[0]
        yield from ((name.lower(), first) for name in others)
