"""The certificate authority of the simulated web: one CA, one certificate a host, minted when first asked.

Certificates can also be wrong on purpose: expired, for another name, or signed by a CA that nobody knows.
"""

from __future__ import annotations

import os
import ssl
from datetime import UTC, datetime
from pathlib import Path

import trustme

from simweb.faults import Certificate

CA_FILE = "ca.pem"
KEY_FILE = "ca-key.pem"
OTHER_NAME = "shared-hosting.example"
_PAST = (datetime(2001, 1, 1, tzinfo=UTC), datetime(2002, 1, 1, tzinfo=UTC))


class Authority:
    """Signs for any host name; the CA lives in `directory` and is reused when it is already there."""

    def __init__(self, directory: Path) -> None:
        self.ca_path = directory / CA_FILE
        self._ca = _open_ca(self.ca_path, directory / KEY_FILE)
        self._contexts: dict[tuple[str, Certificate | None], ssl.SSLContext] = {}

    def context_for(self, host: str, flaw: Certificate | None = None) -> ssl.SSLContext:
        """A server context with a certificate for `host`, flawed if so wished, speaking HTTP/1.1 only."""
        context = self._contexts.get((host, flaw))
        if context is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.set_alpn_protocols(["http/1.1"])
            self._issue(host, flaw).configure_cert(context)
            self._contexts[host, flaw] = context
        return context

    def _issue(self, host: str, flaw: Certificate | None) -> trustme.LeafCert:
        match flaw:
            case "certificate_expired":
                return self._ca.issue_cert(host, not_before=_PAST[0], not_after=_PAST[1])
            case "certificate_other_name":
                return self._ca.issue_cert(OTHER_NAME)
            case "certificate_unknown_ca":
                return trustme.CA(organization_name="Nobody's authority").issue_cert(host)
        return self._ca.issue_cert(host)


def _open_ca(ca_path: Path, key_path: Path) -> trustme.CA:
    if ca_path.exists() and key_path.exists():
        return trustme.CA.from_pem(ca_path.read_bytes(), key_path.read_bytes())
    ca = trustme.CA(organization_name="Simulated web")
    ca_path.parent.mkdir(parents=True, exist_ok=True)
    _write_private(key_path, ca.private_key_pem.bytes())
    _write_private(ca_path, ca.cert_pem.bytes())
    return ca


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
