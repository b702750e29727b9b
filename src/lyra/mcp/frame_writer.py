"""Standard output of the server, written by daemon threads: a client that reads no more cannot hold the server."""

import asyncio
import contextlib
import errno
import os
import select
import threading
from collections.abc import Callable

_CHUNK_BYTES = 65_536
_PATIENCE_S = 2.0


class FrameWriter:
    """What goes out on a descriptor, as the transport writes to a text file.

    `flush` waits until all is written, however long the client takes. It can be cancelled, and it raises
    BrokenPipeError where for `patience_s` nothing was taken from a client that has ended its own side.
    """

    def __init__(self, descriptor: int, is_client_gone: Callable[[], bool], *, patience_s: float = _PATIENCE_S) -> None:
        self._descriptor = descriptor
        self._is_client_gone = is_client_gone
        self._patience_s = patience_s
        self._parts: list[str] = []
        self._written_bytes = 0

    async def write(self, text: str) -> None:
        self._parts.append(text)

    async def flush(self) -> None:
        data, self._parts = "".join(self._parts).encode(), []
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        threading.Thread(target=self._write, args=(data, written), name="lyra-wire-out", daemon=True).start()
        while not written.done():
            before = self._written_bytes
            await asyncio.wait({written}, timeout=self._patience_s)
            if not written.done() and self._written_bytes == before and self._is_client_gone():
                raise BrokenPipeError(errno.EPIPE, "the client has ended its side and reads no more")
        written.result()

    def _write(self, data: bytes, written: "asyncio.Future[None]") -> None:
        failure: OSError | None = None
        left = memoryview(data)
        try:
            while left:
                count = os.write(self._descriptor, left[:_CHUNK_BYTES])
                self._written_bytes += count
                left = left[count:]
        except OSError as exc:
            failure = exc
        with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
            written.get_loop().call_soon_threadsafe(_settle, written, failure)


def _settle(written: "asyncio.Future[None]", failure: OSError | None) -> None:
    if written.done():  # cancelled
        return
    if failure is None:
        written.set_result(None)
    else:
        written.set_exception(failure)


def has_hung_up(descriptor: int) -> bool:
    """Whether the other side of a pipe was closed, though it may still hold data; unknown on Windows."""
    if not hasattr(select, "poll"):
        return False
    watch = select.poll()
    watch.register(descriptor, 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in watch.poll(0))


def take_stdout() -> int:
    """Standard output under another descriptor; what else prints goes to standard error and not into the protocol."""
    descriptor = os.dup(1)
    os.set_inheritable(descriptor, False)
    os.dup2(2, 1)
    return descriptor
