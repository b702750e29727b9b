"""A curl session that can be cancelled while curl is being listened to, and that reads whatever bytes a server sends.

curl_cffi 0.16.3 takes every answer to be well formed: a cookie that is not UTF-8, a header without a colon or a folded
first line ends in a UnicodeDecodeError, ValueError or IndexError. Such a line is left out here, as browsers do; what
remains unreadable is a failed request like any other.
"""

from io import BytesIO
from typing import Any

from curl_cffi import Curl, CurlECode, CurlOpt
from curl_cffi.requests import AsyncSession, Response
from curl_cffi.requests.cookies import Cookies
from curl_cffi.requests.exceptions import RequestException


class QuietSession(AsyncSession[Response]):
    """Stops listening before a handle is given back.

    curl_cffi frees the listener first and takes the transfer away after, and curl reports that it closes the
    connection: to a listener that no longer exists (seen with curl_cffi 0.16.3 when a request is cancelled).
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._cookies = _ReadableCookies()

    def release_curl(self, curl: Curl) -> None:
        curl.setopt(CurlOpt.VERBOSE, 0)
        super().release_curl(curl)

    def _parse_response(self, curl: Curl, buffer: BytesIO, header_buffer: BytesIO, *rest: Any) -> Response:
        readable = BytesIO(readable_head(header_buffer.getvalue()))
        try:
            return super()._parse_response(curl, buffer, readable, *rest)
        except (ValueError, LookupError, TypeError) as exc:
            raise RequestException(
                "The head of the answer cannot be read", CurlECode.WEIRD_SERVER_REPLY, Response(curl)
            ) from exc


class _ReadableCookies(Cookies):
    """The cookies of a fetch without those that cannot be read as text, or whose parts cannot be told apart."""

    def update_cookies_from_curl_changes(self, changes: list[bytes]) -> None:
        for change in changes:
            try:
                super().update_cookies_from_curl_changes([change])
            except ValueError:  # UnicodeDecodeError is one
                continue


def readable_head(head: bytes) -> bytes:
    """The lines of an answer's head that are a status, a header, or go on with one."""
    kept: list[bytes] = []
    for line in head.splitlines():
        is_folded = line[:1] in (b" ", b"\t")
        is_header = b":" in (kept[-1] if kept else b"") if is_folded else b":" in line
        if is_header or line.startswith(b"HTTP/"):
            kept.append(line)
    return b"\r\n".join(kept)
