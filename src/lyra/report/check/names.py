"""Whether two names are one: of people, organisations and sources, and the years of a source.

A source may be called by its authors, its site, its venue, its host or its title.

Names are compared in one form for both languages: English by words, Japanese by characters, where a name may be
shortened by leaving some out (県教委 for 県教育委員会) and may be put together of several (鈴代県統計課: a site and an
author).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from urllib.parse import urlsplit

from lyra.academic.identity import author_key, title_key
from lyra.claims.notation import western_figures
from lyra.model.check import Source
from lyra.report.check.vocabulary import lists
from lyra.text import nfkc

_REMEMBERED = 16_384
# How much of a page may say whose it is, at its head.
_HEAD = 160
_LEAST_SHORTENED = 2
_MOST_LEFT_OUT = 12
_LEAST_IN_TITLE = 4
_ACRONYM = re.compile(r"[A-Z][A-Za-z]{0,6}[A-Z]")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_JAPANESE_CHARACTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_BEGINS_A_WORD = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")
_PERSON = re.compile(r"[\u3400-\u9fff々ヶ]{3,6}")
_FAMILY_BEFORE_BLANK = re.compile(r"[\u3400-\u9fff々]{2,4}(?=\s)")
LEAST_NAME = 3


class NameMatch(IntEnum):
    """How well a name fits a source; NONE fits not at all."""

    NONE = 0
    # Its title or its head has the name.
    MENTIONED = 1
    # All its names together have it.
    COMPOSED = 2
    # It is a part or a short form of one of its names.
    PART = 3
    SAME = 4


def name_match(name: str, source: Source) -> NameMatch:
    """How well a name fits a source, whatever its year."""
    return _name_match_ja(_without_blanks(name), source) if is_japanese_name(name) else _name_match_en(name, source)


def of_years(sources: Sequence[Source], years: Sequence[int]) -> list[list[Source]]:
    """Sources that may be meant by a year: first those published then, or without any year, then all that have it."""
    if not years:
        return [list(sources)]
    published = [one for one in sources if not _years(one) or _published(one) & {*years}]
    return [published, [one for one in sources if not _years(one) or _years(one) & {*years}]]


def _published(source: Source) -> frozenset[int]:
    return _years_in(str(source.year or ""), source.published or "")


def _years(source: Source) -> frozenset[int]:
    """Years in which a source may be said to stand: published, changed, or named in its title or address."""
    path = urlsplit(source.url).path
    return _published(source) | _years_in(source.updated or "", western_figures(source.title)[0], path)


def _years_in(*texts: str) -> frozenset[int]:
    return frozenset(int(one) for text in texts for one in _YEAR.findall(text))


def shorter_names(name: str) -> Iterable[str]:
    """A name and what is left of it without the words before it: "In May the Audit Office" may be the Audit Office."""
    if is_japanese_name(name):
        yield from (name[at:] for at in range(len(name) - _LEAST_SHORTENED + 1))
        return
    words = name.split()
    yield from (" ".join(words[at:]) for at, word in enumerate(words) if word[0].isupper())


@lru_cache(_REMEMBERED)
def short_forms(name: str) -> tuple[str, ...]:
    """The short forms of a name that was given before, longer ones first: a family, or its last words or characters."""
    unfit = {folded(one) for one in lists("citing").words("common_name_ends")}
    family = _FAMILY_BEFORE_BLANK.match(name)
    bare = re.sub(r"\s", "", name) if is_japanese_name(name) else name
    last = (one for one in shorter_names(bare) if one != bare and folded(one) not in unfit and len(one) >= LEAST_NAME)
    kept = (one for one in last if not is_japanese_name(name) or _BEGINS_A_WORD.match(one))
    return (*((family[0],) if family else ()), *kept)


@lru_cache(_REMEMBERED)
def families(name: str) -> tuple[str, ...]:
    """What may be the family of a person whose name is written without a blank; none of an organisation."""
    ends = lists("citing").words("organisation_ends")
    if not _PERSON.fullmatch(name) or name.endswith(tuple(ends)):
        return ()
    return tuple(name[:at] for at in range(len(name) - 1, 1, -1))


def name_spans(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a text has a name: in Latin letters as whole words, in Japanese characters with or without blanks."""
    pieces, gap = (re.sub(r"\s", "", name), r"\s*") if is_japanese_name(name) else (name.split(), r"\s+")
    words = gap.join(map(re.escape, pieces))
    expression = words if is_japanese_name(name) else rf"(?<!\w){words}(?!\w)"
    return (match.span() for match in re.finditer(expression, text) if words)


def has_name(text: str, name: str) -> bool:
    """Whether a text has a name, whatever its case and accents."""
    return next(name_spans(folded(text), folded(name)), None) is not None


def is_japanese_name(name: str) -> bool:
    """Whether a name is compared character by character: whether it has any Japanese one."""
    return bool(_JAPANESE_CHARACTERS.search(name))


def are_authors(names: Sequence[str], authors: Sequence[str]) -> bool:
    """Whether the first author is the first name, and the others are among the authors."""
    is_first = bool(authors) and _is_family(names[0], authors[0])
    return is_first and all(any(_is_family(one, other) for other in authors) for one in names)


def family_name(author: str) -> str:
    """Japanese names begin with the family's, others end with it, unless a comma says otherwise."""
    return (folded(author).split() or [""])[0] if is_japanese_name(author) else author_key(author)


def _is_family(name: str, author: str) -> bool:
    if is_japanese_name(author) and not name.isascii():
        return _without_blanks(author).startswith(_without_blanks(name))
    return family_name(author) == title_key(name) or folded(author).split(",")[0].strip() == folded(name)


@lru_cache(_REMEMBERED)
def folded(text: str) -> str:
    """In one case and without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize(
        "NFKC", "".join(c for c in plain if not unicodedata.combining(c) or c in "\u3099\u309a")
    )


def _names(source: Source) -> tuple[str, ...]:
    return tuple(one for one in (*source.authors, source.site_name, source.venue) if one)


@lru_cache(_REMEMBERED)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name that distinguish it from others."""
    small = lists("citing").words("small_words")
    plain = re.sub(r"['’]s?(?=\W|$)", "", folded(name))
    return tuple(one for one in re.findall(r"[^\W_]+", plain) if one not in small)


def _name_match_en(name: str, source: Source) -> NameMatch:
    wanted = _words(name)
    if not wanted:
        return NameMatch.NONE
    known = [_words(one) for one in _names(source)]
    if any(wanted == one for one in known):
        return NameMatch.SAME
    host = urlsplit(source.url).hostname or ""
    labels = re.split(r"[.-]", host)
    if any(set(wanted) <= set(one) for one in known) or _is_label(wanted, host, labels):
        return NameMatch.PART
    if any(_is_acronym(name, one) for one in (*_names(source), source.title)):
        return NameMatch.PART
    if set(wanted) <= {*(word for one in known for word in one), *labels, *_words(source.title)} and known:
        return NameMatch.COMPOSED if any(set(wanted) & set(one) for one in known) else _in_title(wanted, source)
    return _in_title(wanted, source)


def _in_title(wanted: tuple[str, ...], source: Source) -> NameMatch:
    """Whether the title or the head of the page has the words as they stand, if there are several."""
    phrase = f" {' '.join(wanted)} "
    places = (source.title, _head(source))
    is_there = len(wanted) > 1 and any(phrase in f" {' '.join(_words(one))} " for one in places)
    return NameMatch.MENTIONED if is_there else NameMatch.NONE


def _is_label(wanted: tuple[str, ...], host: str, labels: Sequence[str]) -> bool:
    """Whether the host is named so: NEMSO for nemso.gov, Estuary Birds for estuarybirds.org."""
    joined = "".join(wanted)
    return joined in labels or "-".join(wanted) in host.split(".")


def _is_acronym(name: str, whole: str) -> bool:
    """Whether a name is made of the first letters of another, with or without its small words, or stands beside it."""
    bare = re.sub(r"[.\s]", "", name)
    if not _ACRONYM.fullmatch(bare):
        return False
    words = re.findall(r"[^\W\d_]+", whole)
    letters = ("".join(one[0] for one in words), "".join(one[0] for one in words if one[0].isupper()))
    return bare.upper() in {one.upper() for one in letters} or bare in re.findall(r"[A-Za-z]+", whole)


@lru_cache(_REMEMBERED)
def _without_blanks(text: str) -> str:
    return re.sub(r"[\s・･]", "", nfkc(text).casefold())


def _name_match_ja(name: str, source: Source) -> NameMatch:
    known = [_without_blanks(one) for one in _names(source)]
    if name in known:
        return NameMatch.SAME
    if any(name in one for one in known) or any(_is_shortened(name, one) for one in known):
        return NameMatch.PART
    title, head = _without_blanks(source.title), _without_blanks(_head(source))
    if _is_composed(name, (*known, title, head)) and any(one[:2] in name or name[-2:] in one for one in known):
        return NameMatch.COMPOSED
    is_long = len(name) >= _LEAST_IN_TITLE or (len(name) > _LEAST_SHORTENED and title.startswith(name))
    return NameMatch.MENTIONED if is_long and (name in title or name in head) else NameMatch.NONE


def _is_shortened(name: str, whole: str) -> bool:
    """Whether a name is another with characters left out: 農協 for 農業協同組合, 県教委 for 葦牧県教育委員会."""
    if len(name) < _LEAST_SHORTENED or not name or len(whole) - len(name) > _MOST_LEFT_OUT:
        return False
    if not re.fullmatch(r"[\u30a0-\u30ff\u3400-\u9fff々]+", name):
        return False
    at = whole.find(name[0])
    for character in name[1:]:
        at = whole.find(character, at + 1) if at >= 0 else -1
    return at >= 0


def _is_composed(name: str, pieces: Sequence[str]) -> bool:
    """Whether a name is made of two pieces that a source has: 鈴代県 and 統計課."""
    return any(
        any(name[:at] in one for one in pieces) and any(name[at:] in one for one in pieces)
        for at in range(_LEAST_SHORTENED, len(name) - 1)
    )


def _head(source: Source) -> str:
    """The first words of a page: its letterhead, if it has one."""
    first = source.fragments[0] if source.fragments else None
    return "" if first is None else f"{first.heading} {first.text[:_HEAD]}"
