"""What the interceptor tells of an answer before the browser shows it."""

from typing import Any

import pytest

from lyra.fetch.browser.interceptor import is_short


@pytest.mark.parametrize(
    ("headers", "came", "expected"),
    [
        pytest.param({"Content-Length": "1200"}, 900, True, id="less than announced"),
        pytest.param({"Content-Length": "900"}, 900, False, id="whole"),
        pytest.param({"Content-Length": "300", "Content-Encoding": "gzip"}, 900, False, id="packed, longer unpacked"),
        pytest.param({"Content-Length": "1200", "Content-Encoding": "br"}, 900, False, id="packed: nothing is known"),
        pytest.param({"Content-Length": "1200", "Content-Encoding": "identity"}, 900, True, id="not packed"),
        pytest.param({"Content-Length": "many"}, 900, False, id="no number"),
        pytest.param({"Content-Length": "9" * 5_000}, 900, True, id="a number without end"),
        pytest.param({}, 0, False, id="no length"),
    ],
)
def test_less_than_announced_is_short(headers: dict[str, str], came: int, expected: bool) -> None:
    """Chrome ends the stream of a broken body without a word, so the length is compared here."""
    event: dict[str, Any] = {"responseHeaders": [{"name": name, "value": value} for name, value in headers.items()]}

    assert is_short(event, came) is expected
