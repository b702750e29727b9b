"""Deep links: an address that opens a page at the quoted words (URL text fragments)."""

from urllib.parse import quote

_EDGE_WORDS = 6
_WHOLE_BELOW = 60


def deep_link(url: str, words: str) -> str:
    """The page's address with a text fragment that a browser scrolls to and marks."""
    plain = " ".join(words.split())
    if not plain:
        return url
    if len(plain) <= _WHOLE_BELOW:
        target = _encode(plain)
    elif " " in plain and len(plain.split()) > 2 * _EDGE_WORDS:
        parts = plain.split()
        target = f"{_encode(' '.join(parts[:_EDGE_WORDS]))},{_encode(' '.join(parts[-_EDGE_WORDS:]))}"
    else:
        target = f"{_encode(plain[:20])},{_encode(plain[-20:])}"
    return f"{url.split('#')[0]}#:~:text={target}"


def _encode(text: str) -> str:
    # The fragment directive gives "-" and "," a meaning of their own.
    return quote(text, safe="").replace("-", "%2D")
