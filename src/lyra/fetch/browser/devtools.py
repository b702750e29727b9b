"""The debugging endpoint of a browser, asked about the browser and never about a page."""

import asyncio
import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from lyra.errors import ChromeNotReady
from lyra.fetch.browser.profile import PORT_FILE
from lyra.fetch.sessions import SAME_SITE, Cookie

_ANSWER_LIMIT_S = 5.0


class DevtoolsEndpoint:
    """`http://127.0.0.1:port`; every failure to answer is ChromeNotReady."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def version(self) -> dict[str, str]:
        """What the browser says of itself."""
        answer = await self._ask("GET", "/json/version")
        return {str(key): str(value) for key, value in answer.items()}

    async def tabs(self) -> tuple[str, ...]:
        """The addresses of the open tabs."""
        found = await self._ask("GET", "/json/list")
        return tuple(str(one.get("url", "")) for one in found if one.get("type") == "page")

    async def open_tab(self, url: str) -> str:
        """Open a tab and let it be; answers its id."""
        answer = await self._ask("PUT", f"/json/new?{quote(url, safe='')}")
        return str(answer["id"])

    async def activate_tab(self, tab_id: str) -> None:
        """Show a tab before the others of its window."""
        await self._ask("GET", f"/json/activate/{quote(tab_id)}")

    async def cookies(self) -> tuple[Cookie, ...]:
        """Every cookie of the profile, read from its store."""
        answer = await self._command("Storage.getCookies")
        return tuple(read_cookie(one) for one in answer.get("cookies", ()))

    async def quit(self) -> None:
        """Ask the browser to end."""
        await self._command("Browser.close")

    async def _ask(self, method: str, path: str) -> Any:
        try:
            async with asyncio.timeout(_ANSWER_LIMIT_S * 2):
                return await asyncio.to_thread(_request, self.url, method, path)
        except (OSError, ValueError, http.client.HTTPException) as exc:
            raise _no_answer(self.url) from exc

    async def _command(self, method: str) -> dict[str, Any]:
        """One command to the browser target over its socket."""
        from curl_cffi.requests import AsyncSession
        from curl_cffi.requests.exceptions import RequestException
        from curl_cffi.requests.websockets import WebSocketError

        socket_url = (await self.version())["webSocketDebuggerUrl"]
        try:
            async with (
                asyncio.timeout(_ANSWER_LIMIT_S),
                AsyncSession(trust_env=False) as session,
                session.ws_connect(socket_url, max_message_size=64_000_000) as socket,
            ):
                await socket.send_str(json.dumps({"id": 1, "method": method}))
                return dict(json.loads(await socket.recv_str()).get("result", {}))
        except (RequestException, WebSocketError, OSError, ValueError) as exc:
            raise _no_answer(self.url) from exc


def _request(base: str, method: str, path: str) -> Any:
    parts = urlsplit(base)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=_ANSWER_LIMIT_S)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        body = answer.read(16_000_000)
        if answer.status != 200:
            raise http.client.HTTPException(f"status {answer.status}")
        return json.loads(body) if body[:1] in (b"{", b"[") else {}
    finally:
        connection.close()


def _no_answer(url: str) -> ChromeNotReady:
    return ChromeNotReady(f"The browser at {url} does not answer.", remedy="See `lyra browser diagnose`.")


def read_endpoint(profile: Path) -> DevtoolsEndpoint | None:
    """The endpoint of the browser that has the profile open, as noted in the profile; it may be gone."""
    try:
        port = (profile / PORT_FILE).read_text("ascii").split("\n", 1)[0]
    except (OSError, ValueError):
        return None
    return DevtoolsEndpoint(f"http://127.0.0.1:{int(port)}") if port.isdigit() else None


def write_endpoint(profile: Path, port: int) -> DevtoolsEndpoint:
    """Note the endpoint where others look for it: Chrome does so itself only where it chose the port."""
    (profile / PORT_FILE).write_text(f"{port}\n", "ascii")
    return DevtoolsEndpoint(f"http://127.0.0.1:{port}")


def read_cookie(fields: Mapping[str, Any]) -> Cookie:
    """A cookie as the protocol writes it."""
    expires = fields.get("expires", -1)
    same_site = fields.get("sameSite")
    return Cookie(
        name=str(fields.get("name", "")),
        value=str(fields.get("value", "")),
        domain=str(fields.get("domain", "")),
        path=str(fields.get("path") or "/"),
        expires_s=float(expires) if isinstance(expires, (int, float)) and expires > 0 else None,
        is_secure=bool(fields.get("secure")),
        is_http_only=bool(fields.get("httpOnly")),
        same_site=same_site if same_site in SAME_SITE else None,
    )


def cookie_fields(cookie: Cookie) -> dict[str, Any]:
    """The same, as the protocol wants it: a cookie of one host only is set by address, for a domain would widen it."""
    fields: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value,
        "path": cookie.path,
        "secure": cookie.is_secure,
        "httpOnly": cookie.is_http_only,
    }
    if cookie.domain.startswith("."):
        fields["domain"] = cookie.domain
    else:
        fields["url"] = f"http{'s' if cookie.is_secure else ''}://{cookie.domain}{cookie.path}"
    if cookie.expires_s is not None:
        fields["expires"] = cookie.expires_s
    if cookie.same_site:
        fields["sameSite"] = cookie.same_site
    return fields
