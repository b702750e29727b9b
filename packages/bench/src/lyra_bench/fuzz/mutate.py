"""Damaged variants of good bytes, drawn by a seed. Pure."""

import random

_ODD = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\t", b"\r", b"\n", b"\x0b",
    b"%", b"%00", b"%ff", b";", b"=", b":", b"//", b"\\", b"[", b"]", b"{", b"<", b">", b'"', b"&#0;", b"&#xD800;",
    b"-1", b"0", b"999999999999999999999", b"1e999", b"NaN", b"null", "\u202e".encode(), b"\x1b[2J",
)  # fmt: skip


def mutated(chance: random.Random, good: bytes, most: int = 6) -> bytes:
    """The bytes after one to `most` changes: odd bytes put in, pieces cut, doubled, moved or overwritten."""
    data = bytearray(good)
    for _ in range(chance.randint(1, most)):
        _change(chance, data)
    return bytes(data)


def _change(chance: random.Random, data: bytearray) -> None:
    at = chance.randint(0, len(data))
    end = min(len(data), at + chance.choice((1, 2, 8, 64, 1024)))
    kind = chance.randrange(6)
    if kind == 0:
        data[at:at] = chance.choice(_ODD) * chance.choice((1, 1, 1, 2, 50))
    elif kind == 1:
        data[at:end] = chance.choice(_ODD)
    elif kind == 2:
        del data[at:end]
    elif kind == 3:
        data[at:at] = data[at:end] * chance.choice((1, 2, 30))
    elif kind == 4:
        piece = bytes(data[at:end])
        del data[at:end]
        place = chance.randint(0, len(data))
        data[place:place] = piece
    else:
        data[at:end] = chance.randbytes(end - at)
