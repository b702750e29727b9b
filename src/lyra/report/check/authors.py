"""Finds marks that name people or an organisation with a year, in one bracket or with the year alone in brackets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lyra.claims.notation import western_figures
from lyra.report.check.vocabulary import lists, pattern

_JOINTS = re.compile(r",?\s+(?:and|&)\s+(?:the\s+)?|,\s*|[・、&＆/]")
_INITIALS = re.compile(r"[A-Z]|(?:[A-Z]\.[ -]?){1,3}")
_OPENING = re.compile(r"[(（\[［{｛;；]")
_YEAR = re.compile(r"\d{4}")
_LONGEST_LEAD = 60


@dataclass(frozen=True, slots=True)
class AuthorMark:
    """`name` is all that is named, as it is written; `people` are the family names, were it a list of people.

    `shown` is what remains as words of the sentence. Without `is_certain` it may be no citation at all, but a place
    or an event with its year. No years: the mark says that the source has no date.
    """

    start: int
    end: int
    name: str
    people: tuple[str, ...]
    years: tuple[int, ...]
    letter: str
    shown: tuple[int, int] | None
    is_certain: bool


def find_author_marks(text: str) -> Iterator[AuthorMark]:
    """Every mark, those that hold their names in brackets first."""
    for form in ("bracketed", "narrative", "signed"):
        for match in pattern("citing", form).finditer(text):
            mark = _mark(form, text, match)
            if mark is not None:
                yield mark


def _mark(form: str, text: str, match: re.Match[str]) -> AuthorMark | None:
    groups = {key.split("_")[0]: key for key, value in match.groupdict().items() if value is not None}
    start, end = match.span(groups["names"])
    start, end = _trimmed(text, start, end)
    if form == "narrative" and not text[start:end].isascii():
        people = pattern("citing", "last_people").search(text, start, end)
        start = people.start() if people else start
    people_named = family_names(text[start:end])
    if not people_named:
        return None
    name = text[match.start(groups["names"]) : end]
    years = tuple(map(int, _YEAR.findall(_western(match[groups["year"]]) + match[groups["more"]])))
    shown = (start, end) if form == "narrative" else None
    is_certain = _is_certain(form, text, match, (start, end), groups)
    return AuthorMark(start, match.end(), name, people_named, years, match[groups["letter"]], shown, is_certain)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without words that begin a sentence, such as "The" and "In March", and without a month at the end."""
    unfit, months = lists("citing").words("no_authors"), lists("citing").words("months")
    while (first := re.match(r"([A-Za-z]+),?\s+", text[start:end])) and first[1] in unfit:
        start += first.end()
        start += len(text[start:end]) - len(re.sub(r"^(?:the|of|to|and|in)\s+", "", text[start:end]))
    while (last := re.search(r",?\s+([A-Za-z]+)$", text[start:end])) and last[1] in months:
        end = start + last.start()
    return start, end


def _western(year: str) -> str:
    """令和6 as 2024."""
    return western_figures(f"{year}年")[0]


def _is_certain(form: str, text: str, match: re.Match[str], span: tuple[int, int], groups: dict[str, str]) -> bool:
    name = text[slice(*span)]
    is_organisation = name.endswith(lists("citing").words("organisation_ends"))
    if not name.isascii():
        is_dated = "era" in groups and not is_organisation
        is_listed = form != "narrative" or is_organisation or bool(pattern("citing", "last_people").fullmatch(name))
        return (
            is_listed and not is_dated and "rest" not in groups and not pattern("citing", "particle_end").search(name)
        )
    if form == "narrative":
        return pattern("citing", "where").search(text[max(0, span[0] - 20) : span[0]]) is None
    before = text[max(0, match.start() - _LONGEST_LEAD) : span[0]]
    opening = list(_OPENING.finditer(before))
    lead = before[opening[-1].end() :] if opening else before
    is_alone = form == "signed" or pattern("citing", "introduced").fullmatch(lead) is not None
    return is_alone and not ("rest" in groups and len(name.split()) == 1 and "et al" not in match[0])


def family_names(names: str) -> tuple[str, ...]:
    """The family names of "Smith, J., Jones and Wu" or 田中・佐藤ら; nothing where it is no list of names."""
    bare = re.sub(r"(?<=[^\x00-\x7f])(?:ら|ほか|他)$", "", names.strip())
    found = tuple(one.removesuffix("'s") for one in _JOINTS.split(bare) if one and not _INITIALS.fullmatch(one))
    unfit = lists("citing").words("no_authors")
    is_unfit = any(one in unfit or (not one.isascii() and one.startswith(unfit)) for one in found)
    return () if is_unfit else found
