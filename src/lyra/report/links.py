"""Links that open a page at the quoted words, and addresses as targets of Markdown links."""

import re
from urllib.parse import quote

from lyra.model.report import QuotedEvidence
from lyra.text import is_japanese, strip_control_chars, without_surrogates

_LINK_EDGE_WORDS = 6
_MAX_WHOLE_CHARS = 60
_MIN_EDGE_CHARS = 6
_MAX_EDGE_CHARS = 30
# Where every dictionary parts Japanese words: after punctuation, and after a particle that kanji or katakana follow.
_WORD_END = re.compile("(?<=[、。，．！？）」』])(?=.)|(?<=[はがをにで])(?=[\u30a1-\u30fa\u4e00-\u9fff])")


def passage_link(quoted: QuotedEvidence) -> str:
    """The address of a quote's passage: its page in a paged document, else a text fragment."""
    if quoted.page_number is not None:
        return f"{quoted.url.split('#')[0]}#page={quoted.page_number}"
    return deep_link(quoted.url, quoted.quote)


def deep_link(url: str, words: str) -> str:
    """The page's address with a text fragment that a browser scrolls to and marks.

    Browsers find whole words only, so nothing is cut within one: a short quote is given whole, a long one by its first
    and last words, between which the page may have notes and tags that were not read.
    """
    plain = " ".join(strip_control_chars(without_surrogates(words)).split())
    if not plain:
        return url
    if is_japanese(plain):
        first, last = _japanese_edges(plain)
    else:
        first, last = _edges(plain)
    target = ",".join(_encode_fragment(part) for part in (first, last) if part)
    return f"{url.split('#')[0]}#:~:text={target}"


def _edges(plain: str) -> tuple[str, str]:
    """The first and the last words of a quote, of a table's row its first and last cell; of a short one only itself."""
    cells = plain.split(" | ")
    if len(cells) > 1:
        return cells[0], cells[-1]
    parts = plain.split()
    if len(parts) <= 2 * _LINK_EDGE_WORDS:
        return plain, ""
    return " ".join(parts[:_LINK_EDGE_WORDS]), " ".join(parts[-_LINK_EDGE_WORDS:])


def _japanese_edges(plain: str) -> tuple[str, str]:
    """The same for text without spaces: cut where a word surely ends, and never across a space, which the page may not
    have there."""
    if len(plain) <= _MAX_WHOLE_CHARS and " " not in plain:
        return plain, ""
    cuts = [found.start() for found in _WORD_END.finditer(plain)]
    spaces = [place for place, char in enumerate(plain) if char == " "]
    start = _nearest_cut([*cuts, *spaces[:1]], most=spaces[0] if spaces else len(plain))
    backwards = [len(plain) - cut for cut in (*cuts, *spaces[-1:])]
    end = len(plain) - _nearest_cut(backwards, most=len(plain) - spaces[-1] if spaces else len(plain))
    return (plain, "") if start >= end and not spaces else (plain[:start].strip(), plain[end:].strip())


def _nearest_cut(cuts: list[int], most: int) -> int:
    """The longest edge of at most thirty characters, else the shortest one that is longer."""
    usable = [cut for cut in cuts if _MIN_EDGE_CHARS <= cut <= most]
    short = [cut for cut in usable if cut <= _MAX_EDGE_CHARS]
    return max(short) if short else min(usable, default=most)


def _encode_fragment(text: str) -> str:
    # The fragment directive gives "-" and "," a meaning of their own.
    return quote(text, safe="").replace("-", "%2D")


def link_target(url: str) -> str:
    """An address as the target of a Markdown link: what would end the link or a table's cell is percent-encoded."""
    return re.sub(r"[\s()<>|\\`\[\]*]", lambda found: quote(found[0], safe=""), without_surrogates(url))
