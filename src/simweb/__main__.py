"""`python -m simweb`: serves the simulated web until it is told to stop."""

from __future__ import annotations

import argparse
import json
import os
import signal
import stat
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from simweb.simulation import SimWeb

_PARENT_CHECK_S = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    try:
        with SimWeb(port=options.port, directory=options.dir, seed=options.seed, latency_s=options.latency) as web:
            print(json.dumps({"proxy": web.proxy_url, "ca": str(web.ca_path)}), flush=True)
            _wait(stopping, with_parent=options.with_parent)
    except OSError as exc:
        print(f"simweb: cannot serve on port {options.port}: {os.strerror(exc.errno or 0)}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simweb", description="Serve the simulated web on loopback.")
    parser.add_argument("--port", type=int, default=0, help="port of the proxy (default: any free one)")
    parser.add_argument("--dir", type=Path, default=None, help="folder for the CA (default: a temporary one)")
    parser.add_argument("--seed", type=int, default=0, help="seed of faults that strike by chance")
    parser.add_argument("--latency", type=float, default=0.002, help="least seconds that every answer takes")
    parser.add_argument("--with-parent", action="store_true", help="stop when the parent process ends")
    return parser


def _wait(stopping: threading.Event, *, with_parent: bool) -> None:
    """Until a signal comes or, with `with_parent`, the process that started us is gone.

    A parent that dies closes our stdin when that is a pipe; when it is not, we see that we were adopted.
    """
    if with_parent and stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=_watch_stdin, args=(stopping,), daemon=True).start()
    parent = os.getppid()
    while not stopping.wait(_PARENT_CHECK_S):
        if with_parent and os.getppid() != parent:
            return


def _watch_stdin(stopping: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stopping.set()


if __name__ == "__main__":
    sys.exit(main())
