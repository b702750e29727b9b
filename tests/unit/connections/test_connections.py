"""What counts as one address, and how many connections it may hold."""

import pytest

from lyra.connections import AddressLimits, network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
    ],
)
def test_network_of_an_address(address: str, network: str) -> None:
    """One subscriber has a whole /64 of IPv6 addresses; an IPv4 address may be written as IPv6."""
    assert network_of(address) == network


def test_connections_are_given_back() -> None:
    """What was refused is not counted, and what has ended makes room."""
    limits = AddressLimits(total=3, per_address=2)
    taken = [limits.take(one) for one in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3")]
    limits.give_back("192.0.2.1")

    again = limits.take("192.0.2.3")

    assert (taken, again) == ([True, True, False, True, False], True)
