"""Checks of the browser: what keeps it from starting on this machine, and the health of a research profile."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

from lyra.clock import Clock
from lyra.errors import BrowserFault, ChromeNotReady
from lyra.fetch.browser import machine
from lyra.fetch.browser.chrome import DIAGNOSE, Chrome, major_version
from lyra.fetch.browser.fingerprint import (
    contradictions,
    differences,
    load_fingerprint,
    read_fingerprint,
    save_fingerprint,
)
from lyra.fetch.browser.flags import MODES, Mode
from lyra.fetch.browser.profile import holder, profile_dir
from lyra.fetch.browser.profile_checks import REPAIR, BrowserCheck, check_profile
from lyra.fetch.sessions import SessionStore
from lyra.settings import Settings

_USERNS = (
    (Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"), "1"),
    (Path("/proc/sys/user/max_user_namespaces"), "0"),
    (Path("/proc/sys/kernel/unprivileged_userns_clone"), "0"),
)
_BY_HAND = (
    "Run the browser by hand with `--headless=new --dump-dom about:blank` and see what it says; "
    "raise browser.start_timeout_s on a slow machine, or name another one in browser.executable."
)


async def diagnose(settings: Settings, clock: Clock) -> list[BrowserCheck]:
    """Every part in the order it is needed; the last one really starts a headless browser."""
    found = await asyncio.to_thread(_parts, settings)
    return [*found, await _start(settings, clock)]


def _parts(settings: Settings) -> list[BrowserCheck]:
    checks = [_executable(settings), _driver(), _display(), _sandbox(), _memory(), _fonts(), _certificates(settings)]
    checks += _profiles(settings)
    if machine.is_wsl():
        checks.append(_wsl())
    return checks


def _executable(settings: Settings) -> BrowserCheck:
    try:
        browser = machine.executable(settings.browser.executable)
    except ChromeNotReady as exc:
        return BrowserCheck("browser", False, exc.message, exc.remedy)
    version = major_version(browser)
    if version is None:
        return BrowserCheck("browser", False, f"{browser} does not print its version", machine.INSTALL)
    kind = ", in a snap: its profiles lie in ~/snap" if machine.is_snap(browser) else ""
    return BrowserCheck("browser", True, f"{browser} (version {version}{kind})")


def _driver() -> BrowserCheck:
    if not machine.has_driver():
        return BrowserCheck("driver", False, "patchright not installed", machine.DRIVER)
    return BrowserCheck("driver", True, "patchright")


def _display() -> BrowserCheck:
    try:
        shown = machine.display()
    except ChromeNotReady as exc:
        return BrowserCheck("display", False, exc.message, exc.remedy)
    if shown.is_virtual:
        return BrowserCheck("display", True, "virtual (Xvfb): windows work, but nobody sees them")
    return BrowserCheck(
        "display", True, ", ".join(f"{name}={value}" for name, value in shown.environment) or "the desktop"
    )


def _sandbox() -> BrowserCheck:
    if machine.is_root():
        return BrowserCheck(
            "sandbox", True, "off, because Chrome refuses it to root; better run Lyra as an ordinary user"
        )
    for path, bad in _USERNS:
        if path.exists() and path.read_text().strip() == bad:
            remedy = f"sudo sysctl {'.'.join(path.parts[3:])}={'0' if bad == '1' else '1'}"
            return BrowserCheck("sandbox", False, f"the kernel forbids user namespaces ({path.name}={bad})", remedy)
    return BrowserCheck("sandbox", True, "on")


def _memory() -> BrowserCheck:
    if machine.is_shared_memory_small():
        return BrowserCheck("memory", True, "/dev/shm is small: the browser uses files in its place, which is slower")
    return BrowserCheck("memory", True, "/dev/shm is large enough")


def _fonts() -> BrowserCheck:
    if shutil.which("fc-list") is None:
        return BrowserCheck("fonts", True, "fontconfig is not installed: which fonts there are is unknown")
    done = subprocess.run(["fc-list", ":lang=ja", "family"], capture_output=True, timeout=20, check=False)
    count = len(done.stdout.splitlines())
    if count == 0:
        remedy = "Install one (Debian and Ubuntu: sudo apt-get install fonts-noto-cjk)."
        return BrowserCheck("fonts", False, "no font has Japanese letters: pictures of pages will show boxes", remedy)
    return BrowserCheck("fonts", True, f"{count} with Japanese letters")


def _certificates(settings: Settings) -> BrowserCheck:
    if settings.network.ca_bundle is None:
        return BrowserCheck("certificates", True, "those of the browser")
    if shutil.which("certutil") is None:
        remedy = "Install it (Debian and Ubuntu: sudo apt-get install libnss3-tools)."
        return BrowserCheck("certificates", False, "network.ca_bundle needs certutil, which is missing", remedy)
    return BrowserCheck("certificates", True, f"besides those of the browser: {settings.network.ca_bundle}")


def _profiles(settings: Settings) -> list[BrowserCheck]:
    return [_profile(profile_dir(settings, mode), mode) for mode in MODES]


def _profile(profile: Path, mode: str) -> BrowserCheck:
    name = f"profile {mode}"
    if not profile.exists():
        return BrowserCheck(name, True, "will be made on first use")
    if not os.access(profile, os.W_OK | os.X_OK):
        return BrowserCheck(name, False, f"{profile} cannot be written", "Give it back to this user (chown, chmod).")
    found = holder(profile)
    if found is None:
        return BrowserCheck(name, True, str(profile))
    if found.is_alive:
        return BrowserCheck(name, True, f"{profile}, open in process {found.pid}")
    if not found.is_here:
        remedy = f"Close the browser there, or remove {profile / 'SingletonLock'} if it is gone."
        return BrowserCheck(name, False, f"{profile} is held by the machine {found.host}", remedy)
    return BrowserCheck(name, True, f"{profile}, with the lock of a dead browser, which the next start clears")


def _wsl() -> BrowserCheck:
    windows = machine.windows_chrome()
    beside = f" The Chrome of Windows ({windows}) is not used: it cannot reach profiles in here." if windows else ""
    return BrowserCheck(
        "wsl",
        True,
        f"this Linux runs inside Windows: install Chromium in it; WSLg shows its windows.{beside}",
    )


async def _start(settings: Settings, clock: Clock) -> BrowserCheck:
    begun_s = clock.monotonic()
    try:
        chrome = await Chrome.start(settings, "headless", clock)
    except ChromeNotReady as exc:
        # Whoever reads this has followed that advice already.
        remedy = _BY_HAND if exc.remedy == DIAGNOSE else exc.remedy
        return BrowserCheck("start", False, exc.message, remedy)
    took_s = clock.monotonic() - begun_s
    await chrome.close()
    how = f"ready after {took_s:.1f} s" if chrome.is_own else "already running"
    return BrowserCheck("start", True, f"{chrome.version} headless, {how}")


async def audit(settings: Settings, mode: Mode, clock: Clock, *, repairs: bool = False) -> list[BrowserCheck]:
    """Every check of one profile; with `repairs`, what is wrong is put right where a program may."""
    browser = machine.executable(settings.browser.executable)
    profile = profile_dir(settings, mode, browser)
    if not profile.exists():
        return [BrowserCheck("profile", True, f"{profile} will be made on first use")]
    checks = await asyncio.to_thread(check_profile, profile, repairs=repairs)
    checks.append(await _sessions(settings, clock, repairs=repairs))
    if all(check.is_fine or check.is_repaired for check in checks if check.name == "lock"):
        checks += await _fingerprint(settings, mode, clock, profile, browser, repairs=repairs)
    return checks


async def _sessions(settings: Settings, clock: Clock, *, repairs: bool) -> BrowserCheck:
    """Sessions whose every cookie has run out are no use to anybody."""
    store = SessionStore(settings.sessions_dir, clock)
    domains = await store.domains()
    dead = [name for name in domains if not ((one := await store.load(name)) and one.cookies)]
    if not dead:
        return BrowserCheck("sessions", True, f"{len(domains)} domains")
    if repairs:
        for name in dead:
            await store.forget(name)
    detail = f"{len(dead)} of {len(domains)} have run out"
    return BrowserCheck("sessions", False, detail, None if repairs else REPAIR, is_repaired=repairs)


async def _fingerprint(
    settings: Settings, mode: Mode, clock: Clock, profile: Path, browser: Path, *, repairs: bool
) -> list[BrowserCheck]:
    try:
        chrome = await Chrome.start(settings, mode, clock)
        try:
            seen = await read_fingerprint(chrome.endpoint)
        finally:
            await chrome.close()
    except (BrowserFault, ChromeNotReady) as exc:
        return [BrowserCheck("face", False, exc.message, exc.remedy or "See `lyra browser diagnose`.")]
    version = await asyncio.to_thread(major_version, browser)
    wrong = contradictions(seen, version=version, language=settings.browser.language, time_zone=machine.time_zone())
    shown = f"Chrome {seen.major}, {seen.languages}, {seen.time_zone}"
    checks = [
        BrowserCheck("face", not wrong, "; ".join(wrong) or shown, "See docs/how-to/browser.md." if wrong else None)
    ]
    file = profile.parent / f"{profile.name}.face.json"
    before = load_fingerprint(file)
    changed = differences(before, seen) if before else ()
    if before is None or repairs:
        save_fingerprint(file, seen)
    detail = "; ".join(changed) or ("as at the last audit" if before else "remembered from now on")
    remedy = f"If you changed that yourself: {REPAIR}" if changed and not repairs else None
    return [*checks, BrowserCheck("constancy", not changed, detail, remedy, is_repaired=bool(changed) and repairs)]
