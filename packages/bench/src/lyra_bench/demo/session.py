"""The sessions themselves: what an AI client would do on each topic, step by step, with what Lyra answered."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from lyra.settings import Settings
from lyra.storage import judged_texts, page_groups
from lyra.storage.database import Database
from lyra.translate import say, translate
from lyra_bench.demo.client import Session, connected
from lyra_bench.demo.plan import Asked, Plan
from lyra_bench.demo.show import Side, show_comparison, show_contradiction, show_findings, show_leading
from lyra_bench.demo.world import simulated_web
from lyra_bench.measure.evidence import leading_figures, read_graph
from lyra_bench.measure.leading import Leading, total
from lyra_bench.planted import Comparison, Ground, compare
from simweb.truth import Claim

_POLL_S = 15
_FIRST_WAIT_S = 1
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one topic's session leaves behind."""

    topic: str
    task_id: str
    report: Path
    comparison: Comparison
    seconds: float
    leading: Leading


async def demonstrate(data_dir: Path, plans: Sequence[Plan], console: Console) -> list[Outcome]:
    """Run a session a plan, all with one client and one server; everything they make lies below `data_dir`.

    At the end stand the leading figures of `lyra bench evidence`, of what these sessions have read.
    """
    with tempfile.TemporaryDirectory(prefix="lyra-demo-") as scratch, simulated_web(Path(scratch)) as environment:
        console.print(
            say("A simulated web runs on this machine; nothing leaves it. Politeness delays are lowered."),
            style="dim",
            soft_wrap=True,
        )
        async with connected(data_dir, environment) as session:
            tools = ", ".join(await session.tools())
            console.print(say("Connected over stdio; tools: {tools}", tools=tools), soft_wrap=True)
            outcomes = [await _research(session, plan, data_dir, console) for plan in plans]
    show_leading({one.topic: one.leading for one in outcomes}, console)
    return outcomes


async def _research(session: Session, plan: Plan, data_dir: Path, console: Console) -> Outcome:
    started = time.monotonic()
    console.print()
    console.rule(f"[bold]{plan.topic}[/]", align="left")
    console.print(escape(plan.question), soft_wrap=True)
    task_id, hypotheses = await _create(session, plan, console)
    for asked in plan.searches:
        await _search(session, task_id, asked, console)
    await _explore(session, plan, task_id, hypotheses, console)
    comparison, missed = await _compare(session, plan, task_id, hypotheses)
    await _stop(session, task_id, console)
    show_comparison(plan, comparison, missed, console)
    report = _write_report(data_dir, task_id)
    console.print(say("The report skeleton: {path}", path=report), soft_wrap=True)
    leading = await _measure(data_dir, plan, task_id, hypotheses)
    return Outcome(plan.topic, task_id, report, comparison, time.monotonic() - started, leading)


async def _create(session: Session, plan: Plan, console: Console) -> tuple[str, dict[str, str]]:
    answer = await session.call(
        "create_task",
        query=plan.question,
        config={"hypotheses": [{"text": plan.text(claim)} for claim in plan.hypotheses], "language": plan.language},
    )
    created = {"task_id": answer["task_id"], "count": len(plan.hypotheses)}
    console.print(f"[bold]create_task[/] → {say('{task_id} with {count} hypotheses', **created)}")
    return str(answer["task_id"]), dict(zip(plan.truth.hypotheses, answer["claims"], strict=True))


async def _search(session: Session, task_id: str, asked: Asked, console: Console) -> None:
    with console.status(f"search: {asked.query}"):
        options = {"refute": asked.refute, "wait_seconds": _FIRST_WAIT_S}
        answer = await session.call("search", task_id=task_id, query=asked.query, options=options)
        is_running = answer["status"] == "running"
        row = await _poll(session, task_id, answer["search_id"], console) if is_running else answer
    mark = " [red](refute)[/]" if asked.refute else ""
    counts = {"pages": row["pages_fetched"], "fragments": row["useful_fragments"]}
    ended = say("{status}, {pages} pages, {fragments} useful fragments", status=translate(row["status"]), **counts)
    console.print(f"[bold]search[/]{mark} {escape(asked.query)} → {ended}")


async def _poll(session: Session, task_id: str, search_id: str, console: Console) -> Mapping[str, Any]:
    """Long-poll the status until the search has ended; each phase is told once."""
    told = ""
    while True:
        status = await session.call("get_status", task_id=task_id, wait_seconds=_POLL_S)
        row: Mapping[str, Any] = next(one for one in status["searches"] if one["id"] == search_id)
        if row["status"] != "running":
            return row
        if row["phase"] != told:
            told = row["phase"]
            so_far = say("{phase}, {pages} pages so far", phase=translate(told), pages=row["pages_fetched"])
            console.print(f"[dim]  {say('get_status (long poll)')} → {so_far}[/]")


async def _explore(session: Session, plan: Plan, task_id: str, hypotheses: Mapping[str, str], console: Console) -> None:
    rows = await session.rows(
        "select id, supporting_count, refuting_count, independent_sources, confidence, verdict from claims"
        f" where task_id = '{task_id}' and is_hypothesis = 1"
    )
    by_id = {str(row["id"]): row for row in rows}
    show_findings(plan, [(claim, by_id[hypotheses[claim.id]]) for claim in plan.hypotheses], console)
    similar = await session.call(
        "vector_search", query=plan.meaning, target="fragments", task_id=task_id, min_similarity=0.3
    )
    console.print(f"[bold]vector_search[/] {escape(plan.meaning)} → {say('nearest fragments:')}")
    distinct = {hit["text_preview"]: hit["similarity"] for hit in reversed(similar["results"])}
    for text, similarity in list(reversed(distinct.items()))[:_SHOWN]:
        console.print(f"  {similarity:.2f} {escape(text[:110])}", highlight=False, soft_wrap=True)
    await _contradict(session, task_id, console)


async def _contradict(session: Session, task_id: str, console: Console) -> None:
    """The most contested claim of the graph, a hypothesis before any other."""
    contested = await session.rows(
        "select v.claim_id, v.claim_text, v.controversy_score"
        " from v_contradictions v join claims c on c.id = v.claim_id"
        f" where v.task_id = '{task_id}' order by c.is_hypothesis desc, v.controversy_score desc limit 1"
    )
    if not contested:
        console.print(say("No contradiction was found."))
        return
    claim = contested[0]
    sides = [
        Side(relation, _in_context(row), row["url"], row["source_trust_level"])
        for relation in ("supports", "refutes")
        for row in await session.rows(
            "select e.quote, e.judged_text, p.url, max(e.nli_confidence) as p, e.source_trust_level from edges e"
            " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id"
            f" where e.target_id = '{claim['claim_id']}' and e.relation = '{relation}' and e.no_vote = ''"
            " group by coalesce(p.work_id, p.domain) order by p desc limit 2"
        )
    ]
    show_contradiction(claim["claim_text"], claim["controversy_score"], sides, console)


def _in_context(row: Mapping[str, Any]) -> str:
    """The quote with what the reader read beside it in square brackets."""
    judged = judged_texts.from_column(row["judged_text"])
    return str(row["quote"]) if judged is None else judged.marked


async def _compare(
    session: Session, plan: Plan, task_id: str, hypotheses: Mapping[str, str]
) -> tuple[Comparison, list[Claim]]:
    """The figures, and the planted claims that no page read in this session states."""
    mentions = await _paged(
        session,
        "select p.url, p.work_id, m.quote from claim_mentions m join claims c on c.id = m.claim_id"
        f" join fragments f on f.id = m.fragment_id join pages p on p.id = f.page_id where c.task_id = '{task_id}'"
        " order by p.url, m.quote",
    )
    ids = ", ".join(f"'{claim_id}'" for claim_id in hypotheses.values())
    edges = await _paged(
        session,
        "select e.target_id as claim_id, p.url, p.work_id, f.text_content as text, e.relation from edges e"
        " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id"
        f" where e.target_id in ({ids}) order by e.id",
    )
    contradictions = await session.rows(f"select claim_id from v_contradictions where task_id = '{task_id}'")
    ground = Ground(plan.truth)
    stated = {claim.id for mention in mentions for claim, _ in ground.stated_by(mention)}
    missed = [claim for claim in plan.truth.claims if claim.id not in stated]
    found = compare(plan.truth, mentions, hypotheses, edges, [str(row["claim_id"]) for row in contradictions])
    return found, missed


async def _paged(session: Session, sql: str) -> list[dict[str, Any]]:
    """All rows, page by page: an answer never holds more than its limit."""
    rows: list[dict[str, Any]] = []
    while True:
        answer = await session.call(
            "query_graph", sql=f"{sql} limit 40 offset {len(rows)}", options={"limit": 200, "timeout_ms": 2000}
        )
        rows += answer["rows"]
        if not answer["rows"]:
            return rows


async def _stop(session: Session, task_id: str, console: Console) -> None:
    answer = await session.call("stop_task", task_id=task_id, reason="completed")
    summary = answer["summary"]
    counts = {"satisfied": summary["satisfied_searches"], "searches": summary["total_searches"]}
    counted = say(
        "{satisfied} of {searches} searches satisfied, {claims} claims", claims=summary["total_claims"], **counts
    )
    console.print(f"\n[bold]stop_task[/] → {translate(answer['final_status'])}: {counted}")


async def _measure(data_dir: Path, plan: Plan, task_id: str, hypotheses: Mapping[str, str]) -> Leading:
    """The session's graph by the measures of the benchmark, which read it where it lies."""
    db = await Database.open(Settings(data_dir=data_dir).database_path)
    try:
        graph, found = await db.read(read_graph, task_id), await db.read(page_groups.of_task, task_id)
    finally:
        await db.close()
    return total(leading_figures(plan.truth, graph, hypotheses, found).values())


def _write_report(data_dir: Path, task_id: str) -> Path:
    path = data_dir / "reports" / f"{task_id}.md"
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "report", task_id]
    subprocess.run(command, check=True, capture_output=True)
    return path
