"""Notes that point to another note: "Ibid.", "(n 9)", "above n 9", 前掲注9, or a name that an earlier note has."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lyra.report.check.names import has_name
from lyra.report.check.references import Reference
from lyra.report.check.vocabulary import pattern

_ADDRESS = re.compile(r"https?://|\b10\.\d{4,9}/")
_LEAST_SHORT_FORM = 6
_LONGEST_SHORT_FORM = 160


def with_pointed_notes(references: Sequence[Reference]) -> list[Reference]:
    """The same entries; those that point to earlier ones stand for what these say."""
    found: list[Reference] = []
    for one in references:
        pointed = () if _ADDRESS.search(one.text) else _pointed(one, found)
        texts = (text for other in pointed for text in (other.stands_for or (other.text,)))
        found.append(replace(one, stands_for=tuple(dict.fromkeys(texts))))
    return found


def _pointed(one: Reference, before: Sequence[Reference]) -> list[Reference]:
    if not before:
        return []
    if pattern("citing", "same_source").match(one.text.lstrip("*_ ")):
        return [before[-1]]
    marks = pattern("citing", "pointed_note").finditer(one.text)
    numbers = {number for match in marks for number in match.groups() if number}
    numbered = [other for other in before if other.key.lstrip("^") in numbers]
    return numbered or _named_before(one.text, before)


def _named_before(text: str, before: Sequence[Reference]) -> list[Reference]:
    """The last note with an address that has the short form: a title or an organisation, up to its brackets."""
    short = re.split(r"[(（]", text)[0].strip(" .,。、‘’“”\"'「」『』*_")
    if not _LEAST_SHORT_FORM <= len(short) <= _LONGEST_SHORT_FORM:
        return []
    pieces = [piece for one in re.split(r"[,，、‘’“”\"「」『』]", short) if (piece := one.strip())]
    known = [one for one in before if _ADDRESS.search(one.text) and all(has_name(one.text, each) for each in pieces)]
    return known[-1:]
