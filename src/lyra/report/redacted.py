"""A task's records as reports and exports show them: addresses without secrets. Pure.

The words of quotes stay as their page has them. Two addresses that differ in a secret alone stay two, by its hash.
"""

from dataclasses import dataclass, replace

from lyra.evidence.timeline import ClaimTimeline
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.model.search import Search
from lyra.model.task import Task
from lyra.redact.redactor import Redactor


@dataclass(frozen=True, slots=True)
class RedactedRecords:
    """Makes such records with the redactor given."""

    redactor: Redactor

    def task(self, one: Task) -> Task:
        return replace(one, query=self.redactor.text(one.query))

    def search(self, one: Search) -> Search:
        return replace(one, query=self.redactor.text(one.query))

    def source(self, one: CitedSource) -> CitedSource:
        return replace(one, url=self.redactor.url(one.url), title=self.redactor.text(one.title))

    def claim(self, one: ReportClaim) -> ReportClaim:
        return replace(
            one,
            claim=replace(one.claim, claim_text=self.redactor.text(one.claim.claim_text)),
            supports=tuple(map(self._quote, one.supports)),
            refutes=tuple(map(self._quote, one.refutes)),
        )

    def timeline(self, one: ClaimTimeline) -> ClaimTimeline:
        return replace(
            one,
            events=tuple(replace(event, url=self.redactor.url(event.url)) for event in one.events),
            mismatches=tuple(replace(found, url=self.redactor.url(found.url)) for found in one.mismatches),
        )

    def _quote(self, one: QuotedEvidence) -> QuotedEvidence:
        return replace(one, url=self.redactor.url(one.url), title=self.redactor.text(one.title))
