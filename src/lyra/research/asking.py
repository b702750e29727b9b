"""A question with hypotheses as one task: which searches it makes, and starting them all."""

import math
from collections.abc import Sequence
from dataclasses import replace

from lyra.errors import InvalidParams
from lyra.model.search import SearchOptions
from lyra.model.task import Task, TaskConfig
from lyra.research.searches import Searches
from lyra.research.tasks import Tasks

MAX_HYPOTHESES = 20


async def start_asking(
    tasks: Tasks, searches: Searches, question: str, config: TaskConfig, options: SearchOptions, pages_per_search: int
) -> Task:
    """A task whose searches are queued. Everything is checked before: a wrong argument leaves no task behind."""
    if len(config.hypotheses) > MAX_HYPOTHESES:
        raise InvalidParams(
            f"There are {len(config.hypotheses)} hypotheses; at most {MAX_HYPOTHESES} are taken.",
            remedy="Ask about some of them first, and about the rest in another question.",
        )
    searches.check_options(options)
    searches.check_query(question, "question")
    for number, one in enumerate(config.hypotheses, start=1):
        searches.check_query(one.text, f"hypothesis {number}")
    task, claim_ids = await tasks.create(question, config)
    hypotheses = list(zip((one.text for one in config.hypotheses), claim_ids, strict=True))
    for query, wanted in planned_searches(question, hypotheses, options, config.budget.max_pages, pages_per_search):
        await searches.start(task.id, query, wanted)
    return task


def planned_searches(
    question: str,
    hypotheses: Sequence[tuple[str, str]],
    options: SearchOptions,
    budget_pages: int,
    pages_per_search: int,
) -> list[tuple[str, SearchOptions]]:
    """The question and each hypothesis as they stand, once each; pages are shared out evenly.

    A search for evidence against something also sends its words alone. Without hypotheses it is the question's.
    """
    by_claim = {claim_id: text for text, claim_id in hypotheses}
    planned = [(question, replace(options, refute=not by_claim))]
    planned += [(text, replace(options, refute=True, claim_ids=(one,))) for one, text in by_claim.items()]
    share = min(pages_per_search, max(1, math.floor(budget_pages / len(planned))))
    return [(query, replace(wanted, max_pages=share)) for query, wanted in planned]
