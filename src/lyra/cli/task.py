"""`lyra task`: create, list, show and stop research tasks."""

from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.clock import stamp
from lyra.model.task import Budget, Hypothesis, TaskConfig

TaskId = Annotated[str, typer.Argument(help="Id of the task, from `lyra task new` or `lyra task list`.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True)
    group.command("new")(new)
    group.command("list")(list_)
    group.command("show")(show)
    group.command("stop")(stop)
    app.add_typer(group, name="task", help="Create, list, show and stop research tasks.")


def new(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="The research question.")],
    hypothesis: Annotated[
        list[str] | None, typer.Option("--hypothesis", "-H", help="An atomic claim to judge; may be repeated.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Main language, such as en or ja.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages the task may fetch.", min=1)] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds its searches may run.", min=1)] = None,
    as_json: AsJson = False,
) -> None:
    """Create a task.

    Example: lyra task new "Are DPP-4 inhibitors safe with insulin?" -H "DPP-4 inhibitors cause pancreatitis."
    """

    async def work(lyra: Lyra) -> dict[str, Any]:
        defaults = lyra.settings.research
        config = TaskConfig(
            budget=Budget(max_pages or defaults.max_pages, max_seconds or defaults.max_seconds),
            language=language,
            hypotheses=tuple(Hypothesis(text) for text in hypothesis or ()),
        )
        task, claims = await lyra.tasks.create(query, config)
        return {"ok": True, "task_id": task.id, "query": task.query, "claims": claims}

    made = run(ctx, work)
    if as_json:
        print_json(made)
    else:
        typer.echo(f'{made["task_id"]} created. Next: lyra search {made["task_id"]} "your query"')


def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the tasks, newest first."""
    tasks = run(ctx, lambda lyra: lyra.tasks.recent(100))
    rows = [
        {
            "task_id": task.id,
            "status": task.status.value,
            "query": task.query,
            "created_at": stamp(task.created_at),
            "pages_used": task.pages_used,
        }
        for task in tasks
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(
            "Tasks", ("task_id", "status", "query", "created_at", "pages_used"), [tuple(r.values()) for r in rows]
        )
    else:
        typer.echo('No tasks yet. Create one: lyra task new "your question"')


def show(
    ctx: typer.Context,
    task_id: TaskId,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a change.", min=0, max=600)] = 0,
    as_json: AsJson = False,
) -> None:
    """Show how a task stands: searches, metrics, budget."""
    from lyra.research.answers import status_fields

    fields = status_fields(run(ctx, lambda lyra: lyra.status.wait(task_id, wait)))
    if as_json:
        print_json({"ok": True, **fields})
        return
    typer.echo(f"{fields['task_id']}  {fields['status']}\n{fields['query']}\n")
    columns = ("id", "query", "status", "pages_fetched", "useful_fragments", "satisfaction_score", "reason")
    print_table("Searches", columns, [tuple(row.get(c) for c in columns) for row in fields["searches"]])
    print_table("Metrics", ("metric", "value"), list(fields["metrics"].items()))
    print_table("Budget", ("", "value"), list(fields["budget"].items()))
    for warning in fields["warnings"]:
        typer.echo(f"! {warning}")


def stop(
    ctx: typer.Context,
    task_id: TaskId,
    reason: Annotated[str, typer.Option(help="completed, user_cancelled, …")] = "completed",
    as_json: AsJson = False,
) -> None:
    """End a task; its graph stays."""
    stopped = run(ctx, lambda lyra: lyra.tasks.stop(task_id, reason))
    if as_json:
        print_json({"ok": True, "task_id": task_id, "final_status": stopped.final_status})
    else:
        typer.echo(f"{task_id} is {stopped.final_status}. Report: lyra report {task_id}")
