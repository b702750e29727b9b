"""Scanned PDFs: every sheet is a grey picture of its text, a little askew and with dust, and holds no text."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from simweb.files.container import Container, catalogue
from simweb.files.layout import HEIGHT, WIDTH, Sheet, lay_out
from simweb.model import Page

if TYPE_CHECKING:
    from PIL.Image import Image

_DOTS_PER_POINT = 150 / 72
_SKEW_DEGREES = 0.35
_SPECKS = 120
_PAPER = 250
_INK = 25


def scanned_pdf(page: Page) -> bytes:
    """The page as pictures at 150 dots an inch, in shades of grey; English only, for want of a Japanese font."""
    container = Container()
    dust = random.Random(page.url)
    sheets = [_sheet(container, _picture(sheet, dust)) for sheet in lay_out(page)]
    return catalogue(container, sheets, "Scan", "Document scanner")


def _picture(sheet: Sheet, dust: random.Random) -> Image:
    from PIL import Image, ImageDraw, ImageFont  # lazy: only needed when a scan is asked for

    wide, high = round(WIDTH * _DOTS_PER_POINT), round(HEIGHT * _DOTS_PER_POINT)
    picture = Image.new("L", (wide, high), _PAPER)
    pen = ImageDraw.Draw(picture)
    for stroke in sheet.strokes:
        ends = ((stroke.x0, stroke.y0), (stroke.x1, stroke.y1))
        pen.line([(x * _DOTS_PER_POINT, (HEIGHT - y) * _DOTS_PER_POINT) for x, y in ends], fill=_INK, width=2)
    for line in sheet.lines:
        font = ImageFont.load_default(line.size * _DOTS_PER_POINT * 0.94)
        place = (line.x * _DOTS_PER_POINT, (HEIGHT - line.y) * _DOTS_PER_POINT)
        for shift in range(1 + line.is_bold):
            pen.text((place[0] + shift, place[1]), line.text, fill=_INK, font=font, anchor="ls")
    for _ in range(_SPECKS):
        pen.point((dust.randrange(wide), dust.randrange(high)), fill=dust.randrange(60, 180))
    return picture.rotate(_SKEW_DEGREES, resample=Image.Resampling.BILINEAR, fillcolor=_PAPER)


def _sheet(container: Container, picture: Image) -> bytes:
    wide, high = picture.size
    entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d " % (wide, high)
    entries += b"/ColorSpace /DeviceGray /BitsPerComponent 8 "
    image = container.stream(picture.tobytes(), entries)
    drawn = container.stream(b"q %d 0 0 %d 0 0 cm /Im Do Q" % (WIDTH, HEIGHT))
    box = b"[0 0 %d %d]" % (WIDTH, HEIGHT)
    return b"/MediaBox %s /Resources << /XObject << /Im %d 0 R >> >> /Contents %d 0 R" % (box, image, drawn)
