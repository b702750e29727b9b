"""A document as DOCX: headings, lists and tables that Word knows as such, figures as pictures, page numbers."""

import io
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lyra.errors import InvalidParams
from lyra.report.document import AnswerEnd, Block, Document, Figure, Heading, Items, Line, Paragraph, Span, Style, Table
from lyra.report.figures import FigureData, figure_table
from lyra.report.html import web_address
from lyra.text import preview, strip_control_chars, without_surrogates
from lyra.translate import say

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

EXTRA = "pip install 'lyra-mcp[reports]'"
_FONT, _JAPANESE_FONT = "Calibri", "Yu Gothic"
_PAGE_CM = 17.8  # between the margins
_MARK_COLOUR, _SOFT_COLOUR, _LINK_COLOUR = "8B0000", "444444", "1A3F5C"
_MOST_FIGURE_ROWS = 30


def require_docx() -> None:
    """Raises InvalidParams, which names the extra, where python-docx is not installed."""
    if find_spec("docx") is None:
        raise InvalidParams("DOCX needs python-docx, which is not installed.", remedy=f"{EXTRA}.")


def docx(document: Document, pictures: Mapping[int, bytes]) -> bytes:
    """The whole file. `pictures` are PNGs by the place of their figure among the blocks; a figure without one is shown
    as the table of its data."""
    require_docx()
    import docx as library

    made = library.Document()
    _set_up(made, document)
    _line(made.add_heading(level=0), (Span(document.title, Style.FOREIGN),))
    for place, block in enumerate(document.blocks):
        _add(made, block, pictures.get(place))
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def _set_up(made: "WordDocument", document: Document) -> None:
    """A4, fonts for both scripts, and the task and page number in the footer."""
    from docx.oxml.ns import qn
    from docx.shared import Cm, Pt

    section = made.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(1.6)
    section.top_margin, section.bottom_margin = Cm(1.7), Cm(1.9)
    for name, size in (("Normal", 10), ("Title", 17), ("Heading 1", 13), ("Heading 2", 11), ("List Bullet", 10)):
        style: Any = made.styles[name]
        style.font.name, style.font.size = _FONT, Pt(size)
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _JAPANESE_FONT)
        for theme in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
            style.element.rPr.rFonts.attrib.pop(qn(theme), None)
    made.styles["Normal"].paragraph_format.space_after = Pt(3)
    made.core_properties.title = _clean(document.title)[:250]
    made.core_properties.language = document.language
    made.core_properties.author = ""
    made.core_properties.comments = ""
    footer = section.footer.paragraphs[0]
    footer.add_run(f"{_clean(document.name)}\t\t")
    _field(footer, "PAGE")
    footer.add_run(" / ")
    _field(footer, "NUMPAGES")


def _add(made: "WordDocument", block: Block, picture: bytes | None) -> None:
    match block:
        case Heading(level, line):
            _line(made.add_heading(level=level - 1), line)
        case Paragraph(line):
            _line(made.add_paragraph(), line)
        case Items(lines, is_numbered):
            for number, one in enumerate(lines, 1):
                # Numbers are text: Word would go on counting from one list to the next.
                paragraph = made.add_paragraph(style=None if is_numbered else "List Bullet")
                _line(paragraph, (Span(f"{number}. "), *one) if is_numbered else one)
        case Table(headings, rows, widths):
            _table(made, headings, rows, widths)
        case Figure(data):
            _figure(made, data, picture)
        case AnswerEnd():
            made.add_page_break()  # type: ignore[no-untyped-call]


def _figure(made: "WordDocument", data: FigureData, picture: bytes | None) -> None:
    from docx.shared import Cm

    table = figure_table(data)
    _line(made.add_paragraph(), (Span(table.title, Style.STRONG),))
    if picture is not None:
        made.add_picture(io.BytesIO(picture), width=Cm(_PAGE_CM - 1))
        drawing: Any = made.inline_shapes[-1]._inline
        drawing.docPr.set("descr", _clean(table.title))
        return
    rows = tuple(tuple((Span(preview(cell, 150)),) for cell in row) for row in table.rows[:_MOST_FIGURE_ROWS])
    if rows:
        _table(made, table.headings, rows, (100 // len(table.headings),) * len(table.headings))
    else:
        _line(made.add_paragraph(), (Span(say("There is no evidence.")),))


def _table(
    made: "WordDocument", headings: Iterable[str], rows: tuple[tuple[Line, ...], ...], widths: tuple[int, ...]
) -> None:
    from docx.oxml import OxmlElement
    from docx.shared import Cm, Pt

    names = tuple(headings)
    table: Any = made.add_table(rows=1, cols=len(names), style="Light Shading")
    table.autofit = False
    header = table.rows[0]
    header._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # repeated on every page
    for cell, name in zip(header.cells, names, strict=True):
        _line(cell.paragraphs[0], (Span(name, Style.STRONG),))
    for row in rows:
        cells = table.add_row().cells
        for cell, line in zip(cells, row, strict=True):
            _line(cell.paragraphs[0], line)
    for column, width in zip(table.columns, widths, strict=True):
        for cell in column.cells:
            cell.width = Cm(_PAGE_CM * width / 100)
    for cell in (cell for row in table.rows for cell in row.cells):
        for run in cell.paragraphs[0].runs:
            run.font.size = Pt(8)
    made.add_paragraph()


def _line(paragraph: Any, line: Line) -> None:
    for span in line:
        text = _clean(span.text)
        target = web_address(span.link)
        run = _link(paragraph, text, target) if target else paragraph.add_run(text)
        _style(run, span.style, is_link=bool(target))


def _style(run: Any, style: Style, *, is_link: bool) -> None:
    from docx.shared import RGBColor

    run.bold = True if style in (Style.STRONG, Style.MARK) else None
    colour = _LINK_COLOUR if is_link else {Style.MARK: _MARK_COLOUR, Style.SOFT: _SOFT_COLOUR}.get(style)
    if colour:
        run.font.color.rgb = RGBColor.from_string(colour)
    if is_link:
        run.font.underline = True


def _link(paragraph: Any, text: str, target: str) -> Any:
    """A run within a hyperlink, which python-docx reads and does not write."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    run = paragraph.add_run(text)
    held = OxmlElement("w:hyperlink")
    held.set(qn("r:id"), paragraph.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run._r.addprevious(held)
    held.append(run._r)
    return run


def _field(paragraph: Any, name: str) -> None:
    """A field that Word fills in, such as the number of the page."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), name)
    field.append(paragraph.add_run("1")._r)
    paragraph._p.append(field)


def _clean(text: str) -> str:
    """Text as XML may hold it."""
    kept = strip_control_chars(without_surrogates(text))
    return "".join(char for char in kept if char not in "\ufffe\uffff")
