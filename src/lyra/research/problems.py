"""What a search could not do, in sentences."""

from collections.abc import Iterable

from lyra.model.search import SearchOutcome, SearchProblem


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
    if problem.outcome is None:
        return f"{subject} {reason}"
    if not reason:
        return f"{subject} {problem.outcome.value}"
    if problem.outcome is SearchOutcome.BLOCKED:
        return f"{subject} blocked: {reason}"
    return f"{subject} failed: {reason}"
