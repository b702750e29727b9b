"""What was measured on this machine of models whose cards are not the user's to write: bundled ones, servers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lyra.disk import make_private_folder, put_whole, writing

_FILE = "measured.json"


def kept_figures(root: Path, model_id: str) -> tuple[Mapping[str, Mapping[str, float]], float]:
    """Quality by language, and texts or pairs a second; what cannot be read counts as not measured."""
    found = _read(root).get(model_id, {})
    return found.get("quality") or {}, float(found.get("items_per_s") or 0)


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
