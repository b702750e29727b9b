"""Objects as plain JSON fields for MCP and CLI."""

from datetime import datetime
from enum import Enum
from typing import Any

from lyra.clock import stamp


def plain_fields(**values: object) -> dict[str, Any]:
    """These fields, each as `plain` gives it."""
    return {name: plain(value) for name, value in values.items()}


def plain(value: Any, places: int | None = 3) -> Any:
    """Enums by value, moments as stamps, figures rounded to so many places, tuples as lists; the rest as it is."""
    if isinstance(value, dict):
        return {key: plain(item, places) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, places) for item in value]
    if isinstance(value, float) and places is not None:
        return round(value, places)
    if isinstance(value, Enum):
        return value.value
    return stamp(value) if isinstance(value, datetime) else value
