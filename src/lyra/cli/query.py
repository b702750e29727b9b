"""`lyra query` and `lyra similar`: explore the Evidence Graph."""

from dataclasses import asdict
from typing import Annotated

import typer

from lyra.cli.context import AsJson, print_json, print_table, run


def query(
    ctx: typer.Context,
    sql: Annotated[str, typer.Argument(help="One SELECT or WITH … SELECT.")] = "",
    limit: Annotated[int, typer.Option(help="Rows at most.", min=1, max=200)] = 50,
    timeout_ms: Annotated[int, typer.Option(help="Time limit in milliseconds.", min=1, max=2000)] = 300,
    max_vm_steps: Annotated[int, typer.Option(help="Work limit.", min=1000, max=5_000_000)] = 500_000,
    schema: Annotated[bool, typer.Option("--schema", help="List tables, views and what they are for.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the graph in read-only SQL.

    Example: lyra query "select claim_text, controversy_score from v_contradictions"
    """
    statement = sql or ("select 1" if schema else "")
    found = run(
        ctx,
        lambda lyra: lyra.graph.query(
            statement, limit=limit, timeout_ms=timeout_ms, max_vm_steps=max_vm_steps, include_schema=schema
        ),
    )
    if as_json:
        print_json({"ok": True, **asdict(found)})
    elif schema:
        rows = [(table["name"], ", ".join(table["columns"]), table.get("purpose")) for table in found.schema or ()]
        print_table("Schema", ("name", "columns", "purpose"), rows)
    else:
        print_table("Rows", tuple(found.columns), [tuple(row.values()) for row in found.rows])
        if found.truncated:
            typer.echo("There is more: raise --limit or page with LIMIT … OFFSET ….")


def similar(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="What to look for, by meaning.")],
    target: Annotated[str, typer.Option(help="claims or fragments.")] = "claims",
    task: Annotated[str | None, typer.Option(help="Only within this task.")] = None,
    top_k: Annotated[int, typer.Option(help="Results at most.", min=1, max=50)] = 10,
    min_similarity: Annotated[float, typer.Option(help="Least similarity.", min=0, max=1)] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Find claims or fragments by meaning.

    Example: lyra similar "risk of heart failure" --target fragments
    """
    from lyra.research.answers import similar_fields

    found = run(
        ctx,
        lambda lyra: lyra.graph.similar(text, target=target, task_id=task, top_k=top_k, min_similarity=min_similarity),
    )
    if as_json:
        print_json({"ok": True, **similar_fields(found)})
    else:
        rows = [(f"{hit.similarity:.3f}", hit.id, hit.text_preview) for hit in found.hits]
        print_table(f"Nearest of {found.total_searched}", ("similarity", "id", "text"), rows)
        if found.not_yet_embedded:
            typer.echo(
                f"Not searched: {found.not_yet_embedded}, which the present embedder has not embedded yet; "
                "a running server does it in the background.",
                err=True,
            )
        if not rows:
            typer.echo(
                f"Nothing is as similar as {min_similarity}; lower --min-similarity, for instance to 0.3.", err=True
            )
