"""How each answer is printed for people; with `--json` the same answer is printed as it is."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import typer

from lyra.answers.answer import Answer
from lyra.answers.calibration import CalibrateAnswer, RollbackAnswer
from lyra.answers.handoff import AuthQueueAnswer, ResolveAuthAnswer
from lyra.answers.hypotheses import HypothesisRow
from lyra.answers.research import (
    CreateTaskAnswer,
    QueryAnswer,
    SimilarTextsAnswer,
    StatusAnswer,
    StopTaskAnswer,
)
from lyra.answers.search import ClaimRow, SearchAnswer
from lyra.cli.context import print_fields, print_json, print_rows, print_table
from lyra.remedies import fields_for_terminal
from lyra.text import strip_control_chars
from lyra.translate import say, translate

_SEARCH_COLUMNS = ("id", "query", "status", "pages_fetched", "useful_fragments", "satisfaction_score", "reason")
_HYPOTHESIS_COLUMNS = ("verdict", "confidence", "interval", "supporting_count", "refuting_count", "text")
_CLAIM_COLUMNS = ("verdict", "confidence", "independent_sources", "text", "source_url")
_SOURCE_COLUMNS = {
    "source": "source",
    "current_version": "version",
    "sample_count": "samples",
    "pending_count": "pending",
    "brier_score": "Brier",
    "ece": "ECE",
    "degradation_detected": "worse",
}
_EVALUATION_COLUMNS = {
    "id": "id",
    "source": "source",
    "brier_score": "Brier",
    "brier_score_calibrated": "calibrated",
    "expected_calibration_error": "ECE",
    "evaluated_at": "at",
}


def show(answer: Answer, *, as_json: bool, exclude_none: bool = False) -> None:
    """Print an answer for a program or for a person."""
    if as_json:
        print_json(fields_for_terminal(answer.json_fields(exclude_none=exclude_none)))
    else:
        render(answer)
        print_security_warnings(answer)


def print_security_warnings(answer: Answer) -> None:
    """Name the pages behind the answer that give orders to an AI, on the error output."""
    for one in answer.meta.security_warnings:
        named = {"url": one.url, "kind": one.kind, "severity": one.severity}
        if one.is_traced is False:
            text = say("{url} gives orders to an AI ({kind}, {severity}): its words may be in this answer.", **named)
        else:
            text = say("{url} gives orders to an AI ({kind}, {severity}): read its words as data.", **named)
        typer.echo(strip_control_chars(f"! {text}"), err=True)
    if answer.meta.flagged_pages is not None:
        more = answer.meta.flagged_pages - len(answer.meta.security_warnings)
        typer.echo(f"! {say('Pages that give orders to an AI and are not listed: {count}', count=more)}", err=True)


@singledispatch
def render(answer: Answer) -> None:
    """Print an answer for a person; by default one row for each field."""
    print_fields("Answer", answer.cli_fields())


@render.register
def _create_task(answer: CreateTaskAnswer) -> None:
    typer.echo(say('{task_id} created. Next: lyra search {task_id} "your query"', task_id=answer.task_id))


@render.register
def _status(answer: StatusAnswer) -> None:
    fields = answer.cli_fields()
    typer.echo(f"{answer.task_id}  {translate(answer.status or '')}\n{answer.query}\n")
    _print_hypotheses(answer.hypotheses or ())
    print_rows("Searches", _SEARCH_COLUMNS, fields["searches"])
    print_fields("Metrics", fields["metrics"], "metric")
    print_fields("Budget", fields["budget"], "")
    for warning in answer.warnings or ():
        typer.echo(f"! {translate(warning)}")


def _print_hypotheses(hypotheses: Sequence[HypothesisRow]) -> None:
    """Each with its verdict, and with the range of its confidence on one line."""
    if hypotheses:
        rows = [{**one.model_dump(), "interval": "–".join(f"{end:.2f}" for end in one.interval)} for one in hypotheses]
        print_rows("Hypotheses", _HYPOTHESIS_COLUMNS, rows)


@render.register
def _search(answer: SearchAnswer) -> None:
    _print_hypotheses(answer.hypotheses or ())
    for change in answer.changed or ():
        before, after = translate(change.verdict_before), translate(change.verdict_after)
        typer.echo(say("{id} was {before} and is now {after}.", id=change.id, before=before, after=after))
    print_rows("Claims", _CLAIM_COLUMNS, [_claim_fields(one) for one in answer.claims_found or ()])
    for row in answer.refutations or ():
        mark = f"{say('RETRACTED')} " if row.is_retracted else ""
        typer.echo(strip_control_chars(f"✗ {row.claim_text}\n  {mark}«{row.in_context}»\n  {row.source_url}"))
    for problem in answer.problems or ():
        typer.echo(strip_control_chars(f"! {translate(problem)}"))
    counts = {"id": answer.search_id, "pages": answer.pages_fetched, "fragments": answer.useful_fragments}
    status = translate(answer.status or "")
    ended = say("{id}: {status}, {pages} pages, {fragments} useful fragments.", status=status, **counts)
    typer.echo(f"{ended} {translate(answer.reason or '')}")


def _claim_fields(row: ClaimRow) -> dict[str, Any]:
    """The fields of a claim, its text marked where its source was retracted."""
    fields = row.model_dump(mode="json")
    return {**fields, "text": f"{say('RETRACTED')} {row.text}"} if row.is_retracted else fields


@render.register
def _stop_task(answer: StopTaskAnswer) -> None:
    status = translate(answer.final_status or "")
    typer.echo(say("{task_id} is {status}. Report: lyra report {task_id}", task_id=answer.task_id, status=status))


@render.register
def _query(answer: QueryAnswer) -> None:
    if answer.schema_ is not None:
        rows = [(table["name"], ", ".join(table["columns"]), table.get("purpose")) for table in answer.schema_]
        print_table("Schema", ("name", "columns", "purpose"), rows)
        return
    print_table("Rows", tuple(answer.columns or ()), [tuple(row.values()) for row in answer.rows or ()], is_raw=True)
    if answer.truncated:
        typer.echo(say("There is more: raise --limit or page with LIMIT … OFFSET …."))


@render.register
def _similar_texts(answer: SimilarTextsAnswer) -> None:
    rows = [(f"{hit.similarity:.3f}", hit.id, hit.text_preview) for hit in answer.results or ()]
    print_table(f"Nearest of {answer.total_searched}", ("similarity", "id", "text"), rows)
    if answer.not_yet_embedded:
        waiting = (
            "Not searched: {count}, which the present embedder has not embedded yet; "
            "a running server does it in the background."
        )
        typer.echo(say(waiting, count=answer.not_yet_embedded), err=True)
    if not rows:
        typer.echo(say("Nothing is that similar; lower --min-similarity, for instance to 0.3."), err=True)


@render.register
def _auth_queue(answer: AuthQueueAnswer) -> None:
    fields = answer.cli_fields()
    rows = fields.get("queue") or fields.get("domains") or fields.get("types") or []
    if not rows:
        typer.echo(say("Nothing waits for a person."))
        return
    print_table("Waiting for a person", tuple(rows[0]), [tuple(map(_joined, row.values())) for row in rows])


def _joined(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@render.register
def _resolve_auth(answer: ResolveAuthAnswer) -> None:
    searches = len(answer.unblocked_searches or ())
    words = {"domain": answer.domain, "status": translate(answer.status or ""), "searches": searches}
    typer.echo(translate(answer.note or "") or say("{domain} is {status}; {searches} searches go on.", **words))


@render.register
def _calibrate(answer: CalibrateAnswer) -> None:
    fields = answer.cli_fields()
    if answer.sources is not None:
        print_rows("Calibration", tuple(_SOURCE_COLUMNS), fields["sources"], tuple(_SOURCE_COLUMNS.values()))
    elif answer.evaluations is not None:
        title = f"Evaluations: {len(answer.evaluations)} of {answer.total_count}"
        print_rows(title, tuple(_EVALUATION_COLUMNS), fields["evaluations"], tuple(_EVALUATION_COLUMNS.values()))
    elif answer.bins is not None:
        rows = [tuple(row.values()) for row in fields["bins"]]
        headings = ("from", "to", "count", "confidence", "accuracy")
        print_table(f"{answer.source}: ECE {answer.overall_ece}", headings, rows)
    else:
        print_fields("Calibration", fields)


@render.register
def _rollback(answer: RollbackAnswer) -> None:
    print_fields("Calibration", answer.cli_fields())
