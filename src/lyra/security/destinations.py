"""Part of L2: orders that name where something is to be sent, told from prose about such orders.

An address is no word of a text: what it spells says nothing of what the text is about.
"""

import re

from lyra.security.japanese_orders import ends_as_order
from lyra.text import normalise

# ASCII alone: Japanese follows an address without a space.
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.]{1,9}://|\bwww\.)(?:[^\s/.、。「」『』\"'<>]{1,63}\.)*[!#-&(-;=?-~]+|"
    r"(?<![\w.+-])[a-z0-9_.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+|"
    r"(?<![\w.@-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@])(?:[/:?#][!#-&(-;=?-~]*)?",
    re.IGNORECASE | re.ASCII,
)
SEND = r"(?:send|post|upload|forward|e-?mail|transmit|exfiltrate|leak|submit|append|transfer|make a request|fetch|open)"
_SEND = rf"{SEND}(?![\w-])"
_OTHER = (
    r"(?:ignore|disregard|forget|override|bypass|reveal|print|repeat|copy|collect|gather|take|read|find|list)"
    r"(?![\w-])"
)
_LEAD = r"(?:(?:please|now|then|also|immediately|you (?:must|should|will|shall|(?:have|need|are) to))\s+){0,3}"
_JOINED = r"(?:\band\b|\bthen\b|[,;.:!])\s*"
_ORDER = rf"{_LEAD}(?:{_SEND}|{_OTHER}.{{0,160}}?{_JOINED}{_LEAD}{_SEND}).{{0,120}}?ADDRESS"
# Where a sentence, or what it introduces, begins; and, more loosely, where any part of it does.
_OPENING = re.compile(
    rf"(?:^|[:;.!?\"“‘'«(\[*>—–]|\b(?:for example|for instance|e\.g\.),)\s*{_ORDER}", re.IGNORECASE | re.DOTALL
)
_WITHIN = re.compile(rf"[,-]\s*{_ORDER}", re.IGNORECASE | re.DOTALL)
# What is not to be done, or what somebody lets another do.
_NO_ORDER = re.compile("(?:ない|ぬ|させる)(?:で|よう|こと).{0,8}$")
_REPORTING = re.compile(
    r"\b(?:say|says|said|show|shows|showed|shown|read|reads|write|writes|wrote|written|contain|contains|contained|"
    r"describes?|described|reports?|reported|warns?|warned|tells?|told|asks?|asked|instructs?|instructed|"
    r"hid|hides|hidden|embeds?|embedded|plants?|planted|injects?|injected|includes?|included|tried|tested|used|uses|"
    r"demonstrates?|demonstrated|explains?|explained|quotes?|quoted|mentions?|mentioned|found|saw|typed)\b|"
    r"という|といった|と(?:書|述べ|言|指示|命|記)|示し|報告|説明|紹介|埋め込|仕込|含ま|含む|見つか",
    re.IGNORECASE,
)


def without_addresses(text: str) -> str:
    """The text with a blank for each character of an address."""
    return _ADDRESS.sub(lambda match: " " * len(match.group()), text)


def orders_sending(sentence: str, *, is_to_ai: bool) -> bool:
    """Whether the sentence orders its reader to send something to an address in it.

    `is_to_ai`: it also speaks of a model or its instructions, so that the order may stand behind any words.
    """
    plain = normalise(sentence).strip()
    marked = _ADDRESS.sub("ADDRESS", plain)
    if marked == plain:
        return False
    if _OPENING.search(marked) or (is_to_ai and _WITHIN.search(marked)):
        return True
    return ends_as_order(plain) and not _NO_ORDER.search(plain)


def reports(text: str) -> bool:
    """Whether words say that somebody said, wrote or did something."""
    return _REPORTING.search(text) is not None
