"""Prints the answer of `lyra ask` for a person."""

import typer

from lyra.answers.ask import AskAnswer, HypothesisAnswer, QuoteRow
from lyra.answers.search import ClaimRow
from lyra.text import preview, strip_control_chars
from lyra.translate import say, translate

_QUOTE_CHARS = 400
_TITLE_CHARS = 120
_VERDICTS = {
    "well_supported": "Well supported: the evidence found speaks for it.",
    "supported": "Supported, but not by much: more sources would make it surer.",
    "contested": "Contested: there is weight on both sides.",
    "likely_false": "Probably false: the evidence found speaks against it.",
    "unverified": "Not verified: there is too little evidence either way.",
}
_TRUST_LEVELS = {
    "primary": "primary source",
    "government": "government",
    "academic": "academic",
    "trusted": "trusted",
    "low": "low trust",
    "unverified": "unknown source",
    "blocked": "blocked",
}


def print_answer(answer: AskAnswer, *, again: str, report: str) -> None:
    """The question, each hypothesis with both sides, what is missing, and which commands come next."""
    _line(answer.question or "")
    for number, row in enumerate(answer.hypotheses or (), start=1):
        _print_hypothesis(number, row)
    if not answer.hypotheses:
        _print_claims(answer.claims_found or [])
    _print_list(say("On the whole:"), answer.missing or [])
    _print_list(say("Sources that gave no answer:"), answer.problems or [])
    metrics = answer.metrics
    if metrics is not None:
        _line("")
        _line(
            say(
                "{searches} searches, {pages} pages, {claims} claims. Task: {task_id}",
                searches=metrics.total_searches,
                pages=metrics.total_pages,
                claims=metrics.total_claims,
                task_id=answer.task_id,
            )
        )
    if not answer.is_finished:
        _line(say("Go on and see the answer: {command}", command=again))
    _line(say("The whole evidence as a report: {command}", command=report))


def _print_hypothesis(number: int, row: HypothesisAnswer) -> None:
    _line("")
    _line(f"{number}. {row.text}")
    _line(f"   {say(_VERDICTS[row.verdict])}")
    low, high = row.interval
    _line(
        "   "
        + say(
            "Confidence {confidence}, with 95 % between {low} and {high}. Independent sources: {supports} for, "
            "{refutes} against.",
            confidence=f"{row.confidence:.2f}",
            low=f"{low:.2f}",
            high=f"{high:.2f}",
            supports=row.supporting_count,
            refutes=row.refuting_count,
        )
    )
    _print_quotes(say("For it:"), row.supports)
    _print_quotes(say("Against it:"), row.refutes)
    _print_list("   " + say("What is missing:"), row.missing)


def _print_quotes(heading: str, quotes: list[QuoteRow]) -> None:
    if not quotes:
        return
    _line(f"   {heading}")
    for row in quotes:
        mark = say("RETRACTED") + " " if row.is_retracted else ""
        _line(f"   • {mark}“{preview(row.quote, _QUOTE_CHARS)}”")
        facts = (row.domain, row.published_date, say(_TRUST_LEVELS[row.trust_level]))
        _line(f"     {preview(row.title, _TITLE_CHARS)} ({', '.join(fact for fact in facts if fact)})")
        if row.no_vote:
            _line("     " + say("It does not count: {reason}.", reason=translate(row.no_vote)))
        _line(f"     {row.url}")


def _print_claims(claims: list[ClaimRow]) -> None:
    _line("")
    _line(say("Claims found, those nearest to the question first:") if claims else say("No claim was found."))
    for claim in claims:
        mark = say("RETRACTED") + " " if claim.is_retracted else ""
        _line(f"   • {mark}{claim.text}")
        _line(
            "     "
            + say(
                "{verdict} Confidence {confidence}, independent sources: {sources}.",
                verdict=say(_VERDICTS[claim.verdict]),
                confidence=f"{claim.confidence:.2f}",
                sources=claim.independent_sources,
            )
        )
        if claim.source_url:
            _line(f"     {claim.source_url}")


def _print_list(heading: str, lines: list[str]) -> None:
    if not lines:
        return
    indent = heading[: len(heading) - len(heading.lstrip())]
    _line(heading if indent else f"\n{heading}")
    for line in lines:
        _line(f"{indent}- {line}")


def _line(text: str) -> None:
    """One line; text of pages and of the person may hold anything."""
    typer.echo("\n".join(strip_control_chars(part) for part in text.split("\n")))
