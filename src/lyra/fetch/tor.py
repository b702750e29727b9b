"""The Tor rung: a Tor that is already running, or one of our own, with a circuit of its own for every domain."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock, wait_until
from lyra.fetch.addresses import CheckedAddress
from lyra.fetch.admission import Admission
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import FetchContext
from lyra.fetch.rung_http import HttpRung
from lyra.ids import new_id
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.settings import Network
from lyra.settings.rungs import Tor
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from stem.control import Controller

T = TypeVar("T")

_PROBE_S = 2.0
_POLL_S = 0.25
# A Tor that was not there is looked for again after this long.
_RETRY_AFTER = timedelta(seconds=60)
_STOP_S = 5.0
_RENEWS = frozenset({FetchOutcome.BLOCKED, FetchOutcome.CHALLENGE, FetchOutcome.TIMED_OUT, FetchOutcome.FAILED})


@dataclass(frozen=True, slots=True)
class Circuit:
    """The name under which a domain's connections share a circuit, and since when."""

    token: str
    since: datetime


class TorService:
    """Finds or starts Tor, says whether it is connected, and keeps each domain on one circuit for `sticky_s`.

    Circuits are separated by SOCKS credentials (Tor's IsolateSOCKSAuth): no domain ever shares one with another.
    """

    def __init__(self, settings: Tor, directory: Path, clock: Clock) -> None:
        self._settings = settings
        self._directory = directory
        self._clock = clock
        self._process: asyncio.subprocess.Process | None = None
        # Tor ends when the connection of the controller that owns it does, so this one is kept.
        self._controller: Controller | None = None
        self._own_socks: tuple[str, int] | None = None
        self._circuits: dict[str, Circuit] = {}
        self._missing: tuple[datetime, str] | None = None
        self._starting = asyncio.Lock()

    async def unready_reason(self) -> str | None:
        """None where pages can be fetched over Tor now; else why not."""
        if self._settings.mode == "off":
            return "Tor is switched off (setting tor.mode)."
        async with self._starting:
            if self._missing is not None and self._clock.now() - self._missing[0] < _RETRY_AFTER:
                return self._missing[1]
            found = await self._find_or_start()
            self._missing = (self._clock.now(), found) if found is not None else None
            return found

    def proxy_for(self, domain: str) -> str:
        """The SOCKS address for a domain; names are resolved inside Tor (`socks5h`)."""
        host, port = self._own_socks or _split(self._settings.socks_address)
        return f"socks5h://{domain}.{self._circuit(domain).token}:lyra@{host}:{port}"

    async def renew(self, domain: str) -> bool:
        """Give the domain a new circuit, and ask Tor for a new identity; whether Tor obeyed."""
        self._circuits.pop(domain, None)

        def newnym(controller: "Controller") -> bool:
            from stem import Signal

            controller.signal(Signal.NEWNYM)
            return True

        return bool(await self._control(newnym))

    async def close(self) -> None:
        """End a Tor that was started here."""
        process, self._process = self._process, None
        controller, self._controller = self._controller, None
        if controller is not None:
            await asyncio.to_thread(controller.close)
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    def _circuit(self, domain: str) -> Circuit:
        now = self._clock.now()
        held = self._circuits.get(domain)
        if held is None or now - held.since >= timedelta(seconds=self._settings.sticky_s):
            held = self._circuits[domain] = Circuit(new_id("c"), now)
        return held

    async def _find_or_start(self) -> str | None:
        is_own = self._process is not None and self._process.returncode is None
        if not is_own and await _answers(*_split(self._settings.socks_address)):
            self._own_socks = None
        elif self._settings.mode == "auto":
            return f"No Tor answers at {self._settings.socks_address}."
        else:
            problem = None if is_own else await self._start()
            if problem is not None:
                return problem
        return await self._not_connected_reason()

    async def _not_connected_reason(self) -> str | None:
        """Whether Tor has reached its network; without a control port it is believed."""
        progress = await self._control(_progress)
        if progress is None or progress >= 100:
            return None
        return f"Tor is running but not connected to its network (at {progress} %)."

    async def _start(self) -> str | None:
        program = shutil.which(self._settings.executable)
        if program is None:
            return f"Tor is not installed ({self._settings.executable!r} was not found)."
        await asyncio.to_thread(_prepare, self._directory)
        try:
            self._process = await asyncio.create_subprocess_exec(
                program, *_arguments(self._directory),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as exc:
            return f"Tor could not be started: {exc.strerror or exc}."
        return await self._wait_until_connected()

    async def _wait_until_connected(self) -> str | None:
        """Wait until the started Tor listens and is connected to its network, at most `start_timeout_s`."""

        async def outcome() -> str | None:
            """An empty reason once it is connected."""
            if self._process is None or self._process.returncode is not None:
                return "Tor ended right after it was started."
            self._own_socks = await self._control(_socks_listener) or self._own_socks
            return "" if (await self._control(_progress) or 0) >= 100 else None

        reason = await wait_until(outcome, self._clock, every_s=_POLL_S, limit_s=self._settings.start_timeout_s)
        if reason is not None:
            return reason or None
        is_listening = await self._control(_progress) is not None
        return None if is_listening else "Tor did not open its port in time."

    async def _control(self, question: Callable[["Controller"], T]) -> T | None:
        """Put a question to the control port; None where it cannot be reached or refuses."""
        return await asyncio.to_thread(self._run_control, question)

    def _run_control(self, question: Callable[["Controller"], T]) -> T | None:
        from stem import ControllerError
        from stem.connection import AuthenticationFailure

        try:
            if self._process is None:
                with self._connect(_split(self._settings.control_address)) as controller:
                    return question(controller)
            if self._controller is None:
                self._controller = self._connect(_written_port(self._directory / "control-port"))
            return question(self._controller)
        except (ControllerError, AuthenticationFailure, OSError, ValueError):
            return None

    def _connect(self, address: tuple[str, int]) -> "Controller":
        from stem.control import Controller

        controller = Controller.from_port(address=address[0], port=address[1])
        try:
            controller.authenticate(password=self._settings.control_password)
        except BaseException:
            controller.close()
            raise
        return controller


def _written_port(path: Path) -> tuple[str, int]:
    return _split(path.read_text("ascii").strip().removeprefix("PORT="))


def _prepare(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory.chmod(0o700)
    (directory / "control-port").unlink(missing_ok=True)


def _arguments(directory: Path) -> tuple[str, ...]:
    """A Tor of our own: it listens on loopback only and ends with this process."""
    return (
        "--ignore-missing-torrc", "-f", str(directory / "torrc"), "--defaults-torrc", str(directory / "torrc-defaults"),
        "--DataDirectory", str(directory), "--SocksPort", "127.0.0.1:auto IsolateSOCKSAuth",
        "--ControlPort", "127.0.0.1:auto", "--ControlPortWriteToFile", str(directory / "control-port"),
        "--CookieAuthentication", "1", "--ClientOnly", "1", "--__OwningControllerProcess", str(os.getpid()),
        "--Log", "notice file " + str(directory / "notices.log"), "--quiet",
    )  # fmt: skip


def _progress(controller: "Controller") -> int:
    phase = str(controller.get_info("status/bootstrap-phase"))
    found = next((word for word in phase.split() if word.startswith("PROGRESS=")), "PROGRESS=0")
    return int(found.removeprefix("PROGRESS="))


def _socks_listener(controller: "Controller") -> tuple[str, int] | None:
    return next(((str(host), int(port)) for host, port in controller.get_listeners("SOCKS")), None)


async def is_listening(address: str) -> bool:
    """Whether something takes connections there."""
    return await _answers(*_split(address))


async def _answers(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_PROBE_S):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host or "127.0.0.1", int(port)


class TorRung:
    """Fetches over Tor: names resolved inside, one circuit for a domain, a new one after a failure."""

    name = "tor"

    def __init__(
        self, tor: TorService, admission: Admission, archive: WarcArchive, clock: Clock, settings: Network
    ) -> None:
        self._tor = tor
        self._clock = clock
        client = HttpClient(settings, clock, proxy_for=self._proxy_for)
        self._http = HttpRung(client, admission.with_check(client.check), archive, clock, settings, self.name)

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        """Fetch as the HTTP rung does; UNAVAILABLE where Tor is off, absent or not connected."""
        if request.lane is FetchLane.PAGE:
            unready = await self._tor.unready_reason()
        else:
            unready = "Tor is never used for engines or APIs."
        if unready is not None:
            return FetchResult(
                request.url, FetchOutcome.UNAVAILABLE, rung=self.name, reason=unready, fetched_at=self._clock.now(),
                was_sent=False,
            )  # fmt: skip
        result = await self._http.fetch(request, context)
        if result.outcome in _RENEWS and result.was_sent:
            await self._tor.renew(registrable_domain(request.url))
        return result

    async def close(self) -> None:
        """End every connection, and a Tor that was started here."""
        await self._http.close()
        await self._tor.close()

    def _proxy_for(self, checked: CheckedAddress) -> str:
        return self._tor.proxy_for(registrable_domain(checked.url))
