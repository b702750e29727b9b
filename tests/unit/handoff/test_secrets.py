"""What a notification may say: no password, token or cookie, in words or in addresses."""

import pytest

from lyra.handoff.notify import text_of, without_secrets


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("https://u:p@x.org/a", "https://x.org/a"),
        ("see https://x.org/a?token=abc123&b=1", "see https://x.org/a?token=redacted&b=1"),
        ("password: hunter2 is wrong", "password: redacted is wrong"),
        ("Cookie: sid=abc; cf_clearance=def", "Cookie: redacted"),
        ("Authorization: Bearer eyJhbGciOi.J9", "Authorization: redacted"),
        ("パスワード：himitsu を入力", "パスワード：redacted を入力"),
        ("api_key=12345 was refused", "api_key=redacted was refused"),
        ("The token is missing.", "The token is missing."),
        ("Session expired: sign in again", "Session expired: sign in again"),
        ("line\x1b[31m one\x07", "line [31m one"),
    ],
)
def test_secrets_are_masked_and_plain_words_stay(said: str, shown: str) -> None:
    """Masked where a secret stands, untouched where only the word does."""
    assert without_secrets(said) == shown


def test_of_the_details_only_title_address_and_reason_are_shown() -> None:
    """In this order, whatever else a client sends along."""
    details = {
        "reason": "captcha",
        "url": "https://x.org/",
        "title": "厚生労働省",
        "session": "s",
        "url2": "no",
        "n": 1,
    }

    assert text_of("A page waits", details) == "A page waits\n厚生労働省\nhttps://x.org/\ncaptcha"


def test_an_endless_message_is_cut() -> None:
    """600 characters are enough for a notification."""
    assert text_of("あ" * 5000, {}) == "あ" * 600
