"""The browser with the fewest traces, through a client's search: a check that waits for a hand on the pointer."""

from pathlib import Path
from typing import Any

from simweb import Fault, SimWeb

ADDRESS = "https://www.fdso.gov/safety/dpp4-heart-failure"


def test_a_check_that_waits_for_a_hand_is_passed_by_the_undetected_browser(
    connect: Any,
    lyra_here: Any,
    web: SimWeb,
    chromium: Path,
    virtual_screen: None,
    certutil: None,
    tmp_path: Path,
) -> None:
    """HTTP and the headless browser meet the check; the third and last attempt, undetected, reads the page."""
    web.faults.set("www.fdso.gov", Fault("challenge", status=503, asks="pointer"))

    with connect(tmp_path, LYRA_TOR__SHARE="0", LYRA_BROWSER__QUIET_S="0.2") as face:
        task = face.call("create_task", query="Does saxagliptin cause heart failure?")["task_id"]
        answer = face.search(task, ADDRESS, max_pages=1)
        journal = lyra_here("log", task, "--json", data_dir=tmp_path).json["events"]
    attempts = [one["details"] for one in journal if one["kind"] == "fetch" and one["subject"] == ADDRESS]

    assert answer["pages_fetched"] == 1
    assert [(one["rung"], one["outcome"]) for one in attempts] == [
        ("http", "challenge"),
        ("headless", "challenge"),
        ("undetected", "ok"),
    ]
