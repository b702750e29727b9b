"""L2: what the world wrote, made fit to stand in a prompt, and which of its words sound like orders to a model."""

import html
import re
from dataclasses import dataclass

from lyra.text import normalise

MAX_PROMPT_CHARS = 4_000
REMOVED = "[removed]"
# Hidden characters go and entities shrink: so much of the raw text is looked at to fill the limit.
_RAW_SHARE = 4
_ENTITY_ROUNDS = 3

_DASH = r"[-\u2010\u2012-\u2015\u2212]"
_NAME = rf"L\s*Y\s*R\s*A\s*{_DASH}"
# Our own tags in any spelling, and the marks by which chat models part the speakers.
_TAG = re.compile(
    rf"<\s*/?\s*{_NAME}[^<>]{{0,80}}>?|{_NAME}\s*(?:[0-9a-f]\s*){{8,}}|"
    r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
_DANGERS = {
    "ignore_instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|above|prior|earlier|instructions?|rules)\b|"
        r"(?:以前|上記|これまで|前|すべて)の?(?:指示|命令|ルール).{0,10}(?:無視|忘れ|従わ)",
        re.IGNORECASE,
    ),
    "system_prompt": re.compile(r"\bsystem (?:prompt|instructions?|message)\b|システムプロンプト", re.IGNORECASE),
    "disclosure": re.compile(
        r"\b(?:reveal|print|repeat|show|output)\b.{0,30}\b(?:prompt|instructions?)\b|"
        r"(?:プロンプト|指示文)を.{0,10}(?:表示|開示|出力|教え)",
        re.IGNORECASE,
    ),
    "transmission": re.compile(
        r"\b(?:send|post|upload|forward)\b.{0,60}\bhttps?://|https?://\S+に.{0,10}送", re.IGNORECASE
    ),
}


@dataclass(frozen=True, slots=True)
class SanitisedText:
    """A text fit for a prompt, and the names of the dangerous patterns it holds."""

    text: str
    dangers: tuple[str, ...]


def sanitise(text: str, limit: int = MAX_PROMPT_CHARS) -> SanitisedText:
    """NFKC on one line without entities, control or zero-width characters and tags; cut to `limit` characters.

    Dangerous words stay: a page may speak of them. They are named for the journal.
    """
    plain = normalise(_unescaped(text[: limit * _RAW_SHARE])).strip()
    cleaned = _TAG.sub(REMOVED, plain)[:limit]
    return SanitisedText(cleaned, tuple(name for name, pattern in _DANGERS.items() if pattern.search(cleaned)))


def _unescaped(text: str) -> str:
    """Entities decoded, also those that were encoded again."""
    for _ in range(_ENTITY_ROUNDS):
        decoded = html.unescape(text)
        if decoded == text:
            return text
        text = decoded
    return text
