"""Phase 7: a page's fragments become claims, pairs, stances and confidence, as each page arrives.

What one page gives is written in one transaction together with the note that the page was read: after a crash a page
is either added or still to be added, never half.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.claims.announcements import is_question
from lyra.claims.hypotheses import HypothesisPairs
from lyra.claims.merge import ClaimIndex
from lyra.claims.pairs import ClaimSketch, FragmentSketch, Pair, PairIndex, best_of_each, within_budget
from lyra.claims.select import ClaimSelector, Selected
from lyra.claims.sentences import sentence_spans
from lyra.claims.statements import NOT_PROSE, has_statement, statements
from lyra.claims.subjects import NamedSite
from lyra.claims.windows import Excerpt, Setting, header_row, last_sentence
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.naming import sources_named
from lyra.evidence.retractions import is_notice
from lyra.ids import derived_id, new_id, text_hash
from lyra.model.claim import Assessment, Claim, Mention, Statement
from lyra.model.edge import Edge, Relation, Stance
from lyra.model.event import Event
from lyra.model.named_page import NamedPage
from lyra.model.page import SATIRE, Fragment, FragmentType, Page, PageHead, StoredPage
from lyra.model.trust import TrustLevel
from lyra.research import flow
from lyra.research.assessing import Assessor
from lyra.research.assessment_schedule import is_due
from lyra.research.flow import FlowNote
from lyra.research.injections import OrderSpans, block_obeyed, ensure_scanned
from lyra.research.llm_claims import Rewriter
from lyra.research.page_vectors import mean_vector, sentence_vectors_of
from lyra.research.search_run import PageLeft, SearchParts
from lyra.research.task_state import take_up
from lyra.research.tasks import claim_id
from lyra.storage import claims as claim_records
from lyra.storage import edges, embeddings, injections, journal, pages, searches, sentence_vectors
from lyra.urls import host_of

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray
_PAIRS_PER_CLAIM = 60
_AT_ONCE = 500
# Pairs that are judged between two looks at whether the search shall stop: a few seconds' work, and more than an
# ordinary page has.
_JUDGED_AT_ONCE = 128
# Of a page, so much is looked at by rules that ask whom it is about; an article has a tenth of it.
_LONGEST_PAGE = 200_000
AlsoWrite = Callable[["Connection"], None]
# Asked between two steps of a long page; what it raises ends the page, of which nothing is then written.
MayGoOn = Callable[[], Awaitable[None]]
_USEFUL = (Relation.SUPPORTS, Relation.REFUTES)
_NOT_FOR_HYPOTHESES = frozenset({FragmentType.CODE, FragmentType.HEADING})


@dataclass(frozen=True, slots=True)
class _KnownFragment:
    """A fragment the task has read, and what is asked of its page."""

    fragment: Fragment
    page: PageHead


@dataclass(frozen=True, slots=True)
class _WholePage:
    """A page for rules that ask whom it is about: by its parts, and as one text with title and address."""

    named: NamedPage
    text: str


@dataclass(slots=True)
class PageFindings:
    """What one page has given so far; written at once when the page is done."""

    model_id: str
    found_at: datetime
    claims: list[Claim] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    originals: dict[str, Originals] = field(default_factory=dict)
    fragment_vectors: "list[tuple[str, NDArray[np.float32]]]" = field(default_factory=list)
    sentence_vectors: "dict[str, NDArray[np.float32]]" = field(default_factory=dict)
    claim_vectors: "list[tuple[str, NDArray[np.float32]]]" = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    levels: dict[str, str] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    obeyed: bool = False


class GraphBuilder:
    """The working memory of one task: its claims and fragments, kept while a search reads page after page.

    Pages are read one at a time; everything found is written before the page counts as read.
    """

    def __init__(
        self,
        parts: SearchParts,
        task_id: str,
        query: str,
        search_id: str,
        search_query: str,
        rewriter: Rewriter | None = None,
    ) -> None:
        self._parts = parts
        self._rewriter = rewriter
        self._task_id = task_id
        self._search_id = search_id
        self._queries = tuple(dict.fromkeys((query, search_query)))
        settings = parts.settings.evidence
        self._selector = ClaimSelector(
            parts.embedder, relevance_floor=settings.relevance_floor, claims_per_page=settings.claims_per_page
        )
        self._forget()
        self._orders = OrderSpans()
        self._assessor = Assessor(parts, task_id)
        self._lock = asyncio.Lock()
        self._note = FlowNote(task_id, search_id, new_id("run"))

    def _forget(self) -> None:
        """Know nothing of the task, as before `load`."""
        settings = self._parts.settings.evidence
        self._claims = ClaimIndex(settings.merge_similarity)
        self._pairs = PairIndex(
            pair_similarity=settings.pair_similarity,
            pairs_per_fragment=settings.pairs_per_fragment,
            pairs_per_claim=_PAIRS_PER_CLAIM,
        )
        self._hypothesis_pairs = HypothesisPairs(
            pair_similarity=settings.pair_similarity, pairs_per_fragment=settings.pairs_per_fragment
        )
        self._copies: CopyIndex
        self._by_id: dict[str, Claim] = {}
        self._known: dict[str, _KnownFragment] = {}
        self._places: dict[tuple[str, int], str] = {}
        self._page_texts: dict[str, list[str]] = {}
        self._whole_pages: dict[str, _WholePage] = {}
        self._judged: set[tuple[str, str]] = set()
        self._edges: Counter[str] = Counter()  # by claim
        self._mentions: set[tuple[str, str]] = set()
        self._levels: dict[str, str] = {}

    async def load(self) -> None:
        """Take up what the task already knows, so that new findings meet old ones."""
        near_duplicate = self._parts.settings.evidence.near_duplicate
        self._copies = await asyncio.to_thread(CopyIndex, near_duplicate)  # numpy takes a moment to load
        inputs = flow.graph_inputs(self._parts.settings, self._models(), self._parts.trust.overrides())
        state = await self._parts.db.write(take_up, self._note, inputs, self._parts.clock.now())
        found, known = state.claims, state.fragments
        self._judged = state.judged
        self._edges = Counter(judged_claim_id for _, judged_claim_id in state.judged)
        self._mentions = {(mention.fragment_id, mention.claim_id) for mention in state.mentions}
        await self._remember_claims(found)
        self._orders.add(await self._parts.db.read(injections.orders_in, [fragment.id for fragment in known]))
        self._add_known([_KnownFragment(one, state.pages[one.page_id]) for one in known])
        # Found claims meet only fragments that state something; hypotheses meet all of them.
        asked = {claim.id for claim in found if claim.is_hypothesis}
        known_to_state = {
            fragment_id for fragment_id, claim_id in self._judged | self._mentions if claim_id not in asked
        }
        for at in range(0, len(known), _AT_ONCE):
            await self._remember_fragments(known[at : at + _AT_ONCE], known_to_state)
        spoken = [one for one in known if not self._orders.is_mostly_orders(one.id, len(one.text_content))]
        texts = [DatedText(one.id, one.text_content, state.pages[one.page_id].date) for one in spoken]
        await asyncio.to_thread(self._copies.add_all, texts)
        await self._assessor.save_citations(self._search_id)
        await self._assessor.group_pages()

    async def add_page(
        self, stored: StoredPage, also_write: AlsoWrite | None = None, may_go_on: MayGoOn | None = None
    ) -> list[bool] | None:
        """Add one page; a flag for each fragment that was looked at closely, true where it is new and useful.

        None where the task had read all of the page before. `also_write` writes in the same transaction that the page
        was read. `may_go_on` is asked between the steps of a long page; where it raises `PageLeft` nothing of the page
        is written, and the page is unread as before.
        """
        async with self._lock:
            try:
                return await self._add(stored, also_write, may_go_on or _always)
            except PageLeft:
                self._forget()
                await self.load()
                raise

    async def _add(self, stored: StoredPage, also_write: AlsoWrite | None, may_go_on: MayGoOn) -> list[bool] | None:
        await ensure_scanned(self._parts.db, stored, self._parts.clock.now(), self._search_id)
        self._orders.add(await self._parts.db.read(injections.orders_in, [one.id for one in stored.fragments]))
        fresh = [fragment for fragment in stored.fragments if fragment.id not in self._known]
        head = _head_of(stored.page)
        self._add_known([_KnownFragment(one, head) for one in fresh])
        found = PageFindings(self._parts.embedder.model_id, self._parts.clock.now())
        spoken = [one for one in fresh if not self._orders.is_mostly_orders(one.id, len(one.text_content))]
        texts = [DatedText(one.id, one.text_content, stored.page.date) for one in spoken]
        found.originals |= await asyncio.to_thread(self._copies.add_all, texts)
        sketches = await self._sketches_in_steps(fresh, may_go_on)
        found.fragment_vectors += [(one.id, mean_vector(one.vectors)) for one in sketches]
        found.sentence_vectors |= {one.text_hash: two.vectors for one, two in zip(fresh, sketches, strict=True)}
        stated = await asyncio.to_thread(_statements, stored.fragments)
        stated = [(one, said) for one, said in stated if not self._orders.overlaps_order(one.id, said.start, said.end)]
        stating = {fragment.id for fragment, _ in stated}
        pairs = await asyncio.to_thread(self._hypothesis_pairs.add_fragments, await self._for_hypotheses(sketches))
        pairs += await asyncio.to_thread(self._pairs.add_fragments, [one for one in sketches if one.id in stating])
        await self._extract(stored, stated, found)
        pairs += await self._pairs_of(found)
        found.edges += await self._judge_in_steps(stored.page, pairs, found, may_go_on)
        flags = self._flags(fresh, found, stating) if fresh else None
        if flags is not None:
            found.events.append(searches.novelty_event(self._task_id, self._search_id, flags, found.found_at))
        await self._parts.db.write(self._save, stored.page, found, also_write)
        if found.obeyed:
            await block_obeyed(self._parts.db, stored, self._parts.clock.now())
        await self._assessor.assess(self._due(found.edges))
        return flags

    async def _sketches_in_steps(self, fragments: Sequence[Fragment], may_go_on: MayGoOn) -> list[FragmentSketch]:
        """Fragments with their vectors; between two steps it is asked whether to go on."""
        sketches = await self._sketches(fragments[:_AT_ONCE])
        for at in range(_AT_ONCE, len(fragments), _AT_ONCE):
            await may_go_on()
            sketches += await self._sketches(fragments[at : at + _AT_ONCE])
        return sketches

    async def _judge_in_steps(
        self, page: Page, pairs: Iterable[Pair], found: PageFindings, may_go_on: MayGoOn
    ) -> list[Edge]:
        """Edges for the pairs that are new and worth it; between two steps it is asked whether to go on.

        Pairs with found claims are judged at once, for how many of them the large reader looks at goes by the page.
        """
        fresh = self._within_budget(pairs)
        asked = [pair for pair in fresh if self._by_id[pair.claim_id].is_hypothesis]
        chosen = best_of_each(asked, self._parts.settings.evidence.hypothesis_pairs_per_page)
        if len(chosen) < len(asked):
            told = {"judged": len(chosen), "wanted": len(asked)}
            found.events.append(self._note.event("partly_judged", page.url, told, found.found_at))
        last = len(chosen) - len(chosen) % _JUDGED_AT_ONCE
        made: list[Edge] = []
        for at in range(0, last, _JUDGED_AT_ONCE):
            made += await self._judge(chosen[at : at + _JUDGED_AT_ONCE], found.levels)
            await may_go_on()
        return made + await self._judge([*chosen[last:], *fresh[len(asked) :]], found.levels)

    def _save(self, connection: "Connection", page: Page, found: PageFindings, also_write: AlsoWrite | None) -> None:
        save_findings(connection, found, also_write)
        calibration = next((edge.calibration_version for edge in found.edges if edge.calibration_version), None)
        event = flow.read_event(
            connection, self._note, page, found.levels, calibration, found.found_at, found.rewritten
        )
        journal.append(connection, [event])

    def _due(self, added: Iterable[Edge]) -> tuple[str, ...]:
        """The claims of these new edges that are assessed now; the others are before the search ends."""
        new = Counter(edge.target_id for edge in added)
        due = tuple(one for one, count in new.items() if is_due(self._edges[one], self._edges[one] + count))
        self._edges += new
        return due

    def _models(self) -> dict[str, str]:
        """The models at work, by the part they play."""
        return {"embedder": self._parts.embedder.model_id, **self._parts.judge.model_ids}

    def _add_known(self, known: Sequence[_KnownFragment]) -> None:
        self._known |= {one.fragment.id: one for one in known}
        self._places |= {(one.fragment.page_id, one.fragment.position): one.fragment.id for one in known}
        for one in known:
            self._page_texts.setdefault(one.fragment.page_id, []).append(one.fragment.text_content)
            self._whole_pages.pop(one.fragment.page_id, None)

    async def assess_all(self, refuted_ids: Iterable[str] = ()) -> list[Assessment]:
        """Assess every claim of the task again; `refuted_ids` are those a refute search has just ended for."""
        refuted = frozenset(refuted_ids)
        async with self._lock:
            await self._parts.db.write(self._note_assessing, refuted)
            await self._assessor.save_citations(self._search_id)
            await self._assessor.group_pages()
            assessments = await self._assessor.assess(tuple(self._by_id), refuted)
            await self._assessor.update_source_influence()
            return assessments

    def _note_assessing(self, connection: "Connection", refuted: frozenset[str]) -> None:
        overrides, now = self._parts.trust.overrides(), self._parts.clock.now()
        journal.append(connection, [flow.assess_event(connection, self._note, refuted, overrides, now)])

    @property
    def joined(self) -> tuple[frozenset[str], ...]:
        """The groups of pages that count as one source."""
        return self._assessor.joined_pages

    async def _remember_fragments(self, known: Sequence[Fragment], known_to_state: Collection[str]) -> None:
        """Add fragments that were read and judged before; `known_to_state` are ids of some that state something."""
        sketches = await self._sketches(known)
        await self._keep_vectors(known, sketches)
        stating = await asyncio.to_thread(_stating_ids, known, known_to_state)
        await asyncio.to_thread(self._pairs.remember_fragments, [one for one in sketches if one.id in stating])
        await asyncio.to_thread(self._hypothesis_pairs.remember_fragments, await self._for_hypotheses(sketches))

    async def _keep_vectors(self, known: Sequence[Fragment], sketches: Sequence[FragmentSketch]) -> None:
        """Store the vectors of fragments that were read with another model, and of texts that were forgotten."""
        model_id, now = self._parts.embedder.model_id, self._parts.clock.now()
        missing = set(await self._parts.db.read(embeddings.missing, "fragment", [one.id for one in sketches], model_id))
        rows = [(one.id, mean_vector(one.vectors)) for one in sketches if one.id in missing]
        await self._parts.db.write(embeddings.put_many, "fragment", rows, model_id)
        by_text = {one.text_hash: sketch.vectors for one, sketch in zip(known, sketches, strict=True)}
        await self._parts.db.write(sentence_vectors.put_many, by_text, model_id, now)
        await self._parts.db.write(sentence_vectors.touch, list(by_text), model_id, now)

    async def claims_like(self, query: str, floor: float) -> tuple[str, ...]:
        """The task's claims similar to a query: what a refute search without claim ids is about (SPEC §13)."""
        if not self._by_id:
            return ()
        ids = tuple(self._by_id)
        vectors = await self._parts.embedder.embed([query, *(self._by_id[one].claim_text for one in ids)])
        similarities = vectors[1:] @ vectors[0]
        return tuple(one for one, similarity in zip(ids, similarities, strict=True) if similarity >= floor)

    async def _sketches(self, fragments: Sequence[Fragment]) -> list[FragmentSketch]:
        """Fragments with a vector for every sentence."""
        texts = {one.text_hash: one.text_content for one in fragments}
        by_text = await sentence_vectors_of(self._parts.db, self._parts.embedder, texts)
        return [
            FragmentSketch(
                one.id, one.text_content, one.language, by_text[one.text_hash], one.page_id, self._context_of(one)
            )
            for one in fragments
        ]

    def _context_of(self, fragment: Fragment) -> str:
        """The title of its page and the headings above it."""
        return "\n".join((self._known[fragment.id].page.title, *(one.text for one in fragment.heading_hierarchy)))

    async def _for_hypotheses(self, sketches: Sequence[FragmentSketch]) -> list[FragmentSketch]:
        """Those that are judged against hypotheses: all but code and bare questions; a table's row, a short phrase or a
        sentence that depends on the one before may decide one too."""
        wordy = [one for one in sketches if self._known[one.id].fragment.fragment_type not in _NOT_FOR_HYPOTHESES]
        wordy = [one for one in wordy if not self._orders.is_mostly_orders(one.id, len(one.text))]
        return await asyncio.to_thread(lambda: [one for one in wordy if not _is_only_questions(one.text)])

    def _within_budget(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs that are new, all with hypotheses, and of the others as many as a page may cost."""
        return within_budget(
            [pair for pair in pairs if (pair.fragment_id, pair.claim_id) not in self._judged],
            always=frozenset(one.id for one in self._by_id.values() if one.is_hypothesis),
            origins=self._mentions,
            limit=self._parts.settings.evidence.pairs_per_page,
        )

    async def _extract(
        self, stored: StoredPage, stated: Sequence[tuple[Fragment, Statement]], found: PageFindings
    ) -> None:
        """New claims of a page; every place where a claim, new or known, is stated is kept."""
        hypotheses = [claim.claim_text for claim in self._by_id.values() if claim.is_hypothesis]
        selected = await self._selector.select([statement for _, statement in stated], self._queries, hypotheses)
        for one in selected:
            fragment = stated[one.index][0]
            claim = self._merged(await self._self_contained(stored, fragment, one, found), found.claims)
            found.mentions.append(_mention(claim.id, fragment, one.statement))
        self._mentions |= {(mention.fragment_id, mention.claim_id) for mention in found.mentions}

    async def _self_contained(
        self, stored: StoredPage, fragment: Fragment, one: Selected, found: PageFindings
    ) -> Selected:
        """The statement with what its pronouns stand for, where a model says so and the check lets it pass."""
        if self._rewriter is None:
            return one
        previous = self._fragment_before(fragment)
        before = f"{previous.text_content if previous else ''} {fragment.text_content[: one.statement.start]}".strip()
        rewriting = await self._rewriter.rewrite(stored, one.statement, before)
        if rewriting is None:
            return one
        found.obeyed = found.obeyed or rewriting.obeyed
        if rewriting.details:
            details = {"page_id": stored.page.id, "fragment_id": fragment.id, **rewriting.details}
            found.events.append(self._note.event("rewriting", one.statement.text, details, found.found_at))
        if rewriting.text is None:
            return one
        found.rewritten[one.statement.text] = rewriting.text
        (vector,) = await self._parts.embedder.embed([rewriting.text])
        return replace(one, statement=replace(one.statement, text=rewriting.text), vector=vector)

    def _merged(self, one: Selected, added: list[Claim]) -> Claim:
        statement = one.statement
        own_id = claim_id(self._task_id, statement.text)
        merged_id = self._claims.merge(own_id, statement.text, statement.language, one.vector)
        if merged_id not in self._by_id:
            claim = Claim(
                id=own_id,
                task_id=self._task_id,
                claim_text=statement.text,
                language=statement.language,
                created_at=self._parts.clock.now(),
                search_id=self._search_id,
            )
            self._by_id[own_id] = claim
            added.append(claim)
        return self._by_id[merged_id]

    async def _remember_claims(self, known: Sequence[Claim]) -> None:
        self._by_id |= {claim.id: claim for claim in known}
        model_id = self._parts.embedder.model_id
        by_id = await self._parts.db.read(embeddings.get_many, "claim", [claim.id for claim in known], model_id)
        new = [claim for claim in known if claim.id not in by_id]
        embedded = await self._parts.embedder.embed([claim.claim_text for claim in new])
        rows = [(claim.id, vector) for claim, vector in zip(new, embedded, strict=True)]
        await self._parts.db.write(embeddings.put_many, "claim", rows, model_id)
        by_id |= dict(rows)
        sketches = _sketches_of(known, [by_id[claim.id] for claim in known])
        await asyncio.to_thread(self._index_claims, sketches)

    def _index_claims(self, known: Sequence[ClaimSketch]) -> None:
        for one in known:
            self._claims.merge(one.id, one.text, one.language, one.vector)
        self._pairs.remember_claims(known)
        self._hypothesis_pairs.remember_hypotheses(known)

    async def _pairs_of(self, found: PageFindings) -> list[Pair]:
        """New claims against every fragment the task has read."""
        vectors = await self._parts.embedder.embed([one.claim_text for one in found.claims])
        found.claim_vectors += [(one.id, vector) for one, vector in zip(found.claims, vectors, strict=True)]
        return await asyncio.to_thread(self._pairs.add_claims, _sketches_of(found.claims, vectors))

    async def _judge(self, fresh: Sequence[Pair], told: dict[str, str]) -> list[Edge]:
        """Edges for pairs that were not judged before; trust levels that are new to this run are added to `told`."""
        texts = [
            (self._known[pair.fragment_id].fragment.text_content, self._by_id[pair.claim_id].claim_text)
            for pair in fresh
        ]
        settings = [self._setting(self._known[pair.fragment_id]) for pair in fresh]
        # Verdicts on what the client asked are what people read first; a found claim is one of hundreds.
        weighty = [self._by_id[pair.claim_id].is_hypothesis for pair in fresh]
        stances = await self._parts.judge.judge(texts, settings, weighty)
        levels = await self._parts.trust.levels({self._known[pair.fragment_id].page.address for pair in fresh})
        told |= {address: level for address, level in levels.items() if self._levels.get(address) != level}
        self._levels |= told
        self._judged |= {(pair.fragment_id, pair.claim_id) for pair in fresh}
        judged = list(zip(fresh, stances, strict=True))
        # What an order says is no evidence, for whomever it would speak.
        orders = self._orders
        judged = [(pair, one) for pair, one in judged if not orders.overlaps_order(pair.fragment_id, *one.quote_span)]
        return await asyncio.to_thread(lambda: [self._edge(pair, stance, levels) for pair, stance in judged])

    def _edge(self, pair: Pair, stance: Stance, levels: Mapping[str, TrustLevel]) -> Edge:
        known = self._known[pair.fragment_id]
        whole = known.fragment.text_content
        quote = whole[slice(*stance.quote_span)]
        read = stance.judged_text.text if stance.judged_text else quote or whole
        return Edge(
            id=derived_id("e", "fragment", pair.fragment_id, "claim", pair.claim_id),
            source_type="fragment",
            source_id=pair.fragment_id,
            target_type="claim",
            target_id=pair.claim_id,
            relation=stance.label,
            created_at=self._parts.clock.now(),
            nli_label=stance.label.value,
            nli_confidence=stance.confidence,
            nli_raw=stance.raw_confidence,
            model_id=stance.model_id,
            calibration_version=stance.calibration_version,
            source_trust_level=levels[known.page.address],
            target_trust_level=self._assessor.claim_trust.get(pair.claim_id),
            is_origin=(pair.fragment_id, pair.claim_id) in self._mentions,
            quote=quote,
            cause_id=self._search_id,
            probabilities=stance.probabilities,
            rule=stance.rule or None,
            reader=stance.reader or None,
            answers=stance.answers,
            origins=sources_named(read, quote or whole, whole, self._whole_page(known).named),
            is_notice=is_notice(quote or whole),
            judged_text=stance.judged_text,
        )

    def _whole_page(self, known: _KnownFragment) -> _WholePage:
        """What the page of a fragment says, made once: all pairs of a page share the text, however long it is."""
        page_id = known.fragment.page_id
        if page_id not in self._whole_pages:
            text = "\n".join(self._page_texts[page_id])[:_LONGEST_PAGE]
            head = known.page
            named = NamedPage(head.title, head.address, text, head.site_name, head.authors)
            self._whole_pages[page_id] = _WholePage(named, "\n".join((head.title, head.address, text)))
        return self._whole_pages[page_id]

    def _setting(self, known: _KnownFragment) -> Setting:
        """The title, headings and neighbours of a fragment on its page."""
        fragment = known.fragment
        own = Setting(
            known.page.title,
            fragment.heading_context,
            page=self._whole_page(known).text,
            site=NamedSite(host_of(known.page.address), known.page.site_name),
            is_satire=known.page.page_type == SATIRE,
        )
        if fragment.fragment_type is FragmentType.TABLE:
            return replace(own, header=self._header(fragment), is_table=True)
        before = self._fragment_before(fragment)
        return own if before is None else replace(own, before=last_sentence(before.id, before.text_content))

    def _header(self, fragment: Fragment) -> Excerpt | None:
        """The first row of a table whose rows fill several fragments, where this is not the first of them."""
        first, before = fragment, self._fragment_before(fragment)
        while before is not None and before.fragment_type is FragmentType.TABLE:
            first, before = before, self._fragment_before(before)
        return None if first is fragment else header_row(first.id, first.text_content)

    def _fragment_before(self, fragment: Fragment) -> Fragment | None:
        """The fragment in front of one, under the same headings."""
        position = fragment.position - 1
        before = self._known.get(self._places.get((fragment.page_id, position), ""))
        while before is not None and self._orders.is_mostly_orders(
            before.fragment.id, len(before.fragment.text_content)
        ):
            position -= 1
            before = self._known.get(self._places.get((fragment.page_id, position), ""))
        if before is None or before.fragment.heading_hierarchy != fragment.heading_hierarchy:
            return None
        return before.fragment

    def _flags(self, fragments: Sequence[Fragment], found: PageFindings, stating: Collection[str]) -> list[bool]:
        """What states nothing is judged against hypotheses too; it counts for novelty only where it was useful."""
        looked_at = {edge.source_id for edge in found.edges if edge.source_id in stating}
        useful = {edge.source_id for edge in found.edges if edge.relation in _USEFUL}
        new_claims = {claim.id for claim in found.claims}
        useful |= {mention.fragment_id for mention in found.mentions if mention.claim_id in new_claims}
        useful -= {one for one, originals in found.originals.items() if originals.first}
        return [one.id in useful for one in fragments if one.id in looked_at | useful]


async def _always() -> None:
    """A page that nothing ends before its end."""


def save_findings(connection: "Connection", found: PageFindings, also_write: AlsoWrite | None) -> None:
    """Everything that one page gave, and the note that it was read, in one transaction."""
    claim_records.insert_many(connection, found.claims)
    claim_records.add_mentions(connection, found.mentions)
    edges.insert_many(connection, found.edges)
    edges.mark_origins(connection, [(one.fragment_id, one.claim_id) for one in found.mentions])
    save_originals(connection, found.originals)
    embeddings.put_many(connection, "fragment", found.fragment_vectors, found.model_id)
    embeddings.put_many(connection, "claim", found.claim_vectors, found.model_id)
    sentence_vectors.put_many(connection, found.sentence_vectors, found.model_id, found.found_at)
    journal.append(connection, found.events)
    if also_write is not None:
        also_write(connection)


def save_originals(connection: "Connection", found: Mapping[str, Originals]) -> None:
    """Which texts these repeat."""
    pages.set_near_duplicates(connection, [(one, originals.first) for one, originals in found.items()])
    pages.set_contained_originals(connection, {one: originals.contained for one, originals in found.items()})


def _sketches_of(claims: Sequence[Claim], vectors: "Iterable[NDArray[np.float32]]") -> list[ClaimSketch]:
    return [
        ClaimSketch(one.id, one.claim_text, one.language, vector, one.is_hypothesis)
        for one, vector in zip(claims, vectors, strict=True)
    ]


def _head_of(page: Page) -> PageHead:
    address = page.final_url or page.url
    return PageHead(page.id, address, page.title, page.date, page.page_type, page.site_name or "", page.authors)


def _statements(fragments: Sequence[Fragment]) -> list[tuple[Fragment, Statement]]:
    return [
        (one, found)
        for one in fragments
        if one.fragment_type not in NOT_PROSE
        for found in statements(one.text_content, one.language)
    ]


def _stating_ids(fragments: Iterable[Fragment], known_to_state: Collection[str]) -> frozenset[str]:
    """Fragments that state something: only those are judged against claims that were found elsewhere."""
    return frozenset(one.id for one in fragments if one.id in known_to_state or _has_statement(one))


def _has_statement(fragment: Fragment) -> bool:
    return fragment.fragment_type not in NOT_PROSE and has_statement(fragment.text_content, fragment.language)


def _is_only_questions(text: str) -> bool:
    return all(is_question(text[start:end]) for start, end in sentence_spans(text))


def _mention(claim: str, fragment: Fragment, statement: Statement) -> Mention:
    return Mention(claim, fragment.id, statement.quote, statement.start, statement.end, text_hash(statement.quote))
