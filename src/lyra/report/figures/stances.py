"""Hypotheses one under another: sources against and for as bars, the confidence with its range beside them."""

from lyra.report.figures.data import HypothesisStance, StanceBars, figure_table, number_text, range_text
from lyra.report.figures.svg import LINE, WIDTH, Drawing, wrap
from lyra.translate import say

_MOST_ROWS = 12
_BARS = (0.0, 330.0)  # from the left end of the bars against to the right end of the bars for
_SCALE = (380.0, 580.0)  # confidence 0 and 1


def stance_bars(data: StanceBars, *, with_style: bool = True) -> str:
    """Stance bars for each hypothesis, with the range of its confidence."""
    shown = data.hypotheses[:_MOST_ROWS]
    drawing = Drawing(figure_table(data).title, _description(data))
    if not shown:
        drawing.text(0, 24, say("No hypothesis was given."), style="soft")
        return drawing.svg(40, with_style=with_style)
    _headings(drawing)
    most = max(max(one.supporting, one.refuting, 1) for one in shown)
    y = 42.0
    for one in shown:
        y = _row(drawing, one, y, most)
    _scale(drawing, 34, y)
    if len(data.hypotheses) > len(shown):
        more = len(data.hypotheses) - len(shown)
        drawing.text(0, y + 36, say("and {count} more hypotheses", count=more), style="soft")
    return drawing.svg(y + 44, with_style=with_style)


def _headings(drawing: Drawing) -> None:
    middle = sum(_BARS) / 2
    drawing.text(middle - 10, 16, say("sources against"), anchor="end", style="soft", width=150)
    drawing.text(middle + 10, 16, say("sources for"), style="soft", width=150)
    drawing.text(_SCALE[0], 16, say("confidence and its range"), style="soft", width=WIDTH - _SCALE[0])


def _row(drawing: Drawing, one: HypothesisStance, y: float, most: int) -> float:
    """Draw a hypothesis from y on; where the next one begins."""
    lines = wrap(one.text, WIDTH - 10, 2)
    for line in lines:
        drawing.text(0, y + 10, line, style="strong")
        y += LINE
    middle, unit = sum(_BARS) / 2, (_BARS[1] - _BARS[0]) / 2 - 34
    against, supporting = one.refuting / most * unit, one.supporting / most * unit
    drawing.rectangle(middle - against, y + 4, against, 16, "against", say("{count} against", count=one.refuting))
    drawing.rectangle(middle, y + 4, supporting, 16, "for", say("{count} for", count=one.supporting))
    drawing.line(middle, y, middle, y + 24)
    drawing.text(middle - against - 6, y + 17, str(one.refuting), anchor="end")
    drawing.text(middle + supporting + 6, y + 17, str(one.supporting))
    low, high, place = (
        _SCALE[0] + _unit(part) * (_SCALE[1] - _SCALE[0]) for part in (one.low, one.high, one.confidence)
    )
    drawing.line(low, y + 12, high, y + 12, "whisker")
    drawing.line(low, y + 7, low, y + 17, "whisker")
    drawing.line(high, y + 7, high, y + 17, "whisker")
    drawing.circle(place, y + 12, 5, "dot")
    drawing.text(_SCALE[1] + 14, y + 9, one.verdict_words, width=WIDTH - _SCALE[1] - 14, style="strong")
    told = f"{number_text(one.confidence)} ({range_text(one.low, one.high)})"
    drawing.text(_SCALE[1] + 14, y + 24, told, width=WIDTH - _SCALE[1] - 14, style="soft")
    return y + 40


def _scale(drawing: Drawing, top: float, bottom: float) -> None:
    for part in (0.0, 0.5, 1.0):
        x = _SCALE[0] + part * (_SCALE[1] - _SCALE[0])
        drawing.line(x, bottom - 12, x, bottom - 6)
        drawing.text(x, bottom + 8, f"{part:g}", anchor="middle", style="soft")
    drawing.line(_SCALE[0], bottom - 9, _SCALE[1], bottom - 9)
    drawing.line(0, top - 10, WIDTH, top - 10, "rule")


def _description(data: StanceBars) -> str:
    told = [
        f"{one.text[:200]}: {one.verdict_words}, {number_text(one.confidence)} ({range_text(one.low, one.high)})"
        for one in data.hypotheses[:_MOST_ROWS]
    ]
    return "; ".join(told) if told else say("No hypothesis was given.")


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)
