"""What stands between this machine and a running browser, part by part, each with what to do about it."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

from lyra.clock import Clock
from lyra.errors import ChromeNotReady
from lyra.fetch.browser import machine
from lyra.fetch.browser.check import Check
from lyra.fetch.browser.chrome import DIAGNOSE, Chrome, major_version
from lyra.fetch.browser.flags import MODES
from lyra.fetch.browser.profile import holder, profile_dir
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


async def diagnose(settings: Settings, clock: Clock) -> list[Check]:
    """Every part in the order it is needed; the last one really starts a headless browser."""
    found = await asyncio.to_thread(_parts, settings)
    return [*found, await _start(settings, clock)]


def _parts(settings: Settings) -> list[Check]:
    checks = [_executable(settings), _driver(), _display(), _sandbox(), _memory(), _fonts(), _certificates(settings)]
    checks += _profiles(settings)
    if machine.is_wsl():
        checks.append(_wsl())
    return checks


def _executable(settings: Settings) -> Check:
    try:
        browser = machine.executable(settings.browser.executable)
    except ChromeNotReady as exc:
        return Check("browser", False, exc.message, exc.remedy)
    version = major_version(browser)
    if version is None:
        return Check("browser", False, f"{browser} does not tell its version", machine.INSTALL)
    kind = ", in a snap: its profiles lie in ~/snap" if machine.is_snap(browser) else ""
    return Check("browser", True, f"{browser} (version {version}{kind})")


def _driver() -> Check:
    if not machine.has_driver():
        return Check("driver", False, "patchright not installed", machine.DRIVER)
    return Check("driver", True, "patchright")


def _display() -> Check:
    try:
        shown = machine.display()
    except ChromeNotReady as exc:
        return Check("display", False, exc.message, exc.remedy)
    if shown.is_virtual:
        return Check("display", True, "virtual (Xvfb): windows work, but nobody sees them")
    return Check("display", True, ", ".join(f"{name}={value}" for name, value in shown.environment) or "the desktop")


def _sandbox() -> Check:
    if machine.is_root():
        return Check("sandbox", True, "off, because Chrome refuses it to root; better run Lyra as an ordinary user")
    for path, bad in _USERNS:
        if path.exists() and path.read_text().strip() == bad:
            remedy = f"sudo sysctl {'.'.join(path.parts[3:])}={'0' if bad == '1' else '1'}"
            return Check("sandbox", False, f"the kernel forbids user namespaces ({path.name}={bad})", remedy)
    return Check("sandbox", True, "on")


def _memory() -> Check:
    if machine.is_shared_memory_small():
        return Check("memory", True, "/dev/shm is small: the browser uses files in its place, which is slower")
    return Check("memory", True, "/dev/shm is large enough")


def _fonts() -> Check:
    if shutil.which("fc-list") is None:
        return Check("fonts", True, "fontconfig is not installed: which fonts there are is unknown")
    done = subprocess.run(["fc-list", ":lang=ja", "family"], capture_output=True, timeout=20, check=False)
    count = len(done.stdout.splitlines())
    if count == 0:
        remedy = "Install one (Debian and Ubuntu: sudo apt-get install fonts-noto-cjk)."
        return Check("fonts", False, "no font has Japanese letters: pictures of pages will show boxes", remedy)
    return Check("fonts", True, f"{count} with Japanese letters")


def _certificates(settings: Settings) -> Check:
    if settings.network.ca_bundle is None:
        return Check("certificates", True, "those of the browser")
    if shutil.which("certutil") is None:
        remedy = "Install it (Debian and Ubuntu: sudo apt-get install libnss3-tools)."
        return Check("certificates", False, "network.ca_bundle needs certutil, which is missing", remedy)
    return Check("certificates", True, f"besides those of the browser: {settings.network.ca_bundle}")


def _profiles(settings: Settings) -> list[Check]:
    return [_profile(profile_dir(settings, mode), mode) for mode in MODES]


def _profile(profile: Path, mode: str) -> Check:
    name = f"profile {mode}"
    if not profile.exists():
        return Check(name, True, "will be made on first use")
    if not os.access(profile, os.W_OK | os.X_OK):
        return Check(name, False, f"{profile} cannot be written", "Give it back to this user (chown, chmod).")
    found = holder(profile)
    if found is None:
        return Check(name, True, str(profile))
    if found.is_alive:
        return Check(name, True, f"{profile}, open in process {found.pid}")
    if not found.is_here:
        remedy = f"Close the browser there, or remove {profile / 'SingletonLock'} if it is gone."
        return Check(name, False, f"{profile} is held by the machine {found.host}", remedy)
    return Check(name, True, f"{profile}, with the lock of a dead browser, which the next start clears")


def _wsl() -> Check:
    windows = machine.windows_chrome()
    beside = f" The Chrome of Windows ({windows}) is not used: it cannot reach profiles in here." if windows else ""
    return Check(
        "wsl",
        True,
        f"this Linux runs inside Windows: install Chromium in it; WSLg shows its windows.{beside}",
    )


async def _start(settings: Settings, clock: Clock) -> Check:
    begun_s = clock.monotonic()
    try:
        chrome = await Chrome.start(settings, "headless", clock)
    except ChromeNotReady as exc:
        # Whoever reads this has followed that advice already.
        remedy = _BY_HAND if exc.remedy == DIAGNOSE else exc.remedy
        return Check("start", False, exc.message, remedy)
    took_s = clock.monotonic() - begun_s
    await chrome.close()
    how = f"ready after {took_s:.1f} s" if chrome.is_own else "already running"
    return Check("start", True, f"{chrome.version} headless, {how}")
