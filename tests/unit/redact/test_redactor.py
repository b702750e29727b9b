"""A keyed hash stands where a secret stood: the same for the same secret, and only with this directory's key."""

import stat
from pathlib import Path

import pytest

from lyra.errors import StorageError
from lyra.redact.key import KEY_FILE, redactor_of
from lyra.redact.redactor import PLAIN, Redactor

ADDRESS = "https://a.example/f?sig=nVaG3kXo8mSp2Yq0ZTfRw1bJc5dLhE7u&page=2"


def test_the_hash_depends_on_the_key_and_on_nothing_else() -> None:
    """What is redacted twice is found again; another directory's hashes say nothing."""
    first, second = Redactor(lambda: b"one"), Redactor(lambda: b"another")

    assert first.url(ADDRESS) == "https://a.example/f?sig=redacted-acd9b21ebb5c8d89&page=2"
    assert second.url(ADDRESS) == "https://a.example/f?sig=redacted-95ff8932da9c608d&page=2"
    assert PLAIN.url(ADDRESS) == "https://a.example/f?sig=redacted&page=2"


def test_redacting_twice_changes_nothing_more() -> None:
    """An address may pass the archive and the journal."""
    redactor = Redactor(lambda: b"one")

    once = redactor.url(ADDRESS)

    assert redactor.url(once) == once


def test_the_key_is_made_with_the_first_secret_and_private(tmp_path: Path) -> None:
    """Whoever has no secret needs no key; the file is the user's alone."""
    redactor = redactor_of(tmp_path / "data")
    redactor.url("https://a.example/?page=2")
    was_there = (tmp_path / "data").exists()

    redactor.url(ADDRESS)

    assert was_there is False
    assert stat.S_IMODE((tmp_path / "data" / KEY_FILE).stat().st_mode) == 0o600
    assert redactor_of(tmp_path / "data").url(ADDRESS) == redactor.url(ADDRESS)


def test_a_broken_key_is_an_error_and_no_new_key(tmp_path: Path) -> None:
    """With another key nothing that was redacted before would be found."""
    (tmp_path / KEY_FILE).write_text("not a key")

    with pytest.raises(StorageError):
        redactor_of(tmp_path).url(ADDRESS)


def test_plain_data_is_cleaned_to_its_leaves() -> None:
    """Journal entries hold lists and objects; numbers stay numbers."""
    found = PLAIN.deep({"reason": f"{ADDRESS} timed out", "tried": [ADDRESS, 3], "bytes": 12, "why": None})

    clean = "https://a.example/f?sig=redacted&page=2"
    assert found == {"reason": f"{clean} timed out", "tried": [clean, 3], "bytes": 12, "why": None}


def test_names_in_plain_data_are_cleaned_too() -> None:
    """A journal entry may tell something of each address, and names it by the address."""
    found = PLAIN.deep({"levels": {ADDRESS: "low", "a.example": "low"}, 3: "x"})

    assert found == {"levels": {"https://a.example/f?sig=redacted&page=2": "low", "a.example": "low"}, 3: "x"}


@pytest.mark.parametrize(("secret", "shown"), [("12345678", "key redacted"), ("1234567", "key 1234567")])
def test_short_values_are_no_secrets(secret: str, shown: str) -> None:
    """Eight characters are struck out wherever they stand; fewer would strike innocent text."""
    assert PLAIN.with_known_secrets([secret]).text(f"key {secret}") == shown


@pytest.mark.parametrize("scheme", ["https", "http", "ws", "wss", "ftp", "ftps", "sftp", "xhttps"])
def test_addresses_of_every_scheme_are_found_in_texts(scheme: str) -> None:
    """Also where a letter stands before one."""
    found = PLAIN.text(f"See {scheme}://a.example/f?token=abc now.")

    assert found == f"See {scheme}://a.example/f?token=redacted now."


def test_what_is_encoded_again_and_again_ends_at_the_depth_that_is_looked_into() -> None:
    """Three times; and it does not fail on an address that goes on."""
    deep = "https%253A%252F%252Fb.example%252F%253Fu%253D" * 50

    assert PLAIN.url(f"https://a.example/?u={deep}") == f"https://a.example/?u={deep}"
