"""What was planted in a topic: claims, who states and who denies them, who copied whom, and what deceives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simweb.apis import pubmed
from simweb.deception import (
    Change,
    Farm,
    Injection,
    Loop,
    near_copy,
    read_changes,
    read_farms,
    read_injections,
    read_loops,
)
from simweb.domains import registrable
from simweb.model import Page, Topic
from simweb.world import WORLD, WorldError, load_topic, read_yaml

# Bar for near-duplicates: Jaccard similarity of 5-grams.
NEAR_COPY = 0.8

_NEEDED = ("question", "queries", "hypotheses", "claims")
_PRIMARY_KINDS = ("government", "academic", "standards")


@dataclass(frozen=True)
class Evidence:
    """One sentence on one page.

    `source` is whom it counts for: the work when the page presents one, else the publisher's registrable
    domain; a copy counts for the page it was copied from, a page of a loop or a farm for the loop or farm.
    """

    url: str
    quote: str
    source: str
    is_primary: bool
    is_copy: bool = False


@dataclass(frozen=True)
class Claim:
    """One planted claim; `text` by language."""

    id: str
    text: Mapping[str, str]
    supports: tuple[Evidence, ...]
    refutes: tuple[Evidence, ...]

    @property
    def is_contested(self) -> bool:
        return bool(self.supports) and bool(self.refutes)

    @property
    def independent_supports(self) -> int:
        return len({evidence.source for evidence in self.supports})

    @property
    def independent_refutes(self) -> int:
        return len({evidence.source for evidence in self.refutes})


@dataclass(frozen=True)
class Truth:
    """The truth of one topic and how a session might ask for it."""

    question: Mapping[str, str]
    queries: Mapping[str, tuple[str, ...]]
    hypotheses: tuple[str, ...]
    claims: tuple[Claim, ...]
    copies: Mapping[str, tuple[str, ...]]
    superseded: Mapping[str, tuple[str, ...]]
    no_claims: tuple[str, ...]
    unreachable: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    loops: tuple[Loop, ...] = ()
    farms: tuple[Farm, ...] = ()
    injections: tuple[Injection, ...] = ()
    self_references: tuple[str, ...] = ()

    def claim(self, claim_id: str) -> Claim:
        return next(claim for claim in self.claims if claim.id == claim_id)


def load_truth(topic: Path | str = "dpp4") -> Truth:
    """Read and check the `truth.yaml` of a topic, given by name or folder.

    Raises WorldError when it speaks of what the topic does not hold.
    """
    folder = topic if isinstance(topic, Path) else WORLD / topic
    return check(read_yaml((folder / "truth.yaml").read_text("utf-8")), load_topic(folder))


def load_truths(folder: Path = WORLD) -> dict[str, Truth]:
    """The truth of every topic by its name."""
    return {path.parent.name: load_truth(path.parent) for path in sorted(folder.glob("*/truth.yaml"))}


def check(description: Mapping[str, Any], topic: Topic) -> Truth:
    """The truth of a topic; evidence on mirrored abstracts and on copies is added by itself."""
    missing = [name for name in _NEEDED if not description.get(name)]
    if missing:
        raise WorldError(f"truth.yaml: {', '.join(missing)} missing or empty")
    pages = {page.url: page for page in (*topic.pages, *pubmed.pages(topic.papers))}
    copies = {item["original"]: tuple(item["copies"]) for item in description.get("copies", ())}
    superseded = {item["old"]: tuple(item["by"]) for item in description.get("superseded", ())}
    no_claims, unreachable = tuple(description.get("no_claims", ())), tuple(description.get("unreachable", ()))
    listed = [*copies, *superseded, *no_claims, *unreachable]
    for url in [*listed, *(url for urls in (*copies.values(), *superseded.values()) for url in urls)]:
        _page(pages, url)
    _check_copies(copies, pages)
    loops, farms = read_loops(description, pages), read_farms(description, pages)
    groups: tuple[Loop | Farm, ...] = (*loops, *farms)
    sources = _Sources(copies, {url: f"{group.kind}:{group.name}" for group in groups for url in group.pages})
    claims = tuple(_claim(item, pages, sources) for item in description["claims"])
    unknown = set(description["hypotheses"]) - {claim.id for claim in claims}
    if unknown:
        raise WorldError(f"truth.yaml: no claim for the hypotheses {sorted(unknown)}")
    return Truth(
        question=description["question"],
        queries={name: tuple(texts) for name, texts in description["queries"].items()},
        hypotheses=tuple(description["hypotheses"]),
        claims=claims,
        copies=copies,
        superseded=superseded,
        no_claims=no_claims,
        unreachable=unreachable,
        changes=read_changes(description, pages),
        loops=loops,
        farms=farms,
        injections=read_injections(description, pages),
        self_references=_self_references(description, pages),
    )


@dataclass(frozen=True)
class _Sources:
    """Whom evidence counts for beyond its own page."""

    copies: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, str]

    def of(self, page: Page) -> str:
        if page.url in self.groups:
            return self.groups[page.url]
        return f"doi:{page.paper.doi.lower()}" if page.paper else f"domain:{registrable(page.site.domain)}"


def _check_copies(copies: Mapping[str, tuple[str, ...]], pages: Mapping[str, Page]) -> None:
    for original, urls in copies.items():
        for url in urls:
            if near_copy(pages[original], pages[url]) < NEAR_COPY:
                raise WorldError(f"truth.yaml: {url} is no near-copy of {original}")


def _self_references(description: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[str, ...]:
    urls = tuple(description.get("self_references", ()))
    for url in urls:
        page = _page(pages, url)
        own = f"https://{page.site.domain}/"
        if not page.cites or not all(cited.startswith(own) for cited in page.cites):
            raise WorldError(f"truth.yaml: {url} cites others than its own publisher")
    return urls


def _claim(item: Mapping[str, Any], pages: Mapping[str, Page], sources: _Sources) -> Claim:
    supports = _all_evidence(item.get("supports", ()), pages, sources)
    refutes = _all_evidence(item.get("refutes", ()), pages, sources)
    return Claim(item["id"], item["text"], supports, refutes)


def _all_evidence(
    items: Iterable[Mapping[str, str]], pages: Mapping[str, Page], sources: _Sources
) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    for item in items:
        page, quote = _page(pages, item["url"]), item["quote"]
        if quote not in page.text:
            raise WorldError(f"truth.yaml: {page.url} does not say {quote!r}")
        source = sources.of(page)
        found.append(_evidence(page, quote, source))
        found += [_evidence(other, quote, source) for other in _mirrors(page, pages) if quote in other.text]
        copied = (pages[url] for url in sources.copies.get(page.url, ()))
        found += [_evidence(other, quote, source, is_copy=True) for other in copied if quote in other.text]
    return tuple(dict.fromkeys(found))


def _evidence(page: Page, quote: str, source: str, *, is_copy: bool = False) -> Evidence:
    return Evidence(page.url, quote, source, page.site.kind in _PRIMARY_KINDS, is_copy)


def _mirrors(page: Page, pages: Mapping[str, Page]) -> list[Page]:
    """Other pages that present the same work."""
    if page.paper is None:
        return []
    return [other for other in pages.values() if other.paper == page.paper and other.url != page.url]


def _page(pages: Mapping[str, Page], url: str) -> Page:
    if url not in pages:
        raise WorldError(f"truth.yaml: there is no page {url}")
    return pages[url]
