"""What a search could not do, in sentences."""

from collections.abc import Iterable, Sequence

from lyra.model.search import READER_ENDED, PartlyJudged, SearchOutcome, SearchProblem
from lyra.text import preview


def problem_texts(found: Iterable[SearchProblem]) -> tuple[str, ...]:
    """Each problem once; sources that were not asked for want of a key in one sentence, which comes first."""
    problems = tuple(dict.fromkeys(found))
    keyless = {one.subject: one.key_setting for one in problems if one.key_setting is not None}
    names = ", ".join(f"{subject} ({setting})" for subject, setting in keyless.items())
    first = (f"Not asked for want of a free key: {names}.",) if names else ()
    return first + tuple(problem_text(one) for one in problems if one.key_setting is None)


def problem_text(problem: SearchProblem) -> str:
    """One problem: who or what gave nothing, and why."""
    subject, reason = problem.subject, problem.reason
    if problem.is_given_up:
        page, why = preview(subject), (reason or "").partition(READER_ENDED)[2].strip(" .")
        return f"{page} was given up after two tries to read it {why}"
    if problem.outcome is None:
        return f"{subject} {reason}"
    if not reason:
        return f"{subject} {problem.outcome.value}"
    if problem.outcome is SearchOutcome.BLOCKED:
        return f"{subject} blocked: {reason}"
    return f"{subject} failed: {reason}"


def partly_judged_text(page: PartlyJudged) -> str:
    """What was not judged of a page."""
    return f"{page.url} was judged in part: {page.judged} of its {page.wanted} pairs of passage and hypothesis"


def given_up_texts(found: Sequence[SearchProblem], most: int) -> tuple[str, ...]:
    """The first of the pages that were given up, and how many more there are."""
    named = tuple(problem_text(one) for one in found[:most])
    more = len(found) - len(named)
    return named + ((f"pages given up after two tries to read them, beside these: {more}",) if more else ())
