"""Certificates, read from their bytes."""

import pytest
import trustme

from lyra.registries.certificates import read_certificate
from lyra.registries.crtsh import read


def pem(organisation: str) -> bytes:
    authority = trustme.CA(organization_name="Simulated Trust Services")
    leaf = authority.issue_cert("m.example", common_name="m.example", organization_name=organisation)
    return leaf.cert_chain_pems[0].bytes()


def test_issuer_and_subject_are_told_apart() -> None:
    """Both are organisations; only the subject's is the owner."""
    found = read_certificate(pem("株式会社美咲野製作所"))

    assert (found.issuer["O"], found.subject["O"]) == ("Simulated Trust Services", "株式会社美咲野製作所")
    assert found.subject["CN"] == "m.example"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "is a broken certificate"),
        (b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "is a broken certificate"),
        (b"-----BEGIN CERTIFICATE-----\n\n", "is not a certificate"),
    ],
    ids=["zeros", "cut", "no-end"],
)
def test_a_broken_certificate_is_no_record(body: bytes, reason: str) -> None:
    """A length beyond the end is no crash."""
    with pytest.raises(ValueError, match=reason):
        read(body)


@pytest.mark.parametrize("cut", range(40, 400, 24))
def test_a_certificate_that_breaks_off_is_no_crash(cut: int) -> None:
    """Whatever the length, the answer is the same ValueError."""
    lines = pem("Misakino").split(b"\n")
    body = b"".join(lines[1:-2])[:cut]

    with pytest.raises(ValueError, match="broken certificate"):
        read_certificate(b"-----BEGIN CERTIFICATE-----\n" + body + b"\n-----END CERTIFICATE-----\n")
