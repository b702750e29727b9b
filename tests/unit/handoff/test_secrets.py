"""What a notification may say: no password, token or cookie, in words or in addresses."""

import pytest

from lyra.handoff.notify import notification_text, without_secrets


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
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: redacted"),
        ("Bearer abcdef123456789", "Bearer redacted"),
        ("see https://x.org/cb#access_token=zzz", "see https://x.org/cb#access_token=redacted"),
        ("access_token=abc123def", "access_token=redacted"),
        ("client_secret=abc and PHPSESSID=def", "client_secret=redacted and PHPSESSID=redacted"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtn/K7M", "AWS_SECRET_ACCESS_KEY=redacted"),
        ("the API key: sk-1", "the API key: redacted"),
        ('{"password": "two words"}', '{"password": redacted}'),
        ("password is hunter2.", "password is redacted"),
        ("仮パスワード：abc", "仮パスワード：redacted"),
        ("パスワードはabc123です", "パスワードはredactedです"),
        ("認証コード 123456", "認証コード redacted"),
        ("PIN: 1234", "PIN: redacted"),
        ("postgres://user:pw@host/db", "postgres://host/db"),
        ("it said eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc_1-x", "it said redacted"),
        ("with sk-ant-api03-abcdefghijklmnop", "with redacted"),
        ("The token is missing.", "The token is missing."),
        ("A password of 12 characters", "A password of 12 characters"),
        ("Session: opening remarks", "Session: opening remarks"),
        ("The site wants cookies: accept them", "The site wants cookies: accept them"),
        ("パスワードを入力してください", "パスワードを入力してください"),
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

    assert notification_text("A page waits", details) == "A page waits\n厚生労働省\nhttps://x.org/\ncaptcha"


def test_an_endless_message_is_cut() -> None:
    """600 characters are enough for a notification."""
    assert notification_text("あ" * 5000, {}) == "あ" * 600


def test_a_huge_detail_is_looked_at_only_as_far_as_it_is_shown() -> None:
    """A megabyte without an end to its first word is cut before anything is looked for in it."""
    assert notification_text("A page waits", {"reason": "token" * 400_000}) == "A page waits\n" + "token" * 60
