"""Which addresses of model servers may be used."""

import pytest

from lyra.errors import SettingsError
from lyra.ml.endpoints import EndpointAddress, allowed_address


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.8.0.3"])
def test_an_address_on_this_machine_needs_no_permission(host: str) -> None:
    """Loopback is used without TLS and without a switch."""
    found = allowed_address(f"http://{host}:8080/v1/")

    assert found == EndpointAddress(f"http://{host}:8080/v1", host.strip("[]"), 8080, True, False)


@pytest.mark.parametrize("host", ["models.example.org", "10.0.0.5", "127.0.0.1.example.org", "0.0.0.0"])
def test_another_machine_needs_allow_remote(host: str) -> None:
    """A name that merely looks like loopback is another machine."""
    with pytest.raises(SettingsError) as raised:
        allowed_address(f"https://{host}")

    assert raised.value.message == f"The endpoint {host} is not on this machine."


def test_another_machine_without_tls_is_refused() -> None:
    """allow_remote alone does not send texts in the clear."""
    with pytest.raises(SettingsError) as raised:
        allowed_address("http://10.0.0.5:80", allow_remote=True)

    assert raised.value.message == "The endpoint 10.0.0.5:80 is not on this machine and has no TLS."


@pytest.mark.parametrize(
    ("url", "insecure", "port", "is_tls"),
    [("https://models.example.org", False, 443, True), ("http://models.example.org", True, 80, False)],
    ids=["TLS", "insecure"],
)
def test_another_machine_with_permission(url: str, insecure: bool, port: int, is_tls: bool) -> None:
    """TLS, or the user's explicit word, opens the way."""
    found = allowed_address(url, allow_remote=True, insecure=insecure)

    assert found == EndpointAddress(url, "models.example.org", port, False, is_tls)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8080",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:99999",
        "http://127.0.0.1/?a=b",
        "http://[::",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """The error shows the address."""
    with pytest.raises(SettingsError) as raised:
        allowed_address(url)

    assert raised.value.message == f"The endpoint {url!r} is not an address of a server."


def test_a_password_in_an_address_is_not_repeated() -> None:
    """An address with a user is refused without showing it."""
    with pytest.raises(SettingsError) as raised:
        allowed_address("http://me:secret@127.0.0.1")

    assert raised.value.message == "The endpoint is not an address of a server."
