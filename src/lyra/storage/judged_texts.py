"""Judged texts as a column of edges keeps them: JSON of the text and its parts, without what is empty.

Where something was read beside the deciding words, `marked` keeps it as people are shown it, for the views: brackets
put in by SQL, or by a function of ours, took so long that sorting 5,000 claims went beyond a client's limits.
"""

from dataclasses import asdict
from typing import cast

from lyra.model.edge import JudgedPart, JudgedText, PartRole
from lyra.storage.columns import to_json
from lyra.storage.rows import from_json


def to_column(judged: JudgedText) -> str:
    """`{"text": …, "parts": [{"role": …, "start": …, "end": …, …}], "marked": …}`."""
    is_in_context = any(part.role is not PartRole.DECIDING for part in judged.parts)
    marked = {"marked": judged.marked} if is_in_context else {}
    return to_json({"text": judged.text, "parts": [_fields(part) for part in judged.parts]} | marked)


def from_column(value: str | None) -> JudgedText | None:
    """The judged text of a column; none for edges that were made before there was one."""
    return None if value is None else cast(JudgedText, from_json(JudgedText, value))


def _fields(part: JudgedPart) -> dict[str, object]:
    return {name: value for name, value in asdict(part).items() if value is not None}
