"""A running simulated web: the proxy on loopback in a thread of its own."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Self

from simweb.build import faults_of, hosts_of
from simweb.doors import Doors
from simweb.faults import Faults
from simweb.hosts import Host
from simweb.internet import Internet
from simweb.journal import Journal, Visit
from simweb.model import Topic
from simweb.portal import HOSTS as PORTAL_HOSTS
from simweb.portal import Portal
from simweb.proxy import Proxy
from simweb.timeline import as_of
from simweb.tls import Authority
from simweb.world import load_world

LOOPBACK = "127.0.0.1"
_READ_LIMIT_BYTES = 65_536
_START_LIMIT_S = 10.0


class SimWeb:
    """The simulated web as a context manager.

    `proxy_url` and `ca_path` are all that a client needs; `socks_url` is the same web as seen over Tor, `doors` what
    opens its walls. Give `latency_s` some hundredths of a second in tests of politeness: requests that overlap only
    on the wire are otherwise answered one after another.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        socks_port: int = 0,
        directory: Path | None = None,
        seed: int = 0,
        latency_s: float = 0.002,
        topics: Sequence[Topic] | None = None,
        now: date | None = None,
    ) -> None:
        self.now = now
        self.topics = tuple(load_world() if topics is None else topics)
        self.doors = Doors()
        self.faults = Faults(faults_of(self.topics), seed, doors=self.doors)
        self.journal = Journal()
        self._internet = Internet(self._hosts_at(now), self.faults)
        self._port = port
        self._socks_port = socks_port
        self._latency_s = latency_s
        self._directory = directory
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._authority: Authority | None = None
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._ready: threading.Event = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simweb", daemon=True)
        self._failure: OSError | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Serve; raises OSError when the port is taken."""
        folder = self._directory
        if folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="simweb-")
            folder = Path(self._temporary.name)
        self._authority = Authority(folder)
        self._thread.start()
        self._ready.wait(_START_LIMIT_S)
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Close the door and remove what was written to a temporary folder."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(_START_LIMIT_S)
        if self._temporary is not None:
            self._temporary.cleanup()

    def set_time(self, day: date | None) -> None:
        """Let the world be as it was on that day; None is now, with the last version of everything."""
        self.now = day
        self._internet.become(self._hosts_at(day))

    def _hosts_at(self, day: date | None) -> dict[str, Host]:
        topics = [as_of(topic, day) for topic in self.topics]
        door = Portal(topics, lambda: self.ca_path.read_bytes(), self.faults)
        return {**hosts_of(topics), **dict.fromkeys(PORTAL_HOSTS, door)}

    @property
    def proxy_url(self) -> str:
        return f"http://{LOOPBACK}:{self._port}"

    @property
    def socks_url(self) -> str:
        """A SOCKS5 proxy that stands in for Tor: names only, requests leave by `exit` tor."""
        return f"socks5h://{LOOPBACK}:{self._socks_port}"

    @property
    def ca_path(self) -> Path:
        if self._authority is None:
            raise RuntimeError("the simulated web has not been started")
        return self._authority.ca_path

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name that answers."""
        return self._internet.names()

    @property
    def requests(self) -> tuple[Visit, ...]:
        """What was asked so far, in the order of arrival."""
        return self.journal.visits()

    def politeness_violations(self) -> tuple[Visit, ...]:
        """Requests that came while another one to the same registrable domain was unanswered."""
        return self.journal.violations()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except OSError as exc:
            self._failure = exc
            self._ready.set()
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        assert self._authority is not None
        proxy = Proxy(self._internet, self._authority, self.journal, self._latency_s)
        server = await asyncio.start_server(proxy.accept, LOOPBACK, self._port, limit=_READ_LIMIT_BYTES)
        onion = await asyncio.start_server(proxy.accept_socks, LOOPBACK, self._socks_port, limit=_READ_LIMIT_BYTES)
        self._port = server.sockets[0].getsockname()[1]
        self._socks_port = onion.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        onion.close()
        await proxy.close()
