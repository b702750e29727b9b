"""What language models did for a search: which, where, how often, and for how much of its time."""

from lyra.model.event import Event
from lyra.research.search_run import SearchRun

LLM_USE = "llm"  # `event_log.kind`


async def log_llm_use(run: SearchRun) -> None:
    """Write what language models did for the search, and what share of its time they took; nothing where none was."""
    llm = run.llm
    if not (llm.asked or llm.failed or llm.skipped):
        return
    spent_s, elapsed_s = llm.budget.spent_s, llm.budget.elapsed_s
    await run.log(
        LLM_USE,
        ", ".join(sorted(llm.servers)),
        servers=llm.servers,
        asked=dict(llm.asked),
        failed=dict(llm.failed),
        skipped=dict(llm.skipped),
        seconds=round(spent_s, 3),
        share=round(spent_s / elapsed_s, 3) if elapsed_s else 0.0,
    )


def llm_use(event: Event | None) -> str | None:
    """The same in a line for whoever reads an answer; None where no model took part."""
    if event is None:
        return None
    found = event.details
    asked, failed, skipped = (sum(found[name].values()) for name in ("asked", "failed", "skipped"))
    where = ", ".join(f"{model} at {place}" for model, place in sorted(found["servers"].items())) or "not asked"
    counts = [f"{asked} answers", *([f"{failed} failed"] if failed else [])]
    counts += [f"{skipped} not asked for lack of time"] if skipped else []
    return f"{where}: {', '.join(counts)}; {found['share']:.0%} of the search's time"
