"""The research profile: where it lies, who holds it, and what is written into it before the browser starts."""

import contextlib
import copy
import hashlib
import json
import os
import re
import shutil
import socket as sockets
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lyra.errors import ChromeNotReady
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.machine import is_snap
from lyra.fetch.browser.pipe import remove_left_socket
from lyra.settings import Settings

_SINGLETONS = ("SingletonLock", "SingletonSocket", "SingletonCookie")
# Names the socket of the browser that has the profile open.
SOCKET_FILE = "LyraSocket"
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_PREFERENCES = {
    # PDFs are read by Lyra, not by a viewer; nothing is offered, remembered or asked.
    "plugins": {"always_open_pdf_externally": True},
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False, "default_content_setting_values": {"notifications": 2}},
    "autofill": {"profile_enabled": False, "credit_card_enabled": False},
    "search": {"suggest_enabled": False},
    "alternate_error_pages": {"enabled": False},
    "safebrowsing": {"enabled": False, "enhanced": False},
    "dns_prefetching": {"enabled": False},
    "webrtc": {"ip_handling_policy": "disable_non_proxied_udp"},
    "translate": {"enabled": False},
    "signin": {"allowed": False},
}


@dataclass(frozen=True, slots=True)
class ProfileHolder:
    """The process that has a profile open; `is_here` false: it runs on another machine."""

    pid: int
    host: str
    is_here: bool
    is_alive: bool


def profile_dir(settings: Settings, mode: Mode, browser: Path | None = None) -> Path:
    """Where the profile lies; a browser in a snap can only write to its own corner of the home directory."""
    if browser is not None and is_snap(browser):
        return Path.home() / "snap" / browser.name / "common" / "lyra" / name_in_snap(settings) / mode
    return settings.browser_dir / mode


def name_in_snap(settings: Settings) -> str:
    """What the folder of this data directory is called in the corner of a snap."""
    return hashlib.sha256(str(settings.data_dir.resolve()).encode()).hexdigest()[:12]


def holder(profile: Path) -> ProfileHolder | None:
    """Who holds the profile, by the link that Chrome leaves in it."""
    try:
        target = os.readlink(profile / "SingletonLock")
    except OSError:
        return None
    host, _, number = target.rpartition("-")
    if not number.isdigit():
        return None
    is_here = host == sockets.gethostname()
    return ProfileHolder(int(number), host, is_here, is_here and is_running(int(number)))


def is_running(pid: int) -> bool:
    """Whether a process lives; a zombie does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except (PermissionError, OSError, IndexError):
        return True
    return state not in ("Z", "X")


def clear_stale(profile: Path) -> bool:
    """Remove the locks of a browser that died; whether there were any."""
    found = holder(profile)
    if found is None or found.is_alive or not found.is_here:
        return False
    _forget_socket(profile)
    for name in _SINGLETONS:
        with contextlib.suppress(OSError):
            (profile / name).unlink()
    return True


@contextlib.contextmanager
def starting(profile: Path) -> Iterator[bool]:
    """Hold the right to start a browser on the profile; False where another process is just doing so."""
    import fcntl

    profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (profile.parent / f"{profile.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def prepare(profile: Path) -> None:
    """Make a new profile quiet, and forget that the last browser crashed."""
    folder = profile / "Default"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    profile.chmod(0o700)
    file = folder / "Preferences"
    try:
        found = json.loads(file.read_text("utf-8"))
        values = found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        values = {}
    _merge_into(values, _PREFERENCES)
    _merge_into(values, {"profile": {"exit_type": "Normal", "exited_cleanly": True}})
    file.write_text(json.dumps(values), "utf-8")
    _forget_socket(profile)


def read_socket(profile: Path) -> Path | None:
    """The socket of the browser that has the profile open; it may be gone."""
    try:
        socket = Path((profile / SOCKET_FILE).read_text("utf-8").strip())
    except (OSError, ValueError):
        return None
    return socket if socket.is_absolute() else None


def write_socket(profile: Path, socket: Path) -> None:
    """Note the socket where other processes of this user look for it."""
    (profile / SOCKET_FILE).write_text(f"{socket}\n", "utf-8")


def _forget_socket(profile: Path) -> None:
    left = read_socket(profile)
    if left is not None:
        remove_left_socket(left)
    with contextlib.suppress(FileNotFoundError):
        (profile / SOCKET_FILE).unlink()


def _merge_into(values: dict[str, object], more: dict[str, object]) -> None:
    for key, value in more.items():
        below = values.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            _merge_into(below, value)
        else:
            values[key] = copy.deepcopy(value)


def trusted_home(folder: Path, ca_bundle: Path) -> Path:
    """A home directory whose certificate store also trusts the bundle: Chromium on Linux reads it from there."""
    if shutil.which("certutil") is None:
        raise ChromeNotReady(
            "The browser cannot be told to trust network.ca_bundle: certutil is missing.",
            remedy="Install it (Debian and Ubuntu: sudo apt-get install libnss3-tools).",
        )
    try:
        bundle = ca_bundle.read_bytes()
    except OSError as exc:
        raise ChromeNotReady(f"network.ca_bundle: {ca_bundle} cannot be read.", remedy="Correct the setting.") from exc
    home = folder / f"home-{hashlib.sha256(bundle).hexdigest()[:16]}"
    if not (home / "ready").exists():
        _make_store(home, _CERTIFICATE.findall(bundle))
    return home


def _make_store(home: Path, certificates: list[bytes]) -> None:
    store = home / ".pki" / "nssdb"
    shutil.rmtree(home, ignore_errors=True)
    store.mkdir(parents=True, mode=0o700)
    _certutil("-N", "-d", f"sql:{store}", "--empty-password")
    for number, certificate in enumerate(certificates):
        _certutil("-A", "-d", f"sql:{store}", "-t", "C,,", "-n", f"lyra-{number}", given=certificate)
    (home / "ready").touch()


def _certutil(*arguments: str, given: bytes | None = None) -> None:
    done = subprocess.run(["certutil", *arguments], input=given, capture_output=True, timeout=30, check=False)
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip()[:200]
        raise ChromeNotReady(
            f"The certificates of network.ca_bundle could not be given to the browser: {words}.",
            remedy="Check that the file holds PEM certificates.",
        )
