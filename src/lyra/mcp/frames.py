"""Standard input of the server: frames of bounded size, read by a daemon thread."""

import asyncio
import contextlib
import json
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

from pydantic_core import from_json

from lyra.observe.log import get_logger

MAX_FRAME_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 65_536
_EDGE_BYTES = 2_048
_MAX_QUEUED_FRAMES = 4
# Among the first members or as the very last one, the id is the request's own and not that of a nested object.
_ID = rb'"id"\s*:\s*(\d{1,18}|"[^"\\\x00-\x1f]{1,200}")'
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*,\s*){0,2}' + _ID)
_ID_LAST = re.compile(rb",\s*" + _ID + rb"\s*\}\s*$")
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OversizedFrame:
    """A frame that was dropped; `request_id` is None where it was no request or its id was not found."""

    request_id: int | str | None


@dataclass(frozen=True, slots=True)
class MalformedFrame:
    """A line that is no message of the protocol; `is_json` says whether it is at least valid JSON."""

    request_id: int | str | None
    is_json: bool


Refuse = Callable[[OversizedFrame | MalformedFrame], Awaitable[None]]


class FrameReader:
    """The frames that come in on a descriptor, one a line, as the transport takes them from a text file.

    A frame that is too large is never held in memory; `refuse` sends an error. `has_ended`: no more will come.
    """

    def __init__(self, descriptor: int, refuse: Refuse, *, max_bytes: int = MAX_FRAME_BYTES) -> None:
        self._descriptor = descriptor
        self._refuse = refuse
        self._max_bytes = max_bytes
        self.has_ended = False

    async def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[str | OversizedFrame | MalformedFrame | None] = asyncio.Queue()
        room = threading.Semaphore(_MAX_QUEUED_FRAMES)

        def pass_on(frame: str | OversizedFrame | MalformedFrame | None) -> None:
            room.acquire()
            loop.call_soon_threadsafe(arrived.put_nowait, frame)

        def read() -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody takes what comes
                for frame in split_frames(_chunks(self._descriptor), self._max_bytes):
                    pass_on(frame if isinstance(frame, OversizedFrame) else check_frame(frame))
                self.has_ended = True
                pass_on(None)

        threading.Thread(target=read, name="lyra-wire", daemon=True).start()
        while (frame := await arrived.get()) is not None:
            room.release()
            if isinstance(frame, OversizedFrame | MalformedFrame):
                await self._refuse(frame)
            else:
                yield frame


def check_frame(frame: bytes) -> str | MalformedFrame:
    """The frame as text, or what is wrong with it, so that its sender gets an error instead of no answer."""
    text = frame.decode("utf-8", "replace")  # also of a line in another encoding, for the id that its sender waits on
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return MalformedFrame(None, is_json=False) if text.strip() else text
    if not isinstance(message, dict):
        return MalformedFrame(None, is_json=True)
    asked = message.get("id")
    request_id = asked if isinstance(asked, int | str) and not isinstance(asked, bool) else None
    if not _is_valid_json(frame):
        return MalformedFrame(request_id, is_json=False)
    is_answer = "result" in message or "error" in message
    is_request = isinstance(message.get("method"), str) and isinstance(message.get("params", {}), dict)
    if message.get("jsonrpc") == "2.0" and (is_answer or is_request) and (request_id is not None or asked is None):
        return text
    return MalformedFrame(request_id, is_json=True)


def _is_valid_json(frame: bytes) -> bool:
    """Whether it is UTF-8 JSON that the transport accepts: no lone surrogate, no very deep nesting."""
    try:
        from_json(frame)
    except ValueError:
        return False
    return True


def split_frames(chunks: Iterator[bytes], max_bytes: int) -> Iterator[bytes | OversizedFrame]:
    """Whole lines out of chunks; an unfinished line at the end is dropped."""
    line = bytearray()
    size, tail = 0, b""
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            size += len(part)
            if size <= max_bytes:
                yield bytes(line + part)
            else:
                yield _dropped(bytes((line + part[:_EDGE_BYTES])[:_EDGE_BYTES]), tail + part, size)
            line.clear()
            size, tail = 0, b""
        size += len(rest)
        tail = (tail + rest)[-_EDGE_BYTES:]
        if size <= max_bytes:
            line += rest
        elif len(line) < _EDGE_BYTES:
            line += rest[: _EDGE_BYTES - len(line)]
        else:
            del line[_EDGE_BYTES:]


def _dropped(head: bytes, tail: bytes, size: int) -> OversizedFrame:
    _log.warning("frame too large", bytes=size)
    found = _ID_FIRST.match(head) or _ID_LAST.search(tail)
    return OversizedFrame(json.loads(found[1]) if found else None)


def _chunks(descriptor: int) -> Iterator[bytes]:
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        yield chunk


def take_stdin() -> int:
    """Standard input under another descriptor; child processes find nothing to read on theirs."""
    descriptor = os.dup(0)
    os.set_inheritable(descriptor, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return descriptor
