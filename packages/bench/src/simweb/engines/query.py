"""The operators that engines understand: "phrase", -term, +term, site:, filetype:, intitle:, after:, before:."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from simweb.ranking import normalise

_PART = re.compile(
    r'(?P<minus>[-+])?(?:site:(?P<site>\S+)|(?P<operator>filetype|ext|intitle|after|before):(?:"(?P<quoted>[^"]+)"|'
    r'(?P<value>\S+))|"(?P<phrase>[^"]+)"|(?P<word>\S+))'
)


@dataclass(frozen=True)
class Query:
    """A query taken apart; `words` is what is left for ranking, phrases included."""

    words: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    in_title: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None

    @property
    def is_filter(self) -> bool:
        """Whether the operators alone are a question."""
        return bool(self.sites or self.file_types or self.in_title)

    def admits_kind(self, title: str, file_type: str, day: date | None) -> bool:
        """Whether a document's (normalised) title, type and day satisfy the operators."""
        return (
            (not self.file_types or file_type in self.file_types)
            and all(words in title for words in self.in_title)
            and (self.after is None or (day is not None and day >= self.after))
            and (self.before is None or (day is not None and day < self.before))
        )

    def admits(self, host: str, text: str) -> bool:
        """Whether a document on `host` with this (normalised) text satisfies the operators."""
        return (
            all(phrase in text for phrase in self.phrases)
            and not any(term in text for term in self.excluded)
            and (not self.sites or any(_is_under(host, site) for site in self.sites))
            and not any(_is_under(host, site) for site in self.excluded_sites)
        )


def parse(text: str) -> Query:
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    sites: list[str] = []
    excluded_sites: list[str] = []
    operators: list[tuple[str, str]] = []
    for part in _PART.finditer(text):
        is_minus = part["minus"] == "-"
        if part["site"]:
            (excluded_sites if is_minus else sites).append(part["site"].lower().rstrip("/"))
        elif part["operator"]:
            operators.append((part["operator"], normalise(part["quoted"] or part["value"])))
        elif is_minus:
            excluded.append(normalise(part["phrase"] or part["word"]))
        else:
            words.append(part["phrase"] or part["word"])
            if part["phrase"]:
                phrases.append(normalise(part["phrase"]))
    query = Query(" ".join(words), tuple(phrases), tuple(excluded), tuple(sites), tuple(excluded_sites))
    return _with_operators(query, operators)


def _with_operators(query: Query, operators: list[tuple[str, str]]) -> Query:
    return replace(
        query,
        file_types=tuple(value for name, value in operators if name in ("filetype", "ext")),
        in_title=tuple(value for name, value in operators if name == "intitle"),
        after=_day([value for name, value in operators if name == "after"]),
        before=_day([value for name, value in operators if name == "before"]),
    )


def _day(values: list[str]) -> date | None:
    """The last of the days given as `2021` or `2021-04-01`; another wording is no limit."""
    try:
        return date.fromisoformat(values[-1] if len(values[-1]) > 4 else f"{values[-1]}-01-01")
    except (IndexError, ValueError):
        return None


def _is_under(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")
