"""`lyra bench`: measure what is slow to measure."""

import asyncio
import functools
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.observe import log
from lyra_bench.cli.acceptance import acceptance
from lyra_bench.cli.library import library


def log_to_stderr() -> None:
    """Warnings of what is measured must not stand between the figures."""
    log.configure("warning", None)


app = typer.Typer(no_args_is_help=True, help="Measure what is slow to measure.", callback=log_to_stderr)
app.command("acceptance")(acceptance)
app.command("library")(library)


@app.command("start")
def start(
    runs: Annotated[int, typer.Option(help="Fresh processes to start.", min=1)] = 5, as_json: AsJson = False
) -> None:
    """Time from starting `lyra serve` to its list of tools and its first call, and its memory before models are loaded.

    Example: lyra bench start --json
    """
    from lyra_bench.measure.start import measure_start

    figures = asdict(asyncio.run(measure_start(runs)))
    if as_json:
        print_json(figures)
    else:
        print_table("Start", ("figure", "value"), list(figures.items()))


@app.command("judge")
def judge(
    ctx: typer.Context,
    file: Annotated[
        Path | None, typer.Option(help="Test set.", show_default="benchmarks/judge/pairs.jsonl of the source tree")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge passages of whole pages that nothing was trained on, and compare with two annotators.

    Example: lyra bench judge --json
    """
    from lyra.app import Lyra
    from lyra_bench.measure.judge import default_file, measure_judge

    async def work(lyra: Lyra) -> dict[str, Any]:
        tell = functools.partial(typer.echo, err=True, nl=False)
        found = await measure_judge(
            lyra.judge, file or default_file(), lambda done, of: tell(f"\r{done} of {of} pairs")
        )
        tell("\n")
        return {"readers": lyra.models.cascade.model_ids, **found}

    figures = run(ctx, work)
    if as_json:
        print_json(figures)
    else:
        _print_judge(figures)


def _print_judge(figures: dict[str, Any]) -> None:
    from lyra_bench.measure.judge import ORIGINS, shown

    columns = ("right", "opposite", "missed", "false_support", "false_refutation")
    rows: list[tuple[str, ...]] = []
    for origin in ORIGINS.values():
        for language, found in figures[origin].items():
            rows.append((f"{origin}, {language}", str(found["pairs"]), *(shown(found[name]) for name in columns)))
            rows += [
                (f"  {kind}", str(one["pairs"]), *(shown(one[name]) for name in columns))
                for kind, one in found["by_kind"].items()
            ]
    print_table("Judge, with 95 % intervals", ("pairs of", "n", *columns), rows)


@app.command("evidence")
def evidence(
    topic: Annotated[str | None, typer.Option(help="Topic of the simulated web.", show_default="all")] = None,
    queries: Annotated[
        int | None, typer.Option(help="Queries of each kind.", min=1, show_default="all of the truth file's")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Directory for the graphs.", show_default="a temporary one")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the truth files' queries on the simulated web and measure the Evidence Graph against what was planted.

    What users see comes first, by topic and by language. Example: lyra bench evidence --topic kosui --json
    """
    from lyra_bench.measure.evidence import measure_evidence
    from lyra_bench.measure.leading import table_rows

    found = asyncio.run(measure_evidence(topic, queries=queries, keep=keep))
    if as_json:
        print_json(found.fields())
        return
    columns = found.by_topic | found.by_language
    print_table("What users see", ("figure", "aim", *columns), list(table_rows(list(columns.values()))))
    for name, rest in found.rest.items():
        print_table(f"The rest: {name}", ("figure", "value"), list(_flat(dict(rest))))


@app.command("review")
def review(
    topic: Annotated[str | None, typer.Option(help="Topic of the simulated web.", show_default="all")] = None,
    queries: Annotated[
        int | None, typer.Option(help="Queries of each kind.", min=1, show_default="all of the truth file's")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Directory for the graphs.", show_default="a temporary one")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a perfect reviewer: verdicts right after 0, 5, 10, 20 and 40 reviews, by the queue and in random order.

    Example: lyra bench review --topic kosodate --json
    """
    from lyra_bench.measure.review import measure_review

    figures = asyncio.run(measure_review(topic, queries=queries, keep=keep))
    if as_json:
        print_json(figures)
        return
    rows = [
        (
            name,
            one.get("language", "all"),
            order,
            *(f"{one[order][str(n)]:.0%}" for n in after),
            f"{one['all_reviewed']:.0%}",
        )
        for after in [figures["after_reviews"]]
        for part in ("topics", "languages")
        for name, one in figures[part].items()
        for order in ("queue", "random")
    ]
    columns = (
        "topic",
        "language",
        "order",
        *(f"{number} reviews" for number in figures["after_reviews"]),
        "all reviewed",
    )
    print_table("Verdicts right, by reviews given", columns, rows)


@app.command("pairing")
def pairing(
    topic: Annotated[str, typer.Option(help="Topic of the simulated web.")] = "dpp4",
    queries: Annotated[
        int | None, typer.Option(help="Queries of each kind.", min=1, show_default="all of the truth file's")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Directory for the graph.", show_default="a temporary one")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the truth file's queries on the simulated web and count the planted pairs on pages read that were judged.

    Example: lyra bench pairing --topic kosui --json
    """
    from lyra_bench.measure.pairing import measure_pairing

    _show("Pairing", asyncio.run(measure_pairing(topic, queries=queries, keep=keep)), as_json=as_json)


@app.command("speed")
def speed(
    pages: Annotated[int, typer.Option(help="Pages to digest.", min=10)] = 200,
    vectors: Annotated[int, typer.Option(help="Vectors to search.", min=1)] = 100_000,
    edges: Annotated[int, typer.Option(help="Edges under the views.", min=5000)] = 50_000,
    as_json: AsJson = False,
) -> None:
    """Time bytes to finished graph, search by meaning and the views; figures depend on what else the machine does.

    Example: lyra bench speed --json
    """
    from lyra_bench.measure.speed import measure_graph
    from lyra_bench.measure.vectors import measure_vectors
    from lyra_bench.measure.views import measure_views

    figures = {
        "graph": asyncio.run(measure_graph(pages)),
        "vector_search": asyncio.run(measure_vectors(vectors)),
        "views": asyncio.run(measure_views(edges)),
    }
    _show("Speed", figures, as_json=as_json)


@app.command("search")
def search(
    topic: Annotated[str | None, typer.Option(help="Topic of the simulated web.", show_default="all")] = None,
    queries: Annotated[
        int | None, typer.Option(help="Queries of each kind.", min=1, show_default="all of the truth file's")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Directory for the graphs.", show_default="a temporary one")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the truth files' queries at the default budget and measure how many of the planted pages are found.

    Example: lyra bench search --topic alp2 --json
    """
    from lyra_bench.measure.search import measure_search

    _show("Search", asyncio.run(measure_search(topic, queries=queries, keep=keep)), as_json=as_json)


@app.command("fetch")
def fetch(
    urls: Annotated[int, typer.Option(help="Addresses to fetch.", min=20, max=200)] = 200,
    seed: Annotated[int, typer.Option(help="Draws which addresses meet which fault.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Directory for archive and journal.", show_default="a temporary one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch 200 addresses of the simulated web with faults, then once more; pauses are shortened to 0.05 s.

    Example: lyra bench fetch --json
    """
    from lyra_bench.measure.fetch import measure_fetch

    figures = asyncio.run(measure_fetch(urls, seed=seed, keep=keep))
    _show("Fetch", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("mcp")
def mcp(as_json: AsJson = False) -> None:
    """Let the MCP Inspector and the official conformance suite (from npm) try the server over stdio and HTTP.

    Example: lyra bench mcp --json
    """
    from lyra_bench.measure.protocol import measure_protocol

    figures = asyncio.run(measure_protocol())
    _show("Protocol", figures, as_json=as_json)
    if any(str(value).startswith("failed") for _, value in _flat(figures)):
        raise typer.Exit(1)


@app.command("faults")
def faults(
    kills: Annotated[int, typer.Option(help="Processes to kill.", min=1)] = 100,
    searches: Annotated[int, typer.Option(help="Searches under way in each round.", min=1, max=8)] = 4,
    seed: Annotated[int, typer.Option(help="Draws the moments.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Kill Lyra (kill -9) at random moments of real searches on the simulated web; nothing may be lost or doubled.

    Example: lyra bench faults --kills 20 --json
    """
    from lyra_bench.measure.faults import measure_faults

    tell = functools.partial(typer.echo, err=True)
    figures = asyncio.run(measure_faults(kills, searches=searches, seed=seed, tell=tell))
    _show("Faults", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("load")
def load(
    clients: Annotated[int, typer.Option(help="People who read once a second.", min=1)] = 50,
    seconds: Annotated[float, typer.Option(help="How long.", min=5)] = 600,
    searches: Annotated[int, typer.Option(help="Searches that run meanwhile.", min=0)] = 4,
    fragments: Annotated[int, typer.Option(help="Fragments with a vector.", min=1000)] = 100_000,
    keep: Annotated[
        Path | None, typer.Option(help="Directory of the graph; one in it is used.", show_default="a temporary one")
    ] = None,
    day: Annotated[
        int, typer.Option(help="Instead: so many tasks, and whether memory, handles or files grow with them.", min=0)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Latency of a team's server: people read status, SQL and vectors while searches run on the simulated web.

    Example: lyra bench load --clients 50 --seconds 600 --json
    """
    from lyra_bench.measure.day import measure_day
    from lyra_bench.measure.load import measure_load

    tell = functools.partial(typer.echo, err=True)
    if day:
        figures = asyncio.run(measure_day(day, tell))
        _show("Day", figures, as_json=as_json)
        if not figures["is_passed"]:
            raise typer.Exit(1)
        return
    figures = asyncio.run(measure_load(clients, seconds, searches=searches, fragments=fragments, keep=keep, tell=tell))
    _show("Load", figures, as_json=as_json)


@app.command("egress")
def egress(as_json: AsJson = False) -> None:
    """Run each part on the simulated web, record every connection it makes, and compare with what is stated.

    Example: lyra bench egress --json
    """
    from lyra_bench.measure.egress import measure_egress

    figures = asyncio.run(measure_egress())
    _show("Egress", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("check")
def check(
    topic: Annotated[str | None, typer.Option(help="Topic of the simulated web.", show_default="all")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the texts.", show_default="benchmarks/check of the source tree")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Directory of the graphs; those in it are used.", show_default="a temporary one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check texts with planted errors, and the same without, on the simulated web; exit code 1 below the bars.

    Example: lyra bench check --topic kosui --json
    """
    from lyra_bench.measure.check import measure_check

    figures = asyncio.run(measure_check(topic, folder=folder, keep=keep))
    _show("Check", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("mirrors")
def mirrors(
    ctx: typer.Context,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of queries.", show_default="benchmarks/mirrors of the source tree")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Show every query with its mirror and label.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put everyday queries into the other language; exit code 1 below the bars.

    Example: lyra bench mirrors --rows
    """
    from lyra.app import Lyra
    from lyra.search.mirrors import MirrorMaker, installed_dictionary
    from lyra_bench.measure.mirrors import measure_mirrors

    async def work(lyra: Lyra) -> dict[str, Any]:
        return await measure_mirrors(MirrorMaker(lyra.parts.embedder, installed_dictionary()), folder)

    figures = run(ctx, work)
    found = figures["rows"] if rows or as_json else []
    if not as_json:
        figures.pop("rows")
    _show("Mirrors", figures, as_json=as_json)
    if found and not as_json:
        print_table(
            "Queries", ("query", "mirror", "faithful"), [(x["query"], x["mirror"], x["faithful"]) for x in found]
        )
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("llm")
def llm(
    endpoint: Annotated[str, typer.Option(help="OpenAI-compatible server on this machine.")],
    model: Annotated[str, typer.Option(help="Name under which it knows the model.")] = "qwen2.5:3b",
    use: Annotated[list[str] | None, typer.Option(help="A use to try.", show_default="all of them")] = None,
    topic: Annotated[str | None, typer.Option(help="Topic of the simulated web.", show_default="all")] = None,
    pages: Annotated[int, typer.Option(help="Pages of each search.", min=1)] = 10,
    share: Annotated[float, typer.Option(help="Share of the time that the model may take; 1 lifts it.")] = 0.3,
    as_json: AsJson = False,
) -> None:
    """The same searches on the simulated web without a language model and with one; --json has every answer.

    Example: lyra bench llm --endpoint http://127.0.0.1:8080/v1 --use claims --topic kosui --json
    """
    from lyra.llm_settings import LlmUses
    from lyra_bench.measure.llm import LlmTrial, measure_llm

    trial = LlmTrial(endpoint, model, tuple(use or LlmUses.model_fields), share)
    figures = asyncio.run(measure_llm(trial, topic, pages))
    if not as_json:
        for one in figures.values():
            one.pop("rows")
    _show("Language model", figures, as_json=as_json)


@app.command("fuzz")
def fuzz(
    inputs: Annotated[int, typer.Option(help="Damaged inputs for each parser and tool.", min=1)] = 300,
    answers: Annotated[int, typer.Option(help="Damaged HTTP answers to fetch.", min=1)] = 3000,
    seed: Annotated[int, typer.Option(help="Draws the damage.")] = 1,
    limit_s: Annotated[float, typer.Option(help="Longest time for one input, in seconds.", min=0.1)] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Give damaged input to the HTTP rung, every parser and every MCP tool; nothing may escape untyped or hang.

    The models answer once before anything is timed.

    Example: lyra bench fuzz --inputs 50 --answers 500 --json
    """
    from lyra_bench.fuzz.run import measure_fuzz

    figures = measure_fuzz(inputs, answers, seed=seed, limit_s=limit_s)
    _show("Fuzz", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


class AttackPart(StrEnum):
    """What `lyra bench attack` tries."""

    INJECTION = "injection"
    EFFECTS = "effects"


@app.command("attack")
def attack(
    part: Annotated[list[AttackPart] | None, typer.Option(help="What to try.", show_default="all")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder with bipia, deepset, piguard and spikee, for the part injection.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws documents, places and attacks.")] = 1,
    llm: Annotated[
        str | None, typer.Option(help="OpenAI-compatible server on this machine that takes part in the part effects.")
    ] = None,
    model: Annotated[str, typer.Option(help="Name under which it knows the model.")] = "qwen2.5:3b",
    pages: Annotated[int, typer.Option(help="Pages of the part effects.", min=1)] = 12,
    as_json: AsJson = False,
) -> None:
    """Attack Lyra with pages: orders to an AI, recognised or not, and whether they change what is judged.

    Example: lyra bench attack --part injection --data injection-texts --json
    """
    from lyra.errors import InvalidParams
    from lyra.llm_settings import LlmUses
    from lyra.observe.log import configure
    from lyra_bench.measure.attack import measure_injection
    from lyra_bench.measure.attack_effects import measure_effects
    from lyra_bench.measure.llm import LlmTrial

    configure("error", None)  # what is found is what was planted
    figures: dict[str, Any] = {}
    parts = part or [one for one in AttackPart if data is not None or one is not AttackPart.INJECTION]
    if AttackPart.INJECTION in parts:
        if data is None:
            raise InvalidParams("The part injection needs texts.", remedy="Give their folder with --data.")
        figures["injection"] = measure_injection(data, seed=seed)
    if AttackPart.EFFECTS in parts:
        trial = LlmTrial(llm, model, tuple(LlmUses.model_fields), 1.0) if llm else None
        figures["effects"] = asyncio.run(measure_effects(seed=seed, count=pages, trial=trial))
    _show("Attack", figures, as_json=as_json)
    if not all(one["is_passed"] for one in figures.values()):
        raise typer.Exit(1)


@app.command("pack")
def pack(
    changes: Annotated[int, typer.Option(help="Single bytes to change.", min=1)] = 200,
    topic: Annotated[str, typer.Option(help="Topic of the simulated web.")] = "dpp4",
    pages: Annotated[int, typer.Option(help="Pages the task fetches at most.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="Draws the places.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Pack a task of the simulated web, change single bytes of the pack, and count how many of them `verify` finds.

    Example: lyra bench pack --changes 200 --json
    """
    from lyra_bench.measure.pack import measure_pack

    figures = asyncio.run(measure_pack(changes, topic=topic, pages=pages, seed=seed))
    _show("Pack", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("replay")
def replay(
    tasks: Annotated[int, typer.Option(help="Tasks to run and to replay.", min=1, max=200)] = 20,
    pages: Annotated[int, typer.Option(help="Pages each of a task's two searches fetches at most.", min=1)] = 4,
    kills: Annotated[int, typer.Option(help="Processes to kill while the tasks run.", min=0)] = 8,
    seed: Annotated[int, typer.Option(help="Draws the moments.")] = 1,
    keep: Annotated[Path | None, typer.Option(help="Directory for the data.", show_default="a temporary one")] = None,
    as_json: AsJson = False,
) -> None:
    """Run tasks on the simulated web, kill the process now and then, and replay each: the digests must be equal.

    Example: lyra bench replay --tasks 5 --json
    """
    from lyra_bench.measure.replay import measure_replay

    tell = functools.partial(typer.echo, err=True)
    figures = asyncio.run(measure_replay(tasks, pages=pages, kills=kills, seed=seed, keep=keep, tell=tell))
    rows = figures.pop("rows")
    if as_json:
        print_json({**figures, "rows": rows})
    else:
        _show("Replay", figures, as_json=False)
    if not figures["is_passed"]:
        raise typer.Exit(1)


@app.command("bulk")
def bulk(
    pages: Annotated[int, typer.Option(help="Pages of the simulated web to read.", min=8)] = 32,
    rounds: Annotated[int, typer.Option(help="Times that each way is measured.", min=1)] = 5,
    import_pages: Annotated[
        int | None, typer.Option(help="Measure instead what importing so many pages costs, without models.", min=1)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read pages by one process, by two, and by two Ray workers: pages a second and how far the last two differ.

    Examples: lyra bench bulk --rounds 3 --json; lyra bench bulk --import-pages 300
    """
    if import_pages is not None:
        from lyra_bench.measure.bulk_import import measure_import

        told = functools.partial(typer.echo, err=True)
        _show("Import", asyncio.run(measure_import(import_pages, tell=told)), as_json=as_json)
        return
    from lyra_bench.measure.bulk import measure_bulk

    figures = asyncio.run(measure_bulk(pages, rounds=rounds, tell=functools.partial(typer.echo, err=True)))
    _show("Bulk", figures, as_json=as_json)
    if not figures["is_passed"]:
        raise typer.Exit(1)


def _show(title: str, figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(figures)
    else:
        print_table(title, ("figure", "value"), list(_flat(figures)))


def _flat(figures: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested figures as dotted names."""
    rows: list[tuple[str, Any]] = []
    for name, value in figures.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return rows
