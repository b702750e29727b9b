"""Institutions that an English text credits, by name, and those whose an English page is."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from lyra.model.named_page import NamedPage
from lyra.text import sentences
from lyra.word_lists import WordLists, word_lists

# How much of a page may be its letterhead.
_HEAD = 600


def credited(text: str, passage: str, page: NamedPage) -> tuple[str, ...]:
    """The names of the institution that the words credit: one, or a name and its short form."""
    lists = _lists()
    if lists.pattern("measured_here").search(lists.pattern("quoted").sub(" ", text)):
        return ()
    found: dict[tuple[str, ...], None] = {}
    for start, end in sentences(text):
        before = (passage.partition(text)[0] if text in passage else "") + text[:start]
        for name in _names_credited(text[start:end], before, page, lists):
            if not name:
                return ()
            found[_with_short_form(name, f"{passage}\n{page.text}", lists)] = None
    around = f"{passage}\n{page.title}\n{page.text}"
    alone = {name for names in found for name in names if " " not in name}
    if len(found) != 1 or not all(_is_name(name, around, lists) for name in alone):
        return ()
    return next(iter(found))


def own_names(page: NamedPage) -> Iterator[str]:
    """How a page calls whoever publishes it: at its head, or where it says "we"."""
    lists = _lists()
    for match in lists.pattern("letterhead").finditer(page.text[:_HEAD]):
        name = _bare(next(filter(None, match.groups())), lists)
        if _kind_words(name, lists):
            yield name


def site_name(declared: str) -> str:
    """The name of a site as texts write it: without an article and the word for its edition."""
    return _lists().pattern("beside_site_name").sub("", declared)


def is_paper(name: str) -> bool:
    """Whether a name is one of a newspaper or magazine, which its last word alone may stand for."""
    return any(word.capitalize() in _lists().words("papers") for word in site_name(name).split()[-1:])


def _names_credited(sentence: str, before: str, page: NamedPage, lists: WordLists) -> list[str]:
    """The names that a sentence credits, an empty one where it credits two at once; where it goes on with "it said",
    those of the sentence before."""
    if lists.pattern("against").search(sentence):
        return []
    kinds = [written for _, written in _groups("credited_kind", sentence, lists)]
    found = [*_written(sentence, lists), *filter(None, (_meant_by(kind, before, page, lists) for kind in kinds))]
    if not found and lists.pattern("going_on").search(sentence) and (earlier := sentences(before)):
        start, end = earlier[-1]
        return _names_credited(before[start:end], before[:start], page, lists)
    return found


def _written(sentence: str, lists: WordLists) -> Iterator[str]:
    """The institutions that a sentence credits by name; an empty text where it credits two at once."""
    for match, written in _groups("credited", sentence, lists):
        name, group = _bare(written, lists), match.lastgroup or ""
        if name and _may_be_credited(name, group, lists):
            rest = sentence[match.end(group) :]
            yield "" if group != "owned" and lists.pattern("and_another").match(rest) else name


def _may_be_credited(name: str, group: str, lists: WordLists) -> bool:
    """Whether a name can be meant by words that others than institutions stand in too."""
    if group in ("printed", "read", "seen", "ran"):
        return is_paper(name)
    return group != "labelled" or name.isupper() or bool(_kind_words(name, lists))


def _groups(pattern: str, sentence: str, lists: WordLists) -> Iterator[tuple[re.Match[str], str]]:
    """The matches of a pattern with what they name, less the subjects of verbs before which somebody else speaks."""
    for match in lists.pattern(pattern).finditer(sentence):
        group = match.lastgroup or ""
        before = re.sub(r"\b[Tt]he\s+$", "", sentence[: match.start(group)]).split()
        if group != "subject" or not before or before[-1].lower().strip(",;:") not in lists.words("not_before"):
            yield match, match[group]


def _bare(name: str, lists: WordLists) -> str:
    """The name without what only begins the sentence and without the form of the company; empty of a person's title."""
    parts = name.split()
    while parts and parts[0] in lists.words("not_names"):
        parts.pop(0)
    while len(parts) > 1 and parts[-1].rstrip(".") in lists.words("company_forms"):
        parts.pop()
    if not parts or any(part.rstrip(".") in lists.words("titles") for part in parts):
        return ""
    if _is_person_of_institution(parts, lists):
        return ""
    bare = " ".join(spellings().get(part, part) for part in parts)
    return "" if bare in (*lists.words("kinds"), *lists.words("not_alone")) else bare


def _is_person_of_institution(parts: list[str], lists: WordLists) -> bool:
    """Whether a name is that of a person with that of an institution: Neil Abbott of Harbor General Hospital."""
    head, of, rest = " ".join(parts).partition(" of ")
    return bool(of) and " " in head and bool(_kind_words(rest, lists)) and not _kind_words(head, lists)


def _with_short_form(name: str, around: str, lists: WordLists) -> tuple[str, ...]:
    for match in lists.pattern("short_form").finditer(around):
        long = _bare(match[1], lists)
        if long and name in (long, match[2]):
            return long, match[2]
    return (name,)


def _meant_by(words: str, before: str, page: NamedPage, lists: WordLists) -> str:
    """The one name that a word such as "the council" can stand for; empty where there is none, or several."""
    kind = words.split()[-1].lower()
    if kind in lists.words("companies"):
        return _only(_in_headline(page.title, lists)) or _only(_names(before, lists))
    for place in (before, page.title, page.text):
        if found := {name for name in _names(place, lists) if kind in _kind_words(name, lists)}:
            return _only(found)
    return ""


def _in_headline(title: str, lists: WordLists) -> set[str]:
    """The names in a title that is written as a sentence."""
    others = [word for word in re.findall(r"[\w'’-]+", title) if word.islower() and len(word) > 3]
    return _names(title, lists) if others else set()


def _names(text: str, lists: WordLists) -> set[str]:
    """Names of several words."""
    found = {_bare(match[0], lists) for match in lists.pattern("name").finditer(text)}
    return {name for name in found if " " in name}


def _only(names: Iterable[str]) -> str:
    found = set(names)
    return found.pop() if len(found) == 1 else ""


def _kind_words(name: str, lists: WordLists) -> set[str]:
    return {word.lower() for word in name.split() if word in lists.words("kinds")}


def _is_name(word: str, around: str, lists: WordLists) -> bool:
    """Whether one word with a capital is the name of an institution: it has the capital within sentences too, and never
    ends a longer name, as that of a person."""
    before = re.findall(rf"(\S+)[ \t]+{re.escape(word)}\b", around)
    longer = [one for one in before if re.fullmatch(r"[A-Z][\w.-]*", one) and one not in lists.words("not_names")]
    return not longer and (word.isupper() or any(re.fullmatch(r"[a-z]\w*,?", one) for one in before))


@cache
def spellings() -> dict[str, str]:
    """British spellings by the American ones."""
    return {other: word for word, others in _lists().groups("spellings").items() for other in others}


def _lists() -> WordLists:
    return word_lists("lyra.evidence", "institutions", "en")
