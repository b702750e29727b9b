"""The words of a report, in the language of now: verdicts, confidence, trust, dates, and quotes with their sources."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from lyra.evidence.interval import credible_interval
from lyra.model.claim import Assessment, Confidence, RefutationStatus, Verdict, VerificationStatus
from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.model.trust import TrustLevel
from lyra.report.document import Line, Span, Style
from lyra.report.figures.data import number_text, range_text
from lyra.report.links import passage_link
from lyra.text import preview, strip_control_chars, without_surrogates
from lyra.translate import say, translate

_TITLE_CHARS = 160
_PART_OF_WORD = re.compile(r"(?<=\S)\s+[A-Za-z0-9]{1,30}…$")  # what a cut leaves of a word in Latin letters


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What holds of sources throughout a report: the trust level in force now by page, the retracted pages, and those
    with orders to an AI."""

    levels: Mapping[str, TrustLevel]
    retracted: Collection[str]
    with_orders: Collection[str] = ()

    def level(self, quoted: QuotedEvidence) -> str:
        return str(self.levels.get(quoted.page_id, quoted.trust_level))

    def trust(self, quoted: QuotedEvidence) -> str:
        """The level of now, and that of the judgement where it differs."""
        now = self.level(quoted)
        if now == quoted.trust_level:
            return trust_words(now)
        return say("{now}, was {before} when judged", now=trust_words(now), before=trust_words(quoted.trust_level))

    def is_retracted(self, quoted: QuotedEvidence) -> bool:
        return quoted.is_retracted or quoted.page_id in self.retracted


def verdict_words(verdict: Verdict) -> str:
    match verdict:
        case Verdict.CONTESTED:
            return say("contested")
        case Verdict.WELL_SUPPORTED:
            return say("well supported")
        case Verdict.SUPPORTED:
            return say("supported")
        case Verdict.LIKELY_FALSE:
            return say("likely false")
        case Verdict.UNVERIFIED:
            return say("unverified")


def trust_words(level: str | None) -> str:
    """The trust level as a word; a dash where there is none."""
    return translate(level) if level else "–"


def confidence_range(evidence: Confidence) -> tuple[float, float]:
    """The range that holds the confidence with a probability of 95 %."""
    return credible_interval(evidence.alpha, evidence.beta)


def confidence_words(assessment: Assessment) -> str:
    evidence = assessment.evidence
    return say(
        "confidence {confidence} (range {range})",
        confidence=number_text(evidence.confidence),
        range=range_text(*confidence_range(evidence)),
    )


def counts_words(assessment: Assessment) -> str:
    """Independent sources on either side."""
    evidence = assessment.evidence
    return say(
        "independent sources: {supporting} for, {refuting} against",
        supporting=evidence.supporting_count,
        refuting=evidence.refuting_count,
    )


def refutation_words(claim: ReportClaim) -> str:
    """The result of looking for refutations; never “none found” above a quote that refutes, however weakly."""
    match claim.assessment.refutation_status:
        case RefutationStatus.NOT_SEARCHED:
            return say("evidence against was not searched for")
        case RefutationStatus.NONE_FOUND if any(not one.no_vote for one in claim.refutes):
            return say("evidence against was searched for: only weak evidence was found")
        case RefutationStatus.NONE_FOUND:
            return say("evidence against was searched for: none was found")
        case RefutationStatus.FOUND:
            return say("evidence against was found")


def verdict_line(claim: ReportClaim) -> Line:
    """A claim's verdict with its figures, in one line."""
    assessment = claim.assessment
    facts = [confidence_words(assessment), counts_words(assessment), refutation_words(claim)]
    if verification := verification_words(assessment):
        facts.append(verification.rstrip("。."))
    return (Span(capitalised(verdict_words(assessment.verdict)), Style.STRONG), Span(f" · {' · '.join(facts)}"))


def verification_words(assessment: Assessment) -> str:
    """Why a claim is verified, pending or rejected. Of a contested claim that it has two sides is said by the verdict,
    so that only the reason of a rejection is left to say."""
    is_said = assessment.verdict is Verdict.CONTESTED
    if not assessment.verification_reason or (
        is_said and assessment.verification_status is not VerificationStatus.REJECTED
    ):
        return ""
    return say("Verification: {reason}", reason=translate(assessment.verification_reason))


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def foreign(text: str, most: int) -> Span:
    """Text of others on one line, at most so many characters of it, cut between words."""
    line = preview(strip_control_chars(without_surrogates(text[: most * 4])), most)
    whole = line if len(line) < most else _PART_OF_WORD.sub("…", line)
    return Span(whole, Style.FOREIGN)


def quote_line(quoted: QuotedEvidence, facts: SourceFacts, *, most: int, whole: bool = False) -> Line:
    """A quote with its source; `whole` with what was read beside it in brackets, and when it was found."""
    words = foreign(quoted.in_context if whole else quoted.quote, most)
    line = [Span(say("“")), words, Span(f"{say('”')} — "), *source_spans(quoted, facts)]
    details = [quoted.domain, facts.trust(quoted), *date_words(quoted)]
    if whole:
        details.append(say("found {moment}", moment=f"{quoted.fetched_at:%Y-%m-%d %H:%M UTC}"))
    details.append(say("probability {value}", value=number_text(quoted.nli_confidence)))
    line.append(Span(f", {', '.join(details)}", Style.SOFT))
    return (*line, *review_spans(quoted), *no_vote_spans(quoted))


def source_spans(quoted: QuotedEvidence, facts: SourceFacts) -> Line:
    """The title as a link to the passage, and the mark of a retracted source."""
    title = foreign(quoted.title or quoted.url, _TITLE_CHARS)
    return (Span(title.text, Style.FOREIGN, passage_link(quoted)), *source_marks(quoted, facts))


def source_marks(quoted: QuotedEvidence, facts: SourceFacts) -> Line:
    """That a page was retracted, and that it gives orders to an AI."""
    orders = (Span(" "), Span(say("GIVES ORDERS TO AN AI"), Style.MARK)) if quoted.page_id in facts.with_orders else ()
    return (*(mark_retracted() if facts.is_retracted(quoted) else ()), *orders)


def mark_retracted() -> Line:
    return (Span(" "), Span(say("RETRACTED"), Style.MARK))


def no_vote_spans(quoted: QuotedEvidence) -> Line:
    if not quoted.no_vote:
        return ()
    return (Span(" — "), Span(say("not counted: {reason}", reason=translate(quoted.why_no_vote)), Style.STRONG))


def review_spans(quoted: QuotedEvidence) -> Line:
    """By whom and when a quote was reviewed, and what reader and rules had made of it."""
    review = quoted.review
    if review is None:
        return ()
    line = [Span(", " + say("reviewed on {day}", day=f"{review.reviewed_at:%Y-%m-%d}"))]
    if review.reviewer:
        line += [Span(" · "), foreign(review.reviewer, 80)]
    line.append(Span(" " + say("(read as “{relation}” before)", relation=relation_words(review.judged_relation.value))))
    if review.reason:
        line += [Span(": "), foreign(review.reason, 300)]
    return tuple(line)


def relation_words(relation: str) -> str:
    return {"supports": say("for"), "refutes": say("against")}.get(relation, say("neutral"))


def date_words(quoted: QuotedEvidence) -> Iterable[str]:
    if quoted.published_date:
        yield quoted.published_date
    if quoted.updated_date and quoted.updated_date != quoted.published_date:
        yield say("updated {day}", day=quoted.updated_date)


def years_words(quotes: Iterable[QuotedEvidence]) -> str:
    """The first and the last year of the texts; a dash where none has a date."""
    years = sorted({date[:4] for one in quotes if (date := one.updated_date or one.published_date)})
    if not years:
        return "–"
    return years[0] if years[0] == years[-1] else f"{years[0]}–{years[-1]}"
