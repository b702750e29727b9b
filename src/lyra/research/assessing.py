"""What the graph says of a task's claims: assessed from their evidence, stored, and acted on in trust."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.evidence.assess import assess
from lyra.evidence.independence import sources_of
from lyra.evidence.page_groups import PageText, citation_loops, merge_groups, self_references, stories
from lyra.evidence.retractions import retells_corrected, retells_retracted
from lyra.evidence.whatif import AssessFunction, dependences, group_by_claim, review_rows
from lyra.model.claim import Assessment
from lyra.model.edge import EvidenceRow, NoVote, Relation
from lyra.model.page import Fragment, GroupKind, PageGroup
from lyra.model.trust import TrustLevel, TrustPromotion
from lyra.research.injections import OrderSpans
from lyra.research.search_run import SearchParts
from lyra.storage import (
    candidates,
    citation_flows,
    claim_sources,
    edges,
    embeddings,
    injections,
    links,
    page_groups,
    pages,
    reassessments,
    reviews,
    searches,
    votes,
)
from lyra.storage import claims as claim_records
from lyra.storage.database import Database
from lyra.trust.levels import trust_promotions

if TYPE_CHECKING:
    from datetime import datetime

    from apsw import Connection
# Claims whose sources are weighed in one transaction: others that write wait no longer than these take.
_WEIGHED_AT_ONCE = 20


async def find_page_groups(db: Database, task_id: str, model_id: str) -> tuple[PageGroup, ...]:
    """Narratives, loops and self-references among the task's pages, from the texts, vectors and links stored.

    While the vectors of another model are being replaced by those of `model_id`, those of the model that has more of
    the task decide.
    """
    texts = await db.read(_fragment_texts, task_id, model_id)
    found_stories = await asyncio.to_thread(stories, texts)
    cited = await db.read(edges.cites, {text.page_id for text in texts})
    alone = self_references(await db.read(links.of_task, task_id))
    return (
        *(
            PageGroup(GroupKind.NARRATIVE, pages_, tuple(one for one in found_stories if one <= pages_))
            for pages_ in merge_groups(found_stories)
        ),
        *(PageGroup(GroupKind.LOOP, pages_) for pages_ in citation_loops(cited)),
        *(PageGroup(GroupKind.SELF_REFERENCE, frozenset({page_id})) for page_id in alone),
    )


def pages_as_one_source(groups: Iterable[PageGroup]) -> tuple[frozenset[str], ...]:
    """The page ids that count as one source: those of a loop, and of each story of a narrative. A page that cites only
    its publisher is one with it anyway."""
    counted = [one for one in groups if one.kind is not GroupKind.SELF_REFERENCE]
    return tuple(pages_ for one in counted for pages_ in one.stories or (one.pages,))


def fragments_read(connection: "Connection", task_id: str) -> tuple[Fragment, ...]:
    """Every fragment the task has read, whether or not it spoke so far: a later claim may be what it is about."""
    read = {
        one.page_id: None
        for search in searches.of_task(connection, task_id)
        for one in candidates.of_search(connection, search.id)
        if one.page_id and one.state.is_read
    }
    found = {one.id: one for one in pages.fragments_of_task(connection, task_id)}
    found |= {one.id: one for page_id in read for one in pages.fragments_of(connection, page_id)}
    return tuple(found.values())


def _fragment_texts(connection: "Connection", task_id: str, model_id: str) -> list[PageText]:
    found = fragments_read(connection, task_id)
    ids = [one.id for one in found]
    orders = OrderSpans(injections.orders_in(connection, ids))  # one order on many pages joins nobody
    found = tuple(one for one in found if not orders.is_mostly_orders(one.id, len(one.text_content)))
    fullest = embeddings.fullest_model(connection, "fragment", ids, model_id)
    vectors = embeddings.get_many(connection, "fragment", ids, fullest)
    return [PageText(one.id, one.page_id, one.text_content, vectors[one.id]) for one in found if one.id in vectors]


class Assessor:
    """Assesses the claims of one task. `joined` are the groups of pages that count as one source."""

    def __init__(self, parts: SearchParts, task_id: str) -> None:
        self._parts = parts
        self._task_id = task_id
        self.joined_pages: tuple[frozenset[str], ...] = ()
        self.claim_trust: dict[str, TrustLevel] = {}
        self._found: tuple[PageGroup, ...] = ()
        self._groups: dict[str, list[frozenset[str]]] = {}

    async def save_citations(self, search_id: str) -> None:
        """Make citations of the links between pages that the graph holds by now."""
        await self._parts.db.write(links.cite, self._task_id, search_id, self._parts.clock.now())

    async def group_pages(self) -> None:
        """Look again which pages count as one source."""
        self._found = await find_page_groups(self._parts.db, self._task_id, self._parts.embedder.model_id)
        self.joined_pages = pages_as_one_source(self._found)
        self._groups = {}
        for group in self.joined_pages:
            for page_id in group:
                self._groups.setdefault(page_id, []).append(group)

    async def assess(
        self, claim_ids: Sequence[str], refuted: frozenset[str] = frozenset(), why: str = ""
    ) -> list[Assessment]:
        """AssessFunction these claims and store the result; `refuted` are those a refute search has just ended for.

        `why` is the reason other than new evidence, noted in the journal with what changed.
        """
        done = await self._parts.db.write(self.assess_in_transaction, claim_ids, refuted, why)
        await self._parts.trust.set_promotions(claim_ids, done.promotions)
        return done.assessments

    def assess_in_transaction(
        self, connection: "Connection", claim_ids: Sequence[str], refuted: frozenset[str] = frozenset(), why: str = ""
    ) -> "AssessmentResult":
        """The same within a transaction: no other process changes the evidence between reading and writing."""
        found_rows = edges.evidence_of_claims(connection, claim_ids)
        if _note_retellings(connection, found_rows):
            found_rows = edges.evidence_of_claims(connection, claim_ids)
        rows = self._parts.trust.with_overrides(found_rows)
        claim_records.note_refute_search(connection, refuted)
        rule = self._rule(claim_records.refute_searched(connection, claim_ids))
        found = group_by_claim(rows)
        assessments = [rule(one, found.get(one, ())) for one in claim_ids]
        _save(connection, assessments, self._parts.clock.now(), why)
        self.claim_trust |= {one.claim_id: TrustLevel(one.trust_level) for one in assessments if one.trust_level}
        lifted = [lift for one in assessments for lift in self._promotions(one, found.get(one.claim_id, ()))]
        return AssessmentResult(assessments, lifted)

    def _promotions(self, assessment: Assessment, rows: Sequence[EvidenceRow]) -> list[TrustPromotion]:
        voting = [row for row in rows if not row.no_vote]
        sources = sources_of(voting, self._joined_with(voting))
        return trust_promotions(assessment, zip(voting, (one.group for one in sources), strict=True))

    async def update_source_influence(self) -> None:
        """Store which pages count as one source, which page cites which and, for every claim of the task, its verdict
        without each of its independent sources and what is to be reviewed."""
        await self._parts.db.write(page_groups.replace_all, self._task_id, self._found)
        await self._parts.db.write(citation_flows.replace_all, self._task_id)
        claim_ids = [one.id for one in await self._parts.db.read(claim_records.of_task, self._task_id)]
        for at in range(0, len(claim_ids), _WEIGHED_AT_ONCE):
            await self._parts.db.write(self.update_source_influence_of, claim_ids[at : at + _WEIGHED_AT_ONCE])

    def update_source_influence_of(self, connection: "Connection", claim_ids: Sequence[str]) -> None:
        """Store again the verdicts of these claims without each source, and what of them is to be reviewed."""
        rows = self._parts.trust.with_overrides(edges.evidence_of_claims(connection, claim_ids))
        rule = self._rule(claim_records.refute_searched(connection, claim_ids))
        seen = reviews.reviewed(connection, claim_ids)
        _forget_sources(connection, claim_ids)
        for claim_id, own in group_by_claim(rows).items():
            joined_pages = self._joined_with(own)
            claim_sources.put(connection, self._task_id, dependences(claim_id, own, joined_pages, rule))
            left = review_rows(claim_id, own, joined_pages, rule, seen.get(claim_id, frozenset()))
            reviews.put_queue(connection, self._task_id, left)

    def _joined_with(self, rows: Iterable[EvidenceRow]) -> list[frozenset[str]]:
        """The groups that these rows' pages belong to."""
        return list(dict.fromkeys(group for row in rows for group in self._groups.get(row.page_id, ())))

    async def rule(self, claim_ids: Iterable[str]) -> AssessFunction:
        """The rule by which claims are assessed here: rows in, assessment out."""
        return self._rule(await self._parts.db.read(claim_records.refute_searched, claim_ids))

    def _rule(self, refute_searched: frozenset[str]) -> AssessFunction:
        settings = self._parts.settings.evidence

        def rule(claim_id: str, rows: Sequence[EvidenceRow]) -> Assessment:
            return assess(
                claim_id,
                rows,
                refute_search_ended=claim_id in refute_searched,
                joined_pages=self._joined_with(rows),
                counting_refutation=settings.counting_refutation,
                adoption_floor=settings.adoption_floor,
            )

        return rule


@dataclass(frozen=True, slots=True)
class AssessmentResult:
    """What was written down of claims, and the domains that it promotes."""

    assessments: list[Assessment]
    promotions: list[TrustPromotion]


def _save(connection: "Connection", assessments: Sequence[Assessment], now: "datetime", why: str) -> None:
    """Assessments, and delete what was stored of single sources, which the evidence before gave."""
    if why:
        reassessments.record_changes(connection, assessments, why, now)
    claim_records.save_assessments(connection, assessments, now)
    _forget_sources(connection, [one.claim_id for one in assessments])
    votes.mark_assessed(connection, [one.claim_id for one in assessments])


def _forget_sources(connection: "Connection", claim_ids: Sequence[str]) -> None:
    claim_sources.forget(connection, claim_ids)
    reviews.forget_queue(connection, claim_ids)


def _note_retellings(connection: "Connection", found: Iterable[EvidenceRow]) -> bool:
    """Find for claims with evidence from a retracted work, or with evidence on both sides, which sources only retell
    what was retracted or corrected; whether any edge has lost or regained its vote."""
    changed = False
    for claim_id, rows in group_by_claim(found).items():
        if _may_have_retellings(rows):
            texts = pages.texts_of_fragments(connection, [row.fragment_id for row in rows])
            claim = claim_records.text_of(connection, claim_id)
            reasons = dict.fromkeys(retells_corrected(claim, rows, texts), NoVote.RETELLS_CORRECTED)
            reasons |= dict.fromkeys(retells_retracted(claim, rows, texts), NoVote.RETELLS_RETRACTED)
            changed |= votes.note_retellings(connection, claim_id, reasons)
    return changed


def _may_have_retellings(rows: Sequence[EvidenceRow]) -> bool:
    stances = [row for row in rows if row.relation is not Relation.NEUTRAL]
    concerned = (NoVote.RETRACTED, NoVote.RETELLS_RETRACTED, NoVote.RETELLS_CORRECTED)
    takes_sides = len({row.relation for row in stances}) > 1
    return takes_sides or (bool(stances) and any(row.no_vote in concerned for row in rows))
