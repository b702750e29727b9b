"""The report: one page of answer, a table of evidence, then details, at most twelve pages of A4. Pure.

What does not fit is in the appendix, and each section says how much that is.
"""

from lyra.evidence.timeline import TimelineEventKind
from lyra.model.claim import VerificationStatus
from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.model.search import Search, SearchStatus
from lyra.rank.query_claims import by_relevance
from lyra.report.document import AnswerEnd, Block, Document, Figure, Heading, Items, Line, Paragraph, Span, Style, Table
from lyra.report.figures.data import number_text
from lyra.report.findings import (
    Findings,
    claim_graph_of,
    evidence_over_time_of,
    review_curve_of,
    source_groups_of,
    stance_bars_of,
)
from lyra.report.grouping import group_copies, sections, sides
from lyra.report.history import event_lines, timeline_rows
from lyra.report.wording import (
    SourceFacts,
    capitalised,
    confidence_words,
    counts_words,
    date_words,
    foreign,
    mark_retracted,
    quote_line,
    source_marks,
    source_spans,
    trust_words,
    verdict_line,
    verdict_words,
    verification_words,
    years_words,
)
from lyra.text import preview
from lyra.translate import language, say, translate

_QUESTION_CHARS = 200
_CLAIM_CHARS = 220
_QUOTE_CHARS = 220
_CELL_QUOTE_CHARS = 110
_MOST_ANSWERS = 8
_ANSWER_CHARS = 150
_MOST_ROWS = 14
_MOST_CONTRADICTIONS = 4
_MOST_FINDINGS = 6
_MOST_RESERVATIONS = 4
_MOST_EVENTS = 10
_MOST_SOURCES = 20
_MOST_SEARCHES = 10
_TRUST_ORDER = {"primary": 0, "government": 1, "academic": 2, "trusted": 3}


def report(findings: Findings) -> Document:
    """The report in the language of now."""
    blocks = (
        *_answer(findings),
        AnswerEnd(),
        *_evidence(findings),
        *_pictures(findings),
        *_details(findings),
        *_timeline(findings),
        *_sources(findings),
        *_searches(findings),
    )
    return Document(preview(findings.task.query, _QUESTION_CHARS), findings.task.id, language(), blocks)


def more_in_appendix(count: int) -> tuple[Block, ...]:
    if count <= 0:
        return ()
    return (Paragraph((Span(say("{count} more in the appendix.", count=count), Style.SOFT),)),)


def _answer(findings: Findings) -> tuple[Block, ...]:
    """The question's verdicts in words, and one figure."""
    hypotheses = findings.hypotheses[:_MOST_ANSWERS]
    if not hypotheses:
        return (_about(findings), Heading(2, (Span(say("Answer")),)), *_claims_instead(findings), _how_to_read())
    return (
        _about(findings),
        Heading(2, (Span(say("Answer")),)),
        *_not_searched(findings),
        Items(tuple(_verdict(one) for one in hypotheses), is_numbered=True),
        *more_in_appendix(len(findings.hypotheses) - len(hypotheses)),
        Figure(stance_bars_of(hypotheses)),
        _how_to_read(),
    )


def _about(findings: Findings) -> Block:
    pages = {one.page_id for claim in findings.claims for one in claim.quotes}
    facts = findings.facts
    retracted = {one.page_id for claim in findings.claims for one in claim.quotes if facts.is_retracted(one)}
    told = say(
        "Created {day} · searches: {searches} · claims: {claims} · pages quoted: {pages}, retracted: {retracted}",
        day=f"{findings.task.created_at:%Y-%m-%d}",
        searches=len(findings.searches),
        claims=len(findings.claims),
        pages=len(pages),
        retracted=len(retracted),
    )
    return Paragraph((Span(f"{say('Task')} "), Span(findings.task.id, Style.CODE), Span(f" · {told}", Style.SOFT)))


def _verdict(claim: ReportClaim) -> Line:
    """A hypothesis, its verdict and what is missing."""
    assessment = claim.assessment
    line = [
        Span(preview(claim.claim.claim_text, _ANSWER_CHARS), Style.FOREIGN),
        Span(" — "),
        Span(capitalised(verdict_words(assessment.verdict)), Style.STRONG),
        Span(
            say(", {confidence}; {counts}.", confidence=confidence_words(assessment), counts=counts_words(assessment))
        ),
    ]
    reason = verification_words(assessment)
    if assessment.verification_status is VerificationStatus.VERIFIED or not reason:
        return tuple(line)
    return (*line, Span(f" {reason}", Style.SOFT))


def _claims_instead(findings: Findings) -> tuple[Block, ...]:
    """Without a hypothesis the claims nearest to the question lead."""
    quoted = [one for one in findings.claims if one.quotes]
    if not quoted:
        return _not_searched(findings) or (Paragraph((Span(say("No claim was found.")),)),)
    nearest = by_relevance(findings.task.query, quoted)[:_MOST_ANSWERS]
    return (
        Paragraph((Span(say("No hypothesis was given. These are the claims nearest to the question.")),)),
        Items(tuple(_verdict(one) for one in nearest), is_numbered=True),
        *_over_time(findings),
    )


def _not_searched(findings: Findings) -> tuple[Block, ...]:
    if findings.searches or any(one.quotes for one in findings.claims):
        return ()
    return (Paragraph((Span(say("Nothing was searched yet.")),)),)


def _over_time(findings: Findings) -> tuple[Block, ...]:
    """When the evidence is from; nothing where there is none."""
    data = evidence_over_time_of(findings)
    return (Figure(data),) if data.years or data.undated else ()


def _how_to_read() -> Block:
    told = say(
        "Confidence is computed from the independent sources that were found: 0.5 means that nothing is known, copies "
        "of one text count once, and the range holds the confidence with a probability of 95 %. Retracted sources are "
        "shown and not counted. Lyra records what sources say; the conclusion is for the author to draw."
    )
    return Paragraph((Span(told, Style.SOFT),))


def _evidence(findings: Findings) -> tuple[Block, ...]:
    """The table that a reader compares claims in: hypotheses first, then contested claims, then the best supported."""
    found = sections(findings.claims)
    ordered = {one.claim.id: one for one in (*findings.hypotheses, *found.contradictions, *found.findings)}
    rows = list(ordered.values())[:_MOST_ROWS]
    heading = Heading(2, (Span(say("Evidence")),))
    if not rows:
        return (heading, Paragraph((Span(say("There is no evidence.")),)))
    facts = findings.facts
    headings = tuple(map(say, ("Claim", "For", "Against", "Sources", "Dates", "Trust", "Retracted")))
    table = Table(headings, tuple(_row(one, facts) for one in rows), (23, 22, 21, 8, 8, 10, 8))
    left = len([one for one in findings.claims if one.quotes and one.claim.id not in {r.claim.id for r in rows}])
    return (heading, table, *more_in_appendix(left))


def _row(claim: ReportClaim, facts: SourceFacts) -> tuple[Line, ...]:
    assessment = claim.assessment
    told = f"{capitalised(verdict_words(assessment.verdict))}, {number_text(assessment.evidence.confidence)}"
    retracted = len({one.page_id for one in claim.quotes if facts.is_retracted(one)})
    supporting, refuting = assessment.evidence.supporting_count, assessment.evidence.refuting_count
    supports, refutes = sides(claim)
    return (
        (Span(preview(claim.claim.claim_text, 150), Style.FOREIGN), Span(" "), Span(told, Style.STRONG)),
        _cell(supports or claim.supports, supporting, facts),
        _cell(refutes or claim.refutes, refuting, facts),
        (Span(say("{supporting} for, {refuting} against", supporting=supporting, refuting=refuting)),),
        (Span(years_words(claim.quotes)),),
        (Span(trust_words(assessment.trust_level)),),
        (Span(str(retracted), Style.MARK) if retracted else Span("–"),),
    )


def _cell(quotes: tuple[QuotedEvidence, ...], count: int, facts: SourceFacts) -> Line:
    """How many independent sources, and the strongest words; none where they are not counted."""
    if not quotes:
        return (Span("–"),)
    best = quotes[0]
    short = foreign(best.quote, _CELL_QUOTE_CHARS)
    source = Span(best.domain, Style.PLAIN, source_spans(best, facts)[0].link)
    return (
        Span(f"{count or say('not counted')} ", Style.STRONG),
        Span(say("“")),
        short,
        Span(say("”") + " "),
        source,
        *source_marks(best, facts),
    )


def _pictures(findings: Findings) -> tuple[Block, ...]:
    """When the evidence is from, who is independent, and what people reviewed, where they did; without hypotheses the
    first is on the answer's page."""
    groups = source_groups_of(findings)
    times = _over_time(findings) if findings.hypotheses else ()
    reviews = (Figure(review_curve_of(findings)),) if findings.reviews.corrections else ()
    return (*times, *((Figure(groups),) if groups.groups else ()), *reviews)


def _details(findings: Findings) -> tuple[Block, ...]:
    found, facts = sections(findings.claims), findings.facts
    return (
        Heading(2, (Span(say("Contradictions")),)),
        *(block for one in found.contradictions[:_MOST_CONTRADICTIONS] for block in _contradiction(findings, one)),
        *_nothing(found.contradictions, say("No hypothesis has evidence on both sides, and no claim is contested.")),
        *more_in_appendix(len(found.contradictions) - _MOST_CONTRADICTIONS),
        Heading(2, (Span(say("Findings")),)),
        *(block for one in found.findings[:_MOST_FINDINGS] for block in _claim(findings, one, facts, 2)),
        *_nothing(found.findings, say("No other claim reached a report confidence of 0.7.")),
        *more_in_appendix(len(found.findings) - _MOST_FINDINGS),
        Heading(2, (Span(say("Reservations")),)),
        *(block for one in found.reservations[:_MOST_RESERVATIONS] for block in _claim(findings, one, facts, 1)),
        *_nothing(found.reservations, say("None.")),
        *more_in_appendix(len(found.reservations) - _MOST_RESERVATIONS),
    )


def _nothing(found: tuple[ReportClaim, ...], told: str) -> tuple[Block, ...]:
    return () if found else (Paragraph((Span(told),)),)


def _contradiction(findings: Findings, claim: ReportClaim) -> tuple[Block, ...]:
    """Both sides' own words beside each other, and for a hypothesis the graph of its sources."""
    facts = findings.facts
    supports, refutes = (group_copies(side)[:3] for side in sides(claim))
    rows = tuple(
        tuple(
            quote_line(side[number][0], facts, most=_QUOTE_CHARS) if number < len(side) else ()
            for side in (supports, refutes)
        )
        for number in range(max(len(supports), len(refutes)))
    )
    graph = (Figure(claim_graph_of(findings, claim)),) if claim is _first_hypothesis(findings) else ()
    return (
        claim_heading(claim),
        Paragraph(verdict_line(claim)),
        Table((say("For"), say("Against")), rows, (50, 50)),
        *graph,
    )


def _first_hypothesis(findings: Findings) -> ReportClaim | None:
    return next((one for one in sections(findings.claims).contradictions if one.claim.is_hypothesis), None)


def claim_heading(claim: ReportClaim) -> Heading:
    return Heading(3, (Span(preview(claim.claim.claim_text, _CLAIM_CHARS), Style.FOREIGN),))


def _claim(findings: Findings, claim: ReportClaim, facts: SourceFacts, most: int) -> tuple[Block, ...]:
    lines: list[Line] = []
    for quotes, words in ((claim.supports, say("For")), (claim.refutes, say("Against"))):
        wordings = group_copies(quotes)
        for quoted, copies in wordings[:most]:
            line = (Span(f"{words}: ", Style.STRONG), *quote_line(quoted, facts, most=_QUOTE_CHARS))
            if copies:
                line += (Span("; " + say("same words on other pages: {count}", count=len(copies)), Style.SOFT),)
            lines.append(line)
        if len(wordings) > most:
            told = say("{count} more in the appendix.", count=len(wordings) - most)
            lines.append((Span(f"{words}: {told}", Style.SOFT),))
    return (claim_heading(claim), Paragraph(verdict_line(claim)), Items((*lines, *remarks(findings, claim)[:2])))


def remarks(findings: Findings, claim: ReportClaim) -> list[Line]:
    """What the dates show, and what would restore a rejected claim."""
    history = findings.histories.get(claim.claim.id)
    lines: list[Line] = []
    if history and history.is_outdated:
        newest = max(filter(None, (history.newest_support, history.newest_refutation)), default="")
        told = say(
            "Outdated: the newest dated evidence ({day}) lies over two years before the newest of the task.", day=newest
        )
        lines.append((Span(told),))
    for one in history.mismatches if history else ():
        sentence = (
            "Ahead of its page: speaks of {year}, the page is of {day}:"
            if one.is_ahead
            else "Old statement on a newer page: speaks of {year}, the page is of {day}:"
        )
        mark = mark_retracted() if one.url in findings.retracted_addresses else ()
        told = say(sentence, year=one.stated_year, day=one.page_date)
        lines.append((Span(told + " "), foreign(one.url, 200), *mark))
    lines += [
        (Span(say("Would restore it:") + " "), Span(translate(one), Style.FOREIGN)) for one in claim.assessment.recovery
    ]
    return lines


def _timeline(findings: Findings) -> tuple[Block, ...]:
    events = timeline_rows(findings)
    heading = Heading(2, (Span(say("Timeline")),))
    if not events:
        return (heading, Paragraph((Span(say("No dated evidence.")),)))
    # What happened since publication says more than publication itself.
    ranked = sorted(events, key=lambda row: row[1].kind is TimelineEventKind.PUBLISHED)[:_MOST_EVENTS]
    shown = [row for row in events if row in ranked]
    return (heading, Items(event_lines(findings, shown)), *more_in_appendix(len(events) - len(shown)))


def _sources(findings: Findings) -> tuple[Block, ...]:
    lines = source_lines(findings)
    heading = Heading(2, (Span(say("Sources")),))
    if not lines:
        return (heading, Paragraph((Span(say("None.")),)))
    shown = lines[:_MOST_SOURCES]
    return (heading, Items(tuple(shown), is_numbered=True), *more_in_appendix(len(lines) - len(shown)))


def source_lines(findings: Findings) -> list[Line]:
    """Every quoted page once; those of the leading claims first, among them primary sources, then by address."""
    facts = findings.facts
    leading = {one.page_id for claim in findings.main_claims for one in claim.quotes}
    by_page: dict[str, QuotedEvidence] = {}
    for claim in findings.claims:
        for one in claim.quotes:
            by_page.setdefault(one.url, one)
    ordered = sorted(
        by_page.values(),
        key=lambda one: (one.page_id not in leading, _TRUST_ORDER.get(facts.level(one), 4), one.url),
    )
    return [_source(one, facts) for one in ordered]


def _source(one: QuotedEvidence, facts: SourceFacts) -> Line:
    title = foreign(one.title or one.url, 160)
    details = ", ".join((one.domain, facts.trust(one), *date_words(one)))
    linked = Span(title.text, Style.FOREIGN, one.url)
    return (linked, *source_marks(one, facts), Span(f" — {details}", Style.SOFT))


def _searches(findings: Findings) -> tuple[Block, ...]:
    heading = Heading(2, (Span(say("Searches")),))
    if not findings.searches:
        return (heading, Paragraph((Span(say("None.")),)))
    shown = findings.searches[:_MOST_SEARCHES]
    return (heading, search_table(shown), *more_in_appendix(len(findings.searches) - len(shown)), unsatisfied(findings))


def search_table(searches: tuple[Search, ...]) -> Table:
    headings = tuple(map(say, ("Query", "Status", "Pages", "Useful fragments", "Note")))
    return Table(headings, tuple(_search(one) for one in searches), (40, 12, 8, 10, 30))


def _search(one: Search) -> tuple[Line, ...]:
    return (
        (foreign(one.query, 150),),
        (Span(translate(one.status.value)),),
        (Span(str(one.pages_fetched)),),
        (Span(str(one.useful_fragments)),),
        (foreign(translate(one.reason or ""), 200),),
    )


def unsatisfied(findings: Findings) -> Block:
    """The queries that were not answered."""
    names = [one.query for one in findings.searches if one.status is not SearchStatus.SATISFIED]
    told = preview("; ".join(preview(name, 150) for name in names), 600) if names else say("none")
    return Paragraph((Span(say("Unsatisfied queries:") + " "), Span(told, Style.FOREIGN)))
