"""The certificate authority."""

import stat
from pathlib import Path

from simweb.tls import Authority


def test_private_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    """Key and certificate are written with mode 0600."""
    Authority(tmp_path)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"ca.pem": 0o600, "ca-key.pem": 0o600}


def test_a_folder_keeps_its_authority(tmp_path: Path) -> None:
    """A client that trusts the CA of a folder still trusts it after a restart."""
    before = Authority(tmp_path).ca_path.read_bytes()

    after = Authority(tmp_path).ca_path.read_bytes()

    assert after == before


def test_a_host_gets_one_certificate(tmp_path: Path) -> None:
    """Certificates are minted once a host and kept."""
    authority = Authority(tmp_path)

    assert authority.context_for("www.fdso.gov") is authority.context_for("www.fdso.gov")
