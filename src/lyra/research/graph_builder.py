"""Phase 7: a page's fragments become claims, pairs, stances and confidence, as each page arrives.

What one page gives is written in one transaction together with the note that the page was read: after a crash a page
is either added or still to be added, never half.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from lyra.claims.announcements import is_question
from lyra.claims.hypotheses import HypothesisPairs
from lyra.claims.pairs import ClaimSketch, FragmentSketch, Pair, PairIndex, best_of_each, within_budget
from lyra.claims.sentences import sentence_spans
from lyra.claims.statements import NOT_PROSE, has_statement, statements
from lyra.evidence.copies import CopyIndex, DatedText
from lyra.ids import new_id
from lyra.model.claim import Assessment, Claim, Statement
from lyra.model.edge import Edge, Relation
from lyra.model.page import Fragment, FragmentType, Page, PageHead, StoredPage
from lyra.research import flow
from lyra.research.assessing import Assessor
from lyra.research.assessment_schedule import is_due
from lyra.research.flow import FlowNote
from lyra.research.injections import OrderSpans, block_obeyed, ensure_scanned
from lyra.research.known_fragments import KnownFragment, KnownFragments
from lyra.research.llm_claims import Rewriter
from lyra.research.page_findings import AlsoWrite, PageFindings, save_findings
from lyra.research.page_vectors import mean_vector, sentence_vectors_of
from lyra.research.pair_judge import PairJudge
from lyra.research.search_run import PageLeft, SearchParts
from lyra.research.task_claims import TaskClaims
from lyra.research.task_state import take_up
from lyra.storage import embeddings, injections, journal, searches, sentence_vectors

if TYPE_CHECKING:
    from apsw import Connection
_PAIRS_PER_CLAIM = 60
_AT_ONCE = 500
# Pairs that are judged between two looks at whether the search shall stop: a few seconds' work, and more than an
# ordinary page has.
_JUDGED_AT_ONCE = 128
# Asked between two steps of a long page; what it raises ends the page, of which nothing is then written.
MayGoOn = Callable[[], Awaitable[None]]
_USEFUL = (Relation.SUPPORTS, Relation.REFUTES)
_NOT_FOR_HYPOTHESES = frozenset({FragmentType.CODE, FragmentType.HEADING})


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
        self._question = query
        self._queries = tuple(dict.fromkeys((query, search_query)))
        self._orders = OrderSpans()
        self._assessor = Assessor(parts, task_id)
        self._lock = asyncio.Lock()
        self._note = FlowNote(task_id, search_id, new_id("run"))
        self._forget()

    def _forget(self) -> None:
        """Know nothing of the task, as before `load`."""
        settings = self._parts.settings.evidence
        self._fragments = KnownFragments(self._orders, self._question)
        self._claims = TaskClaims(self._parts, self._note, self._queries, self._fragments, self._rewriter)
        self._judge = PairJudge(
            self._parts, self._search_id, self._fragments, self._orders, self._claims, self._assessor.claim_trust
        )
        self._pairs = PairIndex(
            pair_similarity=settings.pair_similarity,
            pairs_per_fragment=settings.pairs_per_fragment,
            pairs_per_claim=_PAIRS_PER_CLAIM,
        )
        self._hypothesis_pairs = HypothesisPairs(
            pair_similarity=settings.pair_similarity, pairs_per_fragment=settings.pairs_per_fragment
        )
        self._copies: CopyIndex
        self._edges: Counter[str] = Counter()  # by claim

    async def load(self) -> None:
        """Take up what the task already knows, so that new findings meet old ones."""
        near_duplicate = self._parts.settings.evidence.near_duplicate
        self._copies = await asyncio.to_thread(CopyIndex, near_duplicate)  # numpy takes a moment to load
        inputs = flow.graph_inputs(self._parts.settings, self._models(), self._parts.trust.overrides())
        state = await self._parts.db.write(take_up, self._note, inputs, self._parts.clock.now())
        found, known = state.claims, state.fragments
        self._judge.judged = state.judged
        self._edges = Counter(judged_claim_id for _, judged_claim_id in state.judged)
        self._claims.mentions = {(mention.fragment_id, mention.claim_id) for mention in state.mentions}
        await self._remember_claims(found)
        self._orders.add(await self._parts.db.read(injections.orders_in, [fragment.id for fragment in known]))
        self._fragments.add([KnownFragment(one, state.pages[one.page_id]) for one in known])
        # Found claims meet only fragments that state something; hypotheses meet all of them.
        asked = {claim.id for claim in found if claim.is_hypothesis}
        known_to_state = {
            fragment_id for fragment_id, claim_id in self._judge.judged | self._claims.mentions if claim_id not in asked
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
        fresh = [fragment for fragment in stored.fragments if fragment.id not in self._fragments]
        head = _head_of(stored.page)
        self._fragments.add([KnownFragment(one, head) for one in fresh])
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
        new_claims = await self._claims.extract(stored, stated, found)
        pairs += await asyncio.to_thread(self._pairs.add_claims, new_claims)
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
        asked = [pair for pair in fresh if self._claims[pair.claim_id].is_hypothesis]
        chosen = best_of_each(asked, self._parts.settings.evidence.hypothesis_pairs_per_page)
        if len(chosen) < len(asked):
            told = {"judged": len(chosen), "wanted": len(asked)}
            found.events.append(self._note.event("partly_judged", page.url, told, found.found_at))
        last = len(chosen) - len(chosen) % _JUDGED_AT_ONCE
        made: list[Edge] = []
        for at in range(0, last, _JUDGED_AT_ONCE):
            made += await self._judge.judge(chosen[at : at + _JUDGED_AT_ONCE], found.levels)
            await may_go_on()
        return made + await self._judge.judge([*chosen[last:], *fresh[len(asked) :]], found.levels)

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

    async def assess_all(self, refuted_ids: Iterable[str] = ()) -> list[Assessment]:
        """Assess every claim of the task again; `refuted_ids` are those a refute search has just ended for."""
        refuted = frozenset(refuted_ids)
        async with self._lock:
            await self._parts.db.write(self._note_assessing, refuted)
            await self._assessor.save_citations(self._search_id)
            await self._assessor.group_pages()
            assessments = await self._assessor.assess(self._claims.ids, refuted)
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
        return await self._claims.like(query, floor)

    async def _sketches(self, fragments: Sequence[Fragment]) -> list[FragmentSketch]:
        """Fragments with a vector for every sentence."""
        texts = {one.text_hash: one.text_content for one in fragments}
        by_text = await sentence_vectors_of(self._parts.db, self._parts.embedder, texts)
        return [
            FragmentSketch(
                one.id,
                one.text_content,
                one.language,
                by_text[one.text_hash],
                one.page_id,
                self._fragments.headings_of(one),
            )
            for one in fragments
        ]

    async def _for_hypotheses(self, sketches: Sequence[FragmentSketch]) -> list[FragmentSketch]:
        """Those that are judged against hypotheses: all but code and bare questions; a table's row, a short phrase or a
        sentence that depends on the one before may decide one too."""
        wordy = [one for one in sketches if self._fragments[one.id].fragment.fragment_type not in _NOT_FOR_HYPOTHESES]
        wordy = [one for one in wordy if not self._orders.is_mostly_orders(one.id, len(one.text))]
        return await asyncio.to_thread(lambda: [one for one in wordy if not _is_only_questions(one.text)])

    def _within_budget(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs that are new, all with hypotheses, and of the others as many as a page may cost."""
        return within_budget(
            self._judge.unjudged(pairs),
            always=frozenset(one.id for one in self._claims.hypotheses),
            origins=self._claims.mentions,
            limit=self._parts.settings.evidence.pairs_per_page,
        )

    async def _remember_claims(self, known: Sequence[Claim]) -> None:
        sketches = await self._claims.sketches_of_known(known)
        await asyncio.to_thread(self._index_claims, sketches)

    def _index_claims(self, known: Sequence[ClaimSketch]) -> None:
        self._claims.index(known)
        self._pairs.remember_claims(known)
        self._hypothesis_pairs.remember_hypotheses(known)

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
