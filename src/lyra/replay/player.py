"""Plays a recording into a scratch database: the same pages in the same order through the same steps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lyra.calibration.fits import split_version_name
from lyra.evidence.task_graph import evidence_of
from lyra.ids import derived_id, text_hash
from lyra.model.calibration import CalibrationSource, FittedVersion
from lyra.model.edge import Edge, Relation, Review
from lyra.model.event import Event
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Page
from lyra.model.search import Candidate, CandidateState
from lyra.model.task_evidence import TaskEvidence
from lyra.redact.redactor import Redactor
from lyra.replay.sources import RecordReader, ReplayedPage, SourceProblem, in_storage_order, read_page
from lyra.replay.trust import RecordedTrust
from lyra.research import flow
from lyra.research.assessing import Assessor
from lyra.research.graph_builder import GraphBuilder
from lyra.research.llm_claims import RecordedRewriter
from lyra.research.recompute import reassess
from lyra.research.search_run import SearchParts
from lyra.settings.research import Evidence
from lyra.storage import calibrations, candidates, claims, edges, links, pages, reviews, searches, tasks, works
from lyra.storage.database import Database
from lyra.storage.recordings import Recording

if TYPE_CHECKING:
    from apsw import Connection

REVIEW, UNDONE = "review", "review_undone"
KINDS = (*flow.FLOW, REVIEW, UNDONE)
Tell = Callable[[int, int], None]


async def no_network(request: FetchRequest) -> FetchResult:
    """The getter of a replay: it has nothing to fetch."""
    return FetchResult(request.url, FetchOutcome.UNAVAILABLE, reason="A replay fetches nothing.", was_sent=False)


@dataclass(frozen=True, slots=True)
class PlayedGraph:
    """What came out: the graph, which of the recorded digests it met on the way, and what could not be read."""

    evidence: TaskEvidence
    digests: tuple[tuple[str, str], ...]
    problems: tuple[SourceProblem, ...]
    pages: int


@dataclass(frozen=True, slots=True)
class ReplayParts:
    """What a player works with: parts over the scratch database, the original's database and its archive.

    `redactor` is the original's, by whose hashes its journal names addresses. `evidence` replaces the recorded settings
    where another choice is to be judged.
    """

    parts: SearchParts
    original: Database
    records: RecordReader
    redactor: Redactor
    evidence: Evidence | None = None
    tell: Tell = lambda done, of: None


@dataclass
class Player:
    """Plays one recording once."""

    given: ReplayParts
    recording: Recording
    trust: RecordedTrust
    _builders: dict[str, GraphBuilder] = field(default_factory=dict)
    _pages: dict[tuple[str, str], ReplayedPage] = field(default_factory=dict)
    _problems: list[SourceProblem] = field(default_factory=list)
    _digests: list[tuple[str, str]] = field(default_factory=list)
    _evidence_settings: Evidence = field(default_factory=Evidence)
    _rewriter: RecordedRewriter = field(init=False)

    def __post_init__(self) -> None:
        self._rewriter = RecordedRewriter(self.given.redactor)

    @property
    def _parts(self) -> SearchParts:
        settings = self.given.parts.settings.model_copy(update={"evidence": self._evidence_settings})
        return replace(self.given.parts, trust=self.trust, settings=settings)

    async def play(self) -> PlayedGraph:
        """All entries in their order; what lacks a record is named and left out."""
        db = self.given.parts.db
        await db.write(_seed, self.recording)
        read = [event for event in self.recording.events if event.kind == flow.READ]
        await self._prepare(read)
        done = 0
        for event in self.recording.events:
            await self._step(event)
            done += event.kind == flow.READ
            self.given.tell(done, len(read))
        evidence = await db.read(evidence_of, self.recording.task.id)
        return PlayedGraph(evidence, tuple(self._digests), tuple(self._problems), len(self._pages))

    async def _prepare(self, read: list[Event]) -> None:
        """Read every page from the archive and store its first version, in the order in which they were stored."""
        for event in in_storage_order(read, self.recording.storage_order):
            key = _key(event)
            if key in self._pages:
                continue
            found = await read_page(event, self.given.records, self.given.parts.reader)
            if isinstance(found, SourceProblem):
                self._problems += [found] if found not in self._problems else []
                continue
            self._problems += [found.problem] if found.problem else []
            self._pages[key] = found
            if await self.given.parts.db.read(pages.get, found.stored.page.id) is None:
                await self.given.parts.db.write(_store, found)

    async def _step(self, event: Event) -> None:
        details = event.details
        if event.kind == flow.LOAD:
            await self._load(event)
        elif event.kind == flow.READ:
            await self._read(event)
        elif event.kind == flow.WORK:
            await self.given.parts.db.write(_link_work, details["page_id"], details["work"])
        elif event.kind == flow.ASSESS:
            await self._assess(event)
        elif event.kind == flow.DIGEST:
            found = await self.given.parts.db.read(evidence_of, self.recording.task.id)
            self._digests.append((event.subject, found.digest))
        else:
            await self._review(event)

    async def _load(self, event: Event) -> None:
        details, task = event.details, self.recording.task
        self._evidence_settings = self.given.evidence or Evidence(**details["evidence"])
        self.trust.override(details["overrides"])
        await self.given.parts.db.write(_cite, details["cites"], event)
        search = next(one for one in self.recording.searches if one.id == event.search_id)
        graph = GraphBuilder(self._parts, task.id, task.query, search.id, search.query, self._rewriter)
        await graph.load()
        self._builders[details["run"]] = graph

    async def _read(self, event: Event) -> None:
        found = self._pages.get(_key(event))
        if found is None:
            return
        db, page = self.given.parts.db, found.stored.page
        self.trust.learn(event.details["levels"])
        self._rewriter.learn(page.id, event.details.get("rewritten", {}))
        await self._calibrate(event.details["calibration"])
        await db.write(_store_version, found)
        if event.details["work"]:
            await db.write(_link_work, page.id, event.details["work"])
        candidate = self._candidate(str(event.search_id), page)
        stored = replace(found.stored, fragments=await db.read(pages.fragments_of, page.id))
        await self._builders[event.details["run"]].add_page(
            stored, lambda connection: _note_read(connection, candidate, page.id)
        )

    def _candidate(self, search_id: str, page: Page) -> Candidate:
        """What the search had found the page by: under the page's own address, or one that led to it."""
        own = [one for one in self.recording.candidates if one.search_id == search_id]
        known = [one for one in own if one.url == page.url] + [one for one in own if one.page_id == page.id]
        name = derived_id("r", search_id, page.url)
        return known[0] if known else Candidate(name, search_id, page.url, page.title, "", "replay", rank=1)

    async def _calibrate(self, name: str | None) -> None:
        """Put in force what users' corrections had taught then; nothing where the readers are other ones now."""
        if name is None:
            return
        (basis, version), source = split_version_name(name), CalibrationSource.NLI_JUDGE
        rows = await self.given.original.read(calibrations.of_version, source, basis, version)
        await self.given.parts.db.write(_put_in_force, basis, version, rows)

    async def _assess(self, event: Event) -> None:
        self.trust.override(event.details["overrides"])
        await self.given.parts.db.write(_cite, event.details["cites"], event)
        await self._builders[event.details["run"]].assess_all(event.details["refuted"])
        await reassess(self._parts)

    async def _review(self, event: Event) -> None:
        """What a person decided, where the judgement that it is about was made here too."""
        review = next((one for one in self.recording.reviews if one.id == event.details["review_id"]), None)
        if review is None:
            return
        assessor = Assessor(self._parts, self.recording.task.id)
        await assessor.group_pages()
        await self.given.parts.db.write(_apply_review, assessor, review, event)


def _key(event: Event) -> tuple[str, str]:
    return str(event.details["page"]["id"]), str(event.details["version"])


def _seed(connection: "Connection", recording: Recording) -> None:
    """The task with its hypotheses, its searches and what they had found, none of it read yet; no person is here who
    could own it, and no run of a recheck to which a search belongs."""
    tasks.insert(connection, replace(recording.task, owner=None))
    claims.insert_many(connection, [replace(one.claim, search_id=None) for one in recording.hypotheses])
    for search in recording.searches:
        searches.insert(connection, replace(search, recheck_id=None, repeats_id=None))
    found = (replace(one, state=CandidateState.PENDING, page_id=None) for one in recording.candidates)
    candidates.add(connection, found)


def _store(connection: "Connection", found: ReplayedPage) -> None:
    pages.save(connection, replace(found.stored.page, work_id=None), found.stored.fragments)
    links.note(connection, found.stored.page.id, found.links)


def _store_version(connection: "Connection", found: ReplayedPage) -> None:
    """The page in the version that is read now, where another one is stored."""
    known = pages.get(connection, found.stored.page.id)
    if known is None or text_hash(known.text) != text_hash(found.stored.page.text):
        _store(connection, found)


def _link_work(connection: "Connection", page_id: str, fields: Mapping[str, Any]) -> None:
    if pages.get(connection, page_id) is not None:
        works.link(connection, page_id, works.save(connection, flow.work_from(fields)).id)


def _note_read(connection: "Connection", candidate: Candidate, page_id: str) -> None:
    """The page counts as read by its search."""
    candidates.add(connection, [replace(candidate, state=CandidateState.PENDING, page_id=None)])
    candidates.set_state(connection, candidate.id, CandidateState.FETCHED, None, page_id)


def _cite(connection: "Connection", cites: list[list[Any]], event: Event) -> None:
    """Citations that academic indexes had named, between pages that are here."""
    entering = [
        Edge(
            id=derived_id("e", "page", citing, "page", cited),
            source_type="page",
            source_id=citing,
            target_type="page",
            target_id=cited,
            relation=Relation.CITES,
            created_at=event.created_at,
            cause_id=event.search_id,
            citation_source=source or None,
            is_influential=is_influential,
        )
        for citing, cited, source, is_influential in cites
        if pages.get(connection, citing) is not None and pages.get(connection, cited) is not None
    ]
    edges.insert_many(connection, entering)


def _put_in_force(connection: "Connection", basis: str, version: int, rows: tuple[FittedVersion, ...]) -> None:
    source = CalibrationSource.NLI_JUDGE
    known = calibrations.of_version(connection, source, basis, version)
    calibrations.insert_versions(connection, [] if known else [replace(row, is_active=False) for row in rows])
    calibrations.activate(connection, source, basis, version)


def _apply_review(connection: "Connection", assessor: Assessor, review: Review, event: Event) -> None:
    known = calibrations.judged_edge(connection, review.edge_id)
    if known is None:
        return
    if event.kind == REVIEW:
        kept = replace(review, judged_relation=known.relation, judged_confidence=known.confidence)
        earlier = reviews.in_force(connection, review.edge_id)
        if earlier is not None:
            judged = (earlier.judged_relation, earlier.judged_confidence)
            kept = replace(review, judged_relation=judged[0], judged_confidence=judged[1])
        reviews.put(connection, kept)
    elif (in_force := reviews.in_force(connection, review.edge_id)) is not None:
        reviews.undo(connection, in_force, event.created_at)
    assessor.assess_in_transaction(connection, (review.claim_id,))
    assessor.update_source_influence_of(connection, (review.claim_id,))
