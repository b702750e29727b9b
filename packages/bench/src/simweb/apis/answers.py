"""JSON answers, as the scholarly services give them."""

from __future__ import annotations

import json
from typing import Any

from simweb.messages import Response


def json_response(value: Any, status: int = 200) -> Response:
    return Response(status, {"content-type": "application/json"}, json.dumps(value).encode())


def bounded(text: str | None, default: int, least: int, most: int) -> int:
    """A number from a query parameter, kept within limits."""
    if text is None or not text.isdigit():
        return default
    return min(most, max(least, int(text)))
