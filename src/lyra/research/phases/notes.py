"""The journal of a search: a line for each answer of an engine or index; blocked, failed and empty stay apart."""

from collections.abc import Iterable, Mapping, Sequence

from lyra.errors import PipelineError
from lyra.model.event import Event
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.model.work import AcademicAnswer, Work
from lyra.research.kit import Kit
from lyra.research.run import SearchRun
from lyra.storage import journal


def event_of(kit: Kit, run: SearchRun, kind: str, subject: str, details: Mapping[str, object]) -> Event:
    """An entry about what a search has done or met, now."""
    search = run.search
    return Event(kind, kit.clock.now(), subject, details, run.task.id, search_id=search.id, cause_id=search.id)


async def note(
    kit: Kit, run: SearchRun, who: str, outcome: SearchOutcome, reason: str | None, **details: object
) -> None:
    """Write what one source answered."""
    event = event_of(kit, run, "answer", who, {"outcome": outcome.value, "reason": reason, **details})
    await kit.db.write(journal.append, [event])


async def note_apis(kit: Kit, run: SearchRun, answers: Iterable[AcademicAnswer]) -> None:
    """Write what the academic indexes answered."""
    for one in answers:
        await note(kit, run, one.api, one.outcome, one.reason, count=len(one.works))


async def note_unanswered(kit: Kit, run: SearchRun, answers: Iterable[AcademicAnswer]) -> None:
    """Write which indexes did not answer one of many small questions."""
    await note_apis(kit, run, [one for one in answers if not one.outcome.is_answer])


async def note_retraction(kit: Kit, run: SearchRun, work: Work, said_by: str, url: str) -> None:
    """Write that indexes call a paper retracted; its page and claims carry it on into the timeline."""
    event = event_of(kit, run, "retraction", work.id, {"title": work.title, "said_by": said_by, "url": url})
    await kit.db.write(journal.append, [event])


async def note_partly_read(kit: Kit, run: SearchRun, url: str, remarks: Sequence[str]) -> None:
    """Write what could not be read of a page; nothing where all of it was."""
    if remarks:
        await kit.db.write(journal.append, [event_of(kit, run, "partly_read", url, {"remarks": remarks})])


def unanswered(kind: str, answers: Sequence[tuple[str, EngineAnswer | AcademicAnswer]]) -> PipelineError | None:
    """An error where every source of a kind was blocked or failed."""
    if any(one.outcome.is_answer for _, one in answers):
        return None
    reasons = {name: one.reason for name, one in answers}
    waits = [one.retry_after_s for _, one in answers if one.retry_after_s is not None]
    return PipelineError(
        f"No {kind} answered: {', '.join(sorted(reasons))}.",
        remedy="Search again; if it lasts, look at the network with `lyra doctor`.",
        retry_after_s=min(waits) if waits else None,
        details={"reasons": reasons},
    )
