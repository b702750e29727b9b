"""Independence on the simulated web, against what was planted there: copies, mirrored papers, farms, citation loops."""

from dataclasses import dataclass, replace

import pytest

from lyra.evidence.assess import assess
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.duplicates import DuplicateIndex
from lyra.evidence.independence import supporting_sources
from lyra.evidence.page_groups import PageText, citation_loops, merge_groups, stories
from lyra.ml.card import load_card, model_directory
from lyra.ml.onnx import OnnxEmbedder
from lyra.model.edge import EvidenceRow, Relation
from lyra.urls import registrable_domain
from simweb.apis import pubmed
from simweb.model import Page
from simweb.truth import Claim, Truth, load_truth
from simweb.world import WORLD, load_topic

_MIRROR = {Relation.SUPPORTS: Relation.REFUTES, Relation.REFUTES: Relation.SUPPORTS}


@dataclass(frozen=True)
class World:
    """One topic with what Lyra makes of its texts: what each paragraph repeats, and the pages that count as one."""

    truth: Truth
    pages: dict[str, Page]
    ids: dict[tuple[str, str], str]
    originals: dict[str, Originals]
    stories: list[frozenset[str]]
    loops: list[frozenset[str]]

    @property
    def joined(self) -> list[frozenset[str]]:
        return [*self.stories, *self.loops]

    def rows(self, claim: Claim) -> list[EvidenceRow]:
        """The planted evidence as the graph would hold it."""
        both = ((Relation.SUPPORTS, claim.supports), (Relation.REFUTES, claim.refutes))
        return [self._row(claim, relation, one.url, one.quote) for relation, found in both for one in found]

    def _row(self, claim: Claim, relation: Relation, url: str, quote: str) -> EvidenceRow:
        page = self.pages[url]
        own = self.ids[url, next(part for part in paragraphs(page) if quote in part)]
        originals = self.originals.get(own, Originals())
        copied = originals.contained or tuple(filter(None, [originals.near]))
        return EvidenceRow(
            claim_id=claim.id,
            fragment_id=f"{url}#{quote}",
            page_id=url,
            domain=registrable_domain(url),
            relation=relation,
            nli_confidence=0.9,
            work_id=_work(page),
            duplicate_key=originals.first or own,
            copied_from=tuple(self._source(one.partition("#")[0]) for one in copied),
        )

    def _source(self, url: str) -> str:
        work = _work(self.pages[url])
        return f"work:{work}" if work else f"domain:{registrable_domain(url)}"


def _work(page: Page) -> str | None:
    return f"doi:{page.paper.doi}" if page.paper else None


def paragraphs(page: Page) -> list[str]:
    return [part for part in page.text.split("\n") if part.strip()]


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(load_card(model_directory("embedder")), threads=2)


@pytest.fixture(scope="module", params=["dpp4", "alp2", "kosodate"])
def world(request: pytest.FixtureRequest, model: OnnxEmbedder) -> World:
    topic = load_topic(WORLD / request.param)
    pages = {page.url: page for page in (*topic.pages, *pubmed.pages(topic.papers))}
    parts = [(url, part) for url, page in pages.items() for part in paragraphs(page)]
    ids = {(url, part): f"{url}#{at}" for at, (url, part) in enumerate(parts)}
    originals = CopyIndex().add_all([DatedText(ids[one], one[1], str(pages[one[0]].date or "")) for one in parts])
    vectors = model.embed([part for _, part in parts])
    tellings = [
        PageText(f"{url}#{at}", url, part, vector)
        for at, ((url, part), vector) in enumerate(zip(parts, vectors, strict=True))
    ]
    works = {page.paper.doi: url for url, page in pages.items() if page.paper}
    links = [(url, works.get(cited, cited)) for url, page in pages.items() for cited in page.cites]
    return World(load_truth(WORLD / request.param), pages, ids, originals, stories(tellings), citation_loops(links))


def test_every_copied_page_is_found(world: World) -> None:
    """Near-duplicate pages are exactly the planted syndications, and pages of one farm."""
    index = DuplicateIndex()
    groups: dict[str, set[str]] = {}
    for url, page in world.pages.items():
        groups.setdefault(index.add(url, page.text), set()).add(url)

    found = [group for group in groups.values() if len(group) > 1]

    farms = [set(farm.pages) for farm in world.truth.farms]
    copied = [group for group in found if not any(group <= farm for farm in farms)]
    planted = [{original, *copies} for original, copies in world.truth.copies.items()]
    assert sorted(map(sorted, copied)) == sorted(map(sorted, planted))


def test_every_farm_is_one_narrative(world: World) -> None:
    """A farm turns one text over and over; its pages are one cluster, with nobody else in it."""
    farms = [frozenset(farm.pages) for farm in world.truth.farms]

    assert [farm in merge_groups(world.stories) for farm in farms] == [True] * len(farms)


def test_every_loop_is_found(world: World) -> None:
    """Sites that cite one another in a circle."""
    loops = [frozenset(loop.pages) for loop in world.truth.loops]

    assert [loop in world.loops for loop in loops] == [True] * len(loops)


def test_independent_sources_are_counted_exactly(world: World) -> None:
    """For every planted claim the supporting sources are as many as were planted."""
    counted = {claim.id: len(supporting_sources(world.rows(claim), world.joined)) for claim in world.truth.claims}

    assert counted == {claim.id: claim.independent_supports for claim in world.truth.claims}


def test_independent_refuters_are_counted_exactly(world: World) -> None:
    """The same for those who deny: one wire story printed four times is one voice against."""
    mirrored = {
        claim.id: [replace(row, relation=_MIRROR[row.relation]) for row in world.rows(claim)]
        for claim in world.truth.claims
    }

    counted = {name: len(supporting_sources(rows, world.joined)) for name, rows in mirrored.items()}

    assert counted == {claim.id: claim.independent_refutes for claim in world.truth.claims}


def test_printing_a_story_again_moves_no_confidence(world: World) -> None:
    """One wire story on four sites: its copies change neither confidence, whatever claim they speak of."""
    copied = {url for copies in world.truth.copies.values() for url in copies}
    by_claim = [world.rows(claim) for claim in world.truth.claims]

    whole = [assess("c_1", rows) for rows in by_claim]
    without = [assess("c_1", [row for row in rows if row.page_id not in copied]) for rows in by_claim]

    assert [(one.evidence, one.text_confidence) for one in whole] == [
        (one.evidence, one.text_confidence) for one in without
    ]
