"""The process that reads DOCX, HTML and PDF that somebody hands in: no network, little memory, a limit on time.

Run as `python -m lyra.extract.draft_process CONNECTION_FD PARENT_PID`.
"""

import contextlib
import signal
import socket
import sys
from typing import Any

from lyra.errors import InvalidParams
from lyra.extract.draft import read_draft
from lyra.ml.frames import ConnectionEnded, receive, send
from lyra.ml.worker import start_isolated

LIMIT_S = 120


def answer(request: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The text with its remarks, or why there is none; the kernel ends the process where it takes too long."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT_S)
    try:
        draft = read_draft(body, request["suffix"])
    except InvalidParams as exc:
        return {"refused": exc.message, "remedy": exc.remedy, "details": exc.details}
    finally:
        signal.alarm(0)
    return {"text": draft.text, "remarks": list(draft.remarks)}


def serve(connection: socket.socket) -> None:
    """One file after another until the server hangs up."""
    with contextlib.suppress(ConnectionEnded):
        while True:
            request, body = receive(connection)
            send(connection, answer(request, body))


def main(arguments: list[str]) -> None:
    connection, _ = start_isolated(arguments)
    serve(connection)


if __name__ == "__main__":
    main(sys.argv[1:])
