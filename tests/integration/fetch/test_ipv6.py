"""IPv6 first, IPv4 where it does not answer."""

import asyncio
import socket
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lyra.clock import SystemClock
from lyra.fetch.addresses import CheckedAddress, check_address, ipv6_first
from lyra.fetch.admission import result_of
from lyra.fetch.classify import PageClass
from lyra.fetch.headers import first_request
from lyra.fetch.http import HttpClient
from lyra.model.archive import Exchange
from lyra.model.page import FetchOutcome, FetchRequest
from lyra.settings import Network

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    await writer.drain()
    writer.close()


async def exchange(port: int) -> Exchange:
    client = HttpClient(Network(), SystemClock())
    checked = CheckedAddress(f"http://dual.example:{port}/", "dual.example", port, ipv6_first(("127.0.0.1", "::1")))
    try:
        async with client.session() as session:
            return await client.exchange(session, first_request(FetchRequest(checked.url)), checked, 5.0)
    finally:
        await client.close()


@pytest.fixture
def has_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")


async def test_ipv6_is_asked_first(has_ipv6: None) -> None:
    """Where a host answers on both, IPv6 is taken."""
    first = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(serve, "::1", port)

    async with first, second:
        found = await exchange(port)

    assert (found.status_code, found.ip_address, found.is_switched) == (200, "::1", False)


async def test_ipv4_answers_where_ipv6_does_not(has_ipv6: None) -> None:
    """A host whose IPv6 address is dead is reached by IPv4 in the same request."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)

    async with server:
        found = await exchange(server.sockets[0].getsockname()[1])

    assert (found.status_code, found.ip_address, found.is_switched) == (200, "127.0.0.1", True)


def test_result_tells_the_family_and_the_switch() -> None:
    """What the journal and `lyra metrics` count; behind a proxy nobody knows, and nothing is claimed."""
    answer = Exchange("https://example.org/", "GET", NOON, status_code=200, body=b"ok", ip_address="93.184.215.14")
    request, served = FetchRequest(answer.url), PageClass(FetchOutcome.OK)

    found = result_of(replace(answer, is_switched=True), served, request, None, "http", 0.1)
    hidden = result_of(replace(answer, ip_address=None), served, request, None, "http", 0.1)

    assert (found.ip_version, found.ip_switched) == (4, True)
    assert (hidden.ip_version, hidden.ip_switched) == (None, None)


async def test_resolved_addresses_are_put_in_order() -> None:
    """What a resolver gives in any order is connected to with IPv6 first."""

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

    found = await check_address("https://example.org/", resolve=resolve, allow_private=False)

    assert isinstance(found, CheckedAddress)
    assert found.pinned == ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", "93.184.215.14")
