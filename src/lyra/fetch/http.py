"""The HTTP rung: one request over curl with a browser's headers, limited in time and size; every failure is a value."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lyra.clock import Clock
from lyra.errors import SettingsError
from lyra.fetch.addresses import CheckedAddress, RefusedAddress, Resolver, check_address, is_switched, system_resolver
from lyra.fetch.headers import OutgoingRequest
from lyra.fetch.network_errors import TOO_LARGE, NetworkFailure, explain_curl
from lyra.model.archive import Exchange
from lyra.settings import Network

if TYPE_CHECKING:
    from curl_cffi import AsyncCurl
    from curl_cffi.requests import Response

    from lyra.fetch.curl_session import QuietSession

_HEADER_OUT = 2
_ABORT = 0xFFFFFFFF
_CONTROL_CHARS = dict.fromkeys((*range(32), 127))
_HOP_BY_HOP_TO_PROXY = frozenset({"proxy-authorization", "proxy-connection"})


class _BodyBuffer:
    """Takes the body as it streams in and stops the transfer when it grows too large."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self.body = bytearray()
        self.is_over = False

    def write(self, chunk: bytes) -> int:
        room = self._limit - len(self.body)
        self.body += chunk[:room]
        self.is_over = len(chunk) > room
        return _ABORT if self.is_over else len(chunk)


class _SentHeaders:
    """The request headers as curl wrote them, the browser's own included."""

    def __init__(self) -> None:
        self._last = b""

    def listen(self, kind: int, data: bytes) -> None:
        if kind == _HEADER_OUT and not data.startswith(b"CONNECT "):
            self._last = data

    def headers(self) -> tuple[tuple[str, str], ...]:
        lines = self._last.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if ":" in line)
        return tuple((n, v.strip()) for n, _, v in pairs if n.lower() not in _HOP_BY_HOP_TO_PROXY)


class HttpClient:
    """Requests with the TLS and header fingerprint of `impersonate`, through the proxy and authorities of the settings.

    `proxy_for` chooses the proxy of each address instead; a proxy resolves names itself.
    """

    def __init__(
        self,
        settings: Network,
        clock: Clock,
        resolve: Resolver = system_resolver,
        proxy_for: Callable[[CheckedAddress], str] | None = None,
    ) -> None:
        if settings.ca_bundle is not None and not settings.ca_bundle.is_file():
            raise SettingsError(
                f"network.ca_bundle: {settings.ca_bundle} is not a file.",
                remedy="Name a PEM file, or leave it out to trust the usual authorities.",
            )
        self._settings = settings
        self._clock = clock
        self._proxy_for = proxy_for or (lambda _: settings.proxy or "")
        self._resolve = None if settings.proxy or proxy_for else resolve
        self._curl: AsyncCurl | None = None

    async def check(self, url: str) -> CheckedAddress | RefusedAddress:
        """Whether the address may be asked at all; names are resolved here unless a proxy does it."""
        try:
            async with asyncio.timeout(self._settings.serp_timeout_s):
                return await check_address(
                    url, resolve=self._resolve, allow_private=self._settings.allow_private_addresses
                )
        except TimeoutError:
            return RefusedAddress("The host name could not be resolved in time.", is_unresolved=True)

    def session(self) -> "QuietSession":
        """What the hops of one fetch share: their cookies, which end with it. Connections are shared by all."""
        from curl_cffi import AsyncCurl

        from lyra.fetch.curl_session import QuietSession

        if self._curl is None:
            self._curl = AsyncCurl()
        return QuietSession(
            async_curl=self._curl,
            max_clients=1,
            trust_env=False,
            allow_redirects=False,
            impersonate=self._settings.impersonate,
        )

    async def close(self) -> None:
        """End every connection."""
        if self._curl is not None:
            await self._curl.close()  # type: ignore[no-untyped-call]
            self._curl = None

    async def exchange(
        self, session: "QuietSession", hop: OutgoingRequest, checked: CheckedAddress, timeout_s: float
    ) -> Exchange:
        """One hop to an address that was checked: connect only to what was judged, read within the limits."""
        started_at, started_s = self._clock.now(), self._clock.monotonic()
        buffer, sent = _BodyBuffer(self._settings.max_body_bytes), _SentHeaders()
        session.curl_options = self._options(checked, sent)
        response, failure = await self._perform(session, hop, checked, buffer, max(0.001, timeout_s))
        known = Exchange(
            url=checked.url,
            method=hop.method,
            started_at=started_at,
            request_headers=sent.headers() or hop.headers,
            request_body=hop.body or b"",
            elapsed_s=self._clock.monotonic() - started_s,
            failure=failure.outcome if failure else None,
            reason=failure.reason if failure else None,
            is_unreachable=failure is not None and failure.is_unreachable,
        )
        if response is None or not response.status_code:
            return known
        ip_address = None if self._resolve is None else response.primary_ip or None
        return replace(
            known,
            status_code=response.status_code,
            status_text=response.reason,
            headers=_decoded(response.headers.raw),
            body=bytes(buffer.body),
            ip_address=ip_address,
            is_switched=is_switched(checked.pinned, ip_address),
            truncation=failure.truncation if failure else None,
        )

    async def _perform(
        self,
        session: "QuietSession",
        hop: OutgoingRequest,
        checked: CheckedAddress,
        buffer: _BodyBuffer,
        timeout_s: float,
    ) -> "tuple[Response | None, NetworkFailure | None]":
        from curl_cffi.requests.exceptions import ImpersonateError, RequestException

        try:
            response = await session.request(
                hop.method,  # type: ignore[arg-type]  # curl_cffi lists the methods as literals
                checked.url,
                headers=[(name, value.translate(_CONTROL_CHARS)) for name, value in hop.headers],
                content=hop.body,
                timeout=timeout_s,
                content_callback=buffer.write,
                default_headers=hop.as_browser,
                # A browser never offers h2c on plain http, curl does.
                http_version="v1" if checked.url.startswith("http:") else None,
            )
        except ImpersonateError as exc:
            raise SettingsError(
                f"network.impersonate: {self._settings.impersonate!r} is not a browser that curl can imitate.",
                remedy="Use 'chrome' or another target of the installed curl_cffi.",
            ) from exc
        except RequestException as exc:
            code = TOO_LARGE if buffer.is_over else int(exc.code)
            limit = self._settings.max_body_bytes
            return exc.response, explain_curl(code, str(exc), checked.host, timeout_s=timeout_s, max_bytes=limit)
        return response, None

    def _options(self, checked: CheckedAddress, sent: _SentHeaders) -> dict[Any, Any]:
        from curl_cffi import CurlOpt

        proxy = proxy_for_curl(self._proxy_for(checked))
        options: dict[Any, Any] = {
            # An empty value keeps curl from reading proxies out of the environment.
            CurlOpt.PROXY: proxy,
            CurlOpt.NOPROXY: "",
            CurlOpt.MAXFILESIZE_LARGE: self._settings.max_body_bytes,
            CurlOpt.VERBOSE: 1,
            CurlOpt.DEBUGFUNCTION: sent.listen,
        }
        if proxy.startswith("http") and checked.url.startswith("https:"):
            options[CurlOpt.HTTPPROXYTUNNEL] = 1
        if self._settings.ca_bundle:
            options[CurlOpt.CAINFO] = options[CurlOpt.PROXY_CAINFO] = str(self._settings.ca_bundle)
        if checked.pinned:
            # Connect only to what was judged: the name must not resolve to something else a moment later.
            options[CurlOpt.RESOLVE] = [f"{checked.host}:{checked.port}:{','.join(map(_bracketed, checked.pinned))}"]
        return options


def proxy_for_curl(proxy: str) -> str:
    """The proxy resolves names: curl's `socks5` and `socks4` would resolve them here, unjudged and for all to see."""
    for local, remote in (("socks5://", "socks5h://"), ("socks4://", "socks4a://")):
        if proxy.lower().startswith(local):
            return remote + proxy[len(local) :]
    return proxy


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _decoded(raw: Iterable[tuple[bytes, bytes | None]]) -> tuple[tuple[str, str], ...]:
    return tuple((_text(name), _text(value or b"")) for name, value in raw)


def _text(value: bytes) -> str:
    """Header bytes as text: UTF-8 where they are, else one character a byte."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
