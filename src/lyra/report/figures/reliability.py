"""The reliability diagram: given probabilities against how often they came true, with the number behind each point."""

from math import sqrt

from lyra.report.figures.data import ReliabilityDiagram, figure_table, number_text
from lyra.report.figures.svg import Drawing
from lyra.translate import say

_LEFT, _TOP, _SIDE = 70.0, 30.0, 300.0


def reliability_diagram(data: ReliabilityDiagram, *, with_style: bool = True) -> str:
    """Points on the dashed diagonal are probabilities that can be believed; bars below show how many there are."""
    bins = [one for one in data.bins if one.count]
    total = sum(one.count for one in bins)
    drawing = Drawing(figure_table(data).title, _description(data, total))
    if not bins:
        drawing.text(0, 24, say("No judgement has been reviewed yet."), style="soft")
        return drawing.svg(40, with_style=with_style)
    _axes(drawing)
    most = max(one.count for one in bins)
    for one in bins:
        height = one.count / most * 44
        left, right = _LEFT + one.lower * _SIDE, _LEFT + one.upper * _SIDE
        told = say("{count} judgements", count=one.count)
        drawing.rectangle(left + 2, _TOP + _SIDE + 90 - height, right - left - 4, height, "shade", told)
        drawing.text((left + right) / 2, _TOP + _SIDE + 104, str(one.count), anchor="middle", style="soft")
        half = 1.96 * sqrt(max(one.accuracy * (1 - one.accuracy), 0.0) / one.count)
        x, low, high = _x(one.confidence), _y(max(one.accuracy - half, 0)), _y(min(one.accuracy + half, 1))
        drawing.line(x, low, x, high, "whisker")
    drawing.polyline([(_x(one.confidence), _y(one.accuracy)) for one in bins], "line-for")
    for one in bins:
        drawing.circle(_x(one.confidence), _y(one.accuracy), 5, "for")
    drawing.text(_LEFT + _SIDE + 40, _TOP + 20, say("mean gap {value}", value=number_text(data.error)), style="strong")
    drawing.text(_LEFT + _SIDE + 40, _TOP + 42, say("{count} judgements", count=total), style="soft")
    drawing.text(_LEFT + _SIDE + 40, _TOP + 64, say("dashed: given as often as it came true"), style="soft")
    drawing.text(_LEFT + _SIDE + 40, _TOP + 84, say("upright lines: 95 % range by chance"), style="soft")
    return drawing.svg(_TOP + _SIDE + 116, with_style=with_style)


def _axes(drawing: Drawing) -> None:
    drawing.line(_x(0), _y(0), _x(1), _y(1), "axis dashed")
    drawing.line(_x(0), _y(0), _x(1), _y(0))
    drawing.line(_x(0), _y(0), _x(0), _y(1))
    for part in (0.0, 0.5, 1.0):
        drawing.text(_x(part), _y(0) + 16, f"{part:g}", anchor="middle", style="soft")
        drawing.text(_x(0) - 8, _y(part) + 4, f"{part:g}", anchor="end", style="soft")
    drawing.text(_x(0.5), _y(0) + 34, say("probability given"), anchor="middle", style="soft")
    drawing.text(0, _TOP - 16, say("share that came true"), style="soft")


def _x(part: float) -> float:
    return _LEFT + part * _SIDE


def _y(part: float) -> float:
    return _TOP + (1 - part) * _SIDE


def _description(data: ReliabilityDiagram, total: int) -> str:
    gap = say("mean gap {value}", value=number_text(data.error))
    return f"{say('{count} judgements', count=total)}, {gap}"
