"""The debugging endpoint of a browser, asked about the browser and never about a page."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ChromeNotReady
from lyra.fetch.sessions import SAME_SITE, Cookie

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_ANSWER_LIMIT_S = 5.0
_LARGEST_ANSWER_BYTES = 64_000_000


class DevtoolsEndpoint:
    """Where a browser takes commands: a socket file, or a port of a browser that the user has started.

    Every failure to answer is ChromeNotReady.
    """

    def __init__(self, where: Path | int) -> None:
        self._where = where

    @property
    def url(self) -> str:
        """As the driver and people are told."""
        return f"http://127.0.0.1:{self._where}" if isinstance(self._where, int) else f"ws+unix://{self._where}"

    @property
    def is_port(self) -> bool:
        """Whether every user of this machine can drive the browser."""
        return isinstance(self._where, int)

    async def version(self) -> dict[str, str]:
        """What the browser says of itself."""
        answer = await self._command("Browser.getVersion")
        return {str(key): str(value) for key, value in answer.items()}

    async def tabs(self) -> tuple[str, ...]:
        """The addresses of the open tabs."""
        found = (await self._command("Target.getTargets"))["targetInfos"]
        return tuple(str(one.get("url", "")) for one in found if one.get("type") == "page")

    async def open_tab(self, url: str) -> str:
        """Open a tab and let it be; answers its id."""
        return str((await self._command("Target.createTarget", {"url": url}))["targetId"])

    async def activate_tab(self, tab_id: str) -> None:
        """Show a tab before the others of its window."""
        await self._command("Target.activateTarget", {"targetId": tab_id})

    async def cookies(self) -> tuple[Cookie, ...]:
        """Every cookie of the profile, read from its store."""
        answer = await self._command("Storage.getCookies")
        return tuple(read_cookie(one) for one in answer.get("cookies", ()))

    async def quit(self) -> None:
        """Ask the browser to end."""
        await self._command("Browser.close")

    async def _command(self, method: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One command to the browser target."""
        from websockets.exceptions import WebSocketException

        try:
            async with asyncio.timeout(_ANSWER_LIMIT_S), self._connected() as connection:
                await connection.send(json.dumps({"id": 1, "method": method, "params": dict(values or {})}))
                answer = json.loads(await connection.recv())
        except (WebSocketException, OSError, ValueError) as exc:
            raise _no_answer(self.url) from exc
        if "result" not in answer:
            raise _no_answer(self.url)
        return dict(answer["result"])

    @asynccontextmanager
    async def _connected(self) -> "AsyncIterator[ClientConnection]":
        from websockets.asyncio.client import connect, unix_connect

        if isinstance(self._where, Path):
            connecting = unix_connect(str(self._where), compression=None, max_size=_LARGEST_ANSWER_BYTES)
        else:
            address = await asyncio.to_thread(_socket_address, self._where)
            connecting = connect(address, compression=None, max_size=_LARGEST_ANSWER_BYTES, proxy=None)
        async with connecting as connection:
            yield connection


def _socket_address(port: int) -> str:
    """The address at which the browser behind a port takes commands. Raises OSError or ValueError."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_ANSWER_LIMIT_S)
    try:
        connection.request("GET", "/json/version")
        found = json.loads(connection.getresponse().read(1_000_000))
        return str(found["webSocketDebuggerUrl"])
    except (http.client.HTTPException, KeyError, TypeError) as exc:
        raise ValueError(f"no browser listens on port {port}") from exc
    finally:
        connection.close()


def _no_answer(url: str) -> ChromeNotReady:
    return ChromeNotReady(f"The browser at {url} does not answer.", remedy="See `lyra browser diagnose`.")


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
