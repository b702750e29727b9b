"""What a topic plants to deceive or to change: loops, content farms, lookalikes, injections, corrected pages.

Each is described in `truth.yaml` and checked against the pages when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, ClassVar

from simweb.model import Page
from simweb.timeline import version_at
from simweb.world import WorldError

CHANGE_KINDS = ("update", "correction", "retraction", "removal")
INJECTION_KINDS = ("hidden", "visible", "mention")

_GRAM = 5
_ALIKE_IN_FARM = 0.4


@dataclass(frozen=True)
class Loop:
    """Pages of which each cites the next and the last the first."""

    kind: ClassVar[str] = "loop"

    name: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Farm:
    """Pages made from one template that repeat one claim."""

    kind: ClassVar[str] = "farm"

    name: str
    claim: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Injection:
    """A page with instructions for machines: hidden, visible, or only spoken about."""

    url: str
    kind: str


@dataclass(frozen=True)
class Lookalike:
    """A sentence that looks like evidence on a claim and is none: another place or device, satire, no result."""

    claim: str
    url: str
    quote: str


@dataclass(frozen=True)
class Change:
    """What a page said until the day before `date`, and since; nothing since when it was removed."""

    url: str
    date: date
    kind: str
    before: str
    after: str = ""


def read_loops(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Loop, ...]:
    loops = tuple(Loop(item["name"], tuple(item["pages"])) for item in description.get("loops", ()))
    for loop in loops:
        following = (*loop.pages[1:], loop.pages[0])
        for url, cited in zip(loop.pages, following, strict=True):
            if cited not in _page(pages, url).cites:
                raise WorldError(f"truth.yaml: {url} does not cite {cited}")
    return loops


def read_farms(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Farm, ...]:
    farms = tuple(Farm(item["name"], item["claim"], tuple(item["pages"])) for item in description.get("farms", ()))
    for farm in farms:
        first, *others = (_page(pages, url) for url in farm.pages)
        for other in others:
            if near_copy(first, other) < _ALIKE_IN_FARM:
                raise WorldError(f"truth.yaml: {other.url} is not made from the template of {first.url}")
    return farms


def read_injections(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Injection, ...]:
    found = tuple(Injection(item["url"], item["kind"]) for item in description.get("injections", ()))
    for injection in found:
        is_hidden = bool(_page(pages, injection.url).hidden)
        if injection.kind not in INJECTION_KINDS or is_hidden != (injection.kind == "hidden"):
            raise WorldError(f"truth.yaml: {injection.url} has no injection of kind {injection.kind}")
    return found


def read_lookalikes(
    description: Mapping[str, Any], pages: Mapping[str, Page], planted: Mapping[str, Set[tuple[str, str]]]
) -> tuple[Lookalike, ...]:
    """`planted` are address and quote of each claim's evidence, none of which is a lookalike."""
    found = tuple(Lookalike(**item) for item in description.get("lookalikes", ()))
    for one in found:
        if one.claim not in planted:
            raise WorldError(f"truth.yaml: no claim {one.claim} for the lookalike on {one.url}")
        if one.quote not in _page(pages, one.url).text:
            raise WorldError(f"truth.yaml: {one.url} does not say {one.quote!r}")
        if (one.url, one.quote) in planted[one.claim]:
            raise WorldError(f"truth.yaml: {one.quote!r} is both evidence on {one.claim} and a lookalike")
    return found


def read_changes(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Change, ...]:
    changes = tuple(Change(**item) for item in description.get("changes", ()))
    for change in changes:
        page = _page(pages, change.url)
        old, new = version_at(page, change.date - timedelta(days=1)), version_at(page, change.date)
        if change.kind not in CHANGE_KINDS or old is None or new is None:
            raise WorldError(f"truth.yaml: {change.url} did not change on {change.date}")
        if change.before not in old.text or change.before in new.text:
            raise WorldError(f"truth.yaml: {change.url} did not lose {change.before!r} on {change.date}")
        if change.after not in new.text or (change.kind == "removal") != new.is_gone:
            raise WorldError(f"truth.yaml: {change.url} did not come to say {change.after!r} on {change.date}")
    return changes


def near_copy(one: Page, other: Page) -> float:
    """How much two pages share: Jaccard similarity of word 5-grams, of character 5-grams for Japanese."""
    left, right = _grams(one), _grams(other)
    return len(left & right) / max(1, len(left | right))


def _grams(page: Page) -> set[tuple[str, ...]]:
    units = list("".join(page.text.split())) if page.lang == "ja" else page.text.lower().split()
    return {tuple(units[start : start + _GRAM]) for start in range(len(units) - _GRAM + 1)}


def _page(pages: Mapping[str, Page], url: str) -> Page:
    if url not in pages:
        raise WorldError(f"truth.yaml: there is no page {url}")
    return pages[url]
