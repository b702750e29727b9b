"""What a person sees of a demonstration: findings beside what was planted, a contradiction's two sides, the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lyra.cli.context import label
from lyra.translate import say, translate
from lyra_bench.demo.plan import Plan
from lyra_bench.measure.leading import Leading, table_rows, total
from lyra_bench.planted import Comparison
from simweb.truth import Claim


@dataclass(frozen=True, slots=True)
class Side:
    """One quote for or against a claim, in the context that was judged."""

    relation: str
    quote: str
    url: str
    trust: str


def show_findings(plan: Plan, rows: Sequence[tuple[Claim, Mapping[str, Any]]], console: Console) -> None:
    """Each hypothesis with what the graph holds beside what was planted (independent sources, copies not counted)."""
    title = say("Hypotheses: texts found for/against, independent sources, and what was planted")
    table = Table(title=title, title_justify="left", box=SIMPLE)
    table.add_column(say("hypothesis"), ratio=1, overflow="fold")
    for column in (say("found"), say("sources"), say("planted"), say("conf."), say("verdict")):
        table.add_column(column, no_wrap=True)
    for claim, row in rows:
        table.add_row(
            escape(plan.text(claim)),
            f"{row['supporting_count']}/{row['refuting_count']}",
            str(row["independent_sources"]),
            f"{claim.independent_supports}/{claim.independent_refutes}",
            f"{row['confidence']:.2f}",
            translate(str(row["verdict"])).replace("_", " "),
        )
    console.print(table)


def show_contradiction(text: str, controversy: float, sides: Sequence[Side], console: Console) -> None:
    """A contested claim, with both sides' own words and sources."""
    heading = say("A contradiction (controversy {controversy}):", controversy=controversy)
    console.print(f"\n[bold]{heading}[/] {escape(text)}")
    signs = {"supports": f"[green]{label('for', 8)}[/]", "refutes": f"[red]{label('against', 8)}[/]"}
    for side in sides:
        quote = escape(" ".join(side.quote.split()))
        console.print(f"  {signs[side.relation]}“{quote}”", highlight=False, soft_wrap=True)
        console.print(f"          {side.url} ({translate(side.trust)})", highlight=False, soft_wrap=True)


def show_comparison(plan: Plan, found: Comparison, missed: Sequence[Claim], console: Console) -> None:
    """The figures, and by name what was planted and not met in this session's few searches."""
    table = Table(title=say("Found against planted"), title_justify="left")
    for column in (say("what"), say("found"), say("of")):
        table.add_column(column)
    table.add_row(say("planted claims stated in the graph"), str(found.stated), str(found.planted))
    table.add_row(say("planted stances judged as planted"), str(found.agreeing), str(len(found.judged)))
    table.add_row(say("… judged the opposite"), str(found.opposite), str(len(found.judged)))
    contested = say("contested hypotheses shown as contradictions")
    table.add_row(contested, str(len(found.contested_found)), str(len(found.contested)))
    table.add_row(say("claims taken from pages that hold none"), str(found.claims_from_empty_pages), "–")
    console.print(table)
    if missed:
        claims = escape("; ".join(plan.text(claim) for claim in missed))
        console.print(say("Not met by these searches: {claims}", claims=claims), soft_wrap=True)


def show_leading(found: Mapping[str, Leading], console: Console) -> None:
    """What users see, by topic and over all: the figures with which `lyra bench evidence` begins."""
    columns = {**found, "all": total(found.values())} if len(found) > 1 else found
    title = say("What users see, beside what was planted (few searches each; `lyra bench evidence` runs all)")
    table = Table(title=title, title_justify="left")
    for name in (say("figure"), say("aim"), *columns):
        table.add_column(name, overflow="fold")
    for row in table_rows(list(columns.values())):
        table.add_row(*row)
    console.print()
    console.print(table)
    console.print(say("Read without the strong reader, so that it is quick."))
