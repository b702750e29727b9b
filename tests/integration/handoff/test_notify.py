"""Notifications through the system's own programs, here small ones that write down what they were told."""

import os
import stat
from pathlib import Path
from typing import Any

import psutil
import pytest

from lyra.handoff import desktop
from lyra.handoff.desktop import LibNotify, MacOs, TerminalBell, WindowsToast, raise_window
from lyra.handoff.notify import Notifier

DETAILS = {"url": "https://user:pw@journals.example.org/a?id=7&token=abc", "reason": "Cloudflare", "cookie": "sid=1"}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what a test puts there; each program writes its words and variables to a file."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("WSL_DISTRO_NAME", "WSL_INTEROP", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def install(folder: Path, name: str, body: str = "", code: int = 0) -> Path:
    """A program that notes its arguments, one a line, and ends with that code."""
    told = folder / f"{name}.told"
    script = f'#!/bin/sh\nfor word in "$@"; do echo "$word" >> {told}; done\n{body}\nexit {code}\n'
    (folder / name).write_text(script)
    (folder / name).chmod(stat.S_IRWXU)
    return told


def _has_ended(pid: int) -> bool:
    """Whether a process is gone, or dead and not yet taken note of by whoever inherited it."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_the_desktop_shows_what_may_be_shown(office: Any, programs: Path) -> None:
    """Message, address and reason, without the password, the token and what else came along; markup is text."""
    told = install(programs, "notify-send")
    notifier = Notifier(office.db, office.clock, [LibNotify()])

    shown = await notifier.notify("auth_required", "ログインが必要です <b>", DETAILS, 30)

    assert (shown.is_shown, shown.shown_on, shown.not_shown) == (True, ("libnotify",), {})
    assert told.read_text().splitlines() == [
        "--app-name=Lyra",
        "--urgency=critical",
        "--expire-time=30000",
        "--",
        "Lyra: a page waits for you",
        "ログインが必要です &lt;b&gt;",
        "https://journals.example.org/a?id=7&amp;token=redacted",
        "Cloudflare",
    ]


async def test_a_missing_daemon_is_said(office: Any, programs: Path) -> None:
    """Shown nowhere, with the program's own words for each channel."""
    install(programs, "notify-send", 'echo "Cannot autolaunch D-Bus without X11 \\$DISPLAY" >&2', 1)
    notifier = Notifier(office.db, office.clock, [LibNotify(), WindowsToast(), MacOs(), TerminalBell(Path("/none"))])

    shown = await notifier.notify("info", "Research has ended")

    assert (shown.is_shown, shown.shown_on) == (False, ())
    assert shown.not_shown == {
        "libnotify": "notify-send failed: Cannot autolaunch D-Bus without X11 $DISPLAY",
        "windows_toast": "not under WSL",
        "macos": "not on macOS",
        "terminal": "no terminal",
    }


async def test_a_program_that_hangs_is_ended_with_all_it_started(
    office: Any, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its child keeps standard error open; nobody waits for that one either."""
    monkeypatch.setattr(desktop, "_TIMEOUT_S", 0.5)
    pid = programs / "child.pid"
    told = install(programs, "notify-send", f"/bin/sleep 3600 & echo $! > {pid}; wait")

    shown = await Notifier(office.db, office.clock, [LibNotify()]).notify("info", "Research has ended")

    assert shown.not_shown == {"libnotify": "notify-send did not answer within 0.5 s"}
    assert _has_ended(int(pid.read_text()))
    assert told.read_text().splitlines()[-1] == "Research has ended"


async def test_a_machine_without_the_program_says_which(office: Any, programs: Path) -> None:
    """And how to get it."""
    shown = await Notifier(office.db, office.clock, [LibNotify()]).notify("info", "Research has ended")

    assert shown.not_shown == {"libnotify": "notify-send is not installed (Debian: libnotify-bin)"}


async def test_windows_behind_wsl_gets_a_toast(office: Any, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words cross over as variables: nothing a page says becomes a command."""
    monkeypatch.setenv("WSL_DISTRO_NAME", "Debian")
    told = programs / "variables"
    install(programs, "powershell.exe", f'echo "$LYRA_NOTE_TITLE|$LYRA_NOTE_TEXT|$WSLENV" > {told}')

    shown = await Notifier(office.db, office.clock, [WindowsToast()]).notify("warning", "'; Remove-Item $HOME; '")

    assert shown.shown_on == ("windows_toast",)
    assert told.read_text() == "Lyra: warning|'; Remove-Item $HOME; '|LYRA_NOTE_TITLE:LYRA_NOTE_TEXT\n"
    assert "Remove-Item" not in (programs / "powershell.exe.told").read_text()


async def test_a_mac_gets_the_words_as_arguments(office: Any, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is fixed; title and text are its arguments."""
    monkeypatch.setattr("lyra.handoff.desktop.platform.system", lambda: "Darwin")
    told = install(programs, "osascript")

    shown = await Notifier(office.db, office.clock, [MacOs()]).notify("info", 'Say "hello"')

    assert shown.shown_on == ("macos",)
    assert told.read_text().splitlines()[-2:] == ["Lyra", 'Say "hello"']


async def test_the_bell_rings_on_the_terminal(office: Any, tmp_path: Path) -> None:
    """On the terminal itself, never on standard output, which belongs to the protocol."""
    master, slave = os.openpty()
    terminal = TerminalBell(Path(os.ttyname(slave)))

    shown = await Notifier(office.db, office.clock, [terminal]).notify("info", "調査が終わりました")

    heard = os.read(master, 1000).decode()
    os.close(master)
    os.close(slave)
    assert shown.shown_on == ("terminal",)
    assert heard.replace("\r", "") == "\a\nLyra: Lyra\n調査が終わりました\n"


async def test_every_notification_is_in_the_journal(office: Any, programs: Path) -> None:
    """Where it was shown and where not, but not what it said."""
    install(programs, "notify-send")
    notifier = Notifier(office.db, office.clock, [LibNotify(), MacOs()])

    shown = await notifier.notify("auth_required", "secret plans")

    assert await office.rows("select subject, details from event_log where kind = 'notification'") == [
        (
            shown.notification_id,
            '{"event":"auth_required","shown_on":["libnotify"],"not_shown":{"macos":"not on macOS"}}',
        )
    ]


async def test_a_window_is_raised_by_the_system(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the process that shows it; nothing is said to the page."""
    monkeypatch.setenv("DISPLAY", ":7")
    told = install(programs, "xdotool")

    why_not = await raise_window(4711)

    assert why_not is None
    assert told.read_text().splitlines() == ["search", "--onlyvisible", "--pid", "4711", "windowactivate"]


async def test_without_a_window_manager_the_window_is_lifted(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activating fails there; lifting works."""
    monkeypatch.setenv("DISPLAY", ":7")
    install(programs, "xdotool", '[ "$5" = windowraise ] && exit 0', 1)

    assert await raise_window(4711) is None


async def test_where_no_window_can_be_raised_that_is_said(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No display; a Wayland session; no program for it."""
    nowhere = await raise_window(1)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    wayland = await raise_window(1)
    monkeypatch.setenv("DISPLAY", ":7")
    bare = await raise_window(1)

    assert nowhere == "the window cannot be raised: no display"
    assert wayland == "the window cannot be raised: Wayland lets no program raise another's window"
    assert bare == "xdotool is not installed"
