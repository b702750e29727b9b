"""Which addresses may be requested: http(s) only, and nothing on this machine or its private networks."""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from lyra.urls import KEPT_AS_IS, host_of, is_private, literal_address, wire_host

Resolver = Callable[[str, int], Awaitable[tuple[str, ...]]]

NOT_WEB = "Only http and https addresses with a valid host are fetched."
_MAX_URL_CHARS = 8_192
_DROPPED = {ord(char): None for char in "\t\r\n"}
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An address that may be asked; `pinned` are the only IP addresses to connect to (empty: the proxy resolves)."""

    url: str
    host: str
    port: int
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedAddress:
    """An address that is not asked, and the reason; `is_unresolved` when the name simply does not exist."""

    reason: str
    is_unresolved: bool = False


async def system_resolver(host: str, port: int) -> tuple[str, ...]:
    """Every address of a host by the machine's own resolver; none where the name does not exist."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def wire_form(url: str) -> str | None:
    """The address as it goes over the wire: ASCII host, no fragment; None where it is not a usable http(s) address."""
    cleaned = url.strip().translate(_DROPPED).replace(" ", "%20")
    if len(cleaned) > _MAX_URL_CHARS or not cleaned.isprintable():
        return None
    try:
        parts = urlsplit(cleaned)
        port = parts.port
        host = _ascii_host(parts.hostname or "")
    except ValueError:
        return None
    if parts.scheme.lower() not in _DEFAULT_PORTS or not host or port == 0:
        return None
    credentials = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    netloc = credentials + host + (f":{port}" if port else "")
    path, query = (quote(piece, safe=KEPT_AS_IS) for piece in (parts.path or "/", parts.query))
    return urlunsplit((parts.scheme.lower(), netloc, path, query, ""))


def _ascii_host(host: str) -> str:
    """Only plain names and IP addresses: an unusual spelling might mean another host to curl than to us."""
    bare = host.rstrip(".")
    if ":" in bare:
        return f"[{ipaddress.IPv6Address(bare)}]"
    named = wire_host(bare)
    return named if _HOST.fullmatch(named) else ""


async def check_address(url: str, *, resolve: Resolver | None, allow_private: bool) -> CheckedAddress | RefusedAddress:
    """Judge an address before anything is sent; without a resolver (behind a proxy) names are taken as they are."""
    usable = wire_form(url)
    if usable is None:
        return RefusedAddress(NOT_WEB)
    parts = urlsplit(usable)
    if "@" in parts.netloc:
        return RefusedAddress("Addresses that carry a user name or password are not fetched.")
    host = host_of(usable)
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    if allow_private:
        return CheckedAddress(usable, host, port)
    literal = literal_address(usable)
    if literal is not None:
        return _check_literal(usable, host, port, literal)
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return RefusedAddress(f"{host} is a name of this machine or its private network.")
    return CheckedAddress(usable, host, port) if resolve is None else await _check_name(usable, host, port, resolve)


def _check_literal(
    url: str, host: str, port: int, literal: ipaddress.IPv4Address | ipaddress.IPv6Address
) -> CheckedAddress | RefusedAddress:
    if is_private(literal):
        return RefusedAddress(f"{literal} is a loopback, private or otherwise internal address.")
    return CheckedAddress(url, host, port)


async def _check_name(url: str, host: str, port: int, resolve: Resolver) -> CheckedAddress | RefusedAddress:
    """One internal address among the answers is enough to refuse: mixed answers are how rebinding begins."""
    addresses = await resolve(host, port)
    if not addresses:
        return RefusedAddress(f"The host name {host} could not be resolved.", is_unresolved=True)
    for address in addresses:
        if is_private(ipaddress.ip_address(address.split("%")[0])):
            return RefusedAddress(f"{host} resolves to {address}, a loopback, private or otherwise internal address.")
    return CheckedAddress(url, host, port, ipv6_first(addresses))


def ipv6_first(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """The order in which to connect: IPv6 where there is any (§4.3); curl goes on to IPv4 where it does not answer."""
    return tuple(sorted(addresses, key=lambda address: ":" not in address))


def ip_version(address: str) -> int:
    """6 or 4, of an address as text."""
    return 6 if ":" in address else 4


def is_switched(tried: tuple[str, ...], answered: str | None) -> bool:
    """Whether an address of the other family answered than the one that was tried first."""
    return bool(tried and answered) and ip_version(tried[0]) != ip_version(answered or "")
