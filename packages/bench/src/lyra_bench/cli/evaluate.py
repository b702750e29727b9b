"""`lyra eval`: measure the product's own stance and ranking on labelled data."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.observe import log

app = typer.Typer(no_args_is_help=True, help="Measure stance, ranking and models on labelled data.")


@app.command("stance")
def stance(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSONL with premise, hypothesis, label (E, C, N) and source.")],
    as_json: AsJson = False,
) -> None:
    """Score the readers per source.

    Example: lyra eval stance gold.jsonl --json
    """
    from lyra_bench.evaluate.stance import evaluate_stance

    async def work(lyra: Lyra) -> dict[str, Any]:
        return await evaluate_stance(file, lyra.judge, model_ids=lyra.models.cascade.model_ids)

    scores = run(ctx, work)
    if as_json:
        print_json(scores)
        return
    columns = tuple(next(iter(scores["sources"].values()), {"n": 0}))
    rows = [(name, *row.values()) for name, row in scores["sources"].items()]
    print_table(f"Stance: {', '.join(scores['models'].values())}", ("source", *columns), rows)


@app.command("ranking")
def ranking(
    ctx: typer.Context,
    directory: Annotated[Path, typer.Argument(help="BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv.")],
    as_json: AsJson = False,
) -> None:
    """Score the ranking, before its cut, against BM25 alone.

    Example: lyra eval ranking scifact/ --json
    """
    from lyra_bench.evaluate.ranking import evaluate_ranking

    async def work(lyra: Lyra) -> dict[str, Any]:
        return await evaluate_ranking(directory, lyra.ranker)

    scores = run(ctx, work)
    if as_json:
        print_json(scores)
    else:
        print_table("Ranking", ("measure", "value"), list(scores.items()))


@app.command("models")
def models(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="JSONL with premise, hypothesis, label (E, C, N) and source; the shipped rows by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the models of this machine side by side: bundled ones, those you pulled, and a shared server's.

    Each reader judges alone, with its own calibration. Embedders are compared on the shipped rows, by how well they
    find what bears on a claim.

    Example: lyra eval models gold.jsonl --json
    """
    from lyra_bench.evaluate.models import compare_models

    settings = ctx.obj.settings()
    log.configure(settings.log.level, None)
    scores = asyncio.run(compare_models(settings, file, _show_progress))
    if as_json:
        print_json(scores)
        return
    _print_readers(scores["readers"])
    if scores["embedders"]:
        _print_embedders(scores["embedders"])


def _show_progress(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        typer.echo(f"\r\x1b[K{name}: {done} / {total}" if done < total else "\r\x1b[K", nl=False, err=True)


def _print_readers(found: dict[str, Any]) -> None:
    sound = {name: one for name, one in found.items() if "error" not in one}
    columns = tuple(next((next(iter(one["sources"].values())) for one in sound.values()), {"n": 0}))
    rows = [
        (source, name, *one["sources"][source].values(), one["pairs_per_s"])
        for source in sorted({source for one in sound.values() for source in one["sources"]})
        for name, one in sound.items()
    ]
    print_table("Readers", ("source", "reader", *columns, "pairs_per_s"), rows)
    _print_failed(found)


def _print_embedders(found: dict[str, Any]) -> None:
    sound = {name: one for name, one in found.items() if "error" not in one}
    languages = sorted({language for one in sound.values() for language in one["quality"]})
    rows = [
        (language, name, *one["quality"][language].values(), one["items_per_s"])
        for language in languages
        for name, one in sound.items()
    ]
    print_table("Embedders", ("language", "embedder", "n", "ndcg@10", "texts_per_s"), rows)
    _print_failed(found)


def _print_failed(found: dict[str, Any]) -> None:
    for name, one in found.items():
        if "error" in one:
            typer.echo(f"! {name}: {one['error']}", err=True)
