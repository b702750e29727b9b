"""Memory of the browser: read for each process of its group, and judged for all of them together."""

from pathlib import Path

import pytest

from lyra.fetch.browser.memory import ProcessMemory, largest_over_limit, of_group

PAGE = ProcessMemory(12, 900_000_000, is_page=True)
OTHER_PAGE = ProcessMemory(13, 300_000_000, is_page=True)
BROWSER = ProcessMemory(10, 200_000_000, is_page=False)


def process(folder: Path, pid: int, group: int, held_kb: int, kind: str) -> None:
    below = folder / str(pid)
    below.mkdir()
    (below / "stat").write_text(f"{pid} (chrome) (x)) S 1 {group} {group} 0")
    (below / "cmdline").write_bytes(f"/usr/bin/chromium\0--type={kind}\0".encode())
    (below / "status").write_text(f"VmRSS:\t999999 kB\nRssAnon:\t{held_kb} kB\nRssFile:\t77 kB\nRssShmem:\t24 kB\n")


def test_processes_of_the_group_are_weighed(tmp_path: Path) -> None:
    """What each holds for itself: files, which all share, do not count, nor do the processes of others."""
    process(tmp_path, 12, 10, 1000, "renderer")
    process(tmp_path, 14, 10, 500, "utility")
    process(tmp_path, 20, 20, 9000, "renderer")
    (tmp_path / "30").mkdir()  # has just ended

    found = sorted(of_group(10, tmp_path), key=lambda one: one.pid)

    assert found == [ProcessMemory(12, 1024 * 1024, is_page=True), ProcessMemory(14, 524 * 1024, is_page=False)]


@pytest.mark.parametrize(
    ("limit_mb", "expected"),
    [pytest.param(1400, None, id="at the limit"), pytest.param(1399, PAGE, id="above")],
)
def test_largest_process_is_ended_where_all_hold_too_much(limit_mb: int, expected: ProcessMemory | None) -> None:
    """The sum counts, the largest goes."""
    assert largest_over_limit([BROWSER, PAGE, OTHER_PAGE], limit_mb * 1_000_000) == expected
