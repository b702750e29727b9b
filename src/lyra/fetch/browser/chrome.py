"""A running browser with a research profile: found, started or joined, asked only at its own level, and ended."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from lyra.clock import Clock, wait_until
from lyra.errors import ChromeNotReady
from lyra.fetch.browser import machine
from lyra.fetch.browser.devtools import DevtoolsEndpoint
from lyra.fetch.browser.egress_proxy import EgressProxy
from lyra.fetch.browser.flags import Mode, command_line, without_headless
from lyra.fetch.browser.pipe import PipeBridge
from lyra.fetch.browser.process import ProcessGroup, last_stderr, start_screen
from lyra.fetch.browser.profile import (
    clear_stale,
    holder,
    prepare,
    profile_dir,
    read_socket,
    starting,
    trusted_home,
    write_socket,
)
from lyra.fetch.browser.profile_checks import check_profile
from lyra.fetch.browser.storage import remove_stored
from lyra.fetch.sessions import Cookie
from lyra.observe.log import get_logger
from lyra.settings import Settings
from lyra.urls import registrable_domain

_log = get_logger(__name__)
_POLL_S = 0.05
_QUIT_LIMIT_S = 3.0
DIAGNOSE = "See `lyra browser diagnose`."


class Chrome:
    """One browser. Who started it ends it; who joined it leaves it running."""

    def __init__(
        self,
        mode: Mode,
        profile: Path,
        endpoint: DevtoolsEndpoint,
        version: Mapping[str, str],
        groups: tuple[ProcessGroup, ...] = (),
        proxy: EgressProxy | None = None,
        bridge: PipeBridge | None = None,
    ) -> None:
        self.mode = mode
        self.profile = profile
        self.version = version.get("product", "")
        self.user_agent = without_headless(version.get("userAgent", ""))
        self._endpoint = endpoint
        self._groups = groups
        self._proxy = proxy
        self._bridge = bridge

    @classmethod
    async def start(cls, settings: Settings, mode: Mode, clock: Clock) -> "Chrome":
        """Join the browser that has the mode's profile open, or start one; ready when this returns.

        Raises ChromeNotReady with a remedy: none installed, no display, a foreign lock, not ready in time.
        """
        own = await cls._of_user(settings, mode)
        if own is not None:
            return own
        limit_s = settings.browser.start_timeout_s
        browser = machine.executable(settings.browser.executable)
        profile = profile_dir(settings, mode, browser)
        deadline = clock.monotonic() + limit_s

        async def join_or_start() -> "Chrome | None":
            with starting(profile) as is_ours:
                joined = await cls._join(mode, profile)
                if joined is None and is_ours:
                    _clear(profile)
                    return await _Start(settings, mode, browser, profile, clock, deadline).run()
                return joined

        chrome = await wait_until(join_or_start, clock, every_s=_POLL_S, limit_s=limit_s)
        if chrome is None:
            message = "Another process has been starting the browser for too long."
            raise ChromeNotReady(message, remedy=DIAGNOSE, retry_after_s=10)
        return chrome

    @classmethod
    async def find(cls, settings: Settings, mode: Mode) -> "Chrome | None":
        """The browser that is running on the mode's profile, if any; nothing is started."""
        try:
            own = await cls._of_user(settings, mode)
            if own is not None:
                return own
            browser = machine.executable(settings.browser.executable)
        except ChromeNotReady:
            return None
        return await cls._join(mode, profile_dir(settings, mode, browser))

    @classmethod
    async def _of_user(cls, settings: Settings, mode: Mode) -> "Chrome | None":
        """The browser that the user has started with a port, where that is configured, for what needs a window."""
        port = settings.browser.debugging_port
        if port is None or mode == "headless":
            return None
        endpoint = DevtoolsEndpoint(port)
        chrome = cls(mode, profile_dir(settings, mode), endpoint, await endpoint.version())
        _log.warning("browser with a port is driven", port=port)
        return chrome

    @classmethod
    async def _join(cls, mode: Mode, profile: Path) -> "Chrome | None":
        socket = read_socket(profile)
        found = holder(profile)
        if socket is None or (found is not None and not found.is_alive):
            return None
        endpoint = DevtoolsEndpoint(socket)
        try:
            return cls(mode, profile, endpoint, await endpoint.version())
        except ChromeNotReady:
            return None

    @property
    def endpoint(self) -> str:
        """The address of its debugging endpoint."""
        return self._endpoint.url

    @property
    def is_own(self) -> bool:
        """Whether this process started it, and will end it."""
        return bool(self._groups)

    @property
    def pid(self) -> int | None:
        found = None if self._endpoint.is_port else holder(self.profile)
        return self._groups[0].pid if self._groups else found.pid if found else None

    def is_running(self) -> bool:
        """Whether its process lives; for a joined one, whether the profile is still held; unknown behind a port."""
        if self._groups:
            return self._groups[0].is_running()
        if self._endpoint.is_port:
            return True
        found = holder(self.profile)
        return found is not None and found.is_alive

    async def open_tab(self, url: str) -> str:
        """Show an address in a new tab, which is never touched again; returns the tab's id."""
        return await self._endpoint.open_tab(url)

    async def activate_tab(self, tab_id: str) -> None:
        """Bring a tab before the others."""
        await self._endpoint.activate_tab(tab_id)

    async def tabs(self) -> tuple[str, ...]:
        """The addresses of all open tabs."""
        return await self._endpoint.tabs()

    async def cookies_of(self, url: str) -> tuple[Cookie, ...]:
        """The profile's cookies for the address's registrable domain, read from its store and not from a page."""
        domain = registrable_domain(url)
        found = await self._endpoint.cookies()
        return tuple(one for one in found if registrable_domain(one.domain.lstrip(".")) == domain)

    async def close(self, *, at_once: bool = False) -> None:
        """End a browser of our own with all its processes; leave a joined one alone."""
        if self._groups and not at_once and self._groups[0].is_running():
            await self._ask_to_quit()
        for group in self._groups:
            await group.end(at_once=at_once)
        if self._bridge is not None:
            await self._bridge.close()
        if self._proxy is not None:
            await self._proxy.close()

    async def _ask_to_quit(self) -> None:
        """A browser that quits by itself writes its cookies first."""
        try:
            async with asyncio.timeout(_QUIT_LIMIT_S):
                await self._endpoint.quit()
                await self._groups[0].ended(_QUIT_LIMIT_S)
        except (ChromeNotReady, TimeoutError):
            return


def _clear(profile: Path) -> None:
    """Remove locks of ended browsers; a running holder that does not answer is somebody else's browser."""
    clear_stale(profile)
    found = holder(profile)
    if found is None:
        return
    who = f"process {found.pid}" if found.is_here else f"process {found.pid} of the machine {found.host}"
    raise ChromeNotReady(
        f"The research profile {profile} is held by {who}, which offers no debugging endpoint.",
        remedy="Close that browser and try again; `lyra browser audit --repair` clears what dead ones left.",
        details={"reason": "profile_locked", "pid": found.pid, "host": found.host},
    )


class _Start:
    """The steps of one start; whatever fails, nothing is left running."""

    def __init__(
        self, settings: Settings, mode: Mode, browser: Path, profile: Path, clock: Clock, deadline: float
    ) -> None:
        self._settings = settings
        self._mode: Mode = mode
        self._browser = browser
        self._profile = profile
        self._clock = clock
        self._deadline = deadline
        self._groups: list[ProcessGroup] = []
        self._proxy = EgressProxy(settings.network, blocks_ads="ads" in settings.browser.blocked)
        self._bridge = PipeBridge()
        self._log = profile.parent / f"{profile.name}.log"

    async def run(self) -> Chrome:
        is_done = False
        try:
            await self._proxy.open()
            environment = await self._environment()
            agent = await self._user_agent() if self._mode == "headless" else None
            await asyncio.to_thread(self._repair_profile)
            await self._bridge.open()
            self._launch(environment, agent)
            version = await self._ready()
            write_socket(self._profile, self._bridge.socket)
            endpoint = DevtoolsEndpoint(self._bridge.socket)
            is_done = True
            return Chrome(self._mode, self._profile, endpoint, version, tuple(self._groups), self._proxy, self._bridge)
        except OSError as exc:
            raise ChromeNotReady(f"The browser could not be started: {exc}.", remedy=DIAGNOSE) from exc
        finally:
            if not is_done:
                for group in self._groups:
                    await group.end(at_once=True)
                await self._bridge.close()
                await self._proxy.close()

    def _repair_profile(self) -> None:
        """Check the profile before every start; repairs are written to the log."""
        for check in check_profile(self._profile, repairs=True):
            if check.is_repaired:
                _log.info("browser profile repaired", profile=self._profile.name, check=check.name, detail=check.detail)
        prepare(self._profile)
        if self._mode != "person":
            remove_stored(self._profile)

    async def _environment(self) -> dict[str, str]:
        environment = dict(os.environ)
        if self._settings.network.ca_bundle is not None and sys.platform == "linux":
            home = await asyncio.to_thread(trusted_home, self._profile.parent, self._settings.network.ca_bundle)
            environment["HOME"] = str(home)
        if self._mode == "headless":
            return environment
        shown = machine.display()
        if shown.is_virtual:
            screen, name = await asyncio.to_thread(start_screen, environment, self._left_s())
            self._groups.append(screen)
            environment["DISPLAY"] = name
        return environment

    async def _user_agent(self) -> str | None:
        """The name the same browser has with a window; None where its version cannot be learned."""
        version = await asyncio.to_thread(major_version, self._browser)
        if version is None or sys.platform != "linux":
            return None
        return (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{version}.0.0.0 Safari/537.36"
        )

    def _launch(self, environment: dict[str, str], user_agent: str | None) -> None:
        arguments = command_line(
            self._mode,
            str(self._profile.resolve()),
            self._proxy.url,
            user_agent=user_agent,
            language=self._settings.browser.language,
            is_root=machine.is_root(),
            is_shared_memory_small=machine.is_shared_memory_small(),
        )
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as log:
            command = [str(self._browser), *arguments]
            self._groups.insert(0, ProcessGroup.start_with_pipe(command, environment, log, self._bridge.given))
        self._bridge.hand_over()

    async def _ready(self) -> Mapping[str, str]:
        try:
            async with asyncio.timeout(self._left_s()):
                return await self._bridge.command("Browser.getVersion")
        except ChromeNotReady:
            raise self._ended_early() from None
        except TimeoutError:
            raise ChromeNotReady(
                f"The browser {self._browser} was not ready within {self._settings.browser.start_timeout_s:g} seconds.",
                remedy=DIAGNOSE,
                details={"last_words": last_stderr(self._log)},
            ) from None

    def _ended_early(self) -> ChromeNotReady:
        words = last_stderr(self._log)
        remedy = DIAGNOSE
        if "sandbox" in words.lower():
            remedy = "Allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0)."
        return ChromeNotReady(
            f"The browser {self._browser} ended at once: {words or 'it gave no reason'}.", remedy=remedy
        )

    def _left_s(self) -> float:
        return max(0.0, self._deadline - self._clock.monotonic())


def major_version(browser: Path) -> str | None:
    """`156` of "Chromium 156.0.8078.79 …"; None where the program does not say."""
    try:
        done = subprocess.run([str(browser), "--version"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    number = next((word for word in words if word[:1].isdigit() and "." in word), "")
    return number.partition(".")[0] or None
