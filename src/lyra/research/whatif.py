"""`lyra what-if`: which claims of a task would change if sources were withdrawn. Nothing is written."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lyra.errors import InvalidParams
from lyra.evidence.whatif import ClaimChange, Withdrawal, withdraw
from lyra.model.claim import Assessment, Claim
from lyra.model.edge import EvidenceRow
from lyra.model.page import Page, identifiers_in
from lyra.research.assessing import Assessor
from lyra.research.plain_fields import plain_fields
from lyra.research.search_run import SearchParts
from lyra.storage import claims, edges, pages, works
from lyra.urls import canonical, is_web_url, registrable_domain, resolver_kind


@dataclass(frozen=True, slots=True)
class WhatIfAnswer:
    """The withdrawn sources as they were understood, and every claim that they are evidence for."""

    withdrawal: Withdrawal
    changes: tuple[tuple[Claim, ClaimChange], ...]
    claims_total: int


class WhatIf:
    """Thinks sources away and assesses what is left by the same rules."""

    def __init__(self, parts: SearchParts) -> None:
        self._parts = parts

    async def assess_without(self, task_id: str, sources: Sequence[str]) -> WhatIfAnswer:
        """The claims that would change; INVALID_PARAMS for a source that says nothing in this task."""
        found = await self._parts.db.read(claims.of_task, task_id)
        rows = self._parts.trust.with_overrides(await self._parts.db.read(edges.evidence_of_task, task_id))
        withdrawal = await self._withdrawal(sources, rows)
        assessor = Assessor(self._parts, task_id)
        await assessor.group_pages()
        rule = await assessor.rule([one.id for one in found])
        changes = await asyncio.to_thread(withdraw, rows, withdrawal, rule)
        by_id = {one.id: one for one in found}
        return WhatIfAnswer(withdrawal, tuple((by_id[one.claim_id], one) for one in changes), len(found))

    async def _withdrawal(self, sources: Sequence[str], rows: Sequence[EvidenceRow]) -> Withdrawal:
        named = [await self._parse_source(source.strip()) for source in sources]
        for source, part in zip(sources, named, strict=True):
            if not any(part.covers(row) for row in rows):
                raise _unknown(source)
        return Withdrawal(
            domains=frozenset().union(*(part.domains for part in named)),
            works=frozenset().union(*(part.works for part in named)),
            pages=frozenset().union(*(part.pages for part in named)),
        )

    async def _parse_source(self, source: str) -> Withdrawal:
        """A page's address, then a work by id, DOI, PMID or arXiv id, then a domain; a DOI's link is the work."""
        work_id = await self._work_id(source)
        is_doi = work_id is not None and resolver_kind(source) == "doi"
        if not is_doi and (page := await self._page(source)) is not None:
            return Withdrawal(pages=frozenset({page.id}))
        if work_id is not None:
            return Withdrawal(works=frozenset({work_id}))
        if "/" in source:
            raise _unknown(source)
        return Withdrawal(domains=frozenset({registrable_domain(source)}))

    async def _page(self, source: str) -> Page | None:
        """The page of this address, which may lack its scheme."""
        address = source if is_web_url(source) else f"https://{source}"
        if "/" not in source or not is_web_url(address):
            return None
        return await self._parts.db.read(pages.by_url, canonical(address))

    async def _work_id(self, source: str) -> str | None:
        work = await self._parts.db.read(works.get, source)
        for one in identifiers_in(source):
            work = work or await self._parts.db.read(works.by_identifier, one.kind, one.value)
        return work.id if work else None


def _unknown(source: str) -> InvalidParams:
    return InvalidParams(
        f"No evidence of this task comes from {source[:80]!r}.",
        remedy="Name a domain, a work (DOI, PMID or arXiv id) or a page's address; v_source_dependence lists them.",
    )


def what_if_fields(task_id: str, answer: WhatIfAnswer) -> dict[str, Any]:
    """Which claims would change without the named sources."""
    gone = answer.withdrawal
    decisive = [one for one in answer.changes if one[1].is_decisive]
    return {
        "task_id": task_id,
        "withdrawn": {"domains": sorted(gone.domains), "works": sorted(gone.works), "pages": sorted(gone.pages)},
        "claims_total": answer.claims_total,
        "claims_touched": len(answer.changes),
        "claims_changed": len(decisive),
        "claims": [_change_fields(claim, change) for claim, change in answer.changes],
    }


def _change_fields(claim: Claim, change: ClaimChange) -> dict[str, Any]:
    return {
        "claim_id": claim.id,
        "text": claim.claim_text,
        "is_hypothesis": claim.is_hypothesis,
        "changes": change.is_decisive,
        **plain_fields(
            supports_withdrawn=change.supports_withdrawn,
            refutes_withdrawn=change.refutes_withdrawn,
            copies_left=change.copies_left,
        ),
        "before": _assessment_fields(change.before),
        "after": _assessment_fields(change.after),
    }


def _assessment_fields(assessment: Assessment) -> dict[str, Any]:
    return {
        **plain_fields(
            verdict=assessment.verdict,
            verification_status=assessment.verification_status,
            adoption_status=assessment.adoption_status,
        ),
        "confidence": round(assessment.evidence.confidence, 3),
        **plain_fields(
            report_confidence=assessment.report_confidence, independent_sources=assessment.independent_sources
        ),
    }
