"""How wide text is in the fonts that every PDF reader has, and how it breaks into lines."""

from __future__ import annotations

# Advance widths of Helvetica for the printable ASCII characters, in thousandths of the size (Adobe's core 14 metrics).
HELVETICA = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_BOLD_FACTOR = 1.07
_NO_LINE_START = frozenset("、。，．）」』】〕・ーぁぃぅぇぉっゃゅょァィゥェォッャュョ！？％")


def is_wide(character: str) -> bool:
    """Whether a character needs the Japanese font."""
    return not _in_latin(character)


def _in_latin(character: str) -> bool:
    return len(character.encode("cp1252", "ignore")) == 1


def width(text: str, size: float, *, is_bold: bool = False) -> float:
    thousandths = sum(_advance(character) for character in text)
    return thousandths * size / 1000 * (_BOLD_FACTOR if is_bold else 1.0)


def _advance(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return HELVETICA[code - 32]
    return 1000 if is_wide(character) else 556


def break_lines(text: str, size: float, limit: float, *, is_bold: bool = False) -> list[str]:
    """Lines no wider than `limit`: Latin words stay whole, Japanese breaks anywhere but before closing marks."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        fits = width(line + piece.rstrip(), size, is_bold=is_bold) <= limit
        if line.strip() and not fits and piece.strip() not in _NO_LINE_START:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for character in text:
        starts = not pieces or is_wide(character) or is_wide(pieces[-1][-1]) or pieces[-1][-1] == " "
        if starts and character != " ":
            pieces.append(character)
        elif pieces:
            pieces[-1] += character
    return pieces
