"""How many tokens a text has for a language model whose tokenizer is not here: bounds that hold for all of them.

Measured with the tokenizers of Qwen2.5 and SmolLM2 on English and Japanese pages: an ASCII character is 0.2 to 0.45
tokens (digits and marks most), a Japanese one 0.5 to 1.6.
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
