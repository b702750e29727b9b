"""What this machine offers a browser: an executable, a display, a sandbox."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lyra.errors import ChromeNotReady
from lyra.settings.rungs import Browser

# In the order of preference: what a person uses every day looks the most like a person.
NAMES = ("google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome", "microsoft-edge-stable")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
_WINDOWS = (
    "Program Files/Google/Chrome/Application/chrome.exe",
    "Program Files (x86)/Google/Chrome/Application/chrome.exe",
)
_LEAST_SHARED_BYTES = 256_000_000
INSTALL = (
    "Install Chrome or Chromium (Debian and Ubuntu: sudo apt-get install chromium), or name it in browser.executable."
)
DRIVER = "pip install 'lyra-mcp[browser]'"


@dataclass(frozen=True, slots=True)
class Display:
    """Where a window can be shown: variables for the browser, or that a virtual screen must be started first."""

    environment: tuple[tuple[str, str], ...] = ()
    is_virtual: bool = False


def executable(wanted: Path | None, environ: Mapping[str, str] = os.environ) -> Path:
    """The browser to start. Raises ChromeNotReady where there is none."""
    if wanted is not None:
        found = shutil.which(str(wanted.expanduser()))
        if found is None:
            raise ChromeNotReady(f"browser.executable: {wanted} cannot be run.", remedy="Name a Chrome or Chromium.")
        return Path(found)
    for name in NAMES:
        found = shutil.which(name, path=environ.get("PATH"))
        if found is not None:
            return Path(found)
    if sys.platform == "darwin" and _MAC.exists():
        return _MAC
    raise ChromeNotReady("No Chrome or Chromium was found on this machine.", remedy=INSTALL)


def has_driver() -> bool:
    """Whether the extra `browser` is installed; imports nothing."""
    return importlib.util.find_spec("patchright") is not None


def require_driver() -> None:
    """Raises ChromeNotReady, which names the extra, where the driver is not installed."""
    if not has_driver():
        raise ChromeNotReady("The driver of the browser (Patchright) is not installed.", remedy=f"{DRIVER}.")


def unavailable_reason(settings: Browser) -> str | None:
    """Why no browser can be started; None where one is installed and allowed."""
    if not settings.enabled:
        return "browser.enabled is off"
    try:
        require_driver()
        executable(settings.executable)
    except ChromeNotReady as exc:
        return exc.message.rstrip(".")
    return None


def port_warnings(settings: Browser) -> tuple[str, ...]:
    """What a user must know who lets Lyra drive a browser that listens on a port."""
    if not settings.enabled or settings.debugging_port is None:
        return ()
    return (
        f"The browser at port {settings.debugging_port} can be driven by every user of this machine, and its pages are "
        "not kept from this machine and its network (browser.debugging_port).",
    )


def display(environ: Mapping[str, str] = os.environ) -> Display:
    """Where a window can appear. Raises ChromeNotReady where this machine has no screen, not even a virtual one."""
    shown = tuple((name, environ[name]) for name in ("DISPLAY", "WAYLAND_DISPLAY") if environ.get(name))
    if shown or sys.platform == "darwin":
        return Display(shown)
    if shutil.which("Xvfb", path=environ.get("PATH")):
        return Display(is_virtual=True)
    raise ChromeNotReady(
        "There is no display for a browser window, and no virtual one (Xvfb).",
        remedy="Run Lyra in a desktop session, or install Xvfb (Debian and Ubuntu: sudo apt-get install xvfb).",
    )


def is_root() -> bool:
    """Chromium's sandbox refuses to run as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_wsl(release: Path = Path("/proc/sys/kernel/osrelease")) -> bool:
    """Whether this is Linux inside Windows."""
    try:
        return "microsoft" in release.read_text().lower()
    except OSError:
        return False


def windows_chrome(drives: Path = Path("/mnt")) -> Path | None:
    """The Chrome of the Windows around this Linux."""
    return next((drives / "c" / path for path in _WINDOWS if (drives / "c" / path).exists()), None)


def is_snap(browser: Path) -> bool:
    """A browser in a snap may write neither to hidden folders nor to most others."""
    return "snap" in browser.resolve().parts[:3] or browser.resolve().name == "snap"


def is_shared_memory_small(path: Path = Path("/dev/shm")) -> bool:
    """Containers often give 64 MB, in which a large page crashes."""
    try:
        return shutil.disk_usage(path).total < _LEAST_SHARED_BYTES
    except OSError:
        return False


def time_zone(environ: Mapping[str, str] = os.environ, link: Path = Path("/etc/localtime")) -> str | None:
    """The name of the system's time zone, where it is known."""
    named = environ.get("TZ", "").lstrip(":")
    if named:
        return named
    target = str(link.resolve())
    return target.partition("zoneinfo/")[2] or None
