"""Where a person can be told something: the desktop's notifications, Windows behind WSL, macOS, the terminal's bell.

Each is the system's own program, started without a shell. A channel answers None when it has shown the message, or in
words why it could not.
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

_LIMIT_S = 5.0
_LONGEST_REASON = 200
# The message comes in through variables of the environment, never as part of the script.
_TOAST = """
[void][Windows.UI.Notifications.ToastNotificationManager,Windows.UI.Notifications,ContentType=WindowsRuntime]
$t=[Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(
  [Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$n=$t.GetElementsByTagName('text')
[void]$n.Item(0).AppendChild($t.CreateTextNode($env:LYRA_NOTE_TITLE))
[void]$n.Item(1).AppendChild($t.CreateTextNode($env:LYRA_NOTE_TEXT))
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Lyra').Show(
  [Windows.UI.Notifications.ToastNotification]::new($t))
"""
_OSASCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


@dataclass(frozen=True, slots=True)
class Message:
    """What is shown: a line and, below it, at most a few more."""

    title: str
    text: str
    is_urgent: bool = False
    timeout_s: float | None = None


class Channel(Protocol):
    name: str

    def why_absent(self) -> str | None:
        """Why this machine does not have the channel; None where it does."""

    async def show(self, message: Message) -> str | None:
        """Show it; the reason where that failed."""


class LibNotify:
    """Freedesktop notifications, by notify-send."""

    name = "libnotify"

    def why_absent(self) -> str | None:
        if platform.system() == "Darwin":
            return "not on macOS"
        return None if shutil.which("notify-send") else "notify-send is not installed (Debian: libnotify-bin)"

    async def show(self, message: Message) -> str | None:
        urgency = "critical" if message.is_urgent else "normal"
        words = ["notify-send", "--app-name=Lyra", f"--urgency={urgency}"]
        if message.timeout_s is not None:
            words.append(f"--expire-time={int(message.timeout_s * 1000)}")
        # Daemons read the body as markup.
        return await ran([*words, "--", message.title, html.escape(message.text, quote=False)])


class WindowsToast:
    """A toast of the Windows on which this Linux runs (WSL2)."""

    name = "windows_toast"

    def why_absent(self) -> str | None:
        if not is_wsl():
            return "not under WSL"
        return None if shutil.which("powershell.exe") else "powershell.exe is not on the PATH"

    async def show(self, message: Message) -> str | None:
        own = {"LYRA_NOTE_TITLE": message.title, "LYRA_NOTE_TEXT": message.text}
        own["WSLENV"] = ":".join(filter(None, [os.environ.get("WSLENV"), *own]))
        return await ran(["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _TOAST], own)


class MacOs:
    """Notification Centre, by osascript."""

    name = "macos"

    def why_absent(self) -> str | None:
        if platform.system() != "Darwin":
            return "not on macOS"
        return None if shutil.which("osascript") else "osascript is missing"

    async def show(self, message: Message) -> str | None:
        script = [word for line in _OSASCRIPT for word in ("-e", line)]
        return await ran(["osascript", *script, message.title, message.text])


class TerminalBell:
    """The bell and one line on the controlling terminal; standard output belongs to the protocol."""

    name = "terminal"

    def __init__(self, device: Path = Path("/dev/tty")) -> None:
        self._device = device

    def why_absent(self) -> str | None:
        try:
            os.close(os.open(self._device, os.O_WRONLY | os.O_NOCTTY))
        except OSError:
            return "no terminal"
        return None

    async def show(self, message: Message) -> str | None:
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


async def ran(words: Sequence[str], more: Mapping[str, str] | None = None) -> str | None:
    """Run a program that shows something; None where it succeeded, else why not.

    It has a session of its own, so that one which does not answer ends with whatever it has started: a child that keeps
    its standard error open would be waited for.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **(more or {})},
            start_new_session=True,
        )
    except OSError as exc:
        return f"{words[0]} could not be started: {exc.strerror}"
    try:
        async with asyncio.timeout(_LIMIT_S):
            _, told = await process.communicate()
    except TimeoutError:
        return f"{words[0]} did not answer within {_LIMIT_S:g} s"
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says so of one that has just ended
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode == 0:
        return None
    why = " ".join(told.decode("utf-8", "replace").split())[:_LONGEST_REASON]
    return f"{words[0]} failed: {why or f'exit code {process.returncode}'}"
