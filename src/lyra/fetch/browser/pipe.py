"""The bridge to a browser that is driven over a pipe: a socket file that only this user may open.

Chrome itself opens no port: it reads commands from one descriptor and writes answers to another, and both belong to the
process that started it. The driver, and other processes of the same user, come in through the socket. Each of them gets
a session of its own with the browser, so that none sees the events of another.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lyra.errors import ChromeNotReady

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection

_LARGEST_MESSAGE_BYTES = 256_000_000
_FOLDER_PREFIX = "lyra-browser-"
_SOCKET = "devtools"
# Chrome puts the session behind everything else, so that nothing inside a message can pass for it.
_SESSION = re.compile(rb',"sessionId":"(\w+)"\}$')
_ATTACHED = b'{"method":"Target.attachedToTarget",'
_DETACHED = b'{"method":"Target.detachedFromTarget",'


@dataclass(eq=False, slots=True)
class _Client:
    """One connection to the socket; messages without a session are for `root`, its own with the browser."""

    root: str
    outgoing: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)


class PipeBridge:
    """Carries messages between the pipe and the socket file; used once.

    `given` are the browser's ends of two pipes: its commands, its answers. They are this process's until `hand_over`.
    """

    def __init__(self) -> None:
        self.given: tuple[int, ...] = ()
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._owners: dict[str, _Client] = {}
        self._last_id = 0
        self._folder: Path | None = None
        self._server: Server | None = None
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def socket(self) -> Path:
        """The socket file, which lies in a folder that only this user may enter."""
        if self._folder is None:
            raise RuntimeError("the bridge is not open")
        return self._folder / _SOCKET

    async def open(self) -> None:
        """Make the pipes and listen. Raises OSError."""
        from websockets.asyncio.server import unix_serve

        loop = asyncio.get_running_loop()
        commands, writing = os.pipe()
        reading, answers = os.pipe()
        self.given = (commands, answers)
        reader = asyncio.StreamReader(limit=_LARGEST_MESSAGE_BYTES)
        self._reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", 0)
        )
        self._writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(writing, "wb", 0))
        self._folder = await asyncio.to_thread(_new_folder)
        self._server = await unix_serve(
            self._serve, str(self.socket), compression=None, max_size=None, ping_interval=None, origins=[None]
        )
        self.socket.chmod(0o600)
        self._task = asyncio.create_task(self._read(reader))

    def hand_over(self) -> None:
        """Close the browser's ends, once it has them."""
        for descriptor in self.given:
            os.close(descriptor)
        self.given = ()

    async def close(self) -> None:
        """End every connection and remove the socket; a browser whose pipe is closed ends by itself."""
        self.hand_over()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for transport in (self._reading, self._writing):
            if transport is not None:
                transport.close()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def command(self, method: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The browser's answer to one command of its own. Raises ChromeNotReady where it is gone or refuses."""
        if self._task is None or self._task.done():
            raise _hung_up()
        self._last_id += 1
        number = self._last_id
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._write({"id": number, "method": method, "params": dict(values or {})})
        try:
            return await answer
        finally:
            self._answers.pop(number, None)

    async def _serve(self, connection: "ServerConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        client = _Client(str((await self.command("Target.attachToBrowserTarget"))["sessionId"]))
        self._owners[client.root] = client
        sending = asyncio.create_task(_send_all(client, connection))
        try:
            with contextlib.suppress(ConnectionClosed):
                async for message in connection:
                    self._from_client(client, json.loads(message))
        finally:
            sending.cancel()
            self._owners = {session: owner for session, owner in self._owners.items() if owner is not client}
            with contextlib.suppress(ChromeNotReady):
                await self.command("Target.detachFromTarget", {"sessionId": client.root})

    def _from_client(self, client: _Client, message: dict[str, Any]) -> None:
        self._write({**message, "sessionId": message.get("sessionId") or client.root})

    def _write(self, message: Mapping[str, Any]) -> None:
        if self._writing is not None:
            self._writing.write(json.dumps(message).encode() + b"\0")

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                self._from_browser((await reader.readuntil(b"\0"))[:-1])
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(_hung_up())
            if self._server is not None:
                self._server.close(close_connections=True)

    def _from_browser(self, message: bytes) -> None:
        found = _SESSION.search(message, max(0, len(message) - 100))
        if found is None:
            self._own(json.loads(message))
            return
        session = found.group(1).decode()
        client = self._owners.get(session)
        if client is None:
            return
        if message.startswith(_ATTACHED):
            self._owners[str(json.loads(message)["params"]["sessionId"])] = client
        elif message.startswith(_DETACHED):
            self._owners.pop(str(json.loads(message)["params"]["sessionId"]), None)
        whole = message[: found.start()] + b"}" if session == client.root else message
        client.outgoing.put_nowait(whole.decode("utf-8", "replace"))

    def _own(self, message: dict[str, Any]) -> None:
        """An answer to the bridge itself; events of the root session, which nobody asked for, are dropped."""
        answer = self._answers.get(message.get("id", 0))
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(ChromeNotReady(f"The browser refuses: {message['error'].get('message', '')}."))
        else:
            answer.set_result(message.get("result", {}))


async def _send_all(client: _Client, connection: "ServerConnection") -> None:
    from websockets.exceptions import ConnectionClosed

    with contextlib.suppress(ConnectionClosed):
        while True:
            await connection.send(await client.outgoing.get())


def _new_folder() -> Path:
    """A folder that only this user may enter, with a name short and plain enough for a socket's address."""
    places = (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir())
    fitting = (place for place in places if place and len(place) < 60 and quote(place) == place)
    for place in fitting:
        with contextlib.suppress(OSError):
            return Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir=place))
    return Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir="/tmp"))


def remove_left_socket(socket: Path) -> None:
    """Remove the folder of a bridge whose process was killed."""
    if socket.name == _SOCKET and socket.parent.name.startswith(_FOLDER_PREFIX):
        shutil.rmtree(socket.parent, ignore_errors=True)


def _hung_up() -> ChromeNotReady:
    return ChromeNotReady("The browser does not answer.", remedy="See `lyra browser diagnose`.")
