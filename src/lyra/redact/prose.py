"""Sentences that are shown to a person: passwords, tokens and cookies written into them are masked. Pure."""

import re

from lyra.redact.redactor import PLAIN, REDACTED

_USERINFO = re.compile(r"([a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
# Names before a secret in headers, assignments, JSON and sentences, and the secret itself: after a colon or an equals
# sign any text, after a space only text with a digit.
_NAME = (
    r"(?:cookie|authorization|token|password|passwd|passphrase|secret|api[ _-]?key|access[ _-]?key|sess(?:ion)?[_-]?id"
    r"|パスワード|暗証番号|トークン|(?:認証|確認)コード)(?:[_-][\w-]{1,40})?"
    r"|\b(?:bearer|pwd|otp|sid|pin(?=\W{0,3}\d))|session(?=\s*=)"
)
_ASSIGNED = (
    r"[\"']?\s*[:=：＝]\s*)(?:(?:bearer|basic|digest|negotiate)\s+)?"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&]+(?:;\s*[^\s;=]+=[^\s;]+)*)"
)
_STATED_JA = r"\s*は\s*)[!-~]{4,}"
_AFTER_WORD = r"\s+(?:is\s+)?)(?=\S*\d)\S{6,}"
_SECRET = re.compile("|".join(f"((?:{_NAME}){rest}" for rest in (_ASSIGNED, _STATED_JA, _AFTER_WORD)), re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def without_secrets(text: str) -> str:
    """The text with passwords, tokens and cookies masked, in text and in addresses."""
    plain = _CONTROL.sub(" ", text).strip()
    plain = _USERINFO.sub(r"\1", plain)
    plain = PLAIN.text(plain)
    return _SECRET.sub(lambda found: f"{found.group(found.lastindex or 0)}{REDACTED}", plain)
