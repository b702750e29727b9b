"""Evidence by the year of its text: for above the line, against below it, retracted ones as empty boxes."""

from lyra.report.figures.data import EvidenceOverTime, YearOfEvidence, figure_table
from lyra.report.figures.svg import WIDTH, Drawing
from lyra.translate import say

_MOST_BARS = 24
_STEPS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000)
_HALF = 90.0
_LEFT, _TOP = 40.0, 40.0


def evidence_over_time(data: EvidenceOverTime, *, with_style: bool = True) -> str:
    """Texts for and against by year; many years are joined into spans of equal length."""
    drawing = Drawing(figure_table(data).title, _description(data))
    if not data.years:
        drawing.text(0, 24, _undated(data.undated) or say("There is no evidence."), style="soft")
        return drawing.svg(40, with_style=with_style)
    step, spans = _spans(data.years)
    most = max(max(one.supporting + one.retracted, one.refuting, 1) for one in spans)
    axis = _TOP + _HALF
    slot = (WIDTH - _LEFT) / len(spans)
    for number, one in enumerate(spans):
        _bar(drawing, one, _LEFT + number * slot, min(slot * 0.7, 60), axis, _HALF / most)
        if len(spans) <= 12 or number % 2 == 0:
            label = str(one.year) if step == 1 else f"{one.year}–{one.year + step - 1}"
            drawing.text(_LEFT + number * slot, axis + _HALF + 22, label, style="soft", size=11.5)
    drawing.line(_LEFT - 6, axis, WIDTH, axis)
    _legend(drawing, most, axis)
    drawing.text(_LEFT, axis + _HALF + 44, _undated(data.undated), style="soft")
    return drawing.svg(axis + _HALF + 52, with_style=with_style)


def _spans(years: tuple[YearOfEvidence, ...]) -> tuple[int, list[YearOfEvidence]]:
    """The length of a span, and every span from the first year to the last, those without evidence too."""
    first, last = min(one.year for one in years), max(one.year for one in years)
    step = next((step for step in _STEPS if (last - first) // step < _MOST_BARS), _STEPS[-1])
    start = first - first % step
    found = {year: [0, 0, 0] for year in range(start, last + 1, step)}
    for one in years:
        counts = found[one.year - one.year % step]
        counts[0] += one.supporting
        counts[1] += one.refuting
        counts[2] += one.retracted
    return step, [YearOfEvidence(year, *counts) for year, counts in found.items()]


def _bar(drawing: Drawing, one: YearOfEvidence, x: float, width: float, axis: float, unit: float) -> None:
    supporting, refuting, retracted = one.supporting * unit, one.refuting * unit, one.retracted * unit
    drawing.rectangle(x, axis - supporting, width, supporting, "for", say("{count} for", count=one.supporting))
    drawing.rectangle(x, axis, width, refuting, "against", say("{count} against", count=one.refuting))
    if one.retracted:
        tip = say("{count} retracted", count=one.retracted)
        drawing.rectangle(x, axis - supporting - retracted, width, retracted, "gone", tip)
    if one.supporting + one.retracted:
        drawing.text(x, axis - supporting - retracted - 4, str(one.supporting + one.retracted), style="soft")
    if one.refuting:
        drawing.text(x, axis + refuting + 11, str(one.refuting), style="soft")


def _legend(drawing: Drawing, most: int, axis: float) -> None:
    x = _LEFT
    for style, words in (("for", say("for")), ("against", say("against")), ("gone", say("retracted, without a vote"))):
        drawing.rectangle(x, 6, 14, 12, style)
        drawing.text(x + 20, 16, words, style="soft")
        x += 120
    drawing.text(0, axis - _HALF + 4, str(most), style="soft")
    drawing.text(0, axis + 4, "0", style="soft")
    drawing.text(0, axis + _HALF + 4, str(most), style="soft")


def _description(data: EvidenceOverTime) -> str:
    told = [
        say(
            "{year}: {supporting} for, {refuting} against, {retracted} retracted",
            year=one.year,
            supporting=one.supporting,
            refuting=one.refuting,
            retracted=one.retracted,
        )
        for one in sorted(data.years, key=lambda one: one.year)[:40]
    ]
    return "; ".join([*told, *filter(None, [_undated(data.undated)])])


def _undated(count: int) -> str:
    return say("{count} texts have no date.", count=count) if count else ""
