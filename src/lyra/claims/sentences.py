"""Sentences of a fragment with their exact places, list items included, and the marks around a sentence."""

import re

from lyra.text import normalise, sentences, without_citation_marks
from lyra.word_lists import word_lists

_LOOKED_BACK = 200
_LONGEST_QUOTATION = 600
# Each run is tried from its first character only, so that an endless one costs no more than its length.
_LINE_BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")
_BULLET = re.compile(r"(?:[-–—•・◦‣▪■●○◆◇※*→]+|\(?\d{1,2}[.)）]|[①-⑳])[\s\u3000]+|[・•●○◆◇■※][\s\u3000]*")
_TERMINAL = re.compile(r"[.!?。！？…:：;；][\"'”’)\]」』）]*$")
_PAIRS = (("「", "」"), ("『", "』"), ("“", "”"), ("(", ")"), ("（", "）"), ("[", "]"), ("【", "】"))
# ¹²³ and the like, as references are set in print.
_SUPERSCRIPTS = re.compile(r"(?<![¹²³⁰⁴-⁹])[¹²³⁰⁴-⁹]++(?=$|[\s.,;。、])")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence or list item, without bullets and surrounding white space."""
    spans: list[tuple[int, int]] = []
    for start, end in _lines(text):
        line = text[start:end]
        for inner_start, inner_end in _with_whole_quotations(line, sentences(line)):
            begin, stop = start + inner_start, start + inner_end
            bullet = _BULLET.match(text, begin, stop)
            if bullet and bullet.end() < stop:
                begin = bullet.end()
            spans.append((begin, stop))
    return spans


def _with_whole_quotations(line: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Japanese speech in 「」 holds full stops: what belongs to one speech is one sentence."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        before = line[slice(*joined[-1])] if joined else ""
        if len(before) < _LONGEST_QUOTATION and before.count("「") > before.count("」") and "」" in line[start:end]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def is_balanced(sentence: str) -> bool:
    """Whether every quotation mark and bracket that opens also closes."""
    pairs = all(sentence.count(opening) == sentence.count(closing) for opening, closing in _PAIRS)
    return pairs and sentence.count('"') % 2 == 0


def _lines(text: str) -> list[tuple[int, int]]:
    """Parts of the text between line breaks that part sentences; a break inside a sentence joins."""
    parts: list[tuple[int, int]] = []
    start = 0
    for line_break in _LINE_BREAK.finditer(text):
        before = text[max(start, line_break.start() - _LOOKED_BACK) : line_break.start()]
        if _ends_sentence(before, text[line_break.end() : line_break.end() + 8]):
            parts.append((start, line_break.start()))
            start = line_break.end()
    parts.append((start, len(text)))
    return parts


def _ends_sentence(before: str, after: str) -> bool:
    """A finished line, a bullet, or a short line ends; a wrapped line goes on."""
    if _TERMINAL.search(before) or _BULLET.match(after):
        return True
    last_line = before[before.rfind("\n") + 1 :]
    is_wrapped = len(last_line) >= 50 and bool(after) and not after[0].isupper()
    return not is_wrapped


def without_marks(sentence: str) -> str:
    """The sentence on one line in normal form, without reference numbers, note marks and footnote signs."""
    bare = without_citation_marks(_SUPERSCRIPTS.sub("", sentence))
    note_marks = word_lists("lyra.claims", "statements", "en", "ja").pattern("note_mark")
    return re.sub(r"\s+([.,;])(?=\s|$)", r"\1", normalise(note_marks.sub("", bare))).strip()
