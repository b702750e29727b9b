"""SOCKS5 as Tor's client port speaks it (RFC 1928, 1929): a name in, a connection out; any user name is taken."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass

_VERSION = 5
_NO_AUTHENTICATION, _USER_PASSWORD, _NO_METHOD = 0, 2, 0xFF
_CONNECT = 1
_IPV4, _NAME = 1, 3
_GRANTED, _NOT_ALLOWED, _HOST_UNREACHABLE, _COMMAND_UNSUPPORTED = 0, 2, 4, 7


class SocksError(Exception):
    """The peer does not speak SOCKS5, or went away."""


@dataclass(frozen=True)
class Wish:
    """Where the client wants to go; `is_address` when it had resolved the name itself, which Tor users must not."""

    host: str
    port: int
    user: str
    is_address: bool


async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Wish:
    """Agree on a method and read the wish."""
    try:
        user = await _authenticate(reader, writer)
        version, command, _, kind = await reader.readexactly(4)
        if version != _VERSION:
            raise SocksError("not SOCKS5")
        host = await _destination(reader, kind)
        port = int.from_bytes(await reader.readexactly(2), "big")
    except asyncio.IncompleteReadError as exc:
        raise SocksError("the client went away") from exc
    if command != _CONNECT:
        await _reply(writer, _COMMAND_UNSUPPORTED)
        raise SocksError("only CONNECT is served")
    return Wish(host.lower(), port, user, kind != _NAME)


async def grant(writer: asyncio.StreamWriter) -> None:
    await _reply(writer, _GRANTED)


async def refuse(writer: asyncio.StreamWriter, wish: Wish) -> None:
    """Say that the name does not exist, or that addresses are not let out."""
    await _reply(writer, _NOT_ALLOWED if wish.is_address else _HOST_UNREACHABLE)


async def _authenticate(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    version, count = await reader.readexactly(2)
    methods = await reader.readexactly(count)
    if version != _VERSION:
        raise SocksError("not SOCKS5")
    if _USER_PASSWORD in methods:
        return await _user(reader, writer)
    if _NO_AUTHENTICATION not in methods:
        writer.write(bytes([_VERSION, _NO_METHOD]))
        await writer.drain()
        raise SocksError("no method in common")
    writer.write(bytes([_VERSION, _NO_AUTHENTICATION]))
    await writer.drain()
    return ""


async def _user(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """The user name; Tor gives each its own circuit and asks nobody for a password."""
    writer.write(bytes([_VERSION, _USER_PASSWORD]))
    await writer.drain()
    _, size = await reader.readexactly(2)
    user = await reader.readexactly(size)
    await reader.readexactly((await reader.readexactly(1))[0])
    writer.write(bytes([1, 0]))
    await writer.drain()
    return user.decode("utf-8", "replace")


async def _destination(reader: asyncio.StreamReader, kind: int) -> str:
    match kind:
        case 1:
            return str(ipaddress.IPv4Address(await reader.readexactly(4)))
        case 3:
            return (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii", "replace")
        case 4:
            return str(ipaddress.IPv6Address(await reader.readexactly(16)))
    raise SocksError("an address of an unknown kind")


async def _reply(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes([_VERSION, code, 0, _IPV4, 0, 0, 0, 0, 0, 0]))
    await writer.drain()
