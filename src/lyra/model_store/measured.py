"""What was measured on this machine of models whose cards are not the user's to write: bundled ones, servers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lyra.disk import make_private_folder, put_whole, writing

_FILE = "measured.json"


def kept_quality(root: Path) -> dict[str, dict[str, dict[str, float]]]:
    """By model id and language; what cannot be read counts as not measured."""
    return {name: one.get("quality", {}) for name, one in _read(root).items()}


def kept_calibration(root: Path, model_id: str) -> dict[str, Any]:
    """The calibration of a server's reader; empty where it has none."""
    found = _read(root).get(model_id, {}).get("calibration", {})
    return found if isinstance(found, dict) else {}


def keep(root: Path, model_id: str, values: Mapping[str, Any]) -> None:
    """Store what was measured of a model."""
    with writing(root):
        make_private_folder(root)
        put_whole(root / _FILE, json.dumps({**_read(root), model_id: dict(values)}, indent=2) + "\n")


def _read(root: Path) -> dict[str, dict[str, Any]]:
    try:
        values = json.loads((root / _FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(name): one for name, one in values.items() if isinstance(one, dict)}
