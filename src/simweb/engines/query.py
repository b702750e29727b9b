"""The operators that engines understand: "phrase", -term, site:."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simweb.ranking import normalise

_PART = re.compile(r'(?P<minus>-)?(?:site:(?P<site>\S+)|"(?P<phrase>[^"]+)"|(?P<word>\S+))')


@dataclass(frozen=True)
class Query:
    """A query taken apart; `words` is what is left for ranking, phrases included."""

    words: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()

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
    for part in _PART.finditer(text):
        is_minus = part["minus"] is not None
        if part["site"]:
            (excluded_sites if is_minus else sites).append(part["site"].lower().rstrip("/"))
        elif is_minus:
            excluded.append(normalise(part["phrase"] or part["word"]))
        else:
            words.append(part["phrase"] or part["word"])
            if part["phrase"]:
                phrases.append(normalise(part["phrase"]))
    return Query(" ".join(words), tuple(phrases), tuple(excluded), tuple(sites), tuple(excluded_sites))


def _is_under(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")
