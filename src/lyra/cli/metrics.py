"""`lyra metrics`: how research goes, in figures."""

from datetime import timedelta
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.model.metric import Metric


def add_to(app: typer.Typer) -> None:
    app.command("metrics")(metrics)


def metrics(
    ctx: typer.Context,
    task_id: Annotated[str | None, typer.Argument(help="Only of this task.", show_default="all")] = None,
    hours: Annotated[float | None, typer.Option(help="Only of so many last hours.", min=0.01)] = None,
    as_json: AsJson = False,
    as_prometheus: Annotated[bool, typer.Option("--prometheus", help="Prometheus text, as /metrics has it.")] = False,
) -> None:
    """Show harvest, exposure, quality, the work of people and of the machine; what nobody measured is unknown.

    `basis` is the number of observations behind a figure. `lyra serve --http` has the same at /metrics.

    Example: lyra metrics --hours 24
    """
    from lyra.observe.metrics import metric_fields, prometheus

    async def work(lyra: Lyra) -> tuple[Metric, ...]:
        since = lyra.clock.now() - timedelta(hours=hours) if hours else None
        return await lyra.meter.read(task_id, since)

    found = run(ctx, work)
    if as_prometheus:
        typer.echo(prometheus(found), nl=False)
    elif as_json:
        print_json({"ok": True, "metrics": [metric_fields(one) for one in found]})
    else:
        print_table("Metrics", ("metric", "value", "basis", "what it is"), [_row(one) for one in found])


def _row(metric: Metric) -> tuple[str, str, int, str]:
    labels = ", ".join(metric.labels.values())
    value = "unknown" if metric.value is None else f"{metric.value:g}"
    about = f"{metric.help} ({metric.why_unknown})" if metric.why_unknown else metric.help
    return f"{metric.name} {labels}".strip(), value, metric.basis, about
