"""A person's answer at the terminal, or a program's through a pipe."""

import asyncio
import sys
import threading


async def read_line() -> str | None:
    """A line of standard input, None at its end; a thread reads it that nobody has to wait for."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[str] = loop.create_future()

    def give(line: str) -> None:
        if not read.done():
            read.set_result(line)

    def listen() -> None:
        # Bytes: whatever is no text must become a wrong answer, not the end of the thread that is waited for. Past the
        # buffer: its lock, held by a thread that still waits, makes Python abort at its end (Ctrl-C).
        bare = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        line = bare.readline().decode(sys.stdin.encoding, "surrogateescape")
        if not loop.is_closed():
            loop.call_soon_threadsafe(give, line)

    threading.Thread(target=listen, name="lyra-line", daemon=True).start()
    line = await read
    return line.rstrip("\r\n") if line else None
