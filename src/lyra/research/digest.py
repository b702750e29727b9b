"""Phase 7: a page's fragments become claims, pairs, stances and confidence, as each page arrives."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.claims.merge import ClaimIndex
from lyra.claims.pairs import ClaimSketch, FragmentSketch, Pair, PairIndex
from lyra.claims.rules import statements
from lyra.claims.select import ClaimSelector, Selected
from lyra.claims.sentences import located
from lyra.evidence.assess import assess
from lyra.evidence.duplicates import DuplicateIndex
from lyra.ids import derived_id, text_hash
from lyra.model.claim import Assessment, Claim, Mention, Statement
from lyra.model.edge import Edge, EvidenceRow, Relation, Stance
from lyra.model.page import Fragment, StoredPage
from lyra.model.trust import TrustLevel
from lyra.research.kit import Kit
from lyra.research.tasks import claim_id
from lyra.storage import claims as claim_records
from lyra.storage import domains, edges, embeddings, pages
from lyra.trust.verification import promotions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PAIRS_PER_CLAIM = 60
_USEFUL = (Relation.SUPPORTS, Relation.REFUTES)


@dataclass(frozen=True, slots=True)
class _Known:
    """A fragment the task has read, with the domain it stands on."""

    fragment: Fragment
    domain: str


class Digest:
    """The working memory of one task: its claims and fragments, kept while a search reads page after page.

    Pages are read one at a time; everything found is written before the page counts as read.
    """

    def __init__(self, kit: Kit, task_id: str, query: str, search_id: str, search_query: str) -> None:
        self._kit = kit
        self._task_id = task_id
        self._search_id = search_id
        self._queries = tuple(dict.fromkeys((query, search_query)))
        settings = kit.settings.evidence
        self._selector = ClaimSelector(
            kit.embedder, relevance_floor=settings.relevance_floor, claims_per_page=settings.claims_per_page
        )
        self._claims = ClaimIndex(settings.merge_similarity)
        self._pairs = PairIndex(
            pair_similarity=settings.pair_similarity,
            pairs_per_fragment=settings.pairs_per_fragment,
            pairs_per_claim=_PAIRS_PER_CLAIM,
        )
        self._duplicates = DuplicateIndex(settings.near_duplicate)
        self._by_id: dict[str, Claim] = {}
        self._known: dict[str, _Known] = {}
        self._judged: set[tuple[str, str]] = set()
        self._mentions: set[tuple[str, str]] = set()
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Take up what the task already knows, so that new findings meet old ones."""
        found = await self._kit.db.read(claim_records.of_task, self._task_id)
        self._judged = await self._kit.db.read(edges.judged_pairs, self._task_id)
        mentions = await self._kit.db.read(claim_records.mentions_of, [claim.id for claim in found])
        self._mentions = {(mention.fragment_id, mention.claim_id) for mention in mentions}
        await self._remember_claims(found)
        known = await self._kit.db.read(pages.fragments_of_task, self._task_id)
        by_page = await self._kit.db.read(pages.domains_of, {fragment.page_id for fragment in known})
        self._known |= {one.id: _Known(one, by_page[one.page_id]) for one in known}
        sketches = await self._sketches(known)
        await asyncio.to_thread(self._pairs.add_fragments, sketches)
        await asyncio.to_thread(self._duplicates.add_all, [(one.id, one.text_content) for one in known])

    async def read(self, stored: StoredPage) -> list[bool]:
        """Digest one page; a flag for each fragment that was looked at closely, true where it is new and useful."""
        async with self._lock:
            fresh = [fragment for fragment in stored.fragments if fragment.id not in self._known]
            self._known |= {fragment.id: _Known(fragment, stored.page.domain) for fragment in fresh}
            copies = await self._note_duplicates(fresh)
            sketches = await self._sketches(fresh)
            pairs = await asyncio.to_thread(self._pairs.add_fragments, sketches)
            added = await self._extract(stored.fragments)
            pairs += await self._pairs_of(added)
            judged = await self._judge(pairs)
            return self._flags(stored.fragments, judged, added, copies)

    async def assess_all(self, refuted_ids: Iterable[str] = ()) -> list[Assessment]:
        """Assess every claim of the task again; `refuted_ids` are those a refute search has just ended for."""
        async with self._lock:
            return await self._assess(tuple(self._by_id), frozenset(refuted_ids))

    async def claims_like(self, query: str, floor: float) -> tuple[str, ...]:
        """The task's claims similar to a query, whom a refute search without claim ids concerns (SPEC §13)."""
        if not self._by_id:
            return ()
        ids = tuple(self._by_id)
        vectors = await self._kit.embedder.embed([query, *(self._by_id[one].claim_text for one in ids)])
        similarities = vectors[1:] @ vectors[0]
        return tuple(one for one, similarity in zip(ids, similarities, strict=True) if similarity >= floor)

    async def _note_duplicates(self, fresh: Sequence[Fragment]) -> set[str]:
        texts = [(fragment.id, fragment.text_content) for fragment in fresh]
        originals = await asyncio.to_thread(self._duplicates.add_all, texts)
        copied = {one: original for one, original in originals.items() if original != one}
        if copied:
            await self._kit.db.write(pages.set_near_duplicates, list(copied.items()))
        return set(copied)

    async def _sketches(self, fragments: Sequence[Fragment]) -> list[FragmentSketch]:
        """Fragments with a vector for every sentence; the mean of them is stored as the fragment's own."""
        spans = [located(fragment.text_content) or [(0, len(fragment.text_content))] for fragment in fragments]
        texts = [one.text_content[a:b] for one, found in zip(fragments, spans, strict=True) for a, b in found]
        vectors = await self._kit.embedder.embed(texts)
        sketches: list[FragmentSketch] = []
        start = 0
        for fragment, found in zip(fragments, spans, strict=True):
            rows = vectors[start : start + len(found)]
            start += len(found)
            sketches.append(FragmentSketch(fragment.id, fragment.text_content, fragment.language, rows))
        await self._store_vectors("fragment", [(one.id, _mean(one.vectors)) for one in sketches])
        return sketches

    async def _extract(self, fragments: Sequence[Fragment]) -> list[Claim]:
        """New claims of a page; every place where a claim, new or known, is stated is kept."""
        found = await asyncio.to_thread(_statements, fragments)
        hypotheses = [claim.claim_text for claim in self._by_id.values() if claim.is_hypothesis]
        selected = await self._selector.select([statement for _, statement in found], self._queries, hypotheses)
        added: list[Claim] = []
        mentions: list[Mention] = []
        for one in selected:
            claim = self._merged(one, added)
            mentions.append(_mention(claim.id, found[one.index][0], one.statement))
        await self._kit.db.write(claim_records.insert_many, added)
        await self._kit.db.write(claim_records.add_mentions, mentions)
        self._mentions |= {(mention.fragment_id, mention.claim_id) for mention in mentions}
        return added

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
                created_at=self._kit.clock.now(),
                search_id=self._search_id,
            )
            self._by_id[own_id] = claim
            added.append(claim)
        return self._by_id[merged_id]

    async def _remember_claims(self, found: Sequence[Claim]) -> list[Pair]:
        self._by_id |= {claim.id: claim for claim in found}
        vectors = await self._kit.embedder.embed([claim.claim_text for claim in found])
        for claim, vector in zip(found, vectors, strict=True):
            self._claims.merge(claim.id, claim.claim_text, claim.language, vector)
        return await self._sketch_claims(found, vectors)

    async def _pairs_of(self, added: Sequence[Claim]) -> list[Pair]:
        """New claims against every fragment the task has read."""
        return await self._sketch_claims(added, await self._kit.embedder.embed([one.claim_text for one in added]))

    async def _sketch_claims(self, found: Sequence[Claim], vectors: "NDArray[np.float32]") -> list[Pair]:
        await self._store_vectors("claim", [(one.id, vector) for one, vector in zip(found, vectors, strict=True)])
        sketches = [
            ClaimSketch(one.id, one.claim_text, one.language, vector)
            for one, vector in zip(found, vectors, strict=True)
        ]
        return await asyncio.to_thread(self._pairs.add_claims, sketches)

    async def _store_vectors(self, kind: str, rows: "list[tuple[str, NDArray[np.float32]]]") -> None:
        if rows:
            await self._kit.db.write(embeddings.put_many, kind, rows, self._kit.embedder.model_id)

    async def _judge(self, pairs: Iterable[Pair]) -> list[Edge]:
        """Edges for the pairs that were not judged before; the claims they touch are assessed at once."""
        fresh = [pair for pair in dict.fromkeys(pairs) if (pair.fragment_id, pair.claim_id) not in self._judged]
        texts = [
            (self._known[pair.fragment_id].fragment.text_content, self._by_id[pair.claim_id].claim_text)
            for pair in fresh
        ]
        stances = await self._kit.judge.judge(texts)
        made = [await self._edge(pair, stance) for pair, stance in zip(fresh, stances, strict=True)]
        await self._kit.db.write(edges.insert_many, made)
        self._judged |= {(edge.source_id, edge.target_id) for edge in made}
        await self._assess(tuple({edge.target_id for edge in made}))
        return made

    async def _edge(self, pair: Pair, stance: Stance) -> Edge:
        return Edge(
            id=derived_id("e", "fragment", pair.fragment_id, "claim", pair.claim_id),
            source_type="fragment",
            source_id=pair.fragment_id,
            target_type="claim",
            target_id=pair.claim_id,
            relation=stance.label,
            created_at=self._kit.clock.now(),
            nli_label=stance.label.value,
            nli_confidence=stance.confidence,
            nli_raw=stance.raw_confidence,
            model_id=stance.model_id,
            calibration_version=stance.calibration_version,
            source_trust_level=await self._trust(self._known[pair.fragment_id].domain),
            target_trust_level=None,
            is_origin=(pair.fragment_id, pair.claim_id) in self._mentions,
            quote=stance.window or self._known[pair.fragment_id].fragment.text_content,
            cause_id=self._search_id,
            probabilities=stance.probabilities,
        )

    async def _trust(self, domain: str) -> TrustLevel:
        record = await self._kit.db.read(domains.get, domain)
        return self._kit.trust.level_of(domain, record.trust_level if record else None)

    async def _assess(self, claim_ids: Sequence[str], refuted: frozenset[str] = frozenset()) -> list[Assessment]:
        rows = await self._kit.db.read(edges.evidence_of_claims, claim_ids)
        searched = await self._kit.db.read(claim_records.refute_searched, claim_ids)
        settings = self._kit.settings.evidence
        by_claim: dict[str, list[EvidenceRow]] = {one: [] for one in claim_ids}
        for row in rows:
            by_claim[row.claim_id].append(row)
        assessments = [
            assess(
                one,
                found,
                refute_search_ended=one in refuted or one in searched,
                counting_refutation=settings.counting_refutation,
                adoption_floor=settings.adoption_floor,
            )
            for one, found in by_claim.items()
        ]
        await self._kit.db.write(claim_records.save_assessments, assessments, self._kit.clock.now())
        await self._promote(assessments, by_claim)
        return assessments

    async def _promote(self, assessments: Sequence[Assessment], rows: dict[str, list[EvidenceRow]]) -> None:
        """Unverified domains that a corroborated claim stands on become low trust, with their cause."""
        now = self._kit.clock.now()
        for assessment in assessments:
            for one in promotions(assessment, rows[assessment.claim_id]):
                await self._kit.db.write(
                    domains.set_trust, one.domain, one.after, one.reason, now=now, cause_id=one.claim_id
                )

    def _flags(
        self, fragments: Sequence[Fragment], judged: Sequence[Edge], added: Sequence[Claim], copies: set[str]
    ) -> list[bool]:
        new_claims = {claim.id for claim in added}
        looked_at = {edge.source_id for edge in judged}
        useful = {edge.source_id for edge in judged if edge.relation in _USEFUL}
        useful |= {fragment for fragment, claim in self._mentions if claim in new_claims}
        return [one.id in useful and one.id not in copies for one in fragments if one.id in looked_at | useful]


def _statements(fragments: Sequence[Fragment]) -> list[tuple[Fragment, Statement]]:
    return [(one, found) for one in fragments for found in statements(one.text_content, one.language)]


def _mention(claim: str, fragment: Fragment, statement: Statement) -> Mention:
    return Mention(claim, fragment.id, statement.quote, statement.start, statement.end, text_hash(statement.quote))


def _mean(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """The mean of a fragment's sentence vectors, of length 1 again."""
    import numpy as np

    mean: NDArray[np.float32] = vectors.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length else mean
