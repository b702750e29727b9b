"""Brings the browser's window to the front by means of the operating system: nothing in the page is touched."""

import os
import platform
import shutil
from collections.abc import Sequence

from lyra.handoff.channels import is_wsl, ran

_ACTIVATE = "(New-Object -ComObject WScript.Shell).AppActivate([int]$env:LYRA_WINDOW_PID)"


async def raise_window(pid: int) -> str | None:
    """Raise the windows of a process; None where that was done, else why it cannot be."""
    if platform.system() == "Darwin":
        return await ran(["osascript", "-e", _frontmost(pid)])
    if is_wsl() and shutil.which("powershell.exe") and not os.environ.get("DISPLAY"):
        own = {"LYRA_WINDOW_PID": str(pid), "WSLENV": "LYRA_WINDOW_PID"}
        return await ran(["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _ACTIVATE], own)
    if not os.environ.get("DISPLAY"):
        session = (
            "Wayland lets no program raise another's window" if os.environ.get("WAYLAND_DISPLAY") else "no display"
        )
        return f"the window cannot be raised: {session}"
    return await _raise_on_x11(pid)


async def _raise_on_x11(pid: int) -> str | None:
    reasons = []
    for words in _x11_programs(pid):
        why_not = await ran(words)
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
