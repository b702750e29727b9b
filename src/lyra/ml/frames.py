"""Length-prefixed frames between server and inference process: a JSON header and raw bytes behind it."""

import json
import socket
import struct
from typing import Any

_PREFIX = struct.Struct(">II")
MAX_FRAME_BYTES = 256 * 1024 * 1024


class ConnectionEnded(Exception):
    """The other side is gone; never leaves this package."""


def send(connection: socket.socket, header: dict[str, Any], payload: bytes = b"") -> None:
    """Write one frame whole. JSON escapes carry lone surrogates unharmed."""
    encoded = json.dumps(header).encode("ascii")
    try:
        connection.sendall(_PREFIX.pack(len(encoded), len(payload)) + encoded)
        connection.sendall(payload)
    except (BrokenPipeError, ConnectionResetError) as exc:
        raise ConnectionEnded from exc


def receive(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    """Read one frame whole; `TimeoutError` after the connection's own time limit."""
    header_size, payload_size = _PREFIX.unpack(_exactly(connection, _PREFIX.size))
    if header_size + payload_size > MAX_FRAME_BYTES:
        raise ConnectionEnded
    header: dict[str, Any] = json.loads(_exactly(connection, header_size))
    return header, _exactly(connection, payload_size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(min(size - len(parts), 1 << 20))
        except ConnectionResetError as exc:
            raise ConnectionEnded from exc
        if not part:
            raise ConnectionEnded
        parts += part
    return bytes(parts)
