"""Reviews: a reader sets the relation of an edge; the claim's verdict follows at once, calibration learns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.calibration.book import MAX_CONTEXT_CHARS, CalibrationBook, checked_text
from lyra.calibration.predictions import Actual, stance_index
from lyra.calibration.reports import AddedSample
from lyra.errors import InvalidParams, LyraError, NotAllowed, TaskNotFound
from lyra.ids import new_id
from lyra.model.calibration import STANCES, CalibrationSample, JudgedEdge
from lyra.model.claim import Verdict
from lyra.model.edge import QueuedEdge, Relation, Review
from lyra.model.event import Event
from lyra.model.person import OWNER, Person
from lyra.research.assessing import AssessmentResult, Assessor
from lyra.research.search_run import SearchParts
from lyra.research.tasks import own_task
from lyra.storage import calibrations, journal, reviews

if TYPE_CHECKING:
    from apsw import Connection

MAX_AT_ONCE = 100
MAX_REVIEWER_CHARS = 100
_HOW_TO_FIND = "Take edge_id from v_review_queue, or from edges WHERE task_id = '…'."


@dataclass(frozen=True, slots=True)
class ReviewInput:
    """A review of one edge as a client sends it; `actual` true confirms the relation that reader and rules gave it."""

    edge_id: str
    actual: Actual
    reason: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """A review in force, the one it replaced, its claim's verdict with it, and what calibration learned."""

    review: Review
    replaced: Review | None
    verdict: Verdict
    added: AddedSample | None


@dataclass(frozen=True, slots=True)
class UndoneReview:
    """A review taken back, and the verdict of its claim without it."""

    review: Review
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _StoredReview:
    review: Review
    replaced: Review | None
    sample: CalibrationSample | None


class Reviews:
    """Writes reviews, takes them back, and lists what to review next."""

    def __init__(self, parts: SearchParts, book: CalibrationBook, person: Person = OWNER) -> None:
        self._parts = parts
        self._book = book
        self._person = person

    async def add(self, inputs: Sequence[ReviewInput], *, task_id: str | None = None) -> list[ReviewResult | LyraError]:
        """An answer for each, in order: a bad one does not spoil the others. `task_id`: only edges of this task."""
        if not 1 <= len(inputs) <= MAX_AT_ONCE:
            raise InvalidParams(
                f"There are {len(inputs)} reviews; 1 to {MAX_AT_ONCE} are accepted at once.",
                remedy="Send them in parts.",
            )
        known = await self._parts.db.read(reviews.tasks_of, [one.edge_id for one in inputs if _is_text(one.edge_id)])
        answers: dict[int, ReviewResult | LyraError] = {}
        by_task: dict[str, dict[int, ReviewInput]] = {}
        for at, one in enumerate(inputs):
            try:
                by_task.setdefault(_task_of(one.edge_id, known, task_id), {})[at] = self._checked(one)
            except LyraError as exc:
                answers[at] = exc
        for owner, entries in by_task.items():
            refused = await self._refusal(owner)
            if refused is None:
                answers |= await self._add_to(owner, entries)
            else:
                answers |= {at: refused(one.edge_id) for at, one in entries.items()}
        return [answers[at] for at in range(len(inputs))]

    async def _refusal(self, task_id: str) -> Callable[[str], LyraError] | None:
        """The error for an edge of a task whose edges the person may not review, None where they may. An edge of a task
        that they do not see is not there."""
        try:
            await own_task(self._parts.db, self._person, task_id)
        except TaskNotFound:
            return _no_edge
        except NotAllowed as exc:
            refused = exc
            return lambda _: refused
        return None

    def _checked(self, given: ReviewInput) -> ReviewInput:
        """The same with its texts cleaned; raises what is wrong with it. Whoever came with a token is the reviewer."""
        reviewer = self._person.name if self._person.id else given.reviewer
        stance_index(given.actual, Relation.NEUTRAL)
        return ReviewInput(
            given.edge_id,
            given.actual,
            checked_text(given.reason, "reason", MAX_CONTEXT_CHARS),
            checked_text(reviewer, "reviewer", MAX_REVIEWER_CHARS),
        )

    async def add_one(self, given: ReviewInput, *, task_id: str | None = None) -> ReviewResult:
        """A single review; raises what is wrong with it."""
        (answer,) = await self.add([given], task_id=task_id)
        if isinstance(answer, LyraError):
            raise answer
        return answer

    async def undo(self, edge_id: str, *, task_id: str | None = None) -> UndoneReview:
        """Restore the relation that reader and rules gave the edge, whoever reviewed it."""
        known = await self._parts.db.read(reviews.tasks_of, [edge_id] if _is_text(edge_id) else [])
        owner = _task_of(edge_id, known, task_id)
        if (refused := await self._refusal(owner)) is not None:
            raise refused(edge_id)
        assessor = Assessor(self._parts, owner)
        await assessor.group_pages()
        review, assessed = await self._parts.db.write(_undo, assessor, edge_id, self._parts.clock.now())
        await self._parts.trust.set_promotions([review.claim_id], assessed.promotions)
        return UndoneReview(review, assessed.assessments[0].verdict)

    async def queue(
        self, task_id: str, limit: int, *, only_hypotheses: bool = False, claim_id: str | None = None
    ) -> tuple[QueuedEdge, ...]:
        """What to review next, first what would turn a verdict."""
        return await self._parts.db.read(
            reviews.queue, task_id, limit, only_hypotheses=only_hypotheses, claim_id=claim_id
        )

    async def _add_to(self, task_id: str, entries: dict[int, ReviewInput]) -> dict[int, ReviewResult | LyraError]:
        assessor = Assessor(self._parts, task_id)
        await assessor.group_pages()
        kept, assessed = await self._parts.db.write(self._write, assessor, entries)
        await self._parts.trust.set_promotions([one.claim_id for one in assessed.assessments], assessed.promotions)
        verdicts = {one.claim_id: one.verdict for one in assessed.assessments}
        samples = [one.sample for one in kept.values() if isinstance(one, _StoredReview) and one.sample]
        learned = await self._book.fit_if_enough_samples(samples)
        return {
            at: one
            if isinstance(one, LyraError)
            else ReviewResult(
                one.review,
                one.replaced,
                verdicts[one.review.claim_id],
                learned[one.sample.id] if one.sample else None,
            )
            for at, one in kept.items()
        }

    def _write(
        self, connection: "Connection", assessor: Assessor, entries: dict[int, ReviewInput]
    ) -> tuple[dict[int, _StoredReview | LyraError], AssessmentResult]:
        """Reviews, samples, verdicts and the queue in one transaction: no other process comes between."""
        now = self._parts.clock.now()
        kept: dict[int, _StoredReview | LyraError] = {}
        for at, one in entries.items():
            try:
                kept[at] = self._put(connection, one, now)
            except InvalidParams as exc:  # raised before anything is written of this entry
                kept[at] = exc
        claims = dict.fromkeys(one.review.claim_id for one in kept.values() if isinstance(one, _StoredReview))
        return kept, _assess_claims(connection, assessor, tuple(claims))

    def _put(self, connection: "Connection", given: ReviewInput, now: datetime) -> _StoredReview:
        edge = calibrations.judged_edge(connection, given.edge_id)
        if edge is None:  # gone since it was looked up
            raise _no_edge(given.edge_id)
        truth = stance_index(given.actual, edge.nli_label)
        replaced = reviews.in_force(connection, edge.id)
        review = _review(edge, Relation(STANCES[truth]), given, replaced, now)
        reviews.put(connection, review)
        sample = self._book.sample_of(connection, edge, truth, given.reason, now)
        if sample is not None:
            sample = replace(sample, id=calibrations.put_sample(connection, sample))
        journal.append(connection, [_event("review", review, now)])
        return _StoredReview(review, replaced, sample)


def _undo(connection: "Connection", assessor: Assessor, edge_id: str, now: datetime) -> tuple[Review, AssessmentResult]:
    review = reviews.in_force(connection, edge_id)
    if review is None:
        raise InvalidParams(
            f"The edge {edge_id[:40]!r} has no review to undo.",
            remedy="List them: query_graph \"SELECT edge_id, actual FROM reviews WHERE state = 'in_force'\".",
        )
    reviews.undo(connection, review, now)
    journal.append(connection, [_event("review_undone", review, now)])
    return review, _assess_claims(connection, assessor, (review.claim_id,))


def _assess_claims(connection: "Connection", assessor: Assessor, claim_ids: Sequence[str]) -> AssessmentResult:
    """What follows from the evidence as it is now, for the claims that were spoken of."""
    assessed = assessor.assess_in_transaction(connection, claim_ids)
    assessor.update_source_influence_of(connection, claim_ids)
    return assessed


def _review(edge: JudgedEdge, actual: Relation, given: ReviewInput, replaced: Review | None, now: datetime) -> Review:
    return Review(
        id=new_id("rv"),
        edge_id=edge.id,
        task_id=edge.task_id,
        claim_id=edge.claim_id,
        actual=actual,
        reason=given.reason,
        reviewer=given.reviewer,
        judged_relation=replaced.judged_relation if replaced else edge.relation,
        judged_confidence=replaced.judged_confidence if replaced else edge.confidence,
        created_at=now,
    )


def _event(kind: str, review: Review, now: datetime) -> Event:
    return Event(
        kind=kind,
        created_at=now,
        subject=review.edge_id,
        details={
            "review_id": review.id,
            "claim_id": review.claim_id,
            "actual": review.actual.value,
            "judged": review.judged_relation.value,
            "reviewer": review.reviewer,
            "reason": review.reason,
        },
        task_id=review.task_id,
        cause_id=review.id,
    )


def _task_of(edge_id: str, known: dict[str, str | None], wanted: str | None) -> str:
    if edge_id not in known:
        raise _no_edge(edge_id)
    task_id = known[edge_id]
    if task_id is None:
        raise InvalidParams(f"The edge {edge_id[:40]!r} is a citation: it takes no stance.", remedy=_HOW_TO_FIND)
    if wanted not in (None, task_id):
        raise InvalidParams(
            f"The edge {edge_id[:40]!r} belongs to another task, {task_id}.", remedy="Name that task, or another edge."
        )
    return task_id


def _no_edge(edge_id: str) -> InvalidParams:
    return InvalidParams(f"There is no stance edge {edge_id[:40]!r}.", remedy=_HOW_TO_FIND)


def _is_text(value: str) -> bool:
    """Half a character can be neither stored nor looked up."""
    return value.isprintable()
