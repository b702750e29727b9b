"""Frames between server and inference process."""

import socket
import struct
from collections.abc import Iterator

import pytest

from lyra.ml.frames import ConnectionEnded, receive, send


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    first, second = socket.socketpair()
    with first, second:
        yield first, second


def test_frame_arrives_whole(ends: tuple[socket.socket, socket.socket]) -> None:
    """Header and bytes arrive as they were sent, lone surrogates and Japanese included."""
    header = {"op": "embed", "items": ["血糖値", "a\ud800b", "🎉"]}

    send(ends[0], header, b"\x00\x01" * 1000)

    assert receive(ends[1]) == (header, b"\x00\x01" * 1000)


def test_frames_keep_their_borders(ends: tuple[socket.socket, socket.socket]) -> None:
    """Two frames written at once are read as two."""
    send(ends[0], {"n": 1}, b"x")
    send(ends[0], {"n": 2})

    assert [receive(ends[1]), receive(ends[1])] == [({"n": 1}, b"x"), ({"n": 2}, b"")]


def test_end_in_the_middle_of_a_frame_is_an_end(ends: tuple[socket.socket, socket.socket]) -> None:
    """A process killed while it writes leaves half a frame, which is never taken for an answer."""
    ends[0].sendall(struct.pack(">II", 100, 0) + b'{"ok"')
    ends[0].close()

    with pytest.raises(ConnectionEnded):
        receive(ends[1])


def test_sending_to_a_closed_end_is_an_end(ends: tuple[socket.socket, socket.socket]) -> None:
    """The same exception, whichever side notices first."""
    ends[1].close()

    with pytest.raises(ConnectionEnded):
        send(ends[0], {"op": "embed"}, b"x" * 1_000_000)


def test_absurd_length_is_an_end(ends: tuple[socket.socket, socket.socket]) -> None:
    """A prefix that announces gigabytes is not believed."""
    ends[0].sendall(struct.pack(">II", 10, 2**32 - 1))

    with pytest.raises(ConnectionEnded):
        receive(ends[1])
