"""`lyra metrics`: how research goes, in figures."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.errors import InvalidParams
from lyra.model.event import Metric
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra


def metrics(
    ctx: typer.Context,
    task_id: Annotated[str | None, typer.Argument(help="Only this task.", show_default="all")] = None,
    hours: Annotated[
        float | None,
        typer.Option(help="Only the last so many hours, and the graphs searched in them.", min=0.01, max=1e6),
    ] = None,
    as_json: AsJson = False,
    as_prometheus: Annotated[bool, typer.Option("--prometheus", help="Prometheus text, as /metrics has it.")] = False,
    changes: Annotated[bool, typer.Option("--changes", help="What adapted last, with the figures behind it.")] = False,
) -> None:
    """Show harvest, exposure, quality, the work of people and of the machine; what was not measured is unknown.

    `basis` is the number of observations behind a figure. `lyra serve --http` has the same at /metrics. With
    `--changes`, the last changes of what adapts: pauses, cooldowns, circuit breakers, rungs, shares.

    Example: lyra metrics --hours 24
    """
    from lyra.observe.metrics import metric_fields, prometheus

    if as_prometheus and (as_json or changes):
        raise InvalidParams(
            "--prometheus goes with neither --json nor --changes.",
            remedy="Leave one of them out; they are different formats.",
        )
    if changes:
        _show_changes(ctx, hours, as_json=as_json)
        return

    async def work(lyra: "Lyra") -> tuple[Metric, ...]:
        return await lyra.meter.read(task_id, _since(lyra, hours))

    found = run(ctx, work)
    if as_prometheus:
        typer.echo(prometheus(found), nl=False)
    elif as_json:
        print_json({"ok": True, "metrics": [metric_fields(one) for one in found]})
    else:
        print_table("Metrics", ("metric", "value", "basis", "what it is"), [_row(one) for one in found])


def _since(lyra: "Lyra", hours: float | None) -> datetime | None:
    return lyra.clock.now() - timedelta(hours=hours) if hours else None


def _show_changes(ctx: typer.Context, hours: float | None, *, as_json: bool) -> None:
    from lyra.observe.metrics import change_fields

    async def work(lyra: "Lyra") -> list[dict[str, Any]]:
        return [change_fields(*one) for one in await lyra.meter.changes(_since(lyra, hours))]

    found = run(ctx, work)
    if as_json:
        print_json({"ok": True, "changes": found})
    elif not found:
        typer.echo(say("Nothing was adapted."))
    else:
        rows = [(*map(_cell, list(one.values())[:-1]), _figures(one["figures"])) for one in found]
        print_table("What adapted", tuple(found[0]), rows)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _figures(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.10g}" for name, value in figures.items())


def _row(metric: Metric) -> tuple[str, str, int, str]:
    labels = ", ".join(metric.labels.values())
    from lyra.observe.metrics import plain_number

    value = say("unknown") if metric.value is None else plain_number(metric.value)
    about = translate(metric.help)
    about = f"{about} ({translate(metric.why_unknown)})" if metric.why_unknown else about
    return f"{metric.name} {labels}".strip(), value, metric.basis, about
