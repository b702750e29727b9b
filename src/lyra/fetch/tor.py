"""Tor as a way out: one that is already running, or one of our own, with a circuit of its own for every domain."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lyra.clock import Clock
from lyra.ids import new_id
from lyra.settings import Tor

if TYPE_CHECKING:
    from stem.control import Controller

T = TypeVar("T")

_PROBE_S = 2.0
_POLL_S = 0.25
# A Tor that was not there is looked for again after this long.
_LOOK_AGAIN = timedelta(seconds=60)
_STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class Unready:
    """Tor cannot be used, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Circuit:
    """The name under which a domain's connections share a circuit, and since when."""

    token: str
    since: datetime


class TorService:
    """Finds or starts Tor, says whether it is connected, and keeps each domain on one circuit for `sticky_s`.

    Circuits are told apart by SOCKS credentials (Tor's IsolateSOCKSAuth): no domain ever shares one with another.
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
        self._missing: tuple[datetime, Unready] | None = None
        self._starting = asyncio.Lock()

    async def ready(self) -> Unready | None:
        """None where pages can be fetched over Tor now; else why not."""
        if self._settings.mode == "off":
            return Unready("Tor is switched off (setting tor.mode).")
        async with self._starting:
            if self._missing is not None and self._clock.now() - self._missing[0] < _LOOK_AGAIN:
                return self._missing[1]
            found = await self._found()
            self._missing = (self._clock.now(), found) if found is not None else None
            return found

    def proxy_for(self, domain: str) -> str:
        """The SOCKS address for a domain; names are resolved inside Tor (`socks5h`)."""
        host, port = self._own_socks or _split(self._settings.socks_address)
        return f"socks5h://{domain}.{self._circuit(domain).token}:lyra@{host}:{port}"

    async def renew(self, domain: str) -> bool:
        """Give the domain a new circuit, and ask Tor for a new identity; says whether Tor took the order."""
        self._circuits.pop(domain, None)

        def newnym(controller: "Controller") -> bool:
            from stem import Signal

            controller.signal(Signal.NEWNYM)
            return True

        return bool(await self._ask(newnym))

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

    async def _found(self) -> Unready | None:
        is_own = self._process is not None and self._process.returncode is None
        if not is_own and await _answers(*_split(self._settings.socks_address)):
            self._own_socks = None
        elif self._settings.mode == "auto":
            return Unready(f"No Tor answers at {self._settings.socks_address}.")
        else:
            problem = None if is_own else await self._start()
            if problem is not None:
                return problem
        return await self._connected()

    async def _connected(self) -> Unready | None:
        """Whether Tor has reached its network; without a control port its word is taken for it."""
        progress = await self._ask(_progress)
        if progress is None or progress >= 100:
            return None
        return Unready(f"Tor is running but not connected to its network (at {progress} %).")

    async def _start(self) -> Unready | None:
        program = shutil.which(self._settings.executable)
        if program is None:
            return Unready(f"Tor is not installed ({self._settings.executable!r} was not found).")
        await asyncio.to_thread(_prepare, self._directory)
        try:
            self._process = await asyncio.create_subprocess_exec(
                program, *_arguments(self._directory),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as exc:
            return Unready(f"Tor could not be started: {exc.strerror or exc}.")
        return await self._listening()

    async def _listening(self) -> Unready | None:
        """Wait for the started Tor's doors, then as long as it takes to connect, within the limit."""
        deadline = self._clock.monotonic() + self._settings.start_timeout_s
        while self._clock.monotonic() < deadline:
            if self._process is None or self._process.returncode is not None:
                return Unready("Tor ended right after it was started.")
            listener = await self._ask(_socks_listener)
            if listener is not None:
                self._own_socks = listener
                if (await self._ask(_progress) or 0) >= 100:
                    return None
            await self._clock.sleep(_POLL_S)
        answers = await self._ask(_progress) is not None
        return None if answers else Unready("Tor did not open its port in time.")

    async def _ask(self, question: Callable[["Controller"], T]) -> T | None:
        """Put a question to the control port; None where it cannot be reached or refuses."""
        return await asyncio.to_thread(self._asked, question)

    def _asked(self, question: Callable[["Controller"], T]) -> T | None:
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
    """A Tor of our own: doors on loopback only, gone when we are."""
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
