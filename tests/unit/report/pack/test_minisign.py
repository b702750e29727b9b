"""Keys and signatures in the form of minisign."""

import base64
from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.report.pack.minisign import (
    SecretKey,
    check_signature,
    public_key_text,
    read_public_key,
    read_secret_key,
    secret_key_text,
    sign_file,
)

KEY = SecretKey(bytes(range(8)), bytes(range(32)))
# The key that minisign's own page shows, under the number that it has there.
MINISIGN_PAGE = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"


def signed(tmp_path: Path) -> tuple[Path, Path]:
    file, signature = tmp_path / "pack", tmp_path / "pack.minisig"
    file.write_bytes(b"evidence")
    signature.write_text(sign_file(file, KEY, "of task 1"), "utf-8")
    return file, signature


def test_a_signature_is_of_its_file(tmp_path: Path) -> None:
    """The public key, from its file or as it is, shows that the signed comment and the file are the signer's."""
    file, signature = signed(tmp_path)
    public = tmp_path / "key.pub"
    public.write_text(public_key_text(KEY.public), "utf-8")

    found = [check_signature(file, signature, read_public_key(one)) for one in (str(public), KEY.public.text)]

    assert found == ["of task 1", "of task 1"]


def test_keys_come_back_from_their_files(tmp_path: Path) -> None:
    """The secret key as written, and minisign's own example under its number."""
    file = tmp_path / "key"
    file.write_text(secret_key_text(KEY), "utf-8")

    assert read_secret_key(file) == KEY
    assert read_public_key(MINISIGN_PAGE).name == "E7620F1842B4E81F"


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"evidence", b"evidence."), (b"of task 1", b"of task 2")],
    ids=["the file", "the comment"],
)
def test_what_was_changed_is_not_signed(tmp_path: Path, old: bytes, new: bytes) -> None:
    """The comment is signed too."""
    file, signature = signed(tmp_path)
    for one in (file, signature):
        one.write_bytes(one.read_bytes().replace(old, new))

    with pytest.raises(InvalidParams, match="The signature is not of this file"):
        check_signature(file, signature, KEY.public)


def test_another_key_is_named(tmp_path: Path) -> None:
    """Both numbers are told, so that the right key can be found."""
    file, signature = signed(tmp_path)

    with pytest.raises(
        InvalidParams, match=r"by another key \(0706050403020100\) than the one given \(E7620F1842B4E81F\)"
    ):
        check_signature(file, signature, read_public_key(MINISIGN_PAGE))


def test_a_key_under_a_password_is_refused(tmp_path: Path) -> None:
    """With what to do instead."""
    data = bytearray(base64.b64decode(secret_key_text(KEY).splitlines()[1]))
    data[2:4] = b"Sc"
    file = tmp_path / "key"
    file.write_text(f"untrusted comment: x\n{base64.b64encode(bytes(data)).decode()}\n", "utf-8")

    with pytest.raises(InvalidParams, match="protected by a password"):
        read_secret_key(file)


@pytest.mark.parametrize("text", ["", "untrusted comment: x\n", "AAAA", "not base 64!", "ü"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    """Neither kind of key is made of anything."""
    file = tmp_path / "key"
    file.write_text(text, "utf-8")

    with pytest.raises(InvalidParams, match="not a public key of minisign"):
        read_public_key(str(file))
    with pytest.raises(InvalidParams, match="not a secret key of minisign"):
        read_secret_key(file)
