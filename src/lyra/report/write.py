"""Reports, exports and bibliographies of a task, read from the graph."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from lyra.evidence.timeline import ClaimTimeline, timelines
from lyra.model.injection import Severity
from lyra.model.report import CitedSource, ReportClaim
from lyra.model.task import Task
from lyra.model.trust import TrustLevel
from lyra.redact.redactor import PLAIN, Redactor
from lyra.report.appendix import appendix
from lyra.report.content import report
from lyra.report.document import Document
from lyra.report.export.formats import export_files
from lyra.report.export.names import ExportFormat
from lyra.report.export.records import TaskRecords, records
from lyra.report.findings import Findings, with_votes
from lyra.report.markdown import markdown
from lyra.report.redacted import RedactedRecords
from lyra.storage import claim_sources, edges, injections, quotes, reviews, searches, sources, timeline
from lyra.storage.database import Database

# The trust level in force now for the source of each page, by the page's id.
LevelsNow = Callable[[Iterable[str]], Awaitable[Mapping[str, TrustLevel]]]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Writes reports from the graph; `redactor` takes the secrets out of their addresses."""

    db: Database
    levels_now: LevelsNow
    redactor: Redactor = PLAIN

    async def markdown(self, task: Task) -> str:
        """The report of one task as Markdown."""
        return markdown(report(await self.findings(task)))

    async def documents(self, task: Task) -> tuple[Document, Document]:
        """The report and its appendix, in the language of now."""
        findings = await self.findings(task)
        return report(findings), appendix(findings)

    async def findings(self, task: Task) -> Findings:
        """All that a report and its figures are made of."""
        redacted = RedactedRecords(self.redactor)
        claims = await self._claims(task)
        pages = {quoted.page_id for claim in claims for quoted in claim.quotes}
        return Findings(
            task=redacted.task(task),
            claims=claims,
            searches=tuple(map(redacted.search, await self.db.read(searches.of_task, task.id))),
            histories={one.claim_id: redacted.timeline(one) for one in await self.timelines(task)},
            levels=await self.levels_now(pages),
            sources=await self._sources(task),
            independent=with_votes(
                await self.db.read(claim_sources.of_task, task.id), await self.db.read(edges.evidence_of_task, task.id)
            ),
            keys=await self.db.read(sources.keys_of_task, task.id),
            reviews=await self.db.read(reviews.progress, task.id),
            with_orders=frozenset(
                one.page_id
                for one in await self.db.read(injections.warnings_of_pages, pages)
                if one.severity is not Severity.LOW
            ),
        )

    async def timelines(self, task: Task) -> tuple[ClaimTimeline, ...]:
        """The history of every claim that has evidence."""
        return timelines(await self.db.read(timeline.of_task, task.id))

    async def export(self, task: Task, wanted: ExportFormat) -> dict[str, bytes]:
        """The files of an export by their paths: one, or those of a folder."""
        report_text = await self.markdown(task) if wanted.has_report else ""
        return await asyncio.to_thread(export_files, await self.records(task), wanted, report_text)

    async def records(self, task: Task) -> TaskRecords:
        """All that is exported of a task."""
        return records(
            RedactedRecords(self.redactor).task(task),
            await self._claims(task),
            await self._sources(task),
            await self.db.read(sources.citations_of_task, task.id),
        )

    async def _claims(self, task: Task) -> tuple[ReportClaim, ...]:
        return tuple(map(RedactedRecords(self.redactor).claim, await self.db.read(quotes.of_task, task.id)))

    async def _sources(self, task: Task) -> tuple[CitedSource, ...]:
        return tuple(map(RedactedRecords(self.redactor).source, await self.db.read(sources.of_task, task.id)))
