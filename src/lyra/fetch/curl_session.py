"""A curl session that can be cancelled while curl is being listened to."""

from curl_cffi import Curl, CurlOpt
from curl_cffi.requests import AsyncSession, Response


class QuietSession(AsyncSession[Response]):
    """Stops listening before a handle is given back.

    curl_cffi frees the listener first and takes the transfer away after, and curl reports that it closes the
    connection: to a listener that no longer exists (seen with curl_cffi 0.16.3 when a request is cancelled).
    """

    def release_curl(self, curl: Curl) -> None:
        curl.setopt(CurlOpt.VERBOSE, 0)
        super().release_curl(curl)
