"""The appendix: every claim with all its quotes, the whole timeline, every source and search. Pure."""

from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.report.content import remarks, search_table, source_lines, unsatisfied
from lyra.report.document import Block, Document, Heading, Items, Line, Paragraph, Span, Style
from lyra.report.findings import Findings
from lyra.report.grouping import group_copies, sections
from lyra.report.history import event_lines, timeline_rows
from lyra.report.links import passage_link
from lyra.report.wording import SourceFacts, foreign, quote_line, review_spans, source_marks, verdict_line
from lyra.text import preview
from lyra.translate import language, say

_QUOTE_CHARS = 4_000
_CLAIM_CHARS = 2_000
_QUESTION_CHARS = 10_000


def appendix(findings: Findings) -> Document:
    """Everything that the report has no room for, in the language of now."""
    found, facts = sections(findings.claims), findings.facts
    blocks: list[Block] = [
        Paragraph((Span(say("Question:") + " ", Style.STRONG), foreign(findings.task.query, _QUESTION_CHARS))),
        Paragraph((Span(_how_to_read(), Style.SOFT),)),
    ]
    for title, claims in (
        (say("Contradictions"), found.contradictions),
        (say("Findings"), found.findings),
        (say("Reservations"), found.reservations),
    ):
        blocks.append(Heading(2, (Span(f"{title} ({len(claims)})"),)))
        blocks += [block for claim in claims for block in _claim(findings, claim, facts)]
    blocks += _without_evidence(findings)
    blocks += _rest(findings)
    title = say("Appendix: {question}", question=preview(findings.task.query, 300))
    return Document(title, findings.task.id, language(), tuple(blocks))


def _without_evidence(findings: Findings) -> tuple[Block, ...]:
    """The hypotheses of which no text says anything: they stand in no other section."""
    silent = [one for one in findings.hypotheses if not one.quotes]
    if not silent:
        return ()
    listed = Items(tuple((foreign(one.claim.claim_text, _CLAIM_CHARS),) for one in silent))
    return (Heading(2, (Span(f"{say('Hypotheses without evidence')} ({len(silent)})"),)), listed)


def _how_to_read() -> str:
    return say(
        "Every quote links to its passage; what was read beside it (title, heading, other sentences) stands in square "
        "brackets. The probability is that of the judgement, not of the claim."
    )


def _claim(findings: Findings, claim: ReportClaim, facts: SourceFacts) -> tuple[Block, ...]:
    lines = [line for quotes, words in _both_sides(claim) for line in _quotes(quotes, words, facts)]
    return (
        Heading(3, (foreign(claim.claim.claim_text, _CLAIM_CHARS),)),
        Paragraph(verdict_line(claim)),
        Items((*lines, *remarks(findings, claim))),
    )


def _both_sides(claim: ReportClaim) -> tuple[tuple[tuple[QuotedEvidence, ...], str], ...]:
    return (claim.supports, say("For")), (claim.refutes, say("Against"))


def _quotes(quotes: tuple[QuotedEvidence, ...], words: str, facts: SourceFacts) -> list[Line]:
    lines: list[Line] = []
    for quoted, copies in group_copies(quotes):
        line = [Span(f"{words}: ", Style.STRONG), *quote_line(quoted, facts, most=_QUOTE_CHARS, whole=True)]
        if copies:
            line.append(Span("; " + say("the same words on") + " "))
        for number, copy in enumerate(copies):
            line += [Span(", ")] if number else []
            line += [Span(copy.domain, Style.PLAIN, passage_link(copy)), *source_marks(copy, facts)]
            line += review_spans(copy)
        lines.append(tuple(line))
    return lines


def _rest(findings: Findings) -> list[Block]:
    events, sources = timeline_rows(findings), source_lines(findings)
    nothing = Paragraph((Span(say("None.")),))
    return [
        Heading(2, (Span(say("Timeline")),)),
        Items(event_lines(findings, events)) if events else nothing,
        Heading(2, (Span(say("Sources")),)),
        Items(tuple(sources), is_numbered=True) if sources else nothing,
        Heading(2, (Span(say("Searches")),)),
        search_table(findings.searches) if findings.searches else nothing,
        unsatisfied(findings),
    ]
