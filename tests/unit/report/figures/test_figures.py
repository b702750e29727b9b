"""Figures: what they show, that foreign text stays text, and that nothing but shape is needed to read them."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from lyra.model.calibration import ReliabilityBin
from lyra.report import figures
from lyra.report.figures.svg import one_line, shorten, text_width, wrap
from lyra.translate import in_language

HOSTILE = "</text><script>alert(1)</script><a href='https://evil.example/'>\u202e\x00\x1b[2J\"&\ud800"
LONG = "word " * 1_000
ARABIC = "هذا نص عربي يقرأ من اليمين إلى اليسار"
NS = "{http://www.w3.org/2000/svg}"

Draw = Callable[..., str]


def every_figure(text: str) -> list[tuple[Draw, figures.FigureData]]:
    """Each figure with the text in every place that takes foreign text."""
    stance = figures.HypothesisStance(text, text, 3, 1, 0.7, 0.5, 0.9)
    source = figures.GraphSource(text, text, True, 0.9, text, text, True)
    return [
        (figures.stance_bars, figures.StanceBars((stance,) * 20)),
        (figures.evidence_over_time, figures.EvidenceOverTime((figures.YearOfEvidence(2020, 1, 2, 1),), 3)),
        (figures.claim_graph, figures.ClaimGraph(text, text, (source,) * 3_000)),
        (figures.source_groups, figures.SourceGroups((figures.SourceGroup(text, (text,) * 50, 1, 1, True),) * 300)),
        (figures.reliability_diagram, figures.ReliabilityDiagram((ReliabilityBin(0.5, 0.6, 4, 0.55, 0.5),), 0.05)),
        (figures.review_curve, figures.ReviewCurve((figures.ReviewPoint(1, 0), figures.ReviewPoint(2, 1)), 3, 1)),
    ]


EMPTY: list[tuple[Draw, figures.FigureData, str]] = [
    (figures.stance_bars, figures.StanceBars(()), "No hypothesis was given."),
    (figures.evidence_over_time, figures.EvidenceOverTime(()), "There is no evidence."),
    (figures.claim_graph, figures.ClaimGraph("It is safe.", "unverified", ()), "It is safe."),
    (figures.source_groups, figures.SourceGroups(()), "0 pages count as 0 independent sources."),
    (figures.reliability_diagram, figures.ReliabilityDiagram((), 0.0), "No judgement has been reviewed yet."),
    (figures.review_curve, figures.ReviewCurve(()), "No judgement has been reviewed yet. nothing is left to review"),
]


def texts(svg: str) -> list[str]:
    return [(one.text or "").strip("\u2068\u2069") for one in ElementTree.fromstring(svg).iter(f"{NS}text")]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("text", [HOSTILE, LONG, ARABIC], ids=["hostile", "long", "right to left"])
def test_foreign_text_stays_text(number: int, text: str) -> None:
    """Well-formed whatever a page says: no element of its own, no script, no address, no control character."""
    draw, data = every_figure(text)[number]

    svg = draw(data)

    names = {one.tag.removeprefix(NS) for one in ElementTree.fromstring(svg).iter()}
    drawn = {
        "svg",
        "title",
        "desc",
        "style",
        "defs",
        "pattern",
        "line",
        "text",
        "rect",
        "circle",
        "polygon",
        "polyline",
    }
    assert names - drawn == set()
    assert re.findall(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", svg) == []
    assert len(svg) < 100_000


@pytest.mark.parametrize("number", range(6))
def test_nothing_is_asked_from_elsewhere(number: int) -> None:
    """No script, no import, no address but the name of SVG itself; `url()` only for the figure's own pattern."""
    draw, data = every_figure("It is safe.")[number]

    svg = draw(data)

    assert re.findall(r"https?://[^\"']+", svg) == ["http://www.w3.org/2000/svg"]
    assert set(re.findall(r"url\((.)", svg)) <= {"#"}
    assert re.findall(r"@import|<script|\son\w+=|\sstyle=", svg) == []


@pytest.mark.parametrize(("draw", "data", "told"), EMPTY, ids=lambda part: getattr(part, "__name__", ""))
def test_nothing_found_is_said(draw: Draw, data: figures.FigureData, told: str) -> None:
    """A figure without data says so."""
    assert told in texts(draw(data))


def test_stance_bars_show_counts_confidence_and_range() -> None:
    """The numbers stand beside the marks, so that the figure is read without measuring it."""
    one = figures.HypothesisStance("It is safe.", "supported", 3, 1, 0.714, 0.52, 0.9)

    shown = texts(figures.stance_bars(figures.StanceBars((one,))))

    assert [part for part in ("It is safe.", "1", "3", "supported", "0.71 (0.52–0.90)") if part not in shown] == []


def test_sides_are_told_apart_without_colours() -> None:
    """What is against is hatched and a diamond, what is for is plain and a circle, what is retracted is dashed."""
    bars = figures.stance_bars(figures.StanceBars((figures.HypothesisStance("x", "y", 1, 1, 0.5, 0.4, 0.6),)))
    sources = tuple(figures.GraphSource(f"s{n}", f"s{n}", n != 1, 0.9, is_retracted=n == 2) for n in range(3))
    graph = figures.claim_graph(figures.ClaimGraph("x", "y", sources))

    assert re.findall(r'class="(for|against)"(?=>)', bars) == ["against", "for"]
    assert len(re.findall(r'fill="url\(#', bars)) == 1
    assert re.findall(r'<(circle|polygon)[^>]*class="(\w+)"', graph) == [
        ("polygon", "against"),
        ("circle", "for"),
        ("circle", "gone"),
    ]


def test_retracted_source_is_named_so_however_long_its_name() -> None:
    """The mark is not what is cut off."""
    group = figures.SourceGroup(LONG, ("a",), 0, 0, is_retracted=True)

    shown = texts(figures.source_groups(figures.SourceGroups((group,))))

    assert shown[3] == "word word word word word… (retracted)"


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (1, "Independent sources: 2 for, 1 against."),
        (3, "Votes on 3 claims, one a source and side: 2 for, 1 against."),
    ],
)
def test_sources_are_summed_up_in_votes(claims: int, told: str) -> None:
    """Once for each side; what has no vote is counted apart and stands below."""
    groups = (
        figures.SourceGroup("copy", ("x", "y"), 0, 0),
        figures.SourceGroup("both", ("a",), 1, 1),
        figures.SourceGroup("one", ("b",), 1, 0),
    )

    shown = texts(figures.source_groups(figures.SourceGroups(groups, claims)))

    assert shown == [
        "2 pages count as 2 independent sources.",
        told,
        "Pages that are not counted: 2.",
        *("both", "1 for", "1 against", "one", "1 for", "copy", "not counted"),
    ]


def test_many_years_become_spans() -> None:
    """Every text is counted, and the axis has at most 24 places."""
    years = tuple(figures.YearOfEvidence(year, 1, 0) for year in range(1900, 2024))

    shown = texts(figures.evidence_over_time(figures.EvidenceOverTime(years)))

    assert "1900–1909" in shown
    assert "2020–2029" in shown
    assert shown.count("10") == 14  # twelve full spans and both ends of the scale


def test_sources_that_count_as_one_are_bracketed() -> None:
    """Neighbours with one group share a line at the edge."""
    sources = tuple(figures.GraphSource(name, group, True, 0.9) for name, group in (("a", "x"), ("b", "x"), ("c", "y")))

    svg = figures.claim_graph(figures.ClaimGraph("It is safe.", "supported", sources))

    assert svg.count('class="whisker"') == 1


def test_figure_without_its_style_has_none() -> None:
    """For pages that forbid inline styles and have the style sheet."""
    data = figures.StanceBars(())

    assert "<style>" not in figures.stance_bars(data, with_style=False)
    assert f"<style>{figures.STYLE}</style>" in figures.stance_bars(data)


def test_figure_speaks_japanese() -> None:
    """Title, description and labels are in the language of now."""
    with in_language("ja"):
        svg = figures.evidence_over_time(figures.EvidenceOverTime((figures.YearOfEvidence(2020, 2, 1),), 1))

    assert "根拠の年代</title>" in svg
    assert "2020 年：支持 2、反対 1、撤回 0; 日付のない文章が 1 件あります。</desc>" in svg


def test_table_has_all_data() -> None:
    """What the figure leaves out for lack of room is in its table."""
    points = tuple(figures.ReviewPoint(number, number // 3) for number in range(1, 41))
    data = figures.ReviewCurve(points, 5, 2)

    table = figures.figure_table(data)

    assert (table.title, table.headings, len(table.rows), table.rows[-1]) == (
        "Reviews and corrections",
        ("Reviewed", "Corrected"),
        40,
        ("40", "13"),
    )


@pytest.mark.parametrize("number", range(6))
def test_every_figure_has_a_table_as_wide_as_its_headings(number: int) -> None:
    """One cell for each heading."""
    _, data = every_figure("x")[number]

    table = figures.figure_table(data)

    assert {len(row) for row in table.rows} == {len(table.headings)}


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        pytest.param("one two three four", ["one two", "three four"], id="between words"),
        pytest.param("one two three four five six seven", ["one two", "three…"], id="cut with an ellipsis"),
        pytest.param("糖尿病の治療薬について", ["糖尿病の治療", "薬について"], id="Japanese between letters"),
        pytest.param("x" * 30, ["x" * 11, f"{'x' * 9}…"], id="one long word"),
        pytest.param("", [""], id="nothing"),
    ],
)
def test_text_is_wrapped_to_its_width(words: str, lines: list[str]) -> None:
    """By the width of letters, Japanese ones twice as wide."""
    assert wrap(words, 80, 2) == lines


def test_shortened_text_fits() -> None:
    """Nothing sticks out of its place."""
    assert text_width(shorten(LONG, 200)) <= 200


def test_piled_marks_are_lowered() -> None:
    """Three on a letter, so that they do not cover the lines around."""
    assert one_line("a" + "\u0301" * 50) == "a" + "\u0301" * 3
