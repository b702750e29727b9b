"""What a language model adds to a search on the simulated web: the same search without one and with one.

The figures count what was kept and what was dropped, and why; whether what was kept is better is for a reader to say,
so every row is given.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.llm_settings import LlmUses
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.observe.log import configure
from lyra.storage import causal_chains, claims
from lyra_bench.measure.evidence import UNHURT, no_file, topic_names
from simweb import SimWeb
from simweb.truth import load_truth

_LIMIT_S = 3_600.0
_EVENTS = 100_000
_ANSWER_LIMIT_S = 1_800.0  # a small machine without a GPU reads a page in minutes


@dataclass(frozen=True, slots=True)
class LlmTrial:
    """What is tried: the server, the uses that are on, and the share of the time that it may take."""

    endpoint: str
    model: str
    uses: tuple[str, ...]
    share: float


async def measure_llm(trial: LlmTrial, topic: str | None, pages: int) -> dict[str, Any]:
    """Both searches for each topic, and what became of every answer of the model."""
    configure("error", None)
    return {name: await _topic(trial, name, pages) for name in topic_names(topic)}


def llm_flags(trial: LlmTrial) -> dict[str, Any]:
    """The settings under which the model takes part."""
    flags: dict[str, Any] = {"llm.endpoint": trial.endpoint, "llm.model": trial.model, "llm.budget_share": trial.share}
    flags["llm.timeout_s"] = _ANSWER_LIMIT_S
    return flags | {f"llm.uses.{use}": use in trial.uses for use in LlmUses.model_fields}


async def _topic(trial: LlmTrial, topic: str, pages: int) -> dict[str, Any]:
    without, _ = await _search(topic, pages, {})
    with_model, events = await _search(topic, pages, llm_flags(trial))
    return {"without": without, "with": with_model, **_answers(events)}


async def _search(topic: str, pages: int, flags: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    truth = load_truth(topic)
    language = next(iter(truth.queries))
    query = (
        truth.queries[language][0] if isinstance(truth.queries[language], list | tuple) else truth.question[language]
    )
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch, SimWeb() as web:
        own = {"data_dir": Path(scratch), "network.proxy": web.proxy_url, "network.ca_bundle": web.ca_path}
        settings = settings_module.load({**UNHURT, **own, **flags}, environ={}, path=no_file(Path(scratch)))
        async with Lyra.open(settings, with_worker=True) as lyra:
            task, _ = await lyra.tasks.create(truth.question[next(iter(truth.question))], TaskConfig())
            started = time.perf_counter()
            search = await lyra.searches.start(task.id, query, SearchOptions(max_pages=pages))
            await lyra.searches.wait(search.id, _LIMIT_S)
            seconds = round(time.perf_counter() - started, 1)
            found = await lyra.db.read(claims.claims_found, search.id, _EVENTS)
            events = await lyra.db.read(causal_chains.events, task.id, after=0, limit=_EVENTS)
    return {"seconds": seconds, "claims": len(found)}, list(events)


def _answers(events: list[Any]) -> dict[str, Any]:
    """By use: what was kept, what was dropped and why, with the rows."""
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for one in events:
        by_kind.setdefault(one.kind, []).append({"subject": one.subject, **one.details})
    rewritten = by_kind.get("rewriting", [])
    return {
        "llm": by_kind.get("llm", []),
        "claims": dict(Counter(str(one["outcome"]) for one in rewritten)),
        "summaries": _kept(by_kind.get("summaries", []), "sentences"),
        "entities": _kept(by_kind.get("entities", []), "entities"),
        "rows": {name: by_kind.get(name, []) for name in ("rewriting", "summaries", "entities", "mirror", "quality")},
    }


def _kept(found: list[Mapping[str, Any]], name: str) -> dict[str, int]:
    return {
        "pages": len(found),
        "kept": sum(len(one[name]) for one in found),
        "dropped": sum(one["dropped"] for one in found),
    }
