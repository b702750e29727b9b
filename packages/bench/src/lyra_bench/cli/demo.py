"""`lyra demo`: whole research sessions, offline, on a simulated web."""

import asyncio
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from lyra.observe import log
from lyra.translate import say

_TOPICS = {"dpp4": "medicine", "kosodate": "policy, in Japanese", "alp2": "a technical standard"}


def _topics(incomplete: str) -> Iterator[tuple[str, str]]:
    yield from ((name, about) for name, about in _TOPICS.items() if name.startswith(incomplete))


def demo(
    topic: Annotated[
        str,
        typer.Argument(
            help="dpp4 (medicine), kosodate (policy, all in Japanese) or alp2 (a technical standard).",
            autocompletion=_topics,
        ),
    ] = "dpp4",
    all_topics: Annotated[bool, typer.Option("--all", help="Every topic, one after the other.")] = False,
    queries: Annotated[int, typer.Option(help="Searches a topic, besides the one for evidence against.", min=1)] = 4,
    keep: Annotated[
        Path | None, typer.Option(help="Directory for what the sessions make.", show_default="a new temporary one")
    ] = None,
) -> None:
    """Run a whole research session offline: a real MCP client, a real server, a simulated web.

    Example: lyra demo --all --keep ./demo
    """
    from lyra_bench.demo.plan import known_topics, plan_of
    from lyra_bench.demo.session import demonstrate

    plans = [plan_of(name, queries) for name in (known_topics() if all_topics else (topic,))]
    log.configure("warning", None)
    console = Console()
    data_dir = keep or Path(tempfile.mkdtemp(prefix="lyra-demo-"))
    started = time.monotonic()
    try:
        outcomes = asyncio.run(demonstrate(data_dir, plans, console))
    except KeyboardInterrupt:
        typer.echo(say("Stopped. What was found so far lies in {data_dir}.", data_dir=data_dir), err=True)
        raise typer.Exit(130) from None
    timed = ", ".join(f"{one.topic} {one.seconds:.0f} s" for one in outcomes)
    seconds = f"{time.monotonic() - started:.0f}"
    console.print("\n" + say("Done in {seconds} s ({timed}). What next:", seconds=seconds, timed=timed))
    for hint in hints(outcomes[0].task_id, data_dir.resolve()):
        console.print(f"  {hint}", soft_wrap=True, markup=False, highlight=False)


def hints(task_id: str, data_dir: Path) -> list[str]:
    """What to do next, each a whole command over what the sessions have made."""
    program = Path(sys.argv[0])
    started = [sys.executable, "-m", "lyra"] if program.name == "__main__.py" else [str(program)]
    lyra = shlex.join([*started, "--data-dir", str(data_dir)])
    other = say("or another client: docs/how-to/connect-a-client.md")
    return [
        f"{lyra} task show {task_id}",
        f"{lyra} report {task_id} -o report.html",
        f"{lyra} ui",
        f'{lyra} query "select * from v_contradictions"',
        f"{lyra} connect claude-code      # {other}",
    ]
