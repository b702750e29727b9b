"""The recorder of connections: the filter's reports are read as addresses, and no way of naming a peer is missed."""

import os
import socket
import sys
import threading

import pytest

from lyra_bench.measure.connections import Connection, read_address, run_recorded
from lyra_bench.measure.egress import receiver

CHILD = """
import socket, subprocess, sys
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.sendto(b"x", ("127.0.0.1", 9))
udp.sendmsg([b"x"], [], 0, ("127.0.0.1", 11))
udp.connect(("127.0.0.1", 13))
program = "import socket; socket.socket(socket.AF_INET6).connect_ex(('::1', 1))"
subprocess.run([sys.executable, "-I", "-S", "-c", program])
"""


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(b"\x02\x00\x01\xbb\x08\x08\x04\x04" + bytes(8), ("8.8.4.4", 443), id="IPv4"),
        pytest.param(
            b"\x0a\x00\x00\x35" + bytes(4) + socket.inet_pton(socket.AF_INET6, "2001:db8::1") + bytes(4),
            ("2001:db8::1", 53), id="IPv6",
        ),
        pytest.param(b"\x01\x00/run/x.sock\x00", ("/run/x.sock", 0), id="socket file"),
        pytest.param(b"\x10\x00" + bytes(10), None, id="netlink"),
        pytest.param(b"\x02", None, id="cut off"),
    ],
)  # fmt: skip
def test_address_is_read_from_memory(raw: bytes, expected: tuple[str, int] | None) -> None:
    """As the kernel would read it; on a machine whose least byte comes first."""
    assert read_address(raw) == expected


def test_every_way_to_name_a_peer_is_recorded_in_children_too() -> None:
    """sendto, sendmsg and connect, over UDP and TCP, in the command and in what it starts."""
    code, _, seen = run_recorded([sys.executable, "-I", "-S", "-c", CHILD], os.environ, 30)

    program = seen[0].program
    assert code == 0
    assert seen == (
        Connection(program, "127.0.0.1", 9, is_datagram=True),
        Connection(program, "127.0.0.1", 11, is_datagram=True),
        Connection(program, "127.0.0.1", 13, is_datagram=True),
        Connection(program, "::1", 1),
    )


def test_nothing_watches_on_when_the_command_has_ended() -> None:
    """The kernel says that no process is left below the filter, and the thread ends."""
    before = set(threading.enumerate())

    run_recorded([sys.executable, "-I", "-S", "-c", CHILD], os.environ, 30)

    assert set(threading.enumerate()) == before


@pytest.mark.parametrize(
    ("connection", "expected"),
    [
        (Connection("python", "127.0.0.1", 8080), "proxy"),
        (Connection("python", "127.0.0.1", 8081), "loopback"),
        (Connection("python", "/run/x", 0), "socket file"),
        (Connection("python", "10.0.0.1", 53, is_datagram=True), "name server"),
        (Connection("python", "93.184.215.14", 443), "internet"),
        (Connection("chrome", "2001:4860:4860::8888", 443, is_datagram=True), "route test"),
        (Connection("chrome", "2001:4860:4860::8888", 443), "internet"),
    ],
    ids=["proxy", "own process", "socket file", "name server", "site", "route test", "real connection"],
)
def test_receiver_is_named(connection: Connection, expected: str) -> None:
    """What is not known is the internet, which no part may reach past the proxy."""
    assert receiver(connection, {8080: "proxy"}) == expected
