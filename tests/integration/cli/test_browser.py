"""`lyra browser`: what a person or a program learns about the research browser."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a browser would ask ends at a port where nobody listens."""
    monkeypatch.setenv("LYRA_NETWORK__PROXY", "http://127.0.0.1:9")


def test_status_names_every_profile(lyra: Any, home: Path) -> None:
    """Nothing runs yet, and nothing is started by asking."""
    done = lyra("browser", "status", "--json")

    rows = done.json["browsers"]
    assert (done.code, [row["mode"] for row in rows]) == (0, ["headless", "headful", "undetected", "person"])
    assert [row["running"] for row in rows] == [False] * 4
    assert rows[0]["profile"] == str(home / "browser" / "headless")


def test_diagnosis_ends_with_a_trial(lyra: Any, chromium: Path) -> None:
    """Every part has a finding; the last one is a browser that really started."""
    done = lyra("browser", "diagnose", "--json")

    checks = {check["name"]: check for check in done.json["checks"]}
    assert list(checks)[:3] == ["browser", "driver", "display"]
    assert checks["browser"]["detail"].startswith(str(chromium))
    assert checks["start"]["is_fine"] is True


def test_diagnosis_of_a_missing_browser_names_the_remedy(lyra: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong setting is found, and so is that nothing can start."""
    monkeypatch.setenv("LYRA_BROWSER__EXECUTABLE", "/nonexistent/chrome")

    done = lyra("browser", "diagnose", "--json")

    wrong = [check["name"] for check in done.json["checks"] if not check["is_fine"]]
    assert (done.code, done.json["ok"]) == (1, False)
    assert {"browser", "start"} <= set(wrong)


def test_diagnosis_of_a_browser_that_hangs_does_not_point_at_itself(
    lyra: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One who has asked for the diagnosis is told what to do next."""
    program = tmp_path / "hangs"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Chromium 156.0.1.2" && exit\nexec sleep 60\n')
    program.chmod(0o755)
    monkeypatch.setenv("LYRA_BROWSER__EXECUTABLE", str(program))
    monkeypatch.setenv("LYRA_BROWSER__START_TIMEOUT_S", "0.5")

    done = lyra("browser", "diagnose", "--json")

    start = done.json["checks"][-1]
    assert (start["name"], start["is_fine"]) == ("start", False)
    assert start["remedy"].startswith("Run the browser by hand with `--headless=new --dump-dom about:blank`")


def test_audit_repairs_what_a_crash_left_and_remembers_the_face(lyra: Any, home: Path, chromium: Path) -> None:
    """Crash mark, stale lock and an extension are put right; a face that differs from the last audit's is told."""
    profile = home / "browser" / "headless"
    (profile / "Default" / "Extensions" / "abcdefgh").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text(json.dumps({"profile": {"exit_type": "Crashed"}}))
    (profile / "SingletonLock").symlink_to(f"{socket.gethostname()}-{2**22 + 7}")

    found = lyra("browser", "audit", "--json")
    repaired = lyra("browser", "audit", "--repair", "--json")
    file = home / "browser" / "headless.face.json"
    file.write_text(file.read_text().replace('"languages": "', '"languages": "eo,'))
    after = lyra("browser", "audit", "--json")

    wrong = ["lock", "crash", "extensions"]
    assert [one["name"] for one in found.json["checks"] if not one["is_fine"]] == wrong
    assert [one["name"] for one in repaired.json["checks"] if one["is_repaired"]] == wrong
    assert [one["name"] for one in after.json["checks"] if not one["is_fine"]] == ["constancy"]
    assert after.json["checks"][-1]["detail"].startswith("languages: eo,")
    assert [(one.code, one.json["ok"]) for one in (found, repaired, after)] == [(1, False), (0, True), (1, False)]


def test_unknown_mode_is_wrong_usage(lyra: Any) -> None:
    """The modes there are are named."""
    done = lyra("browser", "audit", "--mode", "turbo", "--json")

    assert (done.code, done.json["error_code"]) == (2, "INVALID_PARAMS")
    assert done.json["remedy"] == "One of headless, headful, undetected, person."


def test_address_that_is_none_is_refused(lyra: Any, chromium: Path) -> None:
    """Only web addresses are shown; files of this machine are not."""
    done = lyra("browser", "start", "file:///etc/passwd", "--headless", "--json")

    assert (done.code, done.json["error_code"]) == (2, "INVALID_PARAMS")


def test_started_browser_is_found_and_ends_with_ctrl_c(lyra: Any, home: Path, chromium: Path) -> None:
    """`start` holds the browser until it is interrupted; `status` sees it meanwhile."""
    command = [sys.executable, "-m", "lyra", "--data-dir", str(home), "browser", "start", "--headless", "--json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
    announced = (running.stderr.readline() if running.stderr else b"").decode()
    seen = lyra("browser", "status", "--json").json["browsers"][0]

    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=20)
    after = lyra("browser", "status", "--json").json["browsers"][0]

    assert announced == "Close it or press Ctrl-C to end.\n"
    assert (seen["running"], seen["pid"]) == (True, json.loads(out)["pid"])
    assert (running.returncode, after["running"]) == (0, False)
