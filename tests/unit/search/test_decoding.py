"""Bytes of result pages as text."""

import pytest

from lyra.search.decoding import decode


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        pytest.param("検索".encode(), None, "検索", id="utf-8-by-default"),
        pytest.param("検索".encode("euc-jp"), "text/html; charset=EUC-JP", "検索", id="header"),
        pytest.param(
            b'<meta charset="shift_jis">' + "検索".encode("shift_jis"),
            None,
            '<meta charset="shift_jis">検索',
            id="meta",
        ),
        pytest.param("é".encode(), "text/html; charset=no-such-charset", "é", id="unknown-charset"),
        pytest.param(b"eA==", "text/html; charset=base64", "eA==", id="codec-that-is-no-charset"),
        pytest.param(b"a\xff", "text/html; charset=utf-8", "a\ufffd", id="broken-bytes"),
        pytest.param(b"", None, "", id="nothing"),
        pytest.param("検索".encode("utf-16"), "text/html; charset=utf-8", "検索", id="utf-16-by-its-mark"),
        pytest.param(b"\xfe\xff" + "検索".encode("utf-16-be"), None, "検索", id="utf-16-the-other-way-round"),
        pytest.param(b"\xef\xbb\xbf" + "検索".encode(), "text/html; charset=euc-jp", "検索", id="utf-8-by-its-mark"),
    ],
)
def test_every_body_becomes_text(body: bytes, content_type: str | None, expected: str) -> None:
    """A wrong or hostile charset must not raise: what cannot be read is shown as such."""
    assert decode(body, content_type) == expected
