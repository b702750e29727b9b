"""The FTS5 tokenizer `lyra`: words by script, the same for text and query, so that short Japanese words are found."""

import re
from collections.abc import Callable, Iterator

import apsw

from lyra import text

_Token = tuple[int, int, *tuple[str, ...]]
_Tokenizer = Callable[[bytes, int, str | None], Iterator[_Token]]

NAME = "lyra"
_KANJI_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]{3,}")


def register(connection: apsw.Connection) -> None:
    """Make `tokenize = 'lyra'` known to a connection."""
    connection.register_fts5_tokenizer(NAME, _make)


def _make(connection: apsw.Connection, arguments: list[str]) -> _Tokenizer:
    return _tokenize


def _tokenize(utf8: bytes, flags: int, locale: str | None) -> Iterator[_Token]:
    """Tokens with their byte offsets; bytes that are no text are passed over."""
    words = utf8.decode("utf-8", "surrogateescape")
    offsets = _ByteOffsets(words)
    is_query = bool(flags & apsw.FTS5_TOKENIZE_QUERY)
    for start, end, word in text.located_tokens(words):
        forms = (word,) if is_query else (word, *_parts(word))
        yield offsets.at(start), offsets.at(end), *forms


def _parts(word: str) -> tuple[str, ...]:
    """Pairs of characters inside a longer word of kanji, found at its place: a name the dictionary keeps whole."""
    if not _KANJI_WORD.fullmatch(word):
        return ()
    return tuple(dict.fromkeys(word[i : i + 2] for i in range(len(word) - 1)))


class _ByteOffsets:
    """Byte offsets of ascending character offsets, in one pass over the text."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._is_ascii = words.isascii()
        self._character = 0
        self._byte = 0

    def at(self, character: int) -> int:
        if self._is_ascii:
            return character
        self._byte += len(self._words[self._character : character].encode("utf-8", "surrogateescape"))
        self._character = character
        return self._byte
