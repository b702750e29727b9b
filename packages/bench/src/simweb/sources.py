"""Whom evidence counts for, as a careful reader would count: pages that rest on one study, report or person are one.

A page belongs to its work, else to its publisher. Loops, farms and listed origins gather pages of several publishers.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar

from simweb.domains import registrable
from simweb.model import Page
from simweb.world import WorldError

# Two authors of topics named the same thing differently.
_KEYS = ("same_source", "same_origin")
_EXPERT = "expert:"


@dataclass(frozen=True)
class Origin:
    """Pages in different words that rest on one study, report or person."""

    kind: ClassVar[str] = "origin"

    name: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """Finds the source of a page; `groups` names the loop or farm of a page."""

    pages: Mapping[str, Page]
    copies: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, str]
    origins: tuple[Origin, ...] = ()

    def of(self, page: Page, beside: Set[str], origin: str | None = None) -> str:
        """The source of evidence on a page.

        `beside` are the pages with evidence on the same side of the claim: a page may rest on several studies, and
        counts for the one that it shares with another page there. `origin` is whom the sentence itself comes from:
        a page, or `expert:NAME`.
        """
        if origin is not None and origin.startswith(_EXPERT):
            return origin
        page = self._page(origin) if origin is not None else page
        if page.url in self.groups:
            return self.groups[page.url]
        shared = [one for one in self.origins if page.url in one.pages and len(beside & set(one.pages)) > 1]
        if len(shared) > 1:
            raise WorldError(f"truth.yaml: {page.url} shares {' and '.join(one.name for one in shared)} on one side")
        return self._name(shared[0]) if shared else _own_source(page)

    def _name(self, origin: Origin) -> str:
        """The work that an origin's pages present, if it is one, else the origin's own name."""
        works = {_own_source(self.pages[url]) for url in origin.pages if self.pages[url].paper}
        return works.pop() if len(works) == 1 else f"{origin.kind}:{origin.name}"

    def _page(self, origin: str) -> Page:
        if origin not in self.pages:
            raise WorldError(f"truth.yaml: the origin {origin} is neither a page nor {_EXPERT}NAME")
        return self.pages[origin]


def read_origins(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Origin, ...]:
    items = [item for key in _KEYS for item in description.get(key, ())]
    origins = tuple(Origin(item["name"], tuple(item["pages"])) for item in items)
    for origin in origins:
        unknown = [url for url in origin.pages if url not in pages]
        if unknown:
            raise WorldError(f"truth.yaml: there is no page {unknown[0]}")
        if len(set(origin.pages)) < 2:
            raise WorldError(f"truth.yaml: the origin {origin.name} has fewer than two pages")
    return origins


def _own_source(page: Page) -> str:
    return f"doi:{page.paper.doi.lower()}" if page.paper else f"domain:{registrable(page.site.domain)}"
