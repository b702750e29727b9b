"""The parts of which figures are drawn: escaped text that fits its place, marks told apart by shape and pattern too.

Colours are CSS variables, for light, dark and print. A page that forbids inline styles (CSP) puts `STYLE` into its own
style sheet and asks for figures without it.
"""

import re
import unicodedata
from html import escape
from zlib import crc32

from lyra.text import strip_control_chars, without_surrogates
from lyra.translate import say

WIDTH = 720
LINE = 17
# Generic families last; before them the Japanese fonts of Windows, macOS, Debian and Android, all of them optional.
FONTS = "'Noto Sans CJK JP','Noto Sans JP','Hiragino Sans','Yu Gothic',Meiryo,sans-serif"

# Marks piled on a letter until they cover the lines above and below.
_PILE = re.compile("([\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{3})[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]+")

STYLE = f"""
.lyf{{--ly-ink:#1b2330;--ly-soft:#5a6472;--ly-rule:#c9d0d8;--ly-paper:#ffffff;--ly-for:#1f6f8b;--ly-against:#b4552d;
--ly-gone:#7a7a7a;max-width:100%;height:auto;font-family:system-ui,{FONTS};font-size:13px;
print-color-adjust:exact;-webkit-print-color-adjust:exact}}
@media (prefers-color-scheme:dark){{.lyf{{--ly-ink:#e8ecf1;--ly-soft:#a8b2bf;--ly-rule:#465160;--ly-paper:#161b22;
--ly-for:#6cc3e0;--ly-against:#f0a37f;--ly-gone:#9a9a9a}}}}
@media print{{.lyf{{--ly-ink:#000000;--ly-soft:#444444;--ly-rule:#bbbbbb;--ly-paper:#ffffff;--ly-for:#1f6f8b;
--ly-against:#b4552d;--ly-gone:#666666}}}}
.lyf text{{fill:var(--ly-ink)}}.lyf .soft{{fill:var(--ly-soft);font-size:11.5px}}.lyf .strong{{font-weight:600}}
.lyf .rule{{stroke:var(--ly-rule);stroke-width:1}}.lyf .axis{{stroke:var(--ly-soft);stroke-width:1}}
.lyf .for{{fill:var(--ly-for)}}.lyf .against{{fill:var(--ly-against)}}
.lyf .line-for{{stroke:var(--ly-for);fill:none}}.lyf .line-against{{stroke:var(--ly-against);fill:none}}
.lyf .line-gone{{stroke:var(--ly-gone);fill:none;stroke-dasharray:4 3}}
.lyf .whisker{{stroke:var(--ly-ink);stroke-width:2}}
.lyf .dot{{fill:var(--ly-ink)}}.lyf .gone{{fill:var(--ly-paper);stroke:var(--ly-gone);stroke-dasharray:3 2}}
.lyf .box{{fill:var(--ly-paper);stroke:var(--ly-ink)}}.lyf .paper{{fill:var(--ly-paper)}}
.lyf .shade{{fill:var(--ly-rule);opacity:.5}}.lyf .dashed{{stroke-dasharray:5 4}}
.lyf .hatch{{stroke:var(--ly-paper);stroke-width:2.5}}
""".strip()


class Drawing:
    """A figure that grows by marks; `svg` is the whole of it."""

    def __init__(self, title: str, description: str) -> None:
        self._title, self._description = title, description
        self._id = f"lyf{crc32(f'{title}{description}'.encode('utf-8', 'ignore')):08x}"
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        width: float = WIDTH,
        style: str = "",
        anchor: str = "start",
    ) -> None:
        """One line, shortened to its width."""
        size = 11.5 if style == "soft" else 13
        kind = f' class="{style}"' if style else ""
        shown = _isolated(shorten(words, width, size))
        self._parts.append(f'<text x="{x:g}" y="{y:g}"{kind} text-anchor="{anchor}">{shown}</text>')

    def rectangle(self, x: float, y: float, width: float, height: float, style: str, tip: str = "") -> None:
        """A bar; one `against` is hatched as well as coloured."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
        title = f"<title>{_clean(shorten(tip, WIDTH))}</title>" if tip else ""
        self._parts.append(f'<rect {place} class="{style}">{title}</rect>')
        if style == "against":
            self._parts.append(f'<rect {place} fill="url(#{self._id}h)" pointer-events="none"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str = "axis", width: float | None = None) -> None:
        stroke = "" if width is None else f' stroke-width="{width:.1f}"'
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"{stroke}/>')

    def polyline(self, points: list[tuple[float, float]], style: str) -> None:
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{places}" class="{style}" stroke-width="2"/>')

    def circle(self, x: float, y: float, radius: float, style: str) -> None:
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{style}"/>')

    def diamond(self, x: float, y: float, radius: float, style: str) -> None:
        places = f"{x:.1f},{y - radius:.1f} {x + radius:.1f},{y:.1f} {x:.1f},{y + radius:.1f} {x - radius:.1f},{y:.1f}"
        self._parts.append(f'<polygon points="{places}" class="{style}"/>')

    def svg(self, height: float, *, with_style: bool) -> str:
        """The figure as an SVG element; `with_style` false where the page has `STYLE`."""
        style = f"<style>{STYLE}</style>" if with_style else ""
        hatch = (
            f'<defs><pattern id="{self._id}h" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" class="hatch"/></pattern></defs>'
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lyf" role="img" preserveAspectRatio="xMinYMid" '
            f'viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" aria-labelledby="{self._id}t {self._id}d">'
            f'<title id="{self._id}t">{_clean(self._title)}</title>'
            f'<desc id="{self._id}d">{_clean(self._description)}</desc>'
            f"{style}{hatch}{''.join(self._parts)}</svg>"
        )


def text_width(words: str, size: float = 13) -> float:
    """About how wide a text is: Japanese letters fill a square, capitals three quarters of it, other letters half."""
    return sum(_letter_width(char) for char in words) * size


def _letter_width(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.72 if char.isupper() or char in "MWmw@%" else 0.53


def shorten(words: str, width: float, size: float = 13) -> str:
    """The text on one line, cut with an ellipsis between words where it does not fit."""
    return wrap(words, width, 1, size)[0]


def name_or_retracted(name: str, is_retracted: bool, width: float) -> str:
    """A source's name that fits; the mark of a retracted one is never what is cut off."""
    if not is_retracted:
        return name
    mark = text_width(say("{name} (retracted)", name=""))
    return say("{name} (retracted)", name=shorten(name, width - mark))


def wrap(words: str, width: float, most_lines: int, size: float = 13) -> list[str]:
    """The text on at most so many lines; the last one ends with an ellipsis where there is more."""
    rest = one_line(words, int(width / size * 4) * most_lines + 8)
    lines: list[str] = []
    while rest and len(lines) < most_lines:
        cut = _fitting(rest, width, size)
        if cut < len(rest) and len(lines) == most_lines - 1:
            cut = _fitting(rest, width - size, size)
            lines.append(rest[:cut].rstrip() + "…")
            return lines
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return lines or [""]


def _fitting(text: str, width: float, size: float) -> int:
    """How many letters fit; a word of Latin letters is only broken where it fills the line alone."""
    used, space = 0.0, 0
    for place, char in enumerate(text):
        used += _letter_width(char) * size
        if used > width:
            return space or max(place, 1)
        if char == " " or unicodedata.east_asian_width(char) in "WF":
            space = place + 1
    return len(text)


def one_line(text: str, most: int = 400) -> str:
    """Foreign text without line breaks, control characters and more than `most` letters."""
    line = re.sub(r"\s+", " ", strip_control_chars(without_surrogates(text[: most * 4]))).strip()
    line = "".join(char for char in line if unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn"))
    line = _PILE.sub(r"\1", line)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _isolated(text: str) -> str:
    """Escaped, and held apart from what stands beside it when it runs from right to left."""
    return f"\u2068{escape(text)}\u2069" if not text.isascii() else escape(text)


def _clean(text: str) -> str:
    return escape(one_line(text, 2_000))
