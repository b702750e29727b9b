"""How many connections a server holds, in all and of one address: counted from accepting a socket until it is closed.

So they count also while a TLS handshake is under way, of which the server's protocol knows nothing yet.
"""

import ipaddress
import socket
from collections import Counter
from typing import Any

_SUBSCRIBER_BITS = 64  # of IPv6: whoever has an address has all with these first bits (RFC 6177)


def network_of(address: str) -> str:
    """What counts as one address: an IPv4 address, also where it is written as IPv6, or the /64 of an IPv6 address."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _SUBSCRIBER_BITS), strict=False).network_address)


class AddressLimits:
    """Counts the open connections of each address."""

    def __init__(self, total: int, per_address: int) -> None:
        self._total = total
        self._per_address = per_address
        self._open: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count one more connection of the address; False, and nothing counted, where that is too many."""
        network = network_of(address)
        if self._open.total() >= self._total or self._open[network] >= self._per_address:
            return False
        self._open[network] += 1
        return True

    def give_back(self, address: str) -> None:
        network = network_of(address)
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]


class _CountedSocket(socket.socket):
    """A connection that is counted until it is closed."""

    _limits: AddressLimits | None = None
    _address = ""

    def count(self, limits: AddressLimits, address: str) -> None:
        self._limits, self._address = limits, address

    def close(self) -> None:
        limits, self._limits = self._limits, None
        if limits is not None:
            limits.give_back(self._address)
        super().close()


class LimitedListener(socket.socket):
    """A listening socket that closes at once what is beyond the limits. It takes the place of the given one.

    On Windows asyncio does not accept by this method, and only the server's own limit counts.
    """

    def __init__(self, listening: socket.socket, limits: AddressLimits) -> None:
        super().__init__(listening.family, listening.type, listening.proto, fileno=listening.detach())
        self._limits = limits

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; ConnectionAbortedError where it is one too many, as if it had ended by itself."""
        accepted, address = super().accept()
        if not self._limits.take(address[0]):
            accepted.close()
            raise ConnectionAbortedError
        taken = _CountedSocket(self.family, self.type, self.proto, fileno=accepted.detach())
        taken.count(self._limits, address[0])
        return taken, address
