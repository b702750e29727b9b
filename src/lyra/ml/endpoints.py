"""May this address be used? One rule for every server of models that a user names.

Texts of a search go to it, so it is on this machine unless the user says otherwise, and then behind TLS.
"""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.errors import SettingsError


@dataclass(frozen=True, slots=True)
class EndpointAddress:
    """An address that may be used; `base` has no slash at its end."""

    base: str
    host: str
    port: int
    is_local: bool
    is_tls: bool

    @property
    def path(self) -> str:
        """What stands before the path of every request."""
        return urlsplit(self.base).path

    @property
    def place(self) -> str:
        """Host and port, as messages name it."""
        return urlsplit(self.base).netloc


def allowed_address(url: str, *, allow_remote: bool = False, insecure: bool = False) -> EndpointAddress:
    """The address, taken apart; `SettingsError` where this rule forbids it."""
    address = _parse(url)
    if address.is_local:
        return address
    if not allow_remote:
        raise SettingsError(
            f"The endpoint {address.place} is not on this machine.",
            remedy="Set allow_remote = true beside it to send texts there, or name an address on 127.0.0.1.",
        )
    if not (address.is_tls or insecure):
        raise SettingsError(
            f"The endpoint {address.place} is not on this machine and has no TLS.",
            remedy="Name its https address, or set insecure = true beside it where the network between is yours.",
        )
    return address


def _parse(url: str) -> EndpointAddress:
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _malformed(url) from None
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in ("http", "https") or not host or not is_plain or not url.isprintable():
        raise _malformed(url)
    is_tls = parts.scheme == "https"
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return EndpointAddress(base, host, port or (443 if is_tls else 80), _is_loopback(host), is_tls)


def _is_loopback(host: str) -> bool:
    """A name is not resolved: whoever answers for it could name another machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _malformed(url: str) -> SettingsError:
    """Without the address where it may hold a password."""
    shown = "" if "@" in url else f" {url[:60]!r}"
    return SettingsError(
        f"The endpoint{shown} is not an address of a server.",
        remedy="Write it like http://127.0.0.1:8080 or https://models.example.org, without user, query or fragment.",
    )
