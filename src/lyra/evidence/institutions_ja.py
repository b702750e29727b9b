"""Institutions that a Japanese text credits, by name, and those whose a Japanese page is."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from lyra.model.named_page import NamedPage
from lyra.text import sentences
from lyra.urls import host_of
from lyra.word_lists import WordLists, word_lists

# How much of a page may be its letterhead.
_HEAD = 300
_OPENING = 100
_LOCAL = ".lg.jp"
_UNIVERSITY = ".ac.jp"
_OFFICIAL = (_LOCAL, _UNIVERSITY, ".go.jp")


def credited(text: str, passage: str, page: NamedPage) -> tuple[str, ...]:
    """The name of the institution that the words credit, or nothing."""
    lists = _lists()
    if lists.pattern("measured_here").search(lists.pattern("quoted").sub("", text)):
        return ()
    found: set[str] = set()
    for start, end in sentences(text):
        before = _before(text, passage, page) + text[:start]
        for name in _names_credited(text[start:end], before, page, lists):
            if not name:
                return ()
            found.add(name)
    return tuple(found) if len(found) == 1 else ()


def own_names(page: NamedPage) -> Iterator[str]:
    """How a page calls whoever publishes it: by its title, at its head, or by the host where that tells the kind."""
    lists = _lists()
    parts = [part.strip() for part in re.split(r"[|:]", page.title)]
    named = [parts[-1]] if len(parts) > 1 else []
    named += [parts[0]] if parts[0].endswith(lists.words("media")) else []
    named += page.title.split()[:1] if _begins_with_own_name(page, lists) else []
    for place in (page.title, page.text[:_HEAD]):
        named += [match[1] for match in lists.pattern("letterhead").finditer(place)]
    first = [part.strip() for part in page.text[:_HEAD].lstrip().partition("\n")[0].split("·")]
    named += [part for part in first if _kind(part) not in lists.words("places")]  # those may be what a page is about
    yield from filter(None, (_name(written, lists) for written in named))
    if kinds := _kinds_of_host(host_of(page.url), lists):
        own = set(_named(f"{page.title}\n{page.text[:_OPENING]}", kinds, lists))
        yield from own if len(own) == 1 else ()


def site_name(declared: str) -> str:
    """The name of a site as texts write it: without the word for its edition."""
    return _lists().pattern("after_site_name").sub("", declared)


def _names_credited(sentence: str, before: str, page: NamedPage, lists: WordLists) -> list[str]:
    """The names that a sentence credits, an empty one where it credits two at once; where it goes on with what it has
    heard, those of the sentence before."""
    if lists.pattern("against").search(sentence):
        return []
    credited = list(_written(sentence, lists))
    if not credited and lists.pattern("hearsay").search(sentence) and (earlier := sentences(before)):
        start, end = earlier[-1]
        return _names_credited(before[start:end], before[:start], page, lists)
    found = [written and (_name(written, lists) or _meant_by(written, before, page, lists)) for written in credited]
    return [name for written, name in zip(credited, found, strict=True) if name or not written]


def _begins_with_own_name(page: NamedPage, lists: WordLists) -> bool:
    """Whether a name at the head of the title is the publisher's: a headline may begin with a name too.

    It is where the host is an authority's or a university's, where the page speaks as people speak to customers, or
    where the title is that of a report.
    """
    spoken = lists.pattern("quoted").sub("", f"{page.title}\n{page.text}")
    is_spoken = lists.pattern("humble").search(spoken) is not None
    is_report = lists.pattern("report").search(page.title) is not None
    return host_of(page.url).endswith(_OFFICIAL) or is_spoken or is_report


def _written(sentence: str, lists: WordLists) -> Iterator[str]:
    """What a sentence credits, as it is written; an empty text where it credits two at once."""
    for match in lists.pattern("credited").finditer(sentence):
        group = match.lastindex or 0
        before = sentence[: match.start(group)]
        if re.search(rf"{lists.part('sign')}(?:と|や|・|、)$", before) and _last_name(before[:-1], lists):
            yield ""
        yield match[group]


def _before(text: str, passage: str, page: NamedPage) -> str:
    """What the passage says before the words, or the page before a passage that begins with them."""
    within = passage.partition(text)[0] if text in passage else ""
    return within or (page.text.partition(passage)[0] if passage and passage in page.text else "")


def _last_name(text: str, lists: WordLists) -> str:
    run = re.search(rf"(?:{lists.part('sign')})+$", text)
    return _name(run[0], lists) if run else ""


def _name(written: str, lists: WordLists) -> str:
    """The name of an institution, without what only stands before it; empty where the words are no such name."""
    name = lists.pattern("before_a_name").sub("", written)
    if not lists.pattern("whole_name").fullmatch(name):
        return ""
    kind = _kind(name)
    bare = name.removeprefix("株式会社").removesuffix("株式会社")
    stem = bare.removesuffix(kind) if bare.endswith(kind) else bare
    if kind and stem and not stem[-1].isdigit() and not lists.pattern("nobody").fullmatch(stem):
        return bare
    is_foreign = re.fullmatch(r"[ァ-ヴー]{3,}|[A-Z][A-Za-z]{2,}", name) is not None
    return name if is_foreign and name not in lists.words("foreign_common") else ""


def _kind(name: str) -> str:
    """The longest ending of a name that tells what it is."""
    return next((kind for kind in _kinds() if name.endswith(kind)), "株式会社" if name.startswith("株式会社") else "")


def _meant_by(written: str, before: str, page: NamedPage, lists: WordLists) -> str:
    """The name that a word such as 市 or 同社 stands for: 同 means the last that was named, others the only one."""
    kinds = lists.words("companies") if written in lists.words("same_company") else _kinds_meant(written, lists)
    for place in (before, page.title, page.text) if kinds else ():
        if found := list(_named(place, kinds, lists)):
            is_last = written.startswith("同") and place is before
            return found[-1] if is_last or len(set(found)) == 1 else ""
    return ""


def _kinds_meant(written: str, lists: WordLists) -> tuple[str, ...]:
    bare = re.sub(f"^(?:{lists.part('pronouns')})", "", written) or written
    is_common = re.fullmatch(f"(?:{lists.part('common')})*(?:{lists.part('kinds')}|{lists.part('companies')})", bare)
    return (bare,) if is_common else ()


def _named(text: str, kinds: Iterable[str], lists: WordLists) -> Iterator[str]:
    """The names of institutions of some kinds in a text; of places also within other names, as in 青葉市立図書館."""
    endings = tuple(kinds)
    for match in lists.pattern("run").finditer(text):
        name = _name(match[0], lists)
        if name.endswith(endings):
            yield name
        elif (place := lists.pattern("place").match(match[0])) and place[1].endswith(endings):
            yield from filter(None, [_name(place[1], lists)])


def _kinds_of_host(host: str, lists: WordLists) -> tuple[str, ...]:
    if host.endswith(_UNIVERSITY):
        return ("大学",)
    labels = host.removesuffix(_LOCAL).split(".") if host.endswith(_LOCAL) else []
    return next((kinds for label, kinds in lists.groups("host_kinds").items() if label in labels), ())


@cache
def _kinds() -> tuple[str, ...]:
    found = (*_lists().words("kinds"), *_lists().words("companies"))
    return tuple(sorted(found, key=len, reverse=True))


def _lists() -> WordLists:
    return word_lists("lyra.evidence", "institutions", "ja")
