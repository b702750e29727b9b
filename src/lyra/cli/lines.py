"""Where lines of Japanese may be broken: Rich breaks between words only, and Japanese has no spaces between them."""

import re

_OPENING = "（「『【〈《(\\[{“‘"
_NOT_FIRST = "、。，．・：；？！）」』】〉》ー々…～ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ)\\]},.:;?!%”’"
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"

# A word, or one wide character with the marks that may not be parted from it (JIS X 4051).
_PIECE = re.compile(
    rf"\s*(?:[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}]+)[{_NOT_FIRST}]*|\S)\s*",
)


def break_between_characters() -> None:
    """Let Rich break lines between Japanese characters too, for the rest of this process."""
    from rich import _wrap  # lazy: only where Japanese is shown

    if hasattr(_wrap, "re_word"):  # the name is Rich's own: without it lines are longer, and nothing is lost
        _wrap.re_word = _PIECE
