"""`lyra task delete --hard`, as its user meets it: no file of the data directory names a site that only it reached."""

import gzip
from pathlib import Path
from typing import Any

LONE = "https://best-charger-picks.com/alp2-speed-02"
SHARED = "https://coil-academy.com/lessons/range"


def naming(folder: Path, name: bytes) -> list[str]:
    """Files that hold these bytes, packed ones unpacked: what `strings` and `grep` would find."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and name in (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    ]


def test_hard_deletion_forgets_sites_that_only_the_task_reached(lyra: Any, tmp_path: Path) -> None:
    """In no byte of any file, though the site was blocked; a site that another task has reached is still known."""
    first, second = (
        lyra("task", "new", f"{name} question", "--json", data_dir=tmp_path).json["task_id"]
        for name in ("One", "Other")
    )
    lyra("search", first, LONE, data_dir=tmp_path)
    lyra("search", first, SHARED, data_dir=tmp_path)
    lyra("search", second, SHARED, data_dir=tmp_path)
    known = naming(tmp_path, b"best-charger-picks")

    deleted = lyra("task", "delete", first, "--hard", "--yes", "--json", data_dir=tmp_path)

    assert ("lyra.db" in known, naming(tmp_path, b"best-charger-picks")) == (True, [])
    assert deleted.json["sites"] == {"forgotten": ["best-charger-picks.com"], "kept": []}
    assert naming(tmp_path, b"coil-academy") != []
