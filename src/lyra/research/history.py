"""How a task came to what it knows: its journal, and the causal chain of any of its claims."""

from dataclasses import asdict, dataclass
from typing import Any

from lyra.errors import InvalidParams
from lyra.evidence.timeline import ClaimTimeline
from lyra.model.claim import AssessedClaim
from lyra.model.event import Event
from lyra.model.report import Chain
from lyra.research.plain_fields import plain, plain_fields
from lyra.research.tasks import Tasks
from lyra.storage import causal_chains, claims
from lyra.storage.database import Database


@dataclass(frozen=True, slots=True)
class ClaimHistory:
    """A claim with every way that led to it."""

    claim: AssessedClaim
    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Reads what happened, for people who check."""

    db: Database
    tasks: Tasks

    async def events(self, task_id: str, *, after: int = 0, limit: int = 500) -> tuple[Event, ...]:
        """The task's journal after that entry, oldest first."""
        task = await self.tasks.get(task_id)
        return await self.db.read(causal_chains.events, task.id, after=after, limit=limit)

    async def of_claim(self, task_id: str, claim_id: str, *, with_neutral: bool = False) -> ClaimHistory:
        """Query, engine, rank, page, fragment, model and edge of everything behind the claim."""
        task = await self.tasks.get(task_id)
        found = await self.db.read(claims.get, claim_id)
        if found is None or found.claim.task_id != task.id:
            raise InvalidParams(
                f"The task has no claim {claim_id[:60]!r}.",
                remedy=f"Its claims: query_graph \"SELECT id, claim_text FROM claims WHERE task_id = '{task.id}'\".",
            )
        rows = await self.db.read(causal_chains.of_claim, task.id, claim_id, with_neutral=with_neutral)
        return ClaimHistory(found, rows)


def history_fields(history: ClaimHistory) -> dict[str, Any]:
    """The chain of a claim as plain data."""
    claim, assessment = history.claim.claim, history.claim.assessment
    return {
        "claim_id": claim.id,
        **plain_fields(
            task_id=claim.task_id,
            claim_text=claim.claim_text,
            is_hypothesis=claim.is_hypothesis,
            search_id=claim.search_id,
        ),
        "confidence": round(assessment.evidence.confidence, 3),
        "verdict": assessment.verdict.value,
        "chains": [plain(asdict(chain), places=None) for chain in history.chains],
    }


def event_fields(event: Event) -> dict[str, Any]:
    """An entry of the journal as plain data."""
    fields: dict[str, Any] = plain(asdict(event), places=None)
    return fields


def timeline_fields(history: ClaimTimeline, text: str) -> dict[str, Any]:
    """The history of one claim."""
    return {
        "claim_id": history.claim_id,
        "text": text,
        **plain_fields(
            first_seen_at=history.first_seen_at,
            newest_support=history.newest_support,
            newest_refutation=history.newest_refutation,
            is_outdated=history.is_outdated,
            retracted_sources=history.retracted_sources,
        ),
        "mismatches": [
            plain_fields(
                url=one.url,
                fragment_id=one.fragment_id,
                stated_year=one.stated_year,
                page_date=one.page_date,
                is_ahead=one.is_ahead,
            )
            for one in history.mismatches
        ],
        "events": [
            plain_fields(
                kind=one.kind, date=one.date, seen_at=one.seen_at, relation=one.relation, url=one.url, domain=one.domain
            )
            for one in history.events
        ],
    }
