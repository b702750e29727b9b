"""What is said where the extra `browser` is not installed."""

import importlib.util

import pytest

from lyra.errors import ChromeNotReady
from lyra.fetch.browser import machine
from lyra.fetch.browser.driver import Driver
from lyra.settings.rungs import Browser

TOLD = {
    "ok": False,
    "error_code": "CHROME_NOT_READY",
    "error": "The driver of the browser (Patchright) is not installed.",
    "retryable": True,
    "remedy": "pip install 'lyra-mcp[browser]'.",
}


@pytest.fixture(autouse=True)
def _no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


async def test_a_missing_driver_names_its_extra() -> None:
    """Before any connection is tried."""
    with pytest.raises(ChromeNotReady) as caught:
        await Driver.connect("http://127.0.0.1:1")

    assert caught.value.fields() == TOLD


def test_a_missing_driver_is_why_there_is_no_browser() -> None:
    """Engines that need one are passed over with this reason."""
    assert machine.unavailable_reason(Browser()) == "The driver of the browser (Patchright) is not installed"
