"""Programs of the desktop: notifications (Linux, Windows behind WSL, macOS, the terminal's bell), raising a window.

Each is the system's own program, started without a shell. A channel returns None when it has shown the message, or why
it could not. Nothing in a page is touched.
"""

import asyncio
import contextlib
import html
import os
import platform
import shutil
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_TIMEOUT_S = 5.0
_MAX_REASON_CHARS = 200
# The message comes in through variables of the environment, never as part of the script.
_TOAST_SCRIPT = """
[void][Windows.UI.Notifications.ToastNotificationManager,Windows.UI.Notifications,ContentType=WindowsRuntime]
$t=[Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(
  [Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$n=$t.GetElementsByTagName('text')
[void]$n.Item(0).AppendChild($t.CreateTextNode($env:LYRA_NOTE_TITLE))
[void]$n.Item(1).AppendChild($t.CreateTextNode($env:LYRA_NOTE_TEXT))
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Lyra').Show(
  [Windows.UI.Notifications.ToastNotification]::new($t))
"""
_RAISE_ON_WINDOWS = "(New-Object -ComObject WScript.Shell).AppActivate([int]$env:LYRA_WINDOW_PID)"
_OSASCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


@dataclass(frozen=True, slots=True)
class Notification:
    """What is shown: a line and, below it, at most a few more."""

    title: str
    text: str
    is_urgent: bool = False
    timeout_s: float | None = None


class Channel(Protocol):
    name: str

    def why_unavailable(self) -> str | None:
        """Why this machine does not have the channel; None where it does."""

    async def show(self, message: Notification) -> str | None:
        """Show it; the reason where that failed."""


class LibNotify:
    """Freedesktop notifications, by notify-send."""

    name = "libnotify"

    def why_unavailable(self) -> str | None:
        if platform.system() == "Darwin":
            return "not on macOS"
        return None if shutil.which("notify-send") else "notify-send is not installed (Debian: libnotify-bin)"

    async def show(self, message: Notification) -> str | None:
        urgency = "critical" if message.is_urgent else "normal"
        command = ["notify-send", "--app-name=Lyra", f"--urgency={urgency}"]
        if message.timeout_s is not None:
            command.append(f"--expire-time={int(message.timeout_s * 1000)}")
        # Daemons read the body as markup.
        return await run_program([*command, "--", message.title, html.escape(message.text, quote=False)])


class WindowsToast:
    """A toast of the Windows on which this Linux runs (WSL2)."""

    name = "windows_toast"

    def why_unavailable(self) -> str | None:
        if not is_wsl():
            return "not under WSL"
        return None if shutil.which("powershell.exe") else "powershell.exe is not on the PATH"

    async def show(self, message: Notification) -> str | None:
        own = {"LYRA_NOTE_TITLE": message.title, "LYRA_NOTE_TEXT": message.text}
        own["WSLENV"] = ":".join(filter(None, [os.environ.get("WSLENV"), *own]))
        return await run_program(["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _TOAST_SCRIPT], own)


class MacOs:
    """Notification Centre, by osascript."""

    name = "macos"

    def why_unavailable(self) -> str | None:
        if platform.system() != "Darwin":
            return "not on macOS"
        return None if shutil.which("osascript") else "osascript is missing"

    async def show(self, message: Notification) -> str | None:
        script = [word for line in _OSASCRIPT for word in ("-e", line)]
        return await run_program(["osascript", *script, message.title, message.text])


class TerminalBell:
    """The bell and one line on the controlling terminal; standard output belongs to the protocol."""

    name = "terminal"

    def __init__(self, device: Path = Path("/dev/tty")) -> None:
        self._device = device

    def why_unavailable(self) -> str | None:
        try:
            os.close(os.open(self._device, os.O_WRONLY | os.O_NOCTTY))
        except OSError:
            return "no terminal"
        return None

    async def show(self, message: Notification) -> str | None:
        return await asyncio.to_thread(self._write, f"\a\r\nLyra: {message.title}\r\n{message.text}\r\n")

    def _write(self, text: str) -> str | None:
        try:
            descriptor = os.open(self._device, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as exc:
            return f"the terminal cannot be written: {exc.strerror}"
        try:
            os.write(descriptor, text.encode("utf-8", "replace"))
        except OSError as exc:
            return f"the terminal cannot be written: {exc.strerror}"
        finally:
            os.close(descriptor)
        return None


CHANNELS: tuple[Channel, ...] = (LibNotify(), WindowsToast(), MacOs(), TerminalBell())


def is_wsl() -> bool:
    """Whether this Linux runs under Windows."""
    return "WSL_DISTRO_NAME" in os.environ or "WSL_INTEROP" in os.environ


async def run_program(command: Sequence[str], more: Mapping[str, str] | None = None) -> str | None:
    """Run a program; None where it succeeded, else why not.

    It has a session of its own, so that one which does not answer ends together with its children: a child that keeps
    its standard error open would be waited for.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **(more or {})},
            start_new_session=True,
        )
    except OSError as exc:
        return f"{command[0]} could not be started: {exc.strerror}"
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            _, stderr = await process.communicate()
    except TimeoutError:
        return f"{command[0]} did not answer within {_TIMEOUT_S:g} s"
    finally:
        if process.returncode is None:
            with contextlib.suppress(
                ProcessLookupError, PermissionError
            ):  # macOS raises it for a process that has just ended
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode == 0:
        return None
    why = " ".join(stderr.decode("utf-8", "replace").split())[:_MAX_REASON_CHARS]
    return f"{command[0]} failed: {why or f'exit code {process.returncode}'}"


async def raise_window(pid: int) -> str | None:
    """Raise the windows of a process; None where that was done, else why it cannot be."""
    if platform.system() == "Darwin":
        return await run_program(["osascript", "-e", _frontmost(pid)])
    if is_wsl() and shutil.which("powershell.exe") and not os.environ.get("DISPLAY"):
        own = {"LYRA_WINDOW_PID": str(pid), "WSLENV": "LYRA_WINDOW_PID"}
        return await run_program(
            ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _RAISE_ON_WINDOWS], own
        )
    if not os.environ.get("DISPLAY"):
        session = (
            "Wayland lets no program raise another's window" if os.environ.get("WAYLAND_DISPLAY") else "no display"
        )
        return f"the window cannot be raised: {session}"
    return await _raise_on_x11(pid)


async def _raise_on_x11(pid: int) -> str | None:
    reasons = []
    for command in _x11_programs(pid):
        why_not = await run_program(command)
        if why_not is None:
            return None
        reasons.append(why_not)
    return "; ".join(reasons) or "xdotool is not installed"


def _x11_programs(pid: int) -> Sequence[Sequence[str]]:
    """What can raise a window there, in order of preference; without a window manager only the last one works."""
    if not shutil.which("xdotool"):
        return ()
    found = ["xdotool", "search", "--onlyvisible", "--pid", str(pid)]
    return ([*found, "windowactivate"], [*found, "windowraise"])


def _frontmost(pid: int) -> str:
    return f'tell application "System Events" to set frontmost of (first process whose unix id is {pid}) to true'
