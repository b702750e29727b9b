"""Marks that call an entry of the text's own list by its name or title, without a year: (Courier), [Source: NEMSO].

What stands in a bracket, behind a dash at the end of a line, on a line that begins with "Source:" or in a cell of a
table is such a mark where it begins with a name of one entry and every other word of it is in that entry, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lyra.claims.notation import western_figures
from lyra.report.check.citations import Citation, CitationKind
from lyra.report.check.names import families, folded, is_japanese_name, short_forms
from lyra.report.check.prose import Titled, names_of_entry
from lyra.report.check.references import Reference
from lyra.report.check.vocabulary import lists, pattern
from lyra.text import nfkc

_LONGEST = 160
_BRACKET = re.compile(r"[(（\[［〔【](?P<inner>[^()（）\[\]［］〔〕【】\n|]{2,160})[)）\]］〕】](?!\()")
_CITE = re.compile(r"<cite>(?P<inner>[^<>\n]{2,160})</cite>", re.IGNORECASE)
_BEHIND_DASH = re.compile(r"(?<=[\w.。」”\"'’)）])(?:\s+[—–―]|\s*[—―]{2})\s*(?P<inner>[^\n—–―|]{2,160})$", re.MULTILINE)
_CELL = re.compile(r"(?<=\|)[^\S\n]*(?P<inner>[^|\n]{2,160}?)[^\S\n]*(?=\|)")
# Between the names, the title and the year of a Japanese mark.
_PIECE = re.compile(r"[、,，・「」『』（）()\s]|(?<=\D)(?=(?:19|20)\d\d)")
_PAGE_BEHIND = re.compile(r"(?<=\w)\s+\d{1,4}$")
_WORD = re.compile(r"[^\W_]+")


def find_named_marks(text: str, known: "ListNames") -> list[Citation]:
    """The marks of a text, in no order; `values` are the entries that each stands for."""
    found: list[Citation] = []
    for match in _places(text):
        words = match.lastgroup or ""
        values = known.named(match[words])
        if values and not any(one.start <= match.start(words) < one.end for one in found):
            start, end = match.span() if match.re in (_BRACKET, _CITE) else match.span(words)
            found.append(Citation(CitationKind.NOTE, match[words].strip(), start, end, values))
    return found


@dataclass(frozen=True, slots=True)
class CalledEntry:
    """What an entry may be called by, and all its words; Japanese without blanks."""

    text: str
    names: frozenset[str]
    words: frozenset[str]
    names_ja: frozenset[str]
    titles: frozenset[str]
    text_ja: str


class ListNames:
    """What the entries of a list may be called by, looked up by the first word of a name."""

    def __init__(self, references: Sequence[Reference]) -> None:
        """Notes that point to another have no name of their own."""
        self._by_first: dict[str, dict[CalledEntry, None]] = {}
        for one in (_called(each.text, names_of_entry(each.text)) for each in references if not each.stands_for):
            for first in (*map(_first_word, one.names), *one.names_ja):
                self._by_first.setdefault(first, {})[one] = None

    def named(self, words: str) -> tuple[str, ...]:
        """The entries that words name, several where a semicolon parts them; none where a part names none."""
        found: list[str] = []
        for part in re.split(r"\s*[;；]\s*", words.strip(" .。*_")):
            bare = pattern("citing", "tail").sub("", pattern("citing", "lead").sub("", part)).strip()
            fitting = self._called(bare) if 1 < len(bare) <= _LONGEST else []
            if not fitting:
                return ()
            found += fitting
        return tuple(dict.fromkeys(found))

    def is_title(self, words: str) -> bool:
        """Whether words are the title of an entry or a part of one: a heading may be so called by chance."""
        plain = _without_blanks(folded(words))
        return any(plain == title for known in self._by_first.values() for one in known for title in one.titles)

    def _called(self, words: str) -> list[str]:
        """The entries with a name or a title by which words begin, and with all other words of them."""
        if is_japanese_name(words):
            without_place = pattern("citing", "place_in_source").sub("", _without_blanks(words))
            bare = [pattern("citing", "and_others").sub("", each) for each in _PIECE.split(without_place) if each]
            known = self._by_first.get(bare[0], {}) if bare else {}
            return [one.text for one in known if all(each in one.text_ja for each in bare)]
        plain = folded(words).lstrip("“”\"'‘’ ").removeprefix("the ")
        return [one.text for one in self._by_first.get(_first_word(plain), {}) if _is_called(plain, one)]


def _called(text: str, titled: Titled) -> CalledEntry:
    names = {form for name in titled.names for form in (name, *short_forms(name))} | {*titled.titles}
    people = {family for name in titled.names for family in families(name)}
    return CalledEntry(
        text,
        frozenset(folded(one) for one in names),
        frozenset(_WORD.findall(folded(titled.text))),
        frozenset(_without_blanks(one) for one in names | people),
        frozenset(_without_blanks(folded(one)) for one in titled.titles),
        _without_blanks(titled.text),
    )


def _places(text: str) -> Iterator[re.Match[str]]:
    for form in (_BRACKET, _CITE, _BEHIND_DASH, _CELL, pattern("citing", "source_line")):
        yield from form.finditer(text)


def _is_called(plain: str, one: CalledEntry) -> bool:
    if not any(plain.startswith(name) and not plain[len(name) : len(name) + 1].isalnum() for name in one.names):
        return False
    without_place = pattern("citing", "place_in_source").sub(" ", plain)
    small = lists("citing").words("small_words")
    return all(each in one.words or each in small for each in _WORD.findall(_PAGE_BEHIND.sub("", without_place)))


def _first_word(name: str) -> str:
    match = _WORD.search(name)
    return match[0] if match else ""


def _without_blanks(text: str) -> str:
    return re.sub(r"\s", "", western_figures(nfkc(text))[0])
