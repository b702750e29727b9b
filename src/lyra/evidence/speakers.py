"""Whose words a passage has where it does not say so itself: the author of its page, whom the page interviews, or who
was named last before "she says" (SPEC §13, one origin).

Two pages become one source by this only where both have the same person. A word that is no name must not join them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from lyra.model.named_page import NamedPage
from lyra.model.work import author_keys, person_key
from lyra.text import is_japanese, nfkc
from lyra.word_lists import WordLists, word_lists

# How far before "she says" her name may stand, and how much of a page may say whom it interviews.
_NEAR = 1_500
_HEAD = 300
_LONGEST_PAGE = 20_000
_LONGEST_BYLINE = 60
_MOST_NAME_PARTS = 5
_HAN = re.compile(r"[\u4e00-\u9fff\u3041-\u30ff]")


def speakers(quote: str, page: NamedPage) -> tuple[str, ...]:
    """Keys of the persons whose words the deciding words are by what their page says."""
    found = _japanese if is_japanese(page.title + page.text) else _english
    return tuple(dict.fromkeys((*_bylines(page), *found(nfkc(quote), _plain(page)))))


@lru_cache(maxsize=256)
def _plain(page: NamedPage) -> NamedPage:
    return NamedPage(nfkc(page.title), page.url, nfkc(page.text[:_LONGEST_PAGE]))


def _bylines(page: NamedPage) -> Iterator[str]:
    """Keys of the authors of a page who are persons by their names."""
    for author in page.authors:
        name = re.sub(r"[(\[].*", "", nfkc(author)).strip()
        if name and len(name) <= _LONGEST_BYLINE and name != page.site_name:
            yield from _byline_ja(name) if _HAN.search(name) else _byline_en(name)


def _byline_en(name: str) -> list[str]:
    lists = _lists("en")
    bare = lists.pattern("titled").sub("", name)
    is_nobody = not {word.lower() for word in bare.split()}.isdisjoint(lists.words("no_byline"))
    return author_keys(_first_and_last(bare)) if _is_full_name(bare, lists) and not is_nobody else []


def _byline_ja(name: str) -> list[str]:
    lists = _lists("ja")
    bare = lists.pattern("before_byline").sub("", name)
    is_nobody = any(word in bare for word in lists.words("no_byline"))
    return author_keys(bare) if lists.pattern("whole_name").fullmatch(bare) and not is_nobody else []


def _english(text: str, page: NamedPage) -> Iterator[str]:
    lists = _lists("en")
    if pronoun := lists.pattern("by_pronoun").search(text):
        before = page.text.partition(text)[0] if text in page.text else ""
        near = f"{page.title}\n{before[-_NEAR:]}{text[: pronoun.start()]}"
        named = [key for match in lists.pattern("person").finditer(near) for key in _person(match[0], page, lists)]
        yield from named[-1:]
    for place in (page.title, page.text[:_HEAD]):
        for match in lists.pattern("interview").finditer(place):
            name = next(filter(None, match.groups()))
            if _is_full_name(name, lists):
                yield from author_keys(_first_and_last(name))


def _person(written: str, page: NamedPage, lists: WordLists) -> list[str]:
    """The key of a person by full name; of one with a title alone by the full name that the page has elsewhere."""
    name = re.sub(r"['’]s?$", "", written)
    bare = lists.pattern("titled").sub("", name)
    if " " in bare:
        return author_keys(_first_and_last(bare)) if _is_full_name(bare, lists) else []
    if bare == name:
        return []
    named = (re.sub(r"['’]s?$", "", one[0]) for one in lists.pattern("person").finditer(f"{page.title}\n{page.text}"))
    whole = {_first_and_last(one) for one in named if one.endswith(f" {bare}") and _is_full_name(one, lists)}
    return author_keys(whole.pop()) if len(whole) == 1 else [person_key(name)]


def _is_full_name(name: str, lists: WordLists) -> bool:
    parts = name.split()
    is_titled = lists.pattern("titled").match(name) is not None
    return (
        1 < len(parts) < _MOST_NAME_PARTS
        and not is_titled
        and not any(part in lists.words("not_names") for part in parts)
    )


def _first_and_last(name: str) -> str:
    parts = name.split()
    return f"{parts[0]} {parts[-1]}"


def _japanese(text: str, page: NamedPage) -> Iterator[str]:
    lists = _lists("ja")
    for place in (page.title, page.text[:_HEAD]):
        for match in lists.pattern("interview").finditer(place):
            yield from _author_ja(next(filter(None, match.groups())))
    if "「" in text:
        before = page.text.partition(text)[0][-_NEAR:] if text in page.text else ""
        named = [match[1] for match in lists.pattern("person").finditer(before + text.partition("「")[0])]
        yield from _author_ja(named[-1]) if named else ()


def _author_ja(name: str) -> list[str]:
    bare = re.sub(r"\s", "", name)
    return [] if bare in _lists("ja").words("nobody") else author_keys(bare)


def _lists(language: str) -> WordLists:
    return word_lists("lyra.evidence", ("persons", "speakers"), language)
