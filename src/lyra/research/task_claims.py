"""The claims of a task: what its pages state, one claim for each statement however often it is found."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lyra.claims.merge import ClaimIndex
from lyra.claims.pairs import ClaimSketch
from lyra.claims.select import ClaimSelector, Selected
from lyra.ids import text_hash
from lyra.model.claim import Claim, Mention, Statement
from lyra.model.page import Fragment, StoredPage
from lyra.research.flow import FlowNote
from lyra.research.known_fragments import KnownFragments
from lyra.research.llm_claims import Rewriter
from lyra.research.page_findings import PageFindings
from lyra.research.search_run import SearchParts
from lyra.research.tasks import claim_id
from lyra.storage import embeddings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TaskClaims:
    """The claims of one task by their ids, and where they are stated: pairs of fragment and claim.

    `queries` are the task's question and the search's query. With a `rewriter`, pronouns in statements are replaced.
    """

    def __init__(
        self,
        parts: SearchParts,
        note: FlowNote,
        queries: Sequence[str],
        fragments: KnownFragments,
        rewriter: Rewriter | None,
    ) -> None:
        settings = parts.settings.evidence
        self._parts = parts
        self._note = note
        self._queries = queries
        self._fragments = fragments
        self._rewriter = rewriter
        self._selector = ClaimSelector(
            parts.embedder, relevance_floor=settings.relevance_floor, claims_per_page=settings.claims_per_page
        )
        self._index = ClaimIndex(settings.merge_similarity)
        self._by_id: dict[str, Claim] = {}
        self.mentions: set[tuple[str, str]] = set()

    def __getitem__(self, claim_id: str) -> Claim:
        return self._by_id[claim_id]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._by_id)

    @property
    def hypotheses(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self._by_id.values() if claim.is_hypothesis)

    async def sketches_of_known(self, known: Sequence[Claim]) -> list[ClaimSketch]:
        """Claims that were found before, with their vectors, which are made and stored where they are missing."""
        self._by_id |= {claim.id: claim for claim in known}
        model_id = self._parts.embedder.model_id
        by_id = await self._parts.db.read(embeddings.get_many, "claim", [claim.id for claim in known], model_id)
        new = [claim for claim in known if claim.id not in by_id]
        embedded = await self._parts.embedder.embed([claim.claim_text for claim in new])
        rows = [(claim.id, vector) for claim, vector in zip(new, embedded, strict=True)]
        await self._parts.db.write(embeddings.put_many, "claim", rows, model_id)
        by_id |= dict(rows)
        return _sketches_of(known, [by_id[claim.id] for claim in known])

    def index(self, known: Iterable[ClaimSketch]) -> None:
        """Know these statements again when they are found once more."""
        for one in known:
            self._index.merge(one.id, one.text, one.language, one.vector)

    async def extract(
        self, stored: StoredPage, stated: Sequence[tuple[Fragment, Statement]], found: PageFindings
    ) -> list[ClaimSketch]:
        """New claims of a page, added to `found`; every place where a claim, new or known, is stated is kept."""
        hypotheses = [claim.claim_text for claim in self.hypotheses]
        selected = await self._selector.select([statement for _, statement in stated], self._queries, hypotheses)
        for one in selected:
            fragment = stated[one.index][0]
            claim = self._merged(await self._self_contained(stored, fragment, one, found), found.claims)
            found.mentions.append(_mention(claim.id, fragment, one.statement))
        self.mentions |= {(mention.fragment_id, mention.claim_id) for mention in found.mentions}
        vectors = await self._parts.embedder.embed([one.claim_text for one in found.claims])
        found.claim_vectors += [(one.id, vector) for one, vector in zip(found.claims, vectors, strict=True)]
        return _sketches_of(found.claims, vectors)

    async def _self_contained(
        self, stored: StoredPage, fragment: Fragment, one: Selected, found: PageFindings
    ) -> Selected:
        """The statement with what its pronouns stand for, where a model says so and the check lets it pass."""
        if self._rewriter is None:
            return one
        previous = self._fragments.before(fragment)
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
        own_id = claim_id(self._note.task_id, statement.text)
        merged_id = self._index.merge(own_id, statement.text, statement.language, one.vector)
        if merged_id not in self._by_id:
            claim = Claim(
                id=own_id,
                task_id=self._note.task_id,
                claim_text=statement.text,
                language=statement.language,
                created_at=self._parts.clock.now(),
                search_id=self._note.search_id,
            )
            self._by_id[own_id] = claim
            added.append(claim)
        return self._by_id[merged_id]

    async def like(self, query: str, floor: float) -> tuple[str, ...]:
        """The ids of claims that are at least so similar to a query."""
        if not self._by_id:
            return ()
        ids = self.ids
        vectors = await self._parts.embedder.embed([query, *(self._by_id[one].claim_text for one in ids)])
        similarities = vectors[1:] @ vectors[0]
        return tuple(one for one, similarity in zip(ids, similarities, strict=True) if similarity >= floor)


def _sketches_of(claims: Sequence[Claim], vectors: "Iterable[NDArray[np.float32]]") -> list[ClaimSketch]:
    return [
        ClaimSketch(one.id, one.claim_text, one.language, vector, one.is_hypothesis)
        for one, vector in zip(claims, vectors, strict=True)
    ]


def _mention(claim: str, fragment: Fragment, statement: Statement) -> Mention:
    return Mention(claim, fragment.id, statement.quote, statement.start, statement.end, text_hash(statement.quote))
