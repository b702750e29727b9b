"""Figures as SVG text, each from one function and one frozen dataclass, in the language of now.

`figure_table` gives the same data as a table. A page whose policy forbids inline styles
puts `STYLE` into its style sheet and draws with `with_style=False`.
"""

from lyra.report.figures.data import (
    ClaimGraph,
    EvidenceOverTime,
    FigureData,
    FigureTable,
    GraphSource,
    HypothesisStance,
    ReliabilityDiagram,
    ReviewCurve,
    ReviewPoint,
    SourceGroup,
    SourceGroups,
    StanceBars,
    YearOfEvidence,
    figure_table,
)
from lyra.report.figures.graph import claim_graph
from lyra.report.figures.reliability import reliability_diagram
from lyra.report.figures.reviews import review_curve
from lyra.report.figures.sources import source_groups
from lyra.report.figures.stances import stance_bars
from lyra.report.figures.svg import STYLE, WIDTH
from lyra.report.figures.times import evidence_over_time

__all__ = [
    "STYLE",
    "WIDTH",
    "ClaimGraph",
    "EvidenceOverTime",
    "FigureData",
    "FigureTable",
    "GraphSource",
    "HypothesisStance",
    "ReliabilityDiagram",
    "ReviewCurve",
    "ReviewPoint",
    "SourceGroup",
    "SourceGroups",
    "StanceBars",
    "YearOfEvidence",
    "claim_graph",
    "evidence_over_time",
    "figure_table",
    "reliability_diagram",
    "review_curve",
    "source_groups",
    "stance_bars",
]
