"""Which addresses may be asked: the rule that keeps Lyra off its user's own machine and network."""

import pytest

from lyra.fetch.addresses import CheckedAddress, RefusedAddress, check_address, wire_form


def resolver(*addresses: str):
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return addresses

    return resolve


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Example.ORG", "https://example.org/"),
        ("https://example.org/a b?q=x y#frag", "https://example.org/a%20b?q=x%20y"),
        ("https://例え.jp/検索?q=糖尿病", "https://xn--r8jz45g.jp/%E6%A4%9C%E7%B4%A2?q=%E7%B3%96%E5%B0%BF%E7%97%85"),
        ("https://example.org/%E6%A4%9C?x=%20", "https://example.org/%E6%A4%9C?x=%20"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"),
        ("https://example.org./", "https://example.org/"),
        ("https://exam\tple.org/\n", "https://example.org/"),
    ],
    ids=["case", "spaces", "japanese", "escaped", "ipv6", "root-dot", "tab-and-newline"],
)
def test_wire_form_is_ascii_without_fragment(url: str, expected: str) -> None:
    """An address goes over the wire in one plain form, because curl and Python must read the same host in it."""
    assert wire_form(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https:///path",
        "https://exa mple.org/",
        "https://127%2e0%2e0%2e1/",
        "https://127.0.0.1\\.example.org/",
        "https://example.org:99999/",
        "https://example.org:0/",
        "https://[not-an-address]/",
        "https://example.org/\x00",
        "https://example.org/" + "a" * 9000,
        "https://" + "a" * 300 + ".org/",
    ],
    ids=[
        "empty",
        "ftp",
        "javascript",
        "file",
        "no-host",
        "space-in-host",
        "percent-host",
        "backslash",
        "port-too-big",
        "port-zero",
        "bad-ipv6",
        "nul",
        "too-long",
        "host-too-long",
    ],
)
def test_unusable_addresses_have_no_wire_form(url: str) -> None:
    """Spellings that two parsers might read differently are refused, not repaired."""
    assert wire_form(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://１２７.0.0.1/",
        "http://10.1.2.3/",
        "http://192.168.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://[::1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b:1::a00:1]/",
        "http://[::7f00:1]/",
        "http://[::ffff:0:7f00:1]/",
        "http://[fec0::1]/",
        "http://localhost/",
        "http://api.localhost:8080/",
        "http://printer.local/",
        "http://vault.internal/",
    ],
)
async def test_internal_addresses_are_refused_even_behind_a_proxy(url: str) -> None:
    """A page must not be able to point Lyra at the user's own services, in whatever spelling."""
    assert isinstance(await check_address(url, resolve=None, allow_private=False), RefusedAddress)


async def test_literal_private_address_is_named_in_the_reason() -> None:
    """The reason says which address was meant, so that the user can see what the page tried."""
    found = await check_address("http://169.254.169.254/latest", resolve=None, allow_private=False)

    assert found == RefusedAddress("169.254.169.254 is a loopback, private or otherwise internal address.")


async def test_name_that_resolves_to_a_private_address_is_refused() -> None:
    """A public name for a private address is the classic way round a check of literals."""
    found = await check_address("https://rebind.example/", resolve=resolver("10.0.0.5"), allow_private=False)

    assert found == RefusedAddress(
        "rebind.example resolves to 10.0.0.5, a loopback, private or otherwise internal address."
    )


async def test_one_private_answer_among_public_ones_is_enough() -> None:
    """Mixed answers are how DNS rebinding begins, so the public ones do not help."""
    found = await check_address("https://mixed.example/", resolve=resolver("93.184.215.14", "::1"), allow_private=False)

    assert found == RefusedAddress("mixed.example resolves to ::1, a loopback, private or otherwise internal address.")


async def test_public_name_is_pinned_to_the_addresses_that_were_judged() -> None:
    """The connection may only go where the check looked, whatever the name resolves to a moment later."""
    found = await check_address(
        "https://who.int:8443/a", resolve=resolver("104.18.1.1", "2606:4700::6812:101"), allow_private=False
    )

    assert found == CheckedAddress("https://who.int:8443/a", "who.int", 8443, ("2606:4700::6812:101", "104.18.1.1"))


async def test_unknown_name_is_unresolved_not_refused() -> None:
    """A name that does not exist is a failure of the network, not a breach of a rule."""
    found = await check_address("https://nirgends.example/", resolve=resolver(), allow_private=False)

    assert found == RefusedAddress("The host name nirgends.example could not be resolved.", is_unresolved=True)


async def test_behind_a_proxy_names_are_left_to_the_proxy() -> None:
    """Without a resolver no name is looked up: the proxy resolves it, so nothing leaks to the local resolver."""
    found = await check_address("https://www.mhlw.go.jp/", resolve=None, allow_private=False)

    assert found == CheckedAddress("https://www.mhlw.go.jp/", "www.mhlw.go.jp", 443, ())


async def test_private_addresses_are_asked_when_the_user_allows_it() -> None:
    """A researcher may have sources on the own network; the setting opens it."""
    found = await check_address("http://127.0.0.1:8080/x", resolve=None, allow_private=True)

    assert found == CheckedAddress("http://127.0.0.1:8080/x", "127.0.0.1", 8080)


async def test_credentials_in_an_address_are_refused() -> None:
    """A redirect must not make Lyra present somebody's password."""
    found = await check_address("https://user:pass@example.org/", resolve=None, allow_private=True)

    assert found == RefusedAddress("Addresses that carry a user name or password are not fetched.")
