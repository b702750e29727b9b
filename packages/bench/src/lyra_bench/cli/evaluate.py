"""`lyra eval`: measure the product's own stance and ranking on labelled data."""

from pathlib import Path
from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run

app = typer.Typer(no_args_is_help=True, help="Measure stance and ranking on labelled data.")


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
