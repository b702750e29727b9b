"""The subject of an X.509 certificate, read from its DER bytes: only what a registry's record needs (RFC 5280)."""

import base64
import binascii
import re
from dataclasses import dataclass

_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s*([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----")
_SEQUENCE, _SET, _INTEGER, _OID, _VERSION = 0x30, 0x31, 0x02, 0x06, 0xA0
_NAMES = {
    bytes.fromhex("550403"): "CN",
    bytes.fromhex("550406"): "C",
    bytes.fromhex("550407"): "L",
    bytes.fromhex("55040a"): "O",
}
_UTF16 = 0x1E


@dataclass(frozen=True, slots=True)
class CertificateSubject:
    """The serial number in hexadecimal digits, and the names of issuer and subject by `CN`, `O`, `L`, `C`."""

    serial: str
    issuer: dict[str, str]
    subject: dict[str, str]


def read_certificate(pem: bytes) -> CertificateSubject:
    """The first certificate of a PEM text; ValueError where it is none."""
    found = _PEM.search(pem)
    if found is None:
        raise ValueError("is not a certificate")
    try:
        der = base64.b64decode(found[1], validate=False)
        (_, certificate), *_ = _values(der)
        (_, to_be_signed), *_ = _values(certificate)
        parts = _values(to_be_signed)
    except (binascii.Error, IndexError) as exc:
        raise ValueError("is a broken certificate") from exc
    own = [part for part in parts if part[0] != _VERSION]
    # Serial number, algorithm, issuer, validity, subject.
    if len(own) < 5 or own[0][0] != _INTEGER or any(tag != _SEQUENCE for tag, _ in own[1:5]):
        raise ValueError("is a broken certificate")
    serial = own[0][1].hex()
    return CertificateSubject(serial, _names(own[2][1]), _names(own[4][1]))


def _values(data: bytes) -> list[tuple[int, bytes]]:
    """The tags and contents that stand one after another."""
    found: list[tuple[int, bytes]] = []
    place = 0
    while place < len(data):
        tag, length, start = data[place], data[place + 1], place + 2
        if length & 0x80:
            size = length & 0x7F
            length, start = int.from_bytes(data[start : start + size]), start + size
        if start + length > len(data):
            raise IndexError
        found.append((tag, data[start : start + length]))
        place = start + length
    return found


def _names(name: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag, group in _values(name):
        for _, pair in _values(group) if tag == _SET else ():
            (kind, oid), (form, text), *_ = [*_values(pair), (0, b""), (0, b"")]
            if kind == _OID and oid in _NAMES:
                found.setdefault(_NAMES[oid], text.decode("utf-16-be" if form == _UTF16 else "utf-8", "replace"))
    return found
