"""Independent sources one under another, each with a box for every page that counts as it."""

from lyra.report.figures.data import SourceGroup, SourceGroups, figure_table
from lyra.report.figures.svg import LINE, WIDTH, Drawing, name_or_retracted
from lyra.translate import say

_MOST_ROWS = 12
_MOST_BOXES = 8
_ROW = 26.0
_LEFT = 330.0
_BOX = 15.0


def source_groups(data: SourceGroups, *, with_style: bool = True) -> str:
    """Pages by the independent source they count as: a circle for support, a diamond against, a box a page."""
    ordered = sorted(data.groups, key=lambda one: (not one.is_counted, -len(one.pages), one.name))
    shown = ordered[:_MOST_ROWS]
    summary = _summary(data)
    drawing = Drawing(figure_table(data).title, " ".join(summary))
    for number, line in enumerate(summary):
        drawing.text(0, 16 + number * LINE, line, style="strong")
    top = 34 + (len(summary) - 1) * LINE
    for number, one in enumerate(shown):
        _row(drawing, one, top + number * _ROW)
    y = top + len(shown) * _ROW
    if len(ordered) > len(shown):
        drawing.text(0, y + 16, say("and {count} more", count=len(ordered) - len(shown)), style="soft")
        y += 20
    return drawing.svg(y + 12, with_style=with_style)


def _row(drawing: Drawing, one: SourceGroup, y: float) -> None:
    name = name_or_retracted(one.name, one.is_retracted, _LEFT - 16)
    drawing.text(_LEFT - 12, y + 13, name, width=_LEFT - 16, anchor="end")
    for place in range(min(len(one.pages), _MOST_BOXES)):
        style = "box" if one.is_counted else "gone"
        drawing.rectangle(_LEFT + place * (_BOX + 4), y, _BOX, _BOX, style, one.pages[place])
    if len(one.pages) > _MOST_BOXES:
        drawing.text(_LEFT + _MOST_BOXES * (_BOX + 4), y + 13, f"+{len(one.pages) - _MOST_BOXES}", style="soft")
    x = _LEFT + (_MOST_BOXES + 3) * (_BOX + 4)
    if not one.is_counted:
        drawing.text(x - 5, y + 13, say("not counted"), style="soft", width=WIDTH - x)
    if one.supporting:
        drawing.circle(x, y + 8, 5, "for")
        drawing.text(x + 9, y + 13, say("{count} for", count=one.supporting), style="soft", width=70)
    if one.refuting:
        drawing.diamond(x + 80, y + 8, 6, "against")
        drawing.text(x + 90, y + 13, say("{count} against", count=one.refuting), style="soft", width=WIDTH - x - 90)


def _summary(data: SourceGroups) -> list[str]:
    """In the numbers of the claims themselves: a source that speaks on both sides has a vote on each."""
    counted = [one for one in data.groups if one.is_counted]
    supporting, refuting = sum(one.supporting for one in counted), sum(one.refuting for one in counted)
    left = sum(len(one.pages) for one in data.groups if not one.is_counted)
    lines = [
        say(
            "{pages} pages count as {sources} independent sources.",
            pages=sum(len(one.pages) for one in counted),
            sources=len(counted),
        )
    ]
    if data.claims == 1:
        lines.append(
            say("Independent sources: {supporting} for, {refuting} against.", supporting=supporting, refuting=refuting)
        )
    else:
        told = "Votes on {claims} claims, one a source and side: {supporting} for, {refuting} against."
        lines.append(say(told, claims=data.claims, supporting=supporting, refuting=refuting))
    return [*lines, *([say("Pages that are not counted: {count}.", count=left)] if left else [])]
