"""Audits a bibliography or a draft: its works looked up, and its sentences compared with what they cite."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lyra.academic.identity import title_key
from lyra.extract.bibliography import FORMATS, read_bibliography
from lyra.model.audit import AuditedWork, AuditResult, CitedWork, WorkStatus
from lyra.model.check import CheckedKind, CheckStatus, Finding, Source
from lyra.model.page import identifiers_in
from lyra.model.task import Task
from lyra.report.audit import messages
from lyra.report.audit.known import KnownSources, stored_works
from lyra.report.audit.works import Catalogue, Found, look_up_works, source_of
from lyra.report.check.checker import check_text
from lyra.report.check.citations import Citation, CitationKind, find_citations
from lyra.report.check.layout import Layout, lay_out
from lyra.report.check.references import Reference
from lyra.report.check.sources import SourceIndex
from lyra.report.check.statements import Judge
from lyra.storage import checked_sources
from lyra.storage.database import Database

Progress = Callable[[int, int], None]
_QUOTED = re.compile(r"[“\"「『](?P<title>[^”\"」』]{8,300})[”\"」』]")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MARKS = (CitationKind.URL, CitationKind.IDENTIFIER)


@dataclass(frozen=True, slots=True)
class Auditor:
    """Asks the academic APIs, where settings allow them, and nothing else on the network; what the database knows
    counts as well."""

    db: Database
    catalogue: Catalogue
    judge: Judge
    is_allowed: bool

    async def bibliography(self, text: str, path: Path, task: Task | None, progress: Progress) -> AuditResult:
        """The works of a BibTeX, RIS or CSL-JSON file; pages of a task count as sources."""
        cited = read_bibliography(text, path.suffix.lower())
        found = await self._look_up(cited, progress)
        known = await self._known(cited, task)
        return AuditResult(tuple(known.completed(one.audited) for one in found))

    async def draft(self, text: str, task: Task | None, progress: Progress) -> AuditResult:
        """The works of a text in Markdown, and what its sentences make of them; pages of a task count as sources."""
        layout = lay_out(text)
        cited = cited_works(layout)
        found = await self._look_up(cited, progress)
        known = await self._known(cited, task)
        audited = tuple(known.completed(one.audited) for one in found)
        works = [source_of(one.work) for one in found if one.work and one.audited.status is not WorkStatus.OTHER_TITLE]
        index = SourceIndex([*known.pages, *_once([*known.works, *works])])
        statements = await check_text(text, index, self.judge, lambda done, total: None)
        kept = tuple(_softened(one, index) for one in statements.findings if one.kind is not CheckedKind.CITATION)
        return AuditResult(audited, replace(statements, findings=kept))

    async def _known(self, cited: Sequence[CitedWork], task: Task | None) -> KnownSources:
        """What is known without asking anybody: the pages of the task, and works of the database."""
        pages = await self.db.read(checked_sources.of_task, task.id) if task else ()
        identifiers = [each for one in cited for each in one.identifiers]
        return KnownSources(pages, await self.db.read(stored_works, identifiers))

    async def _look_up(self, cited: Sequence[CitedWork], progress: Progress) -> list[Found]:
        if self.is_allowed:
            return await look_up_works(self.catalogue, cited, progress)
        reasons = [messages.BROKEN.format(line=one.line) if one.is_broken else messages.DISABLED for one in cited]
        return [Found(AuditedWork(one, WorkStatus.NOT_CHECKED, why)) for one, why in zip(cited, reasons, strict=True)]


def is_bibliography(path: Path) -> bool:
    return path.suffix.lower() in FORMATS


def cited_works(layout: Layout) -> list[CitedWork]:
    """The entries of the list of references, and works that the text itself names by address or identifier."""
    found = [_entry(layout, one) for one in layout.references]
    known = {each for one in found for each in one.identifiers} | {one.url for one in found}
    listed = {one.text for one in layout.references}
    for sentence in layout.sentences:
        for mark in sentence.citations:
            if mark.kind is CitationKind.NOTE and not listed & set(mark.values):
                found += [_entry(layout, Reference("", one, mark.start, mark.end)) for one in mark.values]
            elif mark.kind in _MARKS and mark.is_certain:
                work = _mark(layout, mark)
                names = set(work.identifiers) | {work.url}
                if not names & known - {""}:
                    known |= names
                    found.append(work)
    return sorted(found, key=lambda one: one.line)


def _entry(layout: Layout, reference: Reference) -> CitedWork:
    marks = [one for one in find_citations(reference.text) if one.kind in _MARKS]
    year = _YEAR.search(re.sub(r"https?://\S+|10\.\d{4,9}/\S+", " ", reference.text))
    url = next((one.values[0] for one in marks if one.kind is CitationKind.URL), "")
    line = layout.place(reference.start, reference.end).line
    identifiers = identifiers_in(reference.text, *(one.values[0] for one in marks if one.kind is CitationKind.URL))
    title = _title(reference.text)
    return CitedWork(reference.key, reference.text, line, title, (), int(year[0]) if year else None, identifiers, url)


def _title(entry: str) -> str:
    """The words in quotation marks, else the longest part between full stops that is no list of names."""
    if quoted := _QUOTED.search(entry):
        return quoted["title"].strip(" .,")
    bare = re.sub(
        r"https?://\S+|(?:doi:?\s*)?10\.\d{4,9}/\S+|PMID:?\s*\d+|\[|\]\([^)]*\)", " ", entry, flags=re.IGNORECASE
    )
    parts = [part.strip() for part in re.split(r"(?<=[a-z\d)])[.?!]\s+|[.。]\s", bare)]
    longest = max(parts, key=lambda part: len(title_key(part)), default="")
    return longest if len(title_key(longest).split()) >= 4 or not longest.isascii() else ""


def _mark(layout: Layout, mark: Citation) -> CitedWork:
    value = mark.values[0]
    url = value if mark.kind is CitationKind.URL else ""
    line = layout.place(mark.start, mark.end).line
    return CitedWork("", mark.text, line, identifiers=identifiers_in(url or mark.text), url=url)


def _once(works: Sequence[Source]) -> list[Source]:
    return list({one.key: one for one in works}.values())


def _softened(one: Finding, index: SourceIndex) -> Finding:
    """What an abstract leaves out may stand in the text."""
    is_abstract = one.passage is None or any(
        source.page_id == one.passage.page_id and source.page_id == source.key for source in index.sources
    )
    is_absence = one.status is CheckStatus.UNSUPPORTED or (one.status is CheckStatus.MISQUOTED and not one.difference)
    if is_abstract and is_absence:
        return replace(one, status=CheckStatus.NOT_CHECKED, sentence=messages.ABSTRACT_SILENT)
    return one
