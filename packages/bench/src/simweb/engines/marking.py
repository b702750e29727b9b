"""Query terms set in bold in a snippet, as engines do."""

from __future__ import annotations

import re
from html import escape


def mark(text: str, words: str, tag: str) -> str:
    """`text` as HTML with the words of the query inside `tag`."""
    terms = sorted({escape(word) for word in words.split() if len(word) > 1}, key=len, reverse=True)
    html = escape(text)
    if not terms:
        return html
    pattern = re.compile("|".join(_pattern(term) for term in terms), re.IGNORECASE)
    return pattern.sub(lambda match: f"<{tag}>{match.group()}</{tag}>", html)


def _pattern(term: str) -> str:
    return rf"(?<![\w&]){re.escape(term)}(?!\w)" if term.isascii() else re.escape(term)
