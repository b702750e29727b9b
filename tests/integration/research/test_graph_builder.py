"""Pages into claims, edges and confidence, with models that a test can foresee: the wiring, not the judgement."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.calibration.bundled import CalibratedAnswer, logistic
from lyra.claims.stance import StanceJudge
from lyra.claims.windows import Setting
from lyra.claims.words import content_words
from lyra.evidence.explore import Explorer
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id, text_hash
from lyra.model.claim import Claim, Mention
from lyra.model.edge import AnswerProbabilities, ReaderAnswer, Stance
from lyra.model.page import GroupKind, Identifier, Page, PageGroup, PageNotice, StoredPage
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.graph_builder import GraphBuilder
from lyra.research.page_findings import PageFindings, save_findings
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.settings.research import Evidence
from lyra.storage import candidates, claims, edges, links, page_groups, pages, searches, tasks
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database
from lyra.storage.vectors import Vectors
from lyra.trust.levels import TrustList
from lyra.urls import registrable_domain

TASK = "task_00000000000a"
QUESTION = "Does saxagliptin increase hospitalisation for heart failure?"
HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."
FINDING = (
    "Saxagliptin increased the risk of hospitalisation for heart failure by 27 percent in a trial of 16,492 patients."
)
OWN_WORDS = (
    "Hospitalisation for heart failure was a higher risk on saxagliptin, doctors at nine other clinics reported."
)
DENIAL = "Saxagliptin did not increase the risk of hospitalisation for heart failure in 1.5 million patients."


class WordVectors:
    """A vector with one place for each word; texts with the same words have the same vector."""

    model_id = "words@1"
    dimension = 512

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            for word in content_words(text):
                rows[at, crc32(word.encode()) % self.dimension] = 1.0
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class SaysNo:
    """Refutes where exactly one of the two texts says "not"; keeps what it was asked."""

    model_ids: ClassVar = {"large": "says-no@1"}

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.weights: dict[str, bool] = {}

    async def read(self, given: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        self.asked += given
        self.weights |= {claim: weight for (_, claim), weight in zip(given, weighty or (), strict=True)}
        sides = (-4.0 if ("not" in text) != ("not" in claim) else 4.0 for text, claim in given)
        return [ReaderAnswer(3.0, side, "large", "says-no@1") for side in sides]


class AsTheyAre:
    """Chances without any calibration."""

    version = "none"

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        return [CalibratedAnswer(logistic(answer.bears), logistic(answer.side)) for answer in answers]


@pytest.fixture
def readers() -> SaysNo:
    return SaysNo()


@pytest.fixture
def parts(db: Database, clock: Any, settings: Settings, readers: SaysNo) -> SearchParts:
    trust = DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml"))
    judge = StanceJudge(readers, AsTheyAre(), {})
    unused: Any = None
    return SearchParts(db, clock, settings, unused, unused, unused, unused, WordVectors(), judge, trust, unused)


@pytest.fixture
async def graph(db: Database, parts: SearchParts, clock: Any) -> GraphBuilder:
    def begin(connection: Any) -> None:
        tasks.insert(connection, Task(TASK, QUESTION, TaskStatus.EXPLORING, clock.now(), Budget()))
        search = Search("s_1", TASK, "saxagliptin heart failure", SearchOptions(), SearchStatus.RUNNING, clock.now())
        searches.insert(connection, search)
        claims.insert_many(connection, [Claim("c_h", TASK, HYPOTHESIS, "en", clock.now(), is_hypothesis=True)])

    await db.write(begin)
    found = GraphBuilder(parts, TASK, QUESTION, "s_1", "saxagliptin heart failure")
    await found.load()
    return found


async def read(db: Database, graph: GraphBuilder, clock: Any, url: str, *paragraphs: str, head: str = "") -> StoredPage:
    """A page as the fetch phase would store and graph it."""
    body = "".join(f"<p>{one}</p>" for one in paragraphs)
    html = f"<html lang='en'><head>{head}</head><body><article><h1>Report</h1>{body}</article></body></html>"
    document = read_document(html.encode(), content_type="text/html; charset=utf-8", url=url)
    page = Page(
        derived_id("p", url),
        url,
        registrable_domain(url),
        "Report",
        "en",
        clock.now(),
        url,
        text=document.text,
        site_name=document.site_name,
    )
    stored = StoredPage(page, to_fragments(page.id, document))
    await db.write(pages.save, page, stored.fragments)
    await graph.add_page(stored)
    return stored


async def stances(db: Database) -> set[tuple[str, str, str]]:
    """Domain, relation and trust of every stance on the hypothesis."""
    rows = await db.read(edges.evidence_of_claims, ["c_h"])
    return {(row.domain, row.relation.value, row.source_trust_level.value) for row in rows}


async def levels_told(db: Database) -> list[tuple[str, str]]:
    """The changes of levels in the journal: domain and new level, in order."""
    statement = "select subject, details ->> 'after' from event_log where kind = 'trust_changed' order by id"
    return await db.read(lambda c: c.execute(statement).fetchall())


async def test_what_the_client_asked_has_weight_and_what_was_found_has_none(
    db: Database, graph: GraphBuilder, readers: SaysNo, clock: Any
) -> None:
    """The large reader's time goes to the hypotheses: their verdicts are what people read first."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)

    assert readers.weights == {HYPOTHESIS: True, FINDING: False}


async def test_a_statement_is_judged_against_the_hypothesis_and_what_states_nothing_is_not(
    db: Database, graph: GraphBuilder, readers: SaysNo, clock: Any
) -> None:
    """A question in the words of the hypothesis supports nothing; only the page that states something is asked."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(
        db, graph, clock, "https://www.forum.example/q", "Does saxagliptin increase hospitalisation for heart failure?"
    )

    found = await stances(db)

    assert found == {("fdso.gov", "supports", "government")}
    assert not any("Does" in premise for premise, _ in readers.asked)


async def test_a_claim_with_much_evidence_is_assessed_again_later(
    db: Database, graph: GraphBuilder, parts: SearchParts, clock: Any
) -> None:
    """One edge more than 256 changes nothing at once; the end of the search counts it, by whichever process."""
    texts = [
        f"Saxagliptin increased the risk of hospitalisation for heart failure by {n} percent." for n in range(10, 265)
    ]
    await read(db, graph, clock, "https://www.fdso.gov/safety", *texts)
    await read(db, graph, clock, "https://www.clinic.org/one", OWN_WORDS)
    later = GraphBuilder(parts, TASK, QUESTION, "s_1", "saxagliptin heart failure")
    await later.load()
    await read(db, later, clock, "https://www.jmetd-journal.org/no", DENIAL)
    (before,) = await db.read(claims.hypotheses, TASK)

    await later.assess_all()

    (after,) = await db.read(claims.hypotheses, TASK)
    counts = [
        (one.assessment.evidence.supporting_count, one.assessment.evidence.refuting_count) for one in (before, after)
    ]
    assert len(await db.read(edges.evidence_of_claims, ["c_h"])) == 257
    assert counts == [(2, 0), (2, 1)]


async def test_an_edge_names_its_reader_and_both_answers(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """Who decided, and its chances that the text bears on the claim and is for it, raw and calibrated."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)

    (edge,) = [one for one in await db.read(edges.of_task, TASK) if one.target_id == "c_h"]

    bears, side = logistic(3.0), logistic(4.0)
    assert (edge.reader, edge.model_id) == ("large", "says-no@1")
    assert edge.answers == AnswerProbabilities(bears, side, bears, side)


async def test_what_a_page_gave_is_noted_with_it(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """A search that is taken up again knows what was new; nothing worth a look counts as one that was not."""
    began = clock.now()
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(db, graph, clock, "https://www.forum.example/q", "Tomatoes need six hours of sunlight a day.")

    assert await db.read(searches.novelty_flags, "s_1", began) == ((), (True, False))
    assert await db.read(searches.novelty_flags, "s_1", began + timedelta(seconds=1)) == ((True, False), ())


async def test_both_sides_are_kept_and_assessed(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """A finding and its denial: one support, one refutation, and the claim says so."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(db, graph, clock, "https://journal.example/cohort", DENIAL)

    await graph.assess_all()

    stored = await db.read(claims.get, "c_h")
    assert stored is not None
    assert (stored.assessment.evidence.supporting_count, stored.assessment.evidence.refuting_count) == (1, 1)
    assert stored.assessment.verdict.value == "contested"


async def test_an_override_in_force_is_on_new_edges_only(
    db: Database, graph: GraphBuilder, clock: Any, settings: Settings
) -> None:
    """Hot: the file changes between two pages of one search, and each edge carries what was in force when judged."""
    await read(db, graph, clock, "https://a.example/1", FINDING)
    override(settings.data_dir / "domains.yaml")
    await read(db, graph, clock, "https://b.example/1", FINDING.replace("27", "26"))

    found = await stances(db)

    assert found == {("a.example", "supports", "unverified"), ("b.example", "supports", "academic")}


def override(path: Path) -> None:
    item = {"domain": "b.example", "trust_level": "academic", "reason": "Our own hospital."}
    path.write_text(json.dumps({"user_overrides": [item]}), "utf-8")


async def test_the_level_is_that_of_the_host_not_only_of_its_publisher(
    db: Database, graph: GraphBuilder, clock: Any
) -> None:
    """PubMed is an academic index on a government's domain: ranking and edges agree about it."""
    await read(db, graph, clock, "https://pubmed.ncbi.nlm.nih.gov/90011219/", FINDING)

    assert await stances(db) == {("nih.gov", "supports", "academic")}


async def test_corroboration_lifts_an_unverified_domain_once(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """Independent sources, one above low, support the claim: the unverified ones become low, with one line each."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(db, graph, clock, "https://clinic.example/a", OWN_WORDS)

    await graph.assess_all()
    await graph.assess_all()

    assert await levels_told(db) == [("clinic.example", "low")]


async def test_a_promotion_is_taken_back_when_the_sources_turn_out_to_be_one(
    db: Database, graph: GraphBuilder, clock: Any
) -> None:
    """Page by page the copies look like two sources; looked at together they are one story."""
    await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(db, graph, clock, "https://clinic.example/a", FINDING.replace("27", "25"))

    await graph.assess_all()

    assert await levels_told(db) == [("clinic.example", "low"), ("clinic.example", "unverified")]


async def test_a_retracted_source_lifts_nobody(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """The domain was lifted by a page that was found retracted when it was read again: verdict and trust follow."""
    page = await read(db, graph, clock, "https://www.fdso.gov/safety", FINDING)
    await read(db, graph, clock, "https://clinic.example/a", OWN_WORDS)
    notice = PageNotice(retraction="retracted", retracted_on="2026-03-01")

    await db.write(pages.save, replace(page.page, notice=notice), page.fragments)
    await graph.assess_all()

    (row,) = [one for one in await db.read(edges.evidence_of_claims, ["c_h"]) if one.domain == "fdso.gov"]
    claim = await db.read(claims.get, "c_h")
    assert row.no_vote == "retracted"
    assert claim is not None
    assert (claim.assessment.evidence.supporting_count, claim.assessment.independent_sources) == (1, 1)
    assert await levels_told(db) == [("clinic.example", "low"), ("clinic.example", "unverified")]


async def test_a_notice_has_an_edge_and_no_vote(db: Database, graph: GraphBuilder, clock: Any) -> None:
    """News that a study was retracted is no support for what the study claimed."""
    start = "A study that claimed that saxagliptin increases the risk of hospitalisation for heart failure"
    notice = f"{start} has been retracted."

    await read(db, graph, clock, "https://news.example.net/a", notice)

    (row,) = await db.read(edges.evidence_of_claims, ["c_h"])
    claim = await db.read(claims.get, "c_h")
    assert (row.relation.value, row.no_vote) == ("supports", "notice")
    assert claim is not None
    assert (claim.assessment.evidence.evidence_count, claim.assessment.verdict.value) == (0, "unverified")


async def test_a_page_costs_no_more_pairs_than_it_may(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any, settings: Settings
) -> None:
    """However many claims are known, a page is judged against the hypotheses and its share of the others."""
    words = ("admissions", "weight", "glucose", "mortality", "pancreatitis", "pressure")
    for number, word in enumerate(words):
        text = f"Saxagliptin increased the risk of {word} and heart failure by {number + 3} percent in a trial."
        await read(db, graph, clock, f"https://site{number}.example/a", text)
    tight = SearchParts(
        parts.db, parts.clock, settings.model_copy(update={"evidence": Evidence(pairs_per_page=2)}), parts.getter,
        parts.federation, parts.catalogue, parts.ranker, parts.embedder, parts.judge, parts.trust, parts.reader,
    )  # fmt: skip
    second = GraphBuilder(tight, TASK, QUESTION, "s_1", "saxagliptin heart failure")
    await second.load()

    stored = await read(db, second, clock, "https://late.example/a", FINDING)

    rows = await db.read(edges.evidence_of_task, TASK)
    own = {row.claim_id for row in rows if row.page_id == stored.page.id}
    assert len(own - {"c_h"}) == 2
    assert "c_h" in own


class KeepsSettings(StanceJudge):
    """Judges as ever, and keeps what stood around each text."""

    def __init__(self, readers: SaysNo) -> None:
        super().__init__(readers, AsTheyAre(), {})
        self.pages: list[str] = []

    async def judge(
        self,
        pairs: Sequence[tuple[str, str]],
        settings: Sequence[Setting] | None = None,
        weighty: Sequence[bool] | None = None,
    ) -> list[Stance]:
        self.pages += [one.page for one in settings or ()]
        return await super().judge(pairs, settings, weighty)


async def test_all_pairs_of_a_page_share_its_text_however_long_it_is(
    db: Database, graph: GraphBuilder, parts: SearchParts, readers: SaysNo, clock: Any
) -> None:
    """A text for each pair would be gigabytes for a page of megabytes; of a long one the beginning is looked at."""
    judge = KeepsSettings(readers)
    builder = GraphBuilder(replace(parts, judge=judge), TASK, QUESTION, "s_1", "saxagliptin heart failure")
    await builder.load()
    numbered = [
        f"{FINDING} This is sentence {n} of a very long page. " + "Filler words follow here. " * 30 for n in range(300)
    ]

    await read(db, builder, clock, "https://www.fdso.gov/long", *numbered)

    assert len(judge.pages) == 330
    assert len({id(page) for page in judge.pages}) == 1
    assert len(judge.pages[0]) == len("Report\nhttps://www.fdso.gov/long\n") + 200_000


async def test_a_place_judged_before_the_claim_was_found_there_becomes_its_origin(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any
) -> None:
    """A later search with other words finds a claim stated in a fragment that was already judged against it."""
    await read(db, graph, clock, "https://a.example/1", FINDING)
    stored = await read(db, graph, clock, "https://b.example/1", FINDING.replace("16,492", "9,000"))
    (before,) = await origins(db, stored.page.id, FINDING)
    found = await db.read(claims.of_task, TASK)
    statement = next(one for one in found if one.claim_text == FINDING)
    mention = Mention(statement.id, stored.fragments[0].id, "Saxagliptin", 0, 11, text_hash("Saxagliptin"))

    await db.write(save_findings, PageFindings("words@1", clock.now(), mentions=[mention]), None)

    assert (before, await origins(db, stored.page.id, FINDING)) == (False, [True])


async def origins(db: Database, page_id: str, claim_text: str) -> list[bool]:
    rows = await db.read(edges.evidence_of_task, TASK)
    texts = {one.id: one.claim_text for one in await db.read(claims.of_task, TASK)}
    return [row.is_origin for row in rows if row.page_id == page_id and texts[row.claim_id] == claim_text]


class Counting(WordVectors):
    """Word vectors that keep what they were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return await super().embed(texts)


async def test_taking_a_task_up_again_asks_no_model(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any
) -> None:
    """Another process goes on with the task: the vectors of sentences and claims are read, not computed."""
    await read_by_a_search(db, graph, clock, "https://a.example/1", FINDING)
    embedder = Counting()

    await GraphBuilder(replace(parts, embedder=embedder), TASK, QUESTION, "s_1", "saxagliptin heart failure").load()

    assert embedder.asked == []


async def test_what_was_read_before_a_task_was_taken_up_meets_later_claims(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any
) -> None:
    """A statement that no claim was like so far is judged against one found later; a question in its words is not."""
    early = "Metformin lowered fasting glucose by 12 percent in a trial of 300 adults."
    stored = await read_by_a_search(
        db, graph, clock, "https://a.example/1", early, "Did metformin lower fasting glucose by 12 percent in adults?"
    )
    before = await db.read(edges.judged_pairs, TASK)
    again = GraphBuilder(parts, TASK, "Does metformin lower fasting glucose?", "s_1", "metformin fasting glucose")
    await again.load()

    await read(db, again, clock, "https://b.example/1", "Metformin lowered fasting glucose by 12 percent in 80 adults.")

    known = {one.id: one.text_content for one in stored.fragments}
    after = await db.read(edges.judged_pairs, TASK)
    assert before == set()
    assert [known[fragment_id] for fragment_id, _ in after if fragment_id in known] == [early]


async def test_pages_that_link_to_one_another_count_as_one_source(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any
) -> None:
    """A says it, B says it after A, A cites B: the end of the search makes the citations and the loop of them."""
    addresses = ("https://a.example/1", "https://b.example/1")
    texts = (FINDING, "In another registry, saxagliptin raised hospitalisation for heart failure in older people.")
    stored = [await read_by_a_search(db, graph, clock, url, text) for url, text in zip(addresses, texts, strict=True)]
    for one, cited in zip(stored, reversed(addresses), strict=True):
        await db.write(links.note, one.page.id, [(cited, Identifier("url", cited))])

    (before,) = [one.independent_sources for one in await graph.assess_all() if one.claim_id == "c_h"]

    assert before == 1
    assert await db.read(page_groups.of_task, TASK) == (
        PageGroup(GroupKind.LOOP, frozenset(one.page.id for one in stored)),
    )


async def read_by_a_search(
    db: Database, graph: GraphBuilder, clock: Any, url: str, *paragraphs: str, head: str = ""
) -> StoredPage:
    """A page that a search of the task found."""
    stored = await read(db, graph, clock, url, *paragraphs, head=head)
    candidate = Candidate(f"r_{url}", "s_1", url, "", "", "made", 0, CandidateState.FETCHED, page_id=stored.page.id)
    await db.write(candidates.add, [candidate])
    return stored


async def test_hypotheses_are_found_by_meaning_before_the_first_search(
    db: Database, parts: SearchParts, clock: Any
) -> None:
    """A vector is made when somebody asks; asking again makes none."""

    def begin(connection: Any) -> None:
        tasks.insert(connection, Task(TASK, QUESTION, TaskStatus.CREATED, clock.now(), Budget()))
        claims.insert_many(connection, [Claim("c_h", TASK, HYPOTHESIS, "en", clock.now(), is_hypothesis=True)])

    async def known(task_id: str) -> None:
        return None

    await db.write(begin)
    embedder = Counting()
    explorer = Explorer(db, embedder, Vectors(db), GraphQueries(db.path), known)

    found = [
        await explorer.similar(HYPOTHESIS, target="claims", task_id=TASK, top_k=3, min_similarity=0.5) for _ in range(2)
    ]

    assert [[hit.id for hit in answer.hits] for answer in found] == [["c_h"], ["c_h"]]
    assert embedder.asked == [HYPOTHESIS, HYPOTHESIS, HYPOTHESIS]


@pytest.mark.parametrize(
    ("language", "before", "sentence"),
    [
        ("en", "Nothing else was looked at. ", FINDING),
        ("ja", "対象は三千人だった。", "Saxagliptinは16,492人の試験でheart failureによる入院のリスクを27％増やした。"),
    ],
    ids=["en", "ja"],
)
async def test_a_mention_stands_where_it_says_it_does(
    db: Database, graph: GraphBuilder, clock: Any, language: str, before: str, sentence: str
) -> None:
    """The stored offsets cut the quote out of its fragment, also where it is not the first sentence."""
    stored = await read(db, graph, clock, f"https://{language}.example/report", before + sentence)

    ids = [one.id for one in await db.read(claims.of_task, TASK)]
    texts = {one.id: one.text_content for one in stored.fragments}
    found = await db.read(claims.mentions_of, ids)
    cut = {texts[one.fragment_id][one.char_start : one.char_end] for one in found}
    assert sentence in cut
    assert cut == {one.quote for one in found}


async def test_an_edge_keeps_whom_its_words_credit_and_whose_page_it_is(
    db: Database, graph: GraphBuilder, clock: Any
) -> None:
    """Only the deciding words credit somebody; the page's own text says whose it is."""
    told = "Saxagliptin increases admissions for heart failure, according to the Harbor Medicines Agency."
    own = "Saxagliptin increases admissions for heart failure, as our figures prove."
    await read(db, graph, clock, "https://a.example/1", told)
    await read(db, graph, clock, "https://b.example/1", "Harbor Medicines Agency — Bulletin.", own)

    rows = await db.read(edges.evidence_of_task, TASK)

    found = {(row.domain, row.origins) for row in rows if row.claim_id == "c_h"}
    assert found == {
        ("a.example", ("institution:harbor medicines agency",)),
        ("b.example", ("own:harbor medicines agency",)),
    }


@pytest.mark.parametrize(
    ("site_name", "sources"), [("Hythe Courier", 1), ("Marden Herald", 2)], ids=["the one credited", "another"]
)
async def test_who_credits_a_paper_is_one_source_with_the_site_of_that_name(
    db: Database, graph: GraphBuilder, clock: Any, site_name: str, sources: int
) -> None:
    """A page that declares the paper's name and a page that credits the paper by its last word are one source."""
    told = "Saxagliptin increases admissions for heart failure, as the Courier found out."
    own = "Saxagliptin increases admissions for heart failure at nine clinics in town."
    await read(db, graph, clock, "https://a.example/1", told)
    head = f'<meta property="og:site_name" content="{site_name}">'
    await read(db, graph, clock, "https://b.example/1", own, head=head)

    found = {one.claim_id: one.independent_sources for one in await graph.assess_all()}

    assert found["c_h"] == sources


async def test_a_task_that_is_taken_up_again_knows_the_names_of_sites(
    db: Database, parts: SearchParts, graph: GraphBuilder, clock: Any
) -> None:
    """A page that was read before answers to its site's name where a claim is found later."""
    early = "Metformin lowered fasting glucose by 12 percent in a trial of 300 adults."
    head = '<meta property="og:site_name" content="Hythe Courier">'
    await read_by_a_search(db, graph, clock, "https://a.example/1", early, head=head)
    again = GraphBuilder(parts, TASK, "Does metformin lower fasting glucose?", "s_1", "metformin fasting glucose")
    await again.load()

    await read(db, again, clock, "https://b.example/1", "Metformin lowered fasting glucose by 12 percent in 80 adults.")

    rows = await db.read(edges.evidence_of_task, TASK)
    assert {row.origins for row in rows if row.domain == "a.example"} == {("own:hythe courier", "ends:courier")}
