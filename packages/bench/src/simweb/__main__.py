"""`python -m simweb`: serves the simulated web until it is told to stop."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from simweb.doors import PASSWORD
from simweb.faults import KINDS, Fault, Kind
from simweb.simulation import SimWeb

_PARENT_CHECK_S = 0.5
# What a patient client gets over by asking again or otherwise.
PASSING: tuple[Kind, ...] = ("status", "slow", "truncated", "reset", "challenge", "soft_404")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    wants_guide = options.guide or sys.stdout.isatty()
    try:
        serve(
            port=options.port,
            directory=options.dir,
            seed=options.seed,
            latency_s=options.latency,
            now=options.now,
            with_parent=options.with_parent,
            socks_port=options.socks_port,
            faults=options.fault,
            trouble=options.trouble,
            announce=lambda web: announce(web, with_guide=wants_guide),
        )
    except OSError as exc:
        print(f"simweb: cannot serve on port {options.port}: {os.strerror(exc.errno or 0)}", file=sys.stderr)
        return 1
    return 0


def serve(
    *,
    announce: Callable[[SimWeb], None],
    port: int = 0,
    directory: Path | None = None,
    seed: int = 0,
    latency_s: float = 0.002,
    now: date | None = None,
    with_parent: bool = False,
    socks_port: int = 0,
    faults: Sequence[tuple[str, Fault]] = (),
    trouble: float = 0.0,
) -> None:
    """Serve until SIGINT or SIGTERM (main thread only); OSError when the port is taken.

    `announce` is called once the web answers. `faults` are in force from the start; `trouble` is the share of requests
    that meet one of the passing troubles, by the seed.
    """
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    with SimWeb(port=port, socks_port=socks_port, directory=directory, seed=seed, latency_s=latency_s, now=now) as web:
        _trouble(web, faults, trouble)
        announce(web)
        _wait(stopping, with_parent=with_parent)


def _trouble(web: SimWeb, faults: Sequence[tuple[str, Fault]], share: float) -> None:
    if share:
        web.faults.scatter(PASSING, share)
    for pattern, fault in faults:
        web.faults.set(pattern, fault)


def parse_fault(text: str) -> tuple[str, Fault]:
    """`host[/path]=kind`, as in `www.fdso.gov/*=captcha`; ValueError for anything else."""
    pattern, _, kind = text.rpartition("=")
    if not pattern or kind not in KINDS:
        raise ValueError(f"{text!r} is not host[/path]=kind with one of the kinds {', '.join(KINDS)}")
    return pattern, Fault(kind)


def announce(web: SimWeb, *, with_guide: bool, say: Callable[..., str] = str.format) -> None:
    """One line of JSON for programs on stdout; for people, how to browse it, on stderr, as `say` puts it."""
    print(json.dumps({"proxy": web.proxy_url, "ca": str(web.ca_path.resolve()), "socks": web.socks_url}), flush=True)
    if with_guide:
        print(guide(web, say), file=sys.stderr, flush=True)


def guide(web: SimWeb, say: Callable[..., str] = str.format) -> str:
    """How a person looks around in it; `say` fills in each sentence."""
    address = web.proxy_url.removeprefix("http://")
    counts = {"pages": sum(len(topic.pages) for topic in web.topics), "hosts": len(web.hosts)}
    up = "The simulated web is up: {pages} pages on {hosts} hosts, reached through the proxy {address}."
    firefox = "Settings > Network: manual proxy {address}, also for HTTPS; open http://simweb.test/ca.pem and trust it."
    lists = "Every page and fault is listed at http://simweb.test/, and faults are set there."
    walls = "Walls open: any email and the password “{password}”, or the box ticked."
    ca = shlex.quote(str(web.ca_path.resolve()))
    return f"""
{say(up, address=address, **counts)}

Chromium   chromium --user-data-dir="$(mktemp -d)" --proxy-server={address} \\
             --ignore-certificate-errors http://simweb.test/
Firefox    {say(firefox, address=address)}
curl       curl --proxy {web.proxy_url} --cacert {ca} 'https://html.duckduckgo.com/html/?q=ALP-2'
Tor        curl --proxy {web.socks_url} --cacert {ca} https://check.torproject.org/api/ip
Lyra       LYRA_NETWORK__PROXY={web.proxy_url} LYRA_NETWORK__CA_BUNDLE={ca} lyra serve

{say(lists)}
{say(walls, password=PASSWORD)}
{say("Ctrl-C ends it.")}"""


def _fault_argument(text: str) -> tuple[str, Fault]:
    try:
        return parse_fault(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simweb", description="Serve the simulated web on loopback.")
    parser.add_argument("--port", type=int, default=0, help="port of the proxy (default: any free one)")
    parser.add_argument("--dir", type=Path, default=None, help="folder for the CA (default: a temporary one)")
    parser.add_argument("--seed", type=int, default=0, help="seed of faults that strike by chance")
    parser.add_argument("--latency", type=float, default=0.002, help="least seconds that every answer takes")
    parser.add_argument("--socks-port", type=int, default=0, help="port of the SOCKS5 stand-in for Tor")
    parser.add_argument("--fault", action="append", default=[], type=_fault_argument, metavar="HOST[/PATH]=KIND")
    parser.add_argument(
        "--trouble", type=float, default=0.0, help="share of requests that fail in passing, by the seed"
    )
    parser.add_argument("--now", type=date.fromisoformat, default=None, help="the day on which the world stands")
    parser.add_argument("--with-parent", action="store_true", help="stop when the parent process ends")
    parser.add_argument("--guide", action="store_true", help="say how to browse it even when not on a terminal")
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
