"""The session itself: what an AI client would do, step by step, with what Lyra answered."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lyra.demo.client import Session, connected
from lyra.demo.world import simulated_web
from lyra.planted import Comparison, compare
from simweb.truth import Truth, load_truth

_SEARCHES = 3
_POLL_S = 15
_FIRST_WAIT_S = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demonstration leaves behind."""

    task_id: str
    report: Path
    comparison: Comparison
    seconds: float


async def demonstrate(data_dir: Path, console: Console) -> Outcome:
    """Run the whole session; everything it makes lies below `data_dir`."""
    started = time.monotonic()
    truth = load_truth()
    with tempfile.TemporaryDirectory(prefix="lyra-demo-") as scratch, simulated_web(Path(scratch)) as environment:
        console.print("[dim]A simulated web runs on this machine; nothing leaves it. Politeness delays are lowered.[/]")
        async with connected(data_dir, environment) as session:
            console.print(f"Connected over stdio; tools: {', '.join(await session.tools())}\n")
            task_id, hypotheses = await _create(session, truth, console)
            await _search_all(session, truth, task_id, console)
            await _explore(session, task_id, console)
            comparison = await _compare(session, truth, task_id, hypotheses)
            await _stop(session, task_id, console)
        report = _write_report(data_dir, task_id)
    _show_comparison(comparison, console)
    return Outcome(task_id, report, comparison, time.monotonic() - started)


async def _create(session: Session, truth: Truth, console: Console) -> tuple[str, dict[str, str]]:
    planted = [truth.claim(name) for name in truth.hypotheses]
    answer = await session.call(
        "create_task",
        query=truth.question["en"],
        config={"hypotheses": [{"text": claim.text["en"]} for claim in planted]},
    )
    console.print(f"[bold]create_task[/] → {answer['task_id']} with {len(planted)} hypotheses")
    return str(answer["task_id"]), dict(zip(truth.hypotheses, answer["claims"], strict=True))


async def _search_all(session: Session, truth: Truth, task_id: str, console: Console) -> None:
    """English, Japanese, then one search for evidence against."""
    plan = [(query, False) for query in truth.queries["en"][:_SEARCHES]]
    plan += [(query, False) for query in truth.queries["ja"][:1]]
    plan += [(query, True) for query in truth.queries["refute"][:1]]
    for query, refute in plan:
        with console.status(f"search: {query}"):
            options = {"refute": refute, "wait_seconds": _FIRST_WAIT_S}
            answer = await session.call("search", task_id=task_id, query=query, options=options)
            is_running = answer["status"] == "running"
            row = await _poll(session, task_id, answer["search_id"], console) if is_running else answer
        mark = " [red](refute)[/]" if refute else ""
        console.print(
            f"[bold]search[/]{mark} {query} → {row['status']}, {row['pages_fetched']} pages,"
            f" {row['useful_fragments']} useful fragments"
        )


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
            console.print(f"[dim]  get_status (long poll) → {told}, {row['pages_fetched']} pages so far[/]")


async def _explore(session: Session, task_id: str, console: Console) -> None:
    summary = await session.rows(
        "select claim_text, support_count, refute_count, bayesian_confidence from v_claim_evidence_summary"
        f" where task_id = '{task_id}' order by support_count + refute_count desc limit 8"
    )
    table = Table(title="query_graph: v_claim_evidence_summary", title_justify="left")
    for column in ("claim", "for", "against", "confidence"):
        table.add_column(column)
    for row in summary:
        table.add_row(*(escape(str(value)) for value in row.values()))
    console.print(table)
    similar = await session.call(
        "vector_search", query="心不全による入院のリスク", target="fragments", task_id=task_id, min_similarity=0.3
    )
    console.print(f"[bold]vector_search[/] 心不全による入院のリスク → {len(similar['results'])} fragments, nearest:")
    for hit in similar["results"][:3]:
        console.print(f"  {hit['similarity']:.2f} {escape(hit['text_preview'][:110])}", highlight=False)
    await _show_contradiction(session, task_id, console)


async def _show_contradiction(session: Session, task_id: str, console: Console) -> None:
    """The most contested claim, with both sides' own words and sources."""
    contested = await session.rows(
        "select v.claim_id, v.claim_text, v.controversy_score"
        " from v_contradictions v join claims c on c.id = v.claim_id"
        f" where v.task_id = '{task_id}' order by c.is_hypothesis desc, v.controversy_score desc limit 1"
    )
    if not contested:
        console.print("No contradiction was found.")
        return
    claim = contested[0]
    text = escape(claim["claim_text"])
    console.print(f"\n[bold]A contradiction[/] (controversy {claim['controversy_score']}): {text}")
    for relation, sign in (("supports", "[green]for[/]    "), ("refutes", "[red]against[/]")):
        sides = await session.rows(
            "select e.quote, p.url, max(e.nli_confidence) as p, e.source_trust_level from edges e"
            " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id"
            f" where e.target_id = '{claim['claim_id']}' and e.relation = '{relation}'"
            " group by coalesce(p.work_id, p.domain) order by p desc limit 2"
        )
        for side in sides:
            console.print(f"  {sign} “{escape(' '.join(side['quote'].split())[:200])}”", highlight=False)
            console.print(f"          {side['url']} ({side['source_trust_level']})", highlight=False)


async def _compare(session: Session, truth: Truth, task_id: str, hypotheses: Mapping[str, str]) -> Comparison:
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
    return compare(truth, mentions, hypotheses, edges, [str(row["claim_id"]) for row in contradictions])


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
    console.print(
        f"\n[bold]stop_task[/] → {answer['final_status']}: {summary['satisfied_searches']} of"
        f" {summary['total_searches']} searches satisfied, {summary['total_claims']} claims"
    )


def _write_report(data_dir: Path, task_id: str) -> Path:
    path = data_dir / "reports" / f"{task_id}.md"
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "report", task_id, "--output", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


def _show_comparison(found: Comparison, console: Console) -> None:
    table = Table(title="Found against planted", title_justify="left")
    for column in ("what", "found", "of"):
        table.add_column(column)
    table.add_row("planted claims stated in the graph", str(found.stated), str(found.planted))
    table.add_row("planted stances judged as planted", str(found.agreeing), str(len(found.judged)))
    table.add_row("… judged the opposite", str(found.opposite), str(len(found.judged)))
    table.add_row(
        "contested hypotheses shown as contradictions", str(len(found.contested_found)), str(len(found.contested))
    )
    table.add_row("claims taken from pages that hold none", str(found.claims_from_empty_pages), "–")
    console.print(table)
