"""`lyra task delete --hard`, as its user meets it: no file of the data directory names a site that only it reached."""

import gzip
import subprocess
import time
from pathlib import Path
from typing import Any

from simweb import Fault, SimWeb
from tests.e2e.conftest import SMALL_READER

LONE = "https://best-charger-picks.com/alp2-speed-02"
SHARED = "https://coil-academy.com/lessons/range"
QUICK = {**SMALL_READER, "LYRA_JOBS__LEASE_S": "1"}


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


def begin_slow_search(start: Any, web: SimWeb, task_id: str, data_dir: Path) -> "subprocess.Popen[str]":
    """A search whose page does not come, as soon as the page was asked for."""
    web.faults.set("coil-academy.com", Fault("slow", delay_s=60.0))
    process: subprocess.Popen[str] = start("search", task_id, SHARED, data_dir=data_dir, **QUICK)
    while not web.journal.visits("coil-academy.com"):
        assert process.poll() is None
        time.sleep(0.05)
    return process


def test_a_search_of_another_task_keeps_no_page_that_it_has_not_reached(
    lyra: Any, start: Any, web: SimWeb, tmp_path: Path
) -> None:
    """Neither while it runs nor after its process was killed, when its row still says that it does."""
    first, second, third = (
        lyra("task", "new", f"{name} question", "--json", data_dir=tmp_path).json["task_id"]
        for name in ("One", "Second", "Third")
    )
    other = begin_slow_search(start, web, third, tmp_path)

    lyra("search", first, LONE, data_dir=tmp_path, **QUICK)
    while_it_runs = lyra("task", "delete", first, "--hard", "--yes", "--json", data_dir=tmp_path)
    is_running = other.poll() is None
    lyra("search", second, LONE, data_dir=tmp_path, **QUICK)
    other.kill()
    other.wait()
    after_its_end = lyra("task", "delete", second, "--hard", "--yes", "--json", data_dir=tmp_path)

    listed = lyra("query", "select q.status from queries q", "--json", data_dir=tmp_path).json["rows"]
    assert (is_running, listed) == (True, [{"status": "running"}])
    assert [one.json["removed"]["pages"] for one in (while_it_runs, after_its_end)] == [1, 1]
    assert after_its_end.json["left"] == []
    assert naming(tmp_path, b"best-charger-picks") == []
