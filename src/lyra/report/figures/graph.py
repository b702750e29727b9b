"""A claim in the middle, sources against it on the left and for it on the right; what counts as one is bracketed."""

from lyra.report.figures.data import ClaimGraph, GraphSource, figure_table, number_text
from lyra.report.figures.svg import LINE, WIDTH, Drawing, name_or_retracted, wrap
from lyra.translate import say

_MOST = 12  # on one side
_ROW = 34.0
_BOX = (282.0, 438.0)  # left and right edge of the claim
_TOP = 34.0


def claim_graph(data: ClaimGraph, *, with_style: bool = True) -> str:
    """The evidence around one claim: thicker lines are more probable, dashed ones are retracted."""
    against = _ordered([one for one in data.sources if not one.is_support])
    supporting = _ordered([one for one in data.sources if one.is_support])
    drawing = Drawing(figure_table(data).title, _description(data, len(supporting), len(against)))
    lines = wrap(data.claim, _BOX[1] - _BOX[0] - 20, 5)
    rows = max(min(len(against), _MOST), min(len(supporting), _MOST), 1)
    height = max(rows * _ROW, (len(lines) + 2) * LINE + 10)
    middle = _TOP + height / 2
    for found, is_support in ((against, False), (supporting, True)):
        _side(drawing, found, is_support=is_support, middle=middle, height=height)
    _claim(drawing, lines, data.verdict_words, middle)
    drawing.text(6, 16, say("against"), style="strong")
    drawing.text(WIDTH - 6, 16, say("for"), style="strong", anchor="end")
    return drawing.svg(_TOP + height + 34, with_style=with_style)


def _ordered(sources: list[GraphSource]) -> list[GraphSource]:
    """Sources of one group beside one another, the strongest group first."""
    best: dict[str, float] = {}
    for one in sources:
        best[one.group] = max(one.probability, best.get(one.group, 0.0))
    return sorted(sources, key=lambda one: (-best[one.group], one.group, -one.probability, one.name))


def _side(drawing: Drawing, found: list[GraphSource], *, is_support: bool, middle: float, height: float) -> None:
    shown = found[:_MOST]
    top = middle - len(shown) * _ROW / 2
    edge, node = (_BOX[1], _BOX[1] + 40) if is_support else (_BOX[0], _BOX[0] - 40)
    direction = 1 if is_support else -1
    for number, one in enumerate(shown):
        y = top + (number + 0.5) * _ROW
        kind = "line-gone" if one.is_retracted else "line-for" if is_support else "line-against"
        drawing.line(edge, middle + (y - middle) * 0.25, node, y, kind, 1 + 3 * min(max(one.probability, 0), 1))
        mark = "gone" if one.is_retracted else "for" if is_support else "against"
        (drawing.circle if is_support else drawing.diamond)(node, y, 6, mark)
        _label(drawing, one, node + direction * 14, y, "start" if is_support else "end")
    _brackets(drawing, shown, top, WIDTH - 2 if is_support else 2)
    if len(found) > len(shown):
        told = say("and {count} more", count=len(found) - len(shown))
        x, anchor = (WIDTH, "end") if is_support else (0, "start")
        drawing.text(x, _TOP + height + 18, told, style="soft", anchor=anchor)


def _label(drawing: Drawing, one: GraphSource, x: float, y: float, anchor: str) -> None:
    width = _BOX[0] - 60
    drawing.text(x, y - 1, name_or_retracted(one.name, one.is_retracted, width), width=width, anchor=anchor)
    detail = " · ".join(
        filter(None, (say("probability {value}", value=number_text(one.probability)), one.trust, one.year))
    )
    drawing.text(x, y + 13, detail, width=width, anchor=anchor, style="soft")


def _brackets(drawing: Drawing, shown: list[GraphSource], top: float, x: float) -> None:
    """A line along neighbours that count as one source."""
    start = 0
    for number in range(1, len(shown) + 1):
        if number == len(shown) or shown[number].group != shown[start].group:
            if number - start > 1:
                drawing.line(x, top + start * _ROW + 6, x, top + number * _ROW - 6, "whisker")
            start = number


def _claim(drawing: Drawing, lines: list[str], verdict: str, middle: float) -> None:
    height = (len(lines) + 1) * LINE + 18
    y = middle - height / 2
    drawing.rectangle(_BOX[0], y, _BOX[1] - _BOX[0], height, "box")
    for number, line in enumerate(lines):
        drawing.text(_BOX[0] + 10, y + 20 + number * LINE, line, width=_BOX[1] - _BOX[0] - 10)
    drawing.text(_BOX[0] + 10, y + 20 + len(lines) * LINE, verdict, width=_BOX[1] - _BOX[0] - 20, style="strong")


def _description(data: ClaimGraph, supporting: int, against: int) -> str:
    counted = say("{supporting} pages for, {refuting} against", supporting=supporting, refuting=against)
    return f"{data.claim[:500]}: {data.verdict_words}; {counted}"
