"""`lyra doctor` in a terminal."""

from typing import Any

import pytest

from lyra.health.finding import Finding


def test_brackets_in_a_finding_are_shown(lyra: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra to install is in brackets, which a terminal's markup would swallow."""

    async def check_installation(*_: object, **__: object) -> list[Finding]:
        return [Finding("ocr", False, "not [here]", "pip install 'lyra-mcp[ocr]'")]

    monkeypatch.setattr("lyra.health.check_installation", check_installation)

    done = lyra("doctor")

    assert (done.code, done.out.splitlines()) == (
        1,
        ["✗ ocr                not [here]", "                     → pip install 'lyra-mcp[ocr]'"],
    )
