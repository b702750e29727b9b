"""Independent sources one under another, each with a box for every page that counts as it."""

from lyra.report.figures.data import SourceGroup, SourceGroups, figure_table
from lyra.report.figures.svg import WIDTH, Drawing, name_or_retracted
from lyra.translate import say

_MOST_ROWS = 20
_MOST_BOXES = 14
_ROW = 26.0
_LEFT = 250.0
_BOX = 15.0


def source_groups(data: SourceGroups, *, with_style: bool = True) -> str:
    """Pages by the independent source they count as: a circle for support, a diamond against, a box a page."""
    ordered = sorted(data.groups, key=lambda one: (-len(one.pages), one.name))
    shown = ordered[:_MOST_ROWS]
    drawing = Drawing(figure_table(data).title, _summary(data))
    drawing.text(0, 16, _summary(data), style="strong")
    for number, one in enumerate(shown):
        _row(drawing, one, 34 + number * _ROW)
    y = 34 + len(shown) * _ROW
    if len(ordered) > len(shown):
        drawing.text(0, y + 16, say("{count} more are in the table.", count=len(ordered) - len(shown)), style="soft")
        y += 20
    return drawing.svg(y + 12, with_style=with_style)


def _row(drawing: Drawing, one: SourceGroup, y: float) -> None:
    name = name_or_retracted(one.name, one.is_retracted, _LEFT - 16)
    drawing.text(_LEFT - 12, y + 13, name, width=_LEFT - 16, anchor="end")
    for place in range(min(len(one.pages), _MOST_BOXES)):
        style = "gone" if one.is_retracted else "box"
        drawing.rectangle(_LEFT + place * (_BOX + 4), y, _BOX, _BOX, style, one.pages[place])
    if len(one.pages) > _MOST_BOXES:
        drawing.text(_LEFT + _MOST_BOXES * (_BOX + 4), y + 13, f"+{len(one.pages) - _MOST_BOXES}", style="soft")
    x = _LEFT + (_MOST_BOXES + 2.5) * (_BOX + 4)
    if one.supporting:
        drawing.circle(x, y + 8, 5, "for")
        drawing.text(x + 9, y + 13, say("{count} for", count=one.supporting), style="soft", width=70)
    if one.refuting:
        drawing.diamond(x + 80, y + 8, 6, "against")
        drawing.text(x + 90, y + 13, say("{count} against", count=one.refuting), style="soft", width=WIDTH - x - 90)


def _summary(data: SourceGroups) -> str:
    pages = sum(len(one.pages) for one in data.groups)
    return say("{pages} pages count as {sources} independent sources.", pages=pages, sources=len(data.groups))
