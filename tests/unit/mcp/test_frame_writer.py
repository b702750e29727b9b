"""Answers on the wire: whole, however large, and never in the way of ending."""

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest

from lyra.mcp.frame_writer import FrameWriter, has_hung_up

MORE_THAN_A_PIPE_HOLDS = "x" * 300_000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)  # a thread that still writes ends with an error
    for thread in threading.enumerate():
        if thread.name == "lyra-wire-out":
            thread.join()
    os.close(writer)


async def test_large_frame_arrives_whole(pipe: tuple[int, int]) -> None:
    """In the order written, also where it does not fit into the pipe at once."""
    reader, writer = pipe
    frames = FrameWriter(writer, lambda: False)

    async def send() -> None:
        await frames.write(MORE_THAN_A_PIPE_HOLDS)
        await frames.write("終\n")
        await frames.flush()

    def receive() -> bytes:
        received = b""
        while not received.endswith(b"\n"):
            received += os.read(reader, 65_536)
        return received

    _, received = await asyncio.gather(send(), asyncio.to_thread(receive))

    assert received.decode() == MORE_THAN_A_PIPE_HOLDS + "終\n"


async def test_client_that_is_gone_and_reads_nothing_is_given_up(pipe: tuple[int, int]) -> None:
    """After a moment in which nothing was taken."""
    frames = FrameWriter(pipe[1], lambda: True, patience_s=0.01)
    await frames.write(MORE_THAN_A_PIPE_HOLDS)

    with pytest.raises(BrokenPipeError):
        await frames.flush()


async def test_waiting_for_a_client_that_does_not_read_can_be_cancelled(pipe: tuple[int, int]) -> None:
    """It may take its time while it is there; a signal ends the server all the same."""
    frames = FrameWriter(pipe[1], lambda: False, patience_s=0.01)
    await frames.write(MORE_THAN_A_PIPE_HOLDS)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await frames.flush()


async def test_error_of_the_descriptor_is_raised() -> None:
    """Such as of a client that closed its end, or a full disk."""
    reader, writer = os.pipe()
    os.close(reader)
    frames = FrameWriter(writer, lambda: False)
    await frames.write("x")

    with pytest.raises(BrokenPipeError):
        await frames.flush()
    os.close(writer)


def test_closed_end_of_a_pipe_is_noticed_before_what_it_holds_is_read() -> None:
    """A server that is busy writing has not read to the end."""
    reader, writer = os.pipe()
    os.write(writer, b"unread")
    before = has_hung_up(reader)

    os.close(writer)

    assert (before, has_hung_up(reader)) == (False, True)
    os.close(reader)
