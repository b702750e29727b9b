"""The wire of stdio: whole frames, bounded memory, the right request refused."""

import os
from collections.abc import Iterator

import pytest

from lyra.mcp.frames import FrameReader, MalformedFrame, OversizedFrame, check_frame, split_frames

NESTED = b"[" * 300 + b"]" * 300  # more than the transport reads, less than Python does


def chunks(*parts: bytes) -> Iterator[bytes]:
    return iter(parts)


def test_frames_are_put_together_from_chunks() -> None:
    """A pipe cuts where it likes; half a frame at the end of input is none."""
    found = list(split_frames(chunks(b'{"a":1}\n{"b"', b":2}\n\n{", b'"c":3}\n{"half"'), 100))

    assert found == [b'{"a":1}', b'{"b":2}', b"", b'{"c":3}']


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"%b"}}', 7),
        (b'{"method":"tools/call","params":{"id":5,"x":"%b"},"jsonrpc":"2.0","id":"a-1"}', "a-1"),
        (b'{"method":"tools/call","params":{"x":"%b","id":5},"jsonrpc":"2.0", "id": 8 }', 8),
        (b'{"jsonrpc":"2.0","method":"' + b"m" * 150 + b'","id":6,"params":{"x":"%b"}}', 6),
        (b'{"method":"notifications/progress","params":{"x":"%b","id":5}}', None),
        (b'{"params":{"id":5,"x":"%b"},"id":9,"method":"tools/call"}', None),
        (b"%b", None),
    ],
    ids=["first", "last", "spaces", "behind a long method", "notification", "hidden", "garbage"],
)
def test_a_frame_that_is_too_large_names_its_own_request(frame: bytes, expected: object) -> None:
    """Only an id that is surely the request's own is answered: an answer to another one would be worse than none."""
    large = frame % (b"x" * 20_000)
    pieces = [large[at : at + 700] for at in range(0, len(large), 700)]

    found = list(split_frames(chunks(*pieces, b'\n{"next":1}\n'), 10_000))

    assert found == [OversizedFrame(expected), b'{"next":1}']  # type: ignore[arg-type]


def test_the_limit_itself_is_allowed() -> None:
    """Ten bytes fit into ten; eleven do not."""
    found = list(split_frames(chunks(b"x" * 10 + b"\n" + b"y" * 11 + b"\n"), 10))

    assert found == [b"x" * 10, OversizedFrame(None)]


async def test_frames_arrive_as_text_and_refusals_are_told() -> None:
    """What is not UTF-8 is replaced, so that the frame fails as JSON instead of ending the server."""
    told: list[OversizedFrame | MalformedFrame] = []

    async def refuse(frame: OversizedFrame | MalformedFrame) -> None:
        told.append(frame)

    reading, writing = os.pipe()
    good = b'{"jsonrpc":"2.0","method":"\xe6\x97\xa5"}\n'
    os.write(writing, good + b'\xff\xfe\n{"jsonrpc":"2.0","id":3,"method":"' + b"x" * 60 + b'"}\n')
    os.close(writing)

    found = [frame async for frame in FrameReader(reading, refuse, max_bytes=50)]

    os.close(reading)
    assert found == ['{"jsonrpc":"2.0","method":"日"}']
    assert told == [MalformedFrame(None, is_json=False), OversizedFrame(3)]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b"not json", MalformedFrame(None, is_json=False)),
        (b"[]", MalformedFrame(None, is_json=True)),
        (b'{"jsonrpc":"2.0"}', MalformedFrame(None, is_json=True)),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}', MalformedFrame(7, is_json=True)),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', MalformedFrame("a", is_json=True)),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', MalformedFrame(None, is_json=True)),
        (b"[" * 100_000, MalformedFrame(None, is_json=False)),
        ('{"jsonrpc":"2.0","id":6,"method":"心"}'.encode("cp932"), MalformedFrame(6, is_json=False)),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":"\\ud83d"}}', MalformedFrame(8, is_json=False)),
        (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":' + NESTED + b"}}", MalformedFrame(9, is_json=False)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":1,"result":{}}'),
        (b"  ", "  "),
    ],
    ids=[
        "text",
        "list",
        "nothing",
        "params",
        "version",
        "id",
        "deep",
        "encoding",
        "half-a-pair",
        "nested",
        "request",
        "answer",
        "blank",
    ],
)
def test_what_is_no_message_is_told_apart(frame: bytes, expected: str | MalformedFrame) -> None:
    """A request that cannot be one is answered under its own id where it has one: nobody waits for ever."""
    assert check_frame(frame) == expected
