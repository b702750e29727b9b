"""`lyra calibrate`: report right and wrong judgements, measure, and roll a fit back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import REVIEWER, AsJson, run, show_answer
from lyra.errors import InvalidParams
from lyra.model.calibration import CalibrationSource

if TYPE_CHECKING:
    from lyra.answers.calibration import CalibrateAnswer, RollbackAnswer
    from lyra.app import Lyra

Source = Annotated[CalibrationSource, typer.Option(help="Whose probabilities.")]
Language = Annotated[str | None, typer.Option(help="en or ja.", show_default="by the context, else en")]


app = typer.Typer(no_args_is_help=True, help="Calibrate the models with reviewed samples, and measure them.")


@app.command("add")
def add(
    ctx: typer.Context,
    actual: Annotated[str, typer.Option(help="supports, refutes or neutral for a stance; else true or false.")],
    edge: Annotated[str | None, typer.Option(help="Edge that is reviewed; see also `lyra review`.")] = None,
    source: Source = CalibrationSource.NLI_JUDGE,
    prediction: Annotated[
        list[float] | None,
        typer.Option(help="The model's probability before fits; three of them (repeated) for a stance."),
    ] = None,
    language: Language = None,
    context: Annotated[str, typer.Option(help="A note that is kept with the sample.")] = "",
    as_json: AsJson = False,
) -> None:
    """Record what is true of a judgement; confirm right ones too, or the fit will only know mistakes.

    Example: lyra calibrate add --edge e_0123456789abcdef --actual neutral
    """
    from lyra.answers.calibration import CalibrateAnswer
    from lyra.research.reviewing import ReviewInput

    if (edge is None) == (prediction is None):
        raise InvalidParams("Either --edge or --prediction must be given.", remedy="See `lyra calibrate add --help`.")

    async def work(lyra: "Lyra") -> "CalibrateAnswer":
        if edge is not None:
            return CalibrateAnswer.from_review(await lyra.reviews.add_one(ReviewInput(edge, actual, context, REVIEWER)))
        given = prediction or []
        made = await lyra.calibration.add_sample(
            source, given[0] if len(given) == 1 else given, actual, language=_language(language), context=context
        )
        return CalibrateAnswer.from_sample(made)

    show_answer(run(ctx, work), as_json=as_json)


@app.command("stats")
def stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show samples, versions, Brier and calibration error of every source.

    Example: lyra calibrate stats --json
    """
    from lyra.answers.calibration import CalibrateAnswer

    async def work(lyra: "Lyra") -> "CalibrateAnswer":
        every = {source: await lyra.calibration.stats(source) for source in CalibrationSource}
        return CalibrateAnswer.from_stats(every[CalibrationSource.NLI_JUDGE], list(every.values()))

    show_answer(run(ctx, work), as_json=as_json)


@app.command("evaluate")
def evaluate(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSONL with prediction and label.")],
    source: Source = CalibrationSource.NLI_JUDGE,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Measure predictions against what came true, and keep the figures.

    Example: lyra calibrate evaluate gold.jsonl --source nli_judge
    """
    from lyra.answers.calibration import CalibrateAnswer
    from lyra.calibration.book import DEFAULT_LANGUAGE
    from lyra.calibration.predictions import read_prediction_file

    predictions, labels = read_prediction_file(file)

    async def work(lyra: "Lyra") -> "CalibrateAnswer":
        spoken = _language(language) or DEFAULT_LANGUAGE
        evaluated = await lyra.calibration.evaluate(source, predictions, labels, language=spoken)
        return CalibrateAnswer.from_evaluated(evaluated)

    show_answer(run(ctx, work), as_json=as_json)


@app.command("evaluations")
def evaluations(
    ctx: typer.Context,
    source: Annotated[CalibrationSource | None, typer.Option(help="Only of this source.")] = None,
    limit: Annotated[int, typer.Option(help="Evaluations at most, the newest first.", min=1, max=100)] = 20,
    since: Annotated[str | None, typer.Option(help="Only from this date or time on (ISO 8601).")] = None,
    as_json: AsJson = False,
) -> None:
    """List evaluations.

    Example: lyra calibrate evaluations --since 2026-01-31
    """
    from lyra.answers.calibration import CalibrateAnswer
    from lyra.calibration.predictions import read_since

    moment = read_since(since) if since else None

    async def work(lyra: "Lyra") -> "CalibrateAnswer":
        found, total = await lyra.calibration.evaluations(source, limit=limit, since=moment)
        return CalibrateAnswer.from_evaluations(found, total)

    show_answer(run(ctx, work), as_json=as_json)


@app.command("diagram")
def diagram(
    ctx: typer.Context,
    source: Source = CalibrationSource.NLI_JUDGE,
    evaluation: Annotated[str | None, typer.Option(help="Evaluation; the latest by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show how often predictions of each confidence came true.

    Example: lyra calibrate diagram --source nli_judge
    """
    from lyra.answers.calibration import CalibrateAnswer

    async def work(lyra: "Lyra") -> "CalibrateAnswer":
        return CalibrateAnswer.from_diagram(await lyra.calibration.diagram(source, evaluation))

    show_answer(run(ctx, work), as_json=as_json)


@app.command("rollback")
def rollback(
    ctx: typer.Context,
    source: Source,
    version: Annotated[
        int | None, typer.Option(help="Version to return to; 0 is the bundled calibration.", min=0)
    ] = None,
    reason: Annotated[str, typer.Option(help="Why, for the audit.")] = "",
    as_json: AsJson = False,
) -> None:
    """Put an earlier version back in force, by default the one before.

    Example: lyra calibrate rollback --source nli_judge --reason "Brier grew"
    """
    from lyra.answers.calibration import RollbackAnswer

    async def work(lyra: "Lyra") -> "RollbackAnswer":
        return RollbackAnswer.from_rollback(await lyra.calibration.rollback(source, version, reason))

    show_answer(run(ctx, work), as_json=as_json)


def _language(name: str | None) -> str | None:
    if name not in (None, "en", "ja"):
        raise InvalidParams(f"The language {str(name)[:20]!r} has no calibration.", remedy="Use en or ja.")
    return name
