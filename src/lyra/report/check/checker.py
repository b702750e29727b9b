"""Checks a text against the graph of a task: citations, quotations, figures and statements, each with its place."""

import asyncio
import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lyra.ml.own_text import own_documents
from lyra.model.check import (
    CheckedKind,
    CheckResult,
    CheckStatus,
    DecidingPassage,
    Finding,
    Place,
    Source,
)
from lyra.model.task import Task
from lyra.report.check import messages
from lyra.report.check.citations import Citation, CitationKind, find_citations, key_form
from lyra.report.check.claims import ClaimIndex, is_doubted
from lyra.report.check.figures import check_figures
from lyra.report.check.layout import Layout, Sentence, lay_out
from lyra.report.check.meaning import Embedder, Meaning
from lyra.report.check.parts import without_attribution
from lyra.report.check.prose import ProseNames
from lyra.report.check.quotations import (
    LONGEST_QUOTATION,
    NEAR_RATIO,
    Quotation,
    difference,
    exact,
    find_quotations,
    folded,
    nearest,
    passage,
)
from lyra.report.check.references import Reference
from lyra.report.check.retractions import names_retraction, notice_of, retracted_source
from lyra.report.check.sources import Resolution, SourceIndex
from lyra.report.check.statements import Judge, Judged, align, has_words, is_checkable, judge_sentences
from lyra.report.check.tables import prose_cells, table_cells
from lyra.report.check.uncited import UncitedFigures
from lyra.report.check.vocabulary import pattern
from lyra.storage import checked_sources, claims, quotes
from lyra.storage.database import Database
from lyra.text import preview

_BATCH = 16
# Texts with more sentences to judge are read by the small reader alone, which is eight times as fast.
_MOST_WEIGHTY = 600
# Longer ones are no sentences but data, such as a line of figures.
_LONGEST_SENTENCE = 5_000
_QUOTED_SHARE = 0.5
_ALIGNED = 3
# A quotation with its source behind a dash: what follows describes the source.
_ATTRIBUTED = re.compile(r"\s*[—–]\s")
_TITLE_PARTS = re.compile(r"[:：—–|｜\u3000]")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TextChecker:
    """Checks texts against what tasks have read."""

    db: Database
    judge: Judge
    embedder: Embedder | None = None

    async def check(self, text: str, task: Task, progress: Progress = lambda done, of: None) -> CheckResult:
        """Every finding in a text in Markdown or plain text; `progress` gets the sentences done and in all."""
        sources = await self.db.read(checked_sources.of_task, task.id)
        assessed = await self.db.read(claims.assessed_of_task, task.id)
        evidence = await self.db.read(quotes.of_claims, [one.claim.id for one in assessed])
        pages = {claim_id: {row.page_id for row in rows} for claim_id, rows in evidence.items()}
        index = SourceIndex(sources, pages)
        known = ClaimIndex(assessed, evidence)
        return await check_text(text, index, self.judge, progress, known, embedder=self.embedder)


async def check_text(
    text: str,
    index: SourceIndex,
    judge: Judge,
    progress: Progress,
    known: ClaimIndex | None = None,
    *,
    embedder: Embedder | None = None,
) -> CheckResult:
    """The same against any sources, and against claims where there are any. The text is the user's own."""
    meaning = None if embedder is None else Meaning(embedder)
    with own_documents():
        return await _check_text(_Run(await asyncio.to_thread(lay_out, text), index, judge, meaning), progress, known)


async def _check_text(run: "_Run", progress: Progress, known: ClaimIndex | None) -> CheckResult:
    layout = run.layout
    await asyncio.to_thread(run.resolve)
    await asyncio.to_thread(run.check_quotations)
    await asyncio.to_thread(run.check_cells)
    stated = [one for one in layout.sentences if one.is_statement or one.start in run.in_cells]
    work = [one for one in stated if len(one.plain) <= _LONGEST_SENTENCE]
    is_weighty = len(work) <= _MOST_WEIGHTY
    unchecked = len(stated) - len(work)
    for start in range(0, len(work), _BATCH):
        progress(start, len(work))
        batch = work[start : start + _BATCH]
        cited = [one for one in batch if run.cited.get(one.start)]
        await run.check_statements(cited, is_weighty=is_weighty)
        unchecked += sum(1 for one in batch if one.citations and not run.cited.get(one.start))
        rest = [one for one in batch if not one.citations and not run.cited.get(one.start)]
        about = await known.check(rest, run.judge, layout, is_weighty=is_weighty) if known else []
        begins = {one.place.start for one in about}
        without_claim = [one for one in rest if not any(one.start <= begin < one.end for begin in begins)]
        figures = await asyncio.to_thread(run.figures_of_uncited, without_claim)
        run.findings += [*about, *(each for found in figures for each in found)]
        unchecked += len(rest) - len(begins) - sum(map(bool, figures))
    progress(len(work), len(work))
    found = sorted(run.findings, key=lambda one: (one.place.start, one.place.end, one.kind))
    return CheckResult(tuple(found), len(layout.sentences), unchecked)


@dataclass
class _Run:
    """One text while it is checked; `cited` are the sources of each sentence, by where it begins."""

    layout: Layout
    index: SourceIndex
    judge: Judge
    meaning: Meaning | None = None
    findings: list[Finding] = field(default_factory=list)
    cited: dict[int, tuple[Source, ...]] = field(default_factory=dict)
    quoted: list[tuple[int, int]] = field(default_factory=list)
    # Where cells of tables begin that are compared as statements.
    in_cells: set[int] = field(default_factory=set)
    # Where sentences begin that cite a source that was not read.
    unread: set[int] = field(default_factory=set)

    def resolve(self) -> None:
        """Look up every mark, every name in prose, and every entry of the list of references."""
        self._resolve_names()
        last = Resolution(is_understood=False)
        used: set[str] = set()
        for sentence in self.layout.sentences:
            if sentence.cites_by_heading and self.cited.get(sentence.start):
                continue  # its words name another source
            found: list[Source] = []
            for citation in sentence.citations:
                resolved = last if citation.kind is CitationKind.SAME else self._resolve(citation)
                used |= {key_form(value) for value in citation.values if citation.kind is CitationKind.KEY}
                last = resolved if resolved.sources else last
                if not citation.is_certain and not resolved.sources:
                    continue  # a place or an event with its year
                finding = self._citation(citation, resolved, sentence)
                self.findings.append(finding)
                if finding.status is CheckStatus.RESOLVED:
                    found += resolved.sources
                elif finding.status is CheckStatus.SOURCE_MISSING:
                    self.unread.add(sentence.start)
            if sentence.citations:
                self.cited[sentence.start] = tuple(dict.fromkeys(found))
        self._cite_cells()
        for reference in self.layout.references:
            if key_form(reference.key) not in used and (reference.key or _names_something(reference)):
                self._entry(reference)

    def _cite_cells(self) -> None:
        """Cells that say something in words cite what their row cites."""
        for one, row in prose_cells(self.layout.sentences):
            found = self.cited.get(one.start) or tuple(
                dict.fromkeys(source for cell in row for source in self.cited.get(cell.start, ()))
            )
            if found:
                self.cited[one.start] = found
                self.in_cells.add(one.start)

    def _resolve_names(self) -> None:
        """Sentences without a mark that name a source in their words."""
        names = ProseNames(self.layout.references, self.index)
        last: tuple[int, Resolution] | None = None
        for sentence in self.layout.sentences:
            is_marked = bool(sentence.citations) and not sentence.cites_by_heading
            if is_marked or not sentence.is_statement:
                marked = [one for each in sentence.citations if (one := self._resolve(each)).sources]
                last = (sentence.paragraph, marked[-1]) if marked else last
                continue
            before = last[1] if last is not None and last[0] == sentence.paragraph else None
            found = names.resolve(sentence.mask, before)
            if found is None:
                continue
            last = (sentence.paragraph, found.resolution)
            if found.has_unread:
                self.unread.add(sentence.start)
            if not found.resolution.sources:
                continue
            start, end = (sentence.start + at for at in found.span)
            text = self.layout.text[start:end]
            mark = Citation(CitationKind.NAME, text, start, end)
            self.findings.append(finding := self._citation(mark, found.resolution, sentence))
            if finding.status is CheckStatus.RESOLVED:
                self.cited[sentence.start] = found.resolution.sources

    def _resolve(self, citation: Citation) -> Resolution:
        return self.index.resolve(citation, self.layout.references)

    def _citation(self, citation: Citation, resolved: Resolution, sentence: Sentence) -> Finding:
        place = self.layout.place(citation.start, citation.end)
        if not resolved.is_understood:
            return _finding(
                CheckedKind.CITATION, CheckStatus.NOT_UNDERSTOOD, place, citation.text, messages.NOT_UNDERSTOOD
            )
        if not resolved.sources:
            message = messages.UNLISTED.format(number=resolved.unlisted)
            if not resolved.unlisted:
                message = messages.MISSING.format(named=preview(resolved.named))
            return _finding(
                CheckedKind.CITATION,
                CheckStatus.SOURCE_MISSING,
                place,
                citation.text,
                message,
                sources=resolved.addresses,
            )
        around = self._around(sentence, resolved) if retracted_source(resolved.sources) else ""
        return self._named(place, citation.text, resolved, f"{resolved.named} {around}")

    def _entry(self, reference: Reference) -> None:
        """An entry that no mark names: authors with a year, or nobody cites it."""
        resolved = self.index.entry(reference)
        place = self.layout.place(reference.start, reference.end)
        text = preview(reference.text)
        if resolved.sources:
            self.findings.append(self._named(place, text, resolved, reference.text, is_entry=True))
        else:
            message = messages.MISSING.format(named=text)
            missing = CheckStatus.SOURCE_MISSING
            self.findings.append(
                _finding(CheckedKind.CITATION, missing, place, text, message, sources=resolved.addresses)
            )

    def _named(self, place: Place, text: str, resolved: Resolution, around: str, *, is_entry: bool = False) -> Finding:
        retracted = retracted_source(resolved.sources)
        urls = tuple(dict.fromkeys(one.url for one in resolved.sources))
        if retracted is None or pattern("citing", "retraction").search(around) or is_entry:
            message = messages.RETRACTED_AND_SAID if retracted is not None else messages.FOUND
            return _finding(CheckedKind.CITATION, CheckStatus.RESOLVED, place, text, message, sources=urls)
        message = messages.RETRACTED.format(title=retracted.title or retracted.url)
        notice = notice_of(resolved.sources) or DecidingPassage("", retracted.url, retracted.title, retracted.page_id)
        return _finding(
            CheckedKind.CITATION, CheckStatus.SOURCE_RETRACTED, place, text, message, passage_=notice, sources=urls
        )

    def _around(self, sentence: Sentence, resolved: Resolution) -> str:
        """The sentence and its heading, and those of its paragraph that cite the same source or nothing."""
        after = self.layout.next_to(sentence, 1)
        near = [one for one in self.layout.paragraph_of(sentence) if self._may_tell_of(one, resolved)]
        beside = (one.plain for one in (sentence, after, *near) if one is not None)
        return " ".join((self.layout.heading_above(sentence), *beside))

    def _may_tell_of(self, sentence: Sentence, resolved: Resolution) -> bool:
        marks = [one for one in sentence.citations if one.kind is not CitationKind.SAME]
        return not marks or any(set(self._resolve(one).sources) & set(resolved.sources) for one in marks)

    def check_quotations(self) -> None:
        for one in find_quotations(self.layout):
            own = self._sources_of(one)
            found = exact(one.text, own) or exact(one.text, self.index.sources)
            is_own = found is not None and (not own or found.page_id in {source.page_id for source in own})
            if not is_own and self._is_title(one):
                continue
            if found is None and one.is_term(is_cited=bool(own)):
                continue
            self.quoted.append((one.start, one.end))
            self.findings.append(self._quotation(one, own, found))

    def _sources_of(self, one: Quotation) -> tuple[Source, ...]:
        own = [source for sentence in one.sentences for source in self.cited.get(sentence.start, ())]
        if not own and one.is_block:
            before = self.layout.before(one.start)
            own = list(self.cited.get(before.start, ())) if before is not None else []
        return tuple(dict.fromkeys(own))

    def _is_title(self, one: Quotation) -> bool:
        """Whether it is the title of a source, or its first words, or a part of it up to or behind a colon."""
        key = folded(one.text)
        titles = (piece for source in self.index.sources for piece in (source.title, *_TITLE_PARTS.split(source.title)))
        is_known = any(folded(each).startswith(key) for each in titles)
        return bool(key) and (is_known or any(key in folded(each.text) for each in self.layout.references))

    def _quotation(self, one: Quotation, own: Sequence[Source], found: DecidingPassage | None) -> Finding:
        place = self.layout.place(one.start, one.end)
        if found is not None:
            is_own = not own or found.page_id in {source.page_id for source in own}
            status = CheckStatus.RESOLVED if is_own else CheckStatus.UNSUPPORTED
            message = messages.QUOTE_FOUND if is_own else messages.QUOTE_ELSEWHERE.format(url=found.url)
            return _finding(CheckedKind.QUOTATION, status, place, one.text, message, passage_=found)
        near = nearest(one.text, own) if own else None
        if near is None or near.ratio < NEAR_RATIO:
            anywhere = nearest(one.text, self.index.sources)
            near = anywhere if anywhere is not None and anywhere.ratio >= NEAR_RATIO else near
        if near is None or near.ratio < NEAR_RATIO:
            if any(sentence.start in self.unread for sentence in one.sentences):
                return _finding(CheckedKind.QUOTATION, CheckStatus.NOT_CHECKED, place, one.text, messages.QUOTE_UNREAD)
            return _finding(CheckedKind.QUOTATION, CheckStatus.MISQUOTED, place, one.text, messages.QUOTE_INVENTED)
        return _finding(
            CheckedKind.QUOTATION,
            CheckStatus.MISQUOTED,
            place,
            one.text,
            messages.QUOTE_DIFFERS,
            passage_=passage(near.source, near.fragment, near.quote),
            difference_=difference(one.text, near.quote),
        )

    def check_cells(self) -> None:
        """Figures in the cells of tables, against what their row cites, or else the head of their column."""
        for one in table_cells(self.layout.sentences):
            row = [source for cell in one.row for source in self.cited.get(cell.start, ())]
            sources = tuple(dict.fromkeys(row)) or self.cited.get(one.head.start if one.head else -1, ())
            if sources:
                aligned = align(one.words, sources, _ALIGNED)
                found = check_figures(self.layout, one.cell, sources, aligned, self._quotations_in(one.cell))
                self.findings += [each for each in found if not (each.status.is_failure and one.follows(each.text))]

    async def check_statements(self, sentences: Sequence[Sentence], *, is_weighty: bool) -> None:
        """What cited sentences say, and their figures."""
        wanted = [one for one in sentences if not self._is_quotation(one)]
        plain = {one.start: without_attribution(self._whole(one)) for one in wanted}
        aligned = {
            one.start: await asyncio.to_thread(align, plain[one.start], self.cited[one.start], _ALIGNED)
            for one in wanted
        }
        judgeable = [one for one in wanted if is_checkable(plain[one.start]) and not self._tells_retraction(one)]
        asked = [(plain[one.start], aligned[one.start], self._others(self.cited[one.start])) for one in judgeable]
        judged = await judge_sentences(self.judge, asked, is_weighty=is_weighty, meaning=self.meaning)
        figures = {
            one.start: check_figures(
                self.layout, one, self.cited[one.start], aligned[one.start], self._quotations_in(one)
            )
            for one in wanted
        }
        for one, result in zip(judgeable, judged, strict=True):
            if result.status is CheckStatus.RESOLVED and _has_other_number(figures[one.start]):
                continue  # the source says it with another figure
            is_unread = one.start in self.unread
            if result.status is CheckStatus.UNSUPPORTED and (is_unread or self._whole(one) != one.plain):
                # it, or the sentence before it, may rest on another source
                result = Judged(CheckStatus.NOT_CHECKED, result.passage, is_open=True)
            self.findings.append(self._statement(one, result))
        self.findings += [self._too_short(one) for one in wanted if self._says_too_little(one, plain[one.start])]
        for one in wanted:
            # Notices of retraction seldom repeat the figures that are withdrawn, and the text does not assert them;
            # what no source that was read has may stand in the one that was not.
            is_elsewhere = names_retraction(one) or one.start in self.unread
            self.findings += [each for each in figures[one.start] if not (is_elsewhere and each.status.is_failure)]

    def figures_of_uncited(self, sentences: Sequence[Sentence]) -> list[list[Finding]]:
        """Findings on the figures of each sentence that cites nothing, if it asserts what it says, against any page."""
        return [
            []
            if is_doubted(one, self.layout)
            else self._uncited_figures.check(self.layout, one, self._quotations_in(one))
            for one in sentences
        ]

    @cached_property
    def _uncited_figures(self) -> UncitedFigures:
        return UncitedFigures(self.index.sources)

    def _whole(self, sentence: Sentence) -> str:
        """The sentence; one that says too little by itself with the one before it."""
        names = [name for one in sentence.citations if one.kind is CitationKind.AUTHOR_YEAR for name in one.values]
        if is_checkable(sentence.plain, names):
            return sentence.plain
        before = self.layout.next_to(sentence, -1)
        return sentence.plain if before is None else f"{before.plain} {sentence.plain}"

    def _says_too_little(self, sentence: Sentence, plain: str) -> bool:
        """Whether it says something, in so few words that they are found on any page."""
        is_short = has_words(plain) and not is_checkable(plain)
        return is_short and not self._tells_retraction(sentence) and not sentence.cites_by_heading

    def _too_short(self, one: Sentence) -> Finding:
        place = self.layout.place(one.start, one.end)
        return _finding(CheckedKind.STATEMENT, CheckStatus.NOT_CHECKED, place, one.plain, messages.SHORT)

    def _others(self, own: Sequence[Source]) -> tuple[Source, ...]:
        keys = {one.key for one in own}
        return tuple(one for one in self.index.sources if one.key not in keys)

    def _tells_retraction(self, sentence: Sentence) -> bool:
        """Whether it says of a source that it cites that it was retracted; of other sources it is a plain statement."""
        return names_retraction(sentence) and any(one.is_retracted for one in self.cited.get(sentence.start, ()))

    def _quotations_in(self, sentence: Sentence) -> list[tuple[int, int]]:
        first = bisect.bisect_left(self.quoted, (sentence.start - LONGEST_QUOTATION, 0))
        last = bisect.bisect_left(self.quoted, (sentence.end, 0))
        return [span for span in self.quoted[first:last] if sentence.start < span[1]]

    def _is_quotation(self, sentence: Sentence) -> bool:
        """Whether most of it is a quotation, which is checked as such."""
        held = sum(min(end, sentence.end) - max(start, sentence.start) for start, end in self._quotations_in(sentence))
        is_attributed = any(_ATTRIBUTED.match(self.layout.mask, end) for _, end in self._quotations_in(sentence))
        return is_attributed or held >= _QUOTED_SHARE * max(1, len(" ".join(sentence.mask.split())))

    def _statement(self, one: Sentence, result: Judged) -> Finding:
        place, found = self.layout.place(one.start, one.end), result.passage
        message = messages.OTHER_WORDS if result.is_open else messages.STATEMENTS[result.status]
        if result.status is CheckStatus.NOT_CHECKED and found is None:
            message = messages.NO_TEXT
        if result.status is CheckStatus.UNSUPPORTED and result.elsewhere is not None:
            message = messages.SAID_ELSEWHERE.format(url=result.elsewhere.source.url)
            found = result.elsewhere.passage
        return _finding(CheckedKind.STATEMENT, result.status, place, one.plain, message, passage_=found)


def _has_other_number(findings: Sequence[Finding]) -> bool:
    return any(one.status is CheckStatus.OTHER_NUMBER for one in findings)


def _names_something(reference: Reference) -> bool:
    """Whether a line below the heading is an entry: it has an address, an identifier or a year."""
    return bool(find_citations(reference.text)) or bool(re.search(r"(?:1[89]|20)\d\d", reference.text))


def _finding(
    kind: CheckedKind,
    status: CheckStatus,
    place: Place,
    text: str,
    message: str,
    *,
    passage_: DecidingPassage | None = None,
    difference_: str = "",
    sources: tuple[str, ...] = (),
) -> Finding:
    return Finding(kind, status, place, text, message, passage_, difference_, sources)
