"""Reading what the protocol's own tools say."""

import asyncio
from pathlib import Path

import pytest

from lyra_bench.measure.protocol import measure_protocol, verdict
from lyra_bench.measure.relay import with_token

FAILED_FIXTURE = "2026 [sep-2575-missing-capability-http-400 ] FAILURE On HTTP, the status MUST be 400"
FAILED = "2026 [tools-name-format] FAILURE Tool names SHOULD be short"
PASSED = "2026 [tools-list       ] SUCCESS Server lists available tools"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        pytest.param(f"{PASSED}\nPassed: 1/1", "passed (1 checks)", id="passed"),
        pytest.param(f"{PASSED}\n{FAILED}", "failed: tools-name-format", id="failed"),
        pytest.param(f"{PASSED}\n{FAILED_FIXTURE}", "passed (1 checks, 1 need a test tool)", id="fixture"),
        pytest.param("Error: connect ECONNREFUSED\n", "failed: Error: connect ECONNREFUSED", id="no checks"),
        pytest.param("", "failed: nothing was said", id="silence"),
    ],
)
def test_a_scenario_comes_to_a_verdict(told: str, expected: str) -> None:
    """A failed check is named; those of a test server's own tools do not count."""
    assert verdict(told) == expected


def test_the_relay_adds_the_token_and_leaves_host_and_origin() -> None:
    """The request's own Connection header gives way: one request a connection."""
    head = b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nConnection: keep-alive\r\n\r\n"

    assert with_token(head, "t0k3n") == (
        b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
        b"Authorization: Bearer t0k3n\r\nConnection: close\r\n\r\n"
    )


def test_without_node_the_check_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The answer names what is missing instead of failing."""
    monkeypatch.setenv("PATH", str(tmp_path))

    figures = asyncio.run(measure_protocol())

    assert figures == {"skipped": "node and npm and npx not installed"}
