"""How many tokens a text has for a language model whose tokenizer is not here: a bound from above and one from below.

Wide on purpose: English prose has about a quarter of a token a character, Japanese about one in most vocabularies.
"""

_MOST_ASCII, _MOST_OTHER = 0.5, 1.7
_LEAST_ASCII, _LEAST_OTHER = 0.1, 0.25


def most_tokens(text: str) -> int:
    """What a text takes at most: a question that fits by this count fits."""
    ascii_chars = sum(map(str.isascii, text))
    return round(ascii_chars * _MOST_ASCII + (len(text) - ascii_chars) * _MOST_OTHER) + 1


def least_tokens(text: str) -> int:
    """What a text takes at least: a server that has read fewer has cut it."""
    ascii_chars = sum(map(str.isascii, text))
    return int(ascii_chars * _LEAST_ASCII + (len(text) - ascii_chars) * _LEAST_OTHER)
