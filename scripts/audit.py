"""Looks for known advisories on the packages of requirements.lock; says "not checked" where the network is away."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parent.parent / "requirements.lock"
_LIMIT_S = 300


def command() -> list[str]:
    """pip-audit over the lock as it is: nothing is resolved or installed."""
    options = ["--requirement", str(LOCK), "--require-hashes", "--disable-pip", "--format", "json", "--aliases", "on"]
    return [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", *options]


def advisories(answer: str) -> list[str] | None:
    """A line for each advisory in pip-audit's answer; none where it gave no answer, as without a network."""
    try:
        found: Any = json.loads(answer)
    except json.JSONDecodeError:
        return None
    return [
        f"{package['name']} {package['version']}: {one['id']}, fixed in {', '.join(one['fix_versions']) or 'none yet'}"
        for package in found["dependencies"]
        for one in package.get("vulns", [])
    ]


def skipped(answer: str) -> list[str]:
    """The packages on which nothing is known, with the reason."""
    found: Any = json.loads(answer)
    return [f"{one['name']}: {one['skip_reason']}" for one in found["dependencies"] if "skip_reason" in one]


def is_unreached(answer: str) -> bool:
    """Whether every package was skipped: pip-audit takes an index that does not answer for one without the package."""
    found: Any = json.loads(answer)
    return all("skip_reason" in one for one in found["dependencies"])


def main() -> int:
    """1 where there are advisories; 0 also where nothing could be checked."""
    try:
        done = subprocess.run(command(), capture_output=True, text=True, timeout=_LIMIT_S, check=False)
        answer, reason = done.stdout, (done.stderr.strip().splitlines() or ["no answer"])[-1]
    except subprocess.TimeoutExpired:
        answer, reason = "", f"no answer within {_LIMIT_S} s"
    found = advisories(answer)
    if found is None:
        print(f"audit: not checked: {reason}")
        return 0
    if is_unreached(answer):
        print("audit: not checked (the advisory service could not be reached)")
        return 0
    for line in (*found, *(f"not checked: {one}" for one in skipped(answer))):
        print(f"audit: {line}")
    print(f"audit: {len(found)} advisories")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
