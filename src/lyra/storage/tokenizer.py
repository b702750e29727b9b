"""The FTS5 tokenizer `lyra`: words by script, the same for text and query, so that short Japanese words are found.

A full-text table records how it was made: `tokenize = 'lyra'` by the dictionary, `'lyra pairs'` without one. Where this
installation does it otherwise, the table is made again.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import apsw

from lyra import text
from lyra.errors import StorageError

_Token = tuple[int, int, *tuple[str, ...]]
_Tokenizer = Callable[[bytes, int, str | None], Iterator[_Token]]

NAME = "lyra"
_PAIRS = "pairs"
_TOKENIZE = re.compile(r"tokenize = '[^']*'")
_KANJI_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]{3,}")


def register(connection: apsw.Connection) -> None:
    """Make `tokenize = 'lyra'` known to a connection."""
    connection.register_fts5_tokenizer(NAME, _make)


def _make(connection: apsw.Connection, arguments: list[str]) -> _Tokenizer:
    return partial(_tokenize, in_pairs=_PAIRS in arguments)


def is_outdated(connection: apsw.Connection) -> bool:
    """Whether full text was made with a dictionary that is not here, or without the one that is."""
    return bool(_foreign(connection))


def rebuild_indexes(connection: apsw.Connection) -> None:
    """Make such full-text tables anew, as this installation tells words apart."""
    for name, sql in _foreign(connection):
        connection.execute(f"drop table {name}")
        connection.execute(_TOKENIZE.sub(_wanted(), sql))
        connection.execute(f"insert into {name} ({name}) values ('rebuild')")


def _foreign(connection: apsw.Connection) -> list[tuple[str, str]]:
    made: list[Any] = connection.execute("select name, sql from sqlite_schema where sql like '%using fts5%'").fetchall()
    return [(name, sql) for name, sql in made if _wanted() not in sql]


def _wanted() -> str:
    return f"tokenize = '{NAME}'" if text.has_dictionary() else f"tokenize = '{NAME} {_PAIRS}'"


def _tokenize(utf8: bytes, flags: int, locale: str | None, *, in_pairs: bool) -> Iterator[_Token]:
    """Tokens with their byte offsets; bytes that are no text are passed over."""
    if not in_pairs and not text.has_dictionary():  # another process has made the table anew meanwhile
        raise StorageError(
            "The full text was made with the Japanese dictionary, which is not installed.", remedy=text.JAPANESE_EXTRA
        )
    words = utf8.decode("utf-8", "surrogateescape")
    offsets = _ByteOffsets(words)
    is_query = bool(flags & apsw.FTS5_TOKENIZE_QUERY)
    for start, end, word in text.located_tokens(words, in_pairs=in_pairs):
        forms = (word,) if is_query else (word, *_parts(word))
        yield offsets.at(start), offsets.at(end), *forms


def _parts(word: str) -> tuple[str, ...]:
    """Pairs of characters inside a longer word of kanji, found at its place: a name the dictionary keeps whole."""
    if not _KANJI_WORD.fullmatch(word):
        return ()
    return tuple(dict.fromkeys(word[i : i + 2] for i in range(len(word) - 1)))


class _ByteOffsets:
    """Byte offsets of character offsets that ascend, or go back by little, in one pass over the text."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._is_ascii = words.isascii()
        self._character = 0
        self._byte = 0

    def at(self, character: int) -> int:
        if self._is_ascii:
            return character
        first, last = sorted((self._character, character))
        between = len(self._words[first:last].encode("utf-8", "surrogateescape"))
        self._byte += between if first == self._character else -between
        self._character = character
        return self._byte
