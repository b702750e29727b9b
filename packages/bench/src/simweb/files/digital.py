"""Digital PDFs: real text in the standard Latin fonts and, for Japanese, in a font that readers supply themselves."""

from __future__ import annotations

from simweb.files.container import Container, catalogue
from simweb.files.layout import HEIGHT, WIDTH, Line, Sheet, Stroke, lay_out
from simweb.files.metrics import HELVETICA, is_wide
from simweb.model import Page

_LATIN = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
# Adobe-Japan1 by name only (ISO 32000-1, 9.7.5): text is written in UCS-2 and needs no embedded font.
_JAPANESE = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5 /Encoding /UniJIS-UCS2-H /DescendantFonts [%d 0 R] >>"
)
_DESCENDANT = (
    b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /DW 1000 /W [1 [%s]] /FontDescriptor %d 0 R "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>"
)
_DESCRIPTOR = (
    b"<< /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /FontBBox [-92 -250 1010 922] "
    b"/ItalicAngle 0 /Ascent 752 /Descent -221 /CapHeight 737 /StemV 114 >>"
)


def digital_pdf(page: Page) -> bytes:
    """The page as a PDF whose text can be selected."""
    container = Container()
    plain = container.add(_LATIN % b"Helvetica")
    bold = container.add(_LATIN % b"Helvetica-Bold")
    # Characters 1 to 95 of Adobe-Japan1 are those of ASCII.
    widths = " ".join(map(str, HELVETICA)).encode()
    descendant = container.add(_DESCENDANT % (widths, container.add(_DESCRIPTOR)))
    japanese = container.add(_JAPANESE % descendant)
    fonts = b"<< /F1 %d 0 R /F2 %d 0 R /F3 %d 0 R >>" % (plain, bold, japanese)
    sheets = [_sheet(container, sheet, fonts) for sheet in lay_out(page)]
    return catalogue(container, sheets, page.title, page.author or page.site.name)


def _sheet(container: Container, sheet: Sheet, fonts: bytes) -> bytes:
    drawn = [*(_stroke(stroke) for stroke in sheet.strokes), b"BT", *(_line(line) for line in sheet.lines), b"ET"]
    content = container.stream(b"\n".join(drawn))
    box = b"[0 0 %d %d]" % (WIDTH, HEIGHT)
    return b"/MediaBox %s /Resources << /Font %s >> /Contents %d 0 R" % (box, fonts, content)


def _stroke(stroke: Stroke) -> bytes:
    return b"0.6 w %.1f %.1f m %.1f %.1f l S" % (stroke.x0, stroke.y0, stroke.x1, stroke.y1)


def _line(line: Line) -> bytes:
    """A line of one font: with one Japanese character in it, all of it is in the Japanese one."""
    is_japanese = any(map(is_wide, line.text))
    font = b"F3" if is_japanese else (b"F2" if line.is_bold else b"F1")
    shown = b"<%s>" % line.text.encode("utf-16-be").hex().encode() if is_japanese else _literal(line.text)
    return b"/%s %.1f Tf 1 0 0 1 %.2f %.2f Tm %s Tj" % (font, line.size, line.x, line.y, shown)


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return b"(%s)" % escaped.encode("cp1252", "replace")
