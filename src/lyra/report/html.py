"""A document as one HTML file: its own style, figures as SVG, no script and no request to anywhere."""

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import urlsplit

from lyra.report import figures
from lyra.report.document import AnswerEnd, Block, Document, Figure, Heading, Items, Line, Paragraph, Span, Style, Table
from lyra.report.figures.svg import FONTS
from lyra.text import preview, strip_control_chars, without_surrogates
from lyra.translate import say

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_MOST_FIGURE_ROWS = 200
_SHORT_MM = 190.0  # of 261 on a page: the heading of the evidence and a row of its table find room
_STYLE = f"""
:root{{--ink:#1b2330;--soft:#5a6472;--rule:#c9d0d8;--paper:#fff;--tint:#f4f6f8;--link:#1a5276;--mark:#a32020}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e8ecf1;--soft:#a8b2bf;--rule:#465160;--paper:#161b22;--tint:#1f2630;
--link:#8ec7e6;--mark:#ff9a8a}}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:52rem;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,{FONTS};overflow-wrap:anywhere}}
h1{{font-size:1.6rem;line-height:1.3;margin:0 0 .6rem;border-bottom:2px solid var(--ink);padding-bottom:.5rem}}
h2{{font-size:1.25rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--rule);padding-bottom:.2rem}}
h3{{font-size:1.02rem;margin:1.5rem 0 .3rem;line-height:1.4}}
p,li{{margin:.35rem 0}}ol,ul{{padding-left:1.5rem;margin:.5rem 0}}
a{{color:var(--link)}}.soft{{color:var(--soft);font-size:.92em}}code{{font-size:.92em}}
.mark{{color:var(--mark);font-weight:700;
border:1px solid currentColor;border-radius:2px;padding:0 .25em;font-size:.85em}}
.wide{{overflow-x:auto;margin:.8rem 0}}
table{{border-collapse:collapse;width:100%;font-size:.86rem;line-height:1.45}}
th,td{{border-top:1px solid var(--rule);padding:.4rem .45rem;text-align:left;vertical-align:top;
overflow-wrap:break-word}}
th{{border-top:0;border-bottom:2px solid var(--ink);font-weight:600}}tbody tr:nth-child(even){{background:var(--tint)}}
figure{{margin:1.2rem 0}}figcaption{{font-weight:600;margin-bottom:.4rem}}
details{{font-size:.88rem;color:var(--soft)}}
footer{{margin-top:3rem;color:var(--soft);font-size:.85rem}}
@media screen and (max-width:45rem){{.wide table{{min-width:40rem}}}}
@page{{size:A4;margin:17mm 16mm 19mm;@bottom-left{{content:NAME;font:8pt sans-serif;color:#555}}
@bottom-right{{content:counter(page) " / " counter(pages);font:8pt sans-serif;color:#555}}}}
@media print{{:root{{--ink:#000;--soft:#444;--rule:#bbb;--paper:#fff;--tint:#f4f6f8;--link:#1a3f5c;--mark:#8b0000}}
body{{font-size:9.6pt;line-height:1.42;max-width:none;padding:0}}h1{{font-size:15pt}}
h2{{font-size:12pt;margin:14pt 0 4pt}}h3{{font-size:10pt;margin:9pt 0 2pt}}p,li{{margin:2pt 0}}ol,ul{{margin:3pt 0}}
table{{font-size:8pt;line-height:1.35}}th,td{{padding:2.5pt 3.5pt}}tr,figure,h2,h3{{break-inside:avoid}}
h2,h3,h3+p,figcaption{{break-after:avoid}}thead{{display:table-header-group}}.wide{{overflow:visible}}
details,footer{{display:none}}a{{text-decoration:none;border-bottom:.4pt solid #888}}
figure{{margin:6pt 0}}.lyf{{width:100%;max-height:95mm}}
.answer{{display:flex;flex-direction:column;height:258mm}}
.answer figure{{flex:0 1 auto;min-height:50mm;max-height:125mm;display:flex;flex-direction:column}}
.answer .lyf{{flex:0 1 auto;min-height:0;max-height:none}}}}
"""


def html(document: Document) -> str:
    """The whole page."""
    name = document.name.replace("\\", "").replace('"', "")
    style = f"{_STYLE.replace('NAME', chr(34) + escape(name) + chr(34))}{figures.STYLE}"
    return (
        f'<!doctype html>\n<html lang="{document.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(document.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(_pages(document))
        + f"\n</main>\n<footer>{_text(document.name)}</footer>\n</body>\n</html>\n"
    )


def draw(data: figures.FigureData) -> str:
    """The figure of some data, without the style that the page has."""
    match data:
        case figures.StanceBars():
            return figures.stance_bars(data, with_style=False)
        case figures.EvidenceOverTime():
            return figures.evidence_over_time(data, with_style=False)
        case figures.ClaimGraph():
            return figures.claim_graph(data, with_style=False)
        case figures.SourceGroups():
            return figures.source_groups(data, with_style=False)
        case figures.ReliabilityDiagram():
            return figures.reliability_diagram(data, with_style=False)
        case figures.ReviewCurve():
            return figures.review_curve(data, with_style=False)


def _pages(document: Document) -> Iterable[str]:
    """The answer is on one page when it is printed: a long one fills it, its figure takes what the text leaves; below
    a short one the rest begins."""
    title = f'<h1 dir="auto">{_text(document.title)}</h1>'
    end = next((place for place, block in enumerate(document.blocks) if isinstance(block, AnswerEnd)), None)
    if end is None:
        return (title, *_blocks(document.blocks))
    first = "\n".join((title, *_blocks(document.blocks[:end])))
    name = "answer" if _height_mm(document.title, document.blocks[:end]) > _SHORT_MM else "short"
    return (f'<section class="{name}">\n{first}\n</section>', *_blocks(document.blocks[end:]))


def _height_mm(title: str, blocks: Iterable[Block]) -> float:
    """How high this is on paper, rather too much than too little: a letter takes a place for each of its bytes."""
    height = 12.0 + 8 * _lines(title, 55)
    for block in blocks:
        match block:
            case Items(lines):
                height += sum(1 + 5 * _lines("".join(span.text for span in line), 95) for line in lines)
            case Figure(data):
                found = re.search(r'height="([\d.]+)"', draw(data))
                height += 12 + min(95.0, float(found[1]) * 178 / figures.WIDTH if found else 95.0)
            case Heading(_, line) | Paragraph(line):
                height += 6 + 5 * _lines("".join(span.text for span in line), 95)
            case Table() | AnswerEnd():
                pass
    return height


def _lines(text: str, places: int) -> int:
    return 1 + len(without_surrogates(text).encode()) // places


def _blocks(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        match block:
            case Heading(level, line):
                yield f"<h{level}>{_line(line)}</h{level}>"
            case Paragraph(line):
                yield f"<p>{_line(line)}</p>"
            case Items(lines, is_numbered):
                tag = "ol" if is_numbered else "ul"
                listed = "\n".join(f"<li>{_line(one)}</li>" for one in lines)
                yield f"<{tag}>\n{listed}\n</{tag}>" if lines else ""
            case Table(headings, rows, widths):
                yield _table(headings, [[_line(cell) for cell in row] for row in rows], widths)
            case Figure(data):
                yield _figure(data)
            case AnswerEnd():
                pass


def _figure(data: figures.FigureData) -> str:
    """The figure with its data beside it, for readers and printers who do without pictures."""
    table = figures.figure_table(data)
    rows = [[f"<bdi>{_text(preview(cell, 300))}</bdi>" for cell in row] for row in table.rows[:_MOST_FIGURE_ROWS]]
    shown = _table(table.headings, rows, ()) if rows else ""
    return (
        f"<figure>\n<figcaption>{_text(table.title)}</figcaption>\n{draw(data)}\n"
        f"<details><summary>{_text(say('The data of this figure'))}</summary>{shown}</details>\n</figure>"
    )


def _table(headings: Iterable[str], rows: list[list[str]], widths: tuple[int, ...]) -> str:
    columns = "".join(f'<col width="{width}%">' for width in widths)
    head = "".join(f'<th scope="col">{_text(one)}</th>' for one in headings)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    group = f"<colgroup>{columns}</colgroup>" if columns else ""
    return f'<div class="wide"><table>{group}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _line(line: Line) -> str:
    return "".join(_span(one) for one in line)


def _span(span: Span) -> str:
    text = _text(span.text)
    match span.style:
        case Style.FOREIGN:
            text = f"<bdi>{text}</bdi>"
        case Style.STRONG:
            text = f"<strong>{text}</strong>"
        case Style.SOFT:
            text = f'<span class="soft">{text}</span>'
        case Style.MARK:
            text = f'<strong class="mark">{text}</strong>'
        case Style.CODE:
            text = f"<code>{text}</code>"
        case Style.PLAIN:
            pass
    target = web_address(span.link)
    return f'<a href="{escape(target)}" rel="noopener noreferrer">{text}</a>' if target else text


def web_address(url: str | None) -> str | None:
    """The address where it leads to the web; anything else is no link."""
    if not url:
        return None
    cleaned = strip_control_chars(without_surrogates(url))
    try:
        return cleaned if urlsplit(cleaned).scheme in ("http", "https") else None
    except ValueError:
        return None


def _text(text: str) -> str:
    return escape(strip_control_chars(without_surrogates(text)))
