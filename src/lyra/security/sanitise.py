"""L2: what a language model is given is plain text of bounded length, without marks that could pass for ours."""

import html
import re
from dataclasses import dataclass

from lyra.security.injection import scan
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


@dataclass(frozen=True, slots=True)
class SanitisedText:
    """A text fit for a prompt, the kinds of orders to a model that it holds, and how many characters were left out."""

    text: str
    dangers: tuple[str, ...]
    cut_chars: int = 0


def sanitise(text: str, limit: int = MAX_PROMPT_CHARS) -> SanitisedText:
    """NFKC on one line without entities, control or zero-width characters and tags; cut to `limit` characters.

    Orders stay: a page may quote them. Their kinds are named for the journal.
    """
    looked_at = text[: limit * _RAW_SHARE]
    plain = normalise(_unescaped(looked_at)).strip()
    whole = _TAG.sub(REMOVED, plain)
    cut = len(text) - len(looked_at) + max(0, len(whole) - limit)
    return SanitisedText(whole[:limit], tuple(dict.fromkeys(found.kind.value for found in scan(plain[:limit]))), cut)


def _unescaped(text: str) -> str:
    """Entities decoded, also those that were encoded again."""
    for _ in range(_ENTITY_ROUNDS):
        decoded = html.unescape(text)
        if decoded == text:
            return text
        text = decoded
    return text
