"""The table of layers in docs/explanation/security.md names files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (L[1-8]) \|.*", re.MULTILINE)


def test_every_layer_has_its_file_its_place_and_its_test() -> None:
    """Eight layers, and nothing that was moved since."""
    text = (ROOT / "docs/explanation/security.md").read_text("utf-8")
    rows = [match.group() for match in ROW.finditer(text)]

    named = [name for row in rows for name in re.findall(r"`((?:src|tests)/[^`]+)`", row)]
    assert sorted({row[2:4] for row in rows}) == [f"L{number}" for number in range(1, 9)]
    assert len(named) == 3 * len(rows)
    assert [name for name in named if not (ROOT / name).is_file()] == []
