"""The review curve: how many judgements people corrected as they reviewed, and what is left to review."""

from lyra.report.figures.data import ReviewCurve, figure_table
from lyra.report.figures.svg import WIDTH, Drawing
from lyra.translate import say

_LEFT, _TOP, _HEIGHT = 50.0, 24.0, 180.0
_RIGHT = WIDTH - 10.0


def review_curve(data: ReviewCurve, *, with_style: bool = True) -> str:
    """Corrections against reviews; a curve that lies flat means that further review changes little."""
    drawing = Drawing(figure_table(data).title, _description(data))
    if not data.points:
        drawing.text(0, 24, f"{say('No judgement has been reviewed yet.')} {_waiting(data)}", style="soft")
        return drawing.svg(40, with_style=with_style)
    reviewed = max(one.reviewed for one in data.points)
    corrected = max(one.corrected for one in data.points)
    whole = max(reviewed + data.waiting, 1)
    unit_x, unit_y = (_RIGHT - _LEFT) / whole, _HEIGHT / max(corrected, 1)
    bottom = _TOP + _HEIGHT
    if data.waiting:
        x = _LEFT + reviewed * unit_x
        drawing.rectangle(x, _TOP, _RIGHT - x, _HEIGHT, "shade", _waiting(data))
    steps = [(_LEFT, bottom)]
    for one in sorted(data.points, key=lambda one: one.reviewed):
        x = _LEFT + one.reviewed * unit_x
        steps += [(x, steps[-1][1]), (x, bottom - one.corrected * unit_y)]
    drawing.polyline(steps, "line-for")
    drawing.line(_LEFT, bottom, _RIGHT, bottom)
    drawing.line(_LEFT, _TOP, _LEFT, bottom)
    drawing.text(0, _TOP - 8, say("judgements corrected"), style="soft")
    drawing.text(_LEFT - 8, _TOP + 8, str(corrected), anchor="end", style="soft")
    drawing.text(_LEFT - 8, bottom, "0", anchor="end", style="soft")
    drawing.text(_LEFT, bottom + 18, say("reviewed: {count}", count=reviewed), style="soft")
    drawing.text(_RIGHT, bottom + 18, _waiting(data), anchor="end", style="soft", width=_RIGHT - _LEFT - 160)
    return drawing.svg(bottom + 28, with_style=with_style)


def _waiting(data: ReviewCurve) -> str:
    if not data.waiting:
        return say("nothing is left to review")
    return say("{waiting} are left, {turning} of them could turn a verdict", waiting=data.waiting, turning=data.turning)


def _description(data: ReviewCurve) -> str:
    last = max(data.points, key=lambda one: one.reviewed, default=None)
    reviewed, corrected = (last.reviewed, last.corrected) if last else (0, 0)
    told = say("{corrected} of {reviewed} reviewed judgements were corrected", corrected=corrected, reviewed=reviewed)
    return f"{told}; {_waiting(data)}"
