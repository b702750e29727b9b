"""What was planted in a topic: claims, who states and who denies them, who copied whom, and what deceives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simweb.apis import pubmed
from simweb.deception import (
    Change,
    Farm,
    Injection,
    Lookalike,
    Loop,
    near_copy,
    read_changes,
    read_farms,
    read_injections,
    read_lookalikes,
    read_loops,
)
from simweb.judgement import TruthValue, Verdict, read_truth_value, read_verdicts
from simweb.model import Page, Topic
from simweb.sources import Origin, Sources, read_origins
from simweb.world import WORLD, WorldError, load_topic, read_yaml

# Bar for near-duplicates: Jaccard similarity of 5-grams.
NEAR_COPY = 0.8

_NEEDED = ("question", "queries", "hypotheses", "claims")
_CLAIM_KEYS = ("id", "text", "truth", "acceptable_verdicts", "why", "supports", "refutes")
_EVIDENCE_KEYS = ("url", "quote", "origin")
# What each list of the file holds.
_LIST_KEYS: Mapping[str, tuple[str, ...]] = {
    "claims": _CLAIM_KEYS,
    "copies": ("original", "copies"),
    "superseded": ("old", "by"),
    "changes": ("url", "date", "kind", "before", "after"),
    "loops": ("name", "pages"),
    "farms": ("name", "claim", "pages"),
    "injections": ("url", "kind"),
    "same_source": ("name", "pages"),
    "same_origin": ("name", "pages"),
    "lookalikes": ("claim", "url", "quote"),
    "table_rows": ("claim", "side", "url", "quote"),
}
_KEYS = (*_NEEDED, *_LIST_KEYS, "no_claims", "unreachable", "self_references")
_SIDES = ("supports", "refutes")
_PRIMARY_KINDS = ("government", "academic", "standards")


@dataclass(frozen=True)
class Evidence:
    """One sentence on one page.

    `source` is whom it counts for: the work when the page presents one, else the publisher's registrable
    domain; a copy counts for the page it was copied from, a page of a loop or a farm for the loop or farm, and
    pages that rest on one study, report or person for that one.
    """

    url: str
    quote: str
    source: str
    is_primary: bool
    is_copy: bool = False


@dataclass(frozen=True)
class Claim:
    """One planted claim; `text` by language.

    A hypothesis says whether it is true in the world, which verdicts do justice to what can be read there, and
    maybe why.
    """

    id: str
    text: Mapping[str, str]
    supports: tuple[Evidence, ...]
    refutes: tuple[Evidence, ...]
    truth: TruthValue | None = None
    acceptable_verdicts: tuple[Verdict, ...] = ()
    why: str = ""

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
class TableRow:
    """A row of a table that says the same as a listed sentence of its page; `side` is supports or refutes."""

    claim: str
    side: str
    url: str
    quote: str


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
    origins: tuple[Origin, ...] = ()
    lookalikes: tuple[Lookalike, ...] = ()
    table_rows: tuple[TableRow, ...] = ()

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
    _check_keys(description)
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
    origins = read_origins(description, pages)
    names = {url: f"{group.kind}:{group.name}" for group in groups for url in group.pages}
    claims = tuple(_claim(item, Sources(pages, copies, names, origins)) for item in description["claims"])
    _check_hypotheses(description["hypotheses"], claims)
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
        origins=origins,
        lookalikes=_lookalikes(description, pages, claims),
        table_rows=_table_rows(description, pages, claims),
    )


def _check_keys(description: Mapping[str, Any]) -> None:
    """Refuse what nobody would read: a misspelt key is a statement lost."""
    _refuse_unknown(description, _KEYS, "truth.yaml")
    for name, known in _LIST_KEYS.items():
        for item in description.get(name, ()):
            _refuse_unknown(item, known, f"truth.yaml: {name}")
    for claim in description["claims"]:
        for item in (*claim.get("supports", ()), *claim.get("refutes", ())):
            _refuse_unknown(item, _EVIDENCE_KEYS, f"truth.yaml: evidence of {claim['id']}")


def _refuse_unknown(item: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    unknown = sorted(set(item) - set(known))
    if unknown:
        raise WorldError(f"{where}: unknown key {', '.join(unknown)}")


def _check_hypotheses(names: Iterable[str], claims: Iterable[Claim]) -> None:
    by_id = {claim.id: claim for claim in claims}
    unknown = set(names) - set(by_id)
    if unknown:
        raise WorldError(f"truth.yaml: no claim for the hypotheses {sorted(unknown)}")
    for claim in (by_id[name] for name in names):
        given = {"truth": claim.truth, "acceptable_verdicts": claim.acceptable_verdicts}
        missing = [key for key, value in given.items() if not value]
        if missing:
            raise WorldError(f"truth.yaml: the hypothesis {claim.id} lacks {' and '.join(missing)}")


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


def _claim(item: Mapping[str, Any], sources: Sources) -> Claim:
    return Claim(
        id=item["id"],
        text=item["text"],
        supports=_all_evidence(item.get("supports", ()), sources),
        refutes=_all_evidence(item.get("refutes", ()), sources),
        truth=read_truth_value(item),
        acceptable_verdicts=read_verdicts(item),
        why=item.get("why", ""),
    )


def _all_evidence(items: Sequence[Mapping[str, str]], sources: Sources) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    pages, beside = sources.pages, frozenset(item["url"] for item in items)
    for item in items:
        page, quote = _saying(pages, item)
        source = sources.of(page, beside, item.get("origin"))
        found.append(_evidence(page, quote, source))
        found += [_evidence(other, quote, source) for other in _mirrors(page, pages) if quote in other.text]
        copied = (pages[url] for url in sources.copies.get(page.url, ()))
        found += [_evidence(other, quote, source, is_copy=True) for other in copied if quote in other.text]
    return tuple(dict.fromkeys(found))


def _lookalikes(
    description: Mapping[str, Any], pages: Mapping[str, Page], claims: Iterable[Claim]
) -> tuple[Lookalike, ...]:
    planted = {claim.id: {(one.url, one.quote) for one in (*claim.supports, *claim.refutes)} for claim in claims}
    return read_lookalikes(description, pages, planted)


def _table_rows(
    description: Mapping[str, Any], pages: Mapping[str, Page], claims: Iterable[Claim]
) -> tuple[TableRow, ...]:
    listed = {
        (claim.id, side, one.url)
        for claim in claims
        for side, evidence in zip(_SIDES, (claim.supports, claim.refutes), strict=True)
        for one in evidence
    }
    rows = tuple(TableRow(**item) for item in description.get("table_rows", ()))
    for row, item in zip(rows, description.get("table_rows", ()), strict=True):
        _saying(pages, item)
        if (row.claim, row.side, row.url) not in listed:
            raise WorldError(f"truth.yaml: no sentence of {row.url} {row.side} {row.claim} beside its table row")
    return rows


def _saying(pages: Mapping[str, Page], item: Mapping[str, str]) -> tuple[Page, str]:
    """The page of a listed sentence, and the sentence."""
    page, quote = _page(pages, item["url"]), item["quote"]
    if quote not in page.text:
        raise WorldError(f"truth.yaml: {page.url} does not say {quote!r}")
    return page, quote


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
