"""Judged texts as a column of edges keeps them: JSON of the text and its parts, without what is empty."""

import json
from dataclasses import asdict

from lyra.model.edge import JudgedPart, JudgedText, PartRole
from lyra.storage.columns import to_json


def written(judged: JudgedText) -> str:
    """`{"text": …, "parts": [{"role": …, "start": …, "end": …, …}]}`."""
    return to_json({"text": judged.text, "parts": [_fields(part) for part in judged.parts]})


def read(value: str | None) -> JudgedText | None:
    """The judged text of a column; none for edges that were made before there was one."""
    if value is None:
        return None
    found = json.loads(value)
    return JudgedText(
        found["text"], tuple(JudgedPart(**{**one, "role": PartRole(one["role"])}) for one in found["parts"])
    )


def _fields(part: JudgedPart) -> dict[str, object]:
    return {name: value for name, value in asdict(part).items() if value is not None}
