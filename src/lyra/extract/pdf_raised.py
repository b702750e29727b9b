"""Numbers that are set small and above the line, as marks of notes are: raised digits in place of plain ones."""

import ctypes
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfTextPage

# Of the usual type of the line: raised marks are this small at most, and stand this far above its foot at least.
_SMALL = 0.9
_RAISED = 0.15
_SIGNS = str.maketrans("0123456789–-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_BETWEEN = ",–-"


def raise_digits(text_page: "PdfTextPage", chars: list[str], visible: "Sequence[int]") -> None:
    """Put raised digits into the characters of a page, for one line of it, behind the word that they follow."""
    for run in _raised_runs(text_page, chars, visible):
        for index in run:
            chars[index] = chars[index].translate(_SIGNS)
        if run[0] > visible[0] and chars[run[0] - 1] == " ":
            chars[run[0] - 1] = ""


def _raised_runs(text_page: "PdfTextPage", chars: "Sequence[str]", visible: "Sequence[int]") -> "list[list[int]]":
    """The stretches of small digits above the foot of a line; those in brackets are told from figures as they are."""
    if not any(chars[index].isdigit() for index in visible):
        return []
    import pypdfium2.raw as raw

    sizes = {index: float(raw.FPDFText_GetFontSize(text_page, index)) for index in visible}
    usual = median(sizes.values())
    if all(size >= _SMALL * usual for size in sizes.values()):
        return []
    feet = {index: _foot(text_page, index) for index in visible}
    foot = median(each for index, each in feet.items() if sizes[index] >= _SMALL * usual)
    height = median(top - bottom for bottom, top in (_height(text_page, index) for index in visible))
    is_raised = {index: sizes[index] < _SMALL * usual and feet[index] - foot > _RAISED * height for index in visible}
    runs = [list(run) for raised, run in groupby(visible, key=lambda index: is_raised[index]) if raised]
    return [run for run in runs if _is_number([chars[index] for index in run])]


def _is_number(signs: "Sequence[str]") -> bool:
    return signs[0].isdigit() and signs[-1].isdigit() and all(one.isdigit() or one in _BETWEEN for one in signs)


def _foot(text_page: "PdfTextPage", index: int) -> float:
    """Where the line of writing of a character is, above the page's edge."""
    import pypdfium2.raw as raw

    across, upward = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(text_page, index, across, upward)
    return upward.value


def _height(text_page: "PdfTextPage", index: int) -> tuple[float, float]:
    _, bottom, _, top = text_page.get_charbox(index)
    return float(bottom), float(top)
