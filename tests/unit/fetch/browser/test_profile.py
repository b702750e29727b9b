"""The research profile on the disk: who holds it, what is written into it."""

import json
import os
import socket
from pathlib import Path

import pytest

from lyra.errors import ChromeNotReady
from lyra.fetch.browser.devtools import cookie_fields, read_cookie
from lyra.fetch.browser.profile import (
    ProfileHolder,
    clear_stale,
    holder,
    prepare,
    read_socket,
    starting,
    trusted_home,
    write_socket,
)
from lyra.fetch.sessions import Cookie

HERE = socket.gethostname()
NOBODY = 2**22 + 7  # above the largest process number of Linux


def lock(profile: Path, target: str) -> Path:
    (profile / "SingletonLock").symlink_to(target)
    return profile


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        pytest.param(f"{HERE}-{os.getpid()}", ProfileHolder(os.getpid(), HERE, True, True), id="alive"),
        pytest.param(f"{HERE}-{NOBODY}", ProfileHolder(NOBODY, HERE, True, False), id="dead"),
        pytest.param("lab-42-7", ProfileHolder(7, "lab-42", False, False), id="another machine"),
        pytest.param("nonsense", None, id="no lock of Chrome"),
    ],
)
def test_holder_is_read_from_the_lock(tmp_path: Path, target: str, expected: ProfileHolder | None) -> None:
    """Chrome's lock is a link to host and process."""
    assert holder(lock(tmp_path, target)) == expected


def test_unlocked_profile_has_no_holder(tmp_path: Path) -> None:
    """No link, nobody."""
    assert holder(tmp_path) is None


@pytest.mark.parametrize(
    ("target", "is_cleared"),
    [
        pytest.param(f"{HERE}-{NOBODY}", True, id="dead"),
        pytest.param(f"{HERE}-{os.getpid()}", False, id="alive"),
        pytest.param(f"elsewhere-{NOBODY}", False, id="another machine"),
    ],
)
def test_only_locks_of_the_dead_are_cleared(tmp_path: Path, target: str, is_cleared: bool) -> None:
    """What lives, or cannot be judged from here, is left alone."""
    lock(tmp_path, target)

    assert clear_stale(tmp_path) is is_cleared
    assert (tmp_path / "SingletonLock").is_symlink() is not is_cleared


def test_two_processes_do_not_start_at_once(tmp_path: Path) -> None:
    """The second learns that the first is at it."""
    profile = tmp_path / "headless"

    with starting(profile) as first, starting(profile) as second:
        found = (first, second)
    with starting(profile) as third:
        pass

    assert (*found, third) == (True, False, True)


def test_preparing_keeps_what_is_there_and_forgets_a_crash(tmp_path: Path) -> None:
    """A person's changes to the profile stay; crash, password manager and PDF viewer do not."""
    file = tmp_path / "Default" / "Preferences"
    file.parent.mkdir()
    file.write_text(json.dumps({"profile": {"exit_type": "Crashed", "name": "調査"}, "browser": {"zoom": 2}}))

    prepare(tmp_path)

    values = json.loads(file.read_text())
    assert (values["profile"]["exit_type"], values["profile"]["name"]) == ("Normal", "調査")
    assert values["browser"] == {"zoom": 2}
    assert values["plugins"] == {"always_open_pdf_externally": True}
    assert values["webrtc"] == {"ip_handling_policy": "disable_non_proxied_udp"}


@pytest.mark.parametrize("content", [b"", b"{broken", b"\xff\xfe\x00", b"[]"])
def test_preparing_mends_settings_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    """A torn file is replaced, not an error."""
    file = tmp_path / "Default" / "Preferences"
    file.parent.mkdir()
    file.write_bytes(content)

    prepare(tmp_path)

    assert json.loads(file.read_text())["credentials_enable_service"] is False


def test_door_is_noted_and_found(tmp_path: Path) -> None:
    """Other processes find the browser by the note in its profile."""
    write_socket(tmp_path, Path("/run/user/1000/lyra-browser-a1/devtools"))

    assert read_socket(tmp_path) == Path("/run/user/1000/lyra-browser-a1/devtools")


@pytest.mark.parametrize("content", ["", "\n", "devtools\n"])
def test_broken_note_is_no_door(tmp_path: Path, content: str) -> None:
    """What is no path leads nowhere."""
    (tmp_path / "LyraSocket").write_text(content)

    assert read_socket(tmp_path) is None


@pytest.mark.parametrize(
    ("folder", "is_left"),
    [pytest.param("lyra-browser-a1", False, id="its own"), pytest.param("home", True, id="somebody else's")],
)
def test_socket_of_a_killed_process_is_removed(tmp_path: Path, folder: str, is_left: bool) -> None:
    """With its folder, and nothing that Lyra has not made."""
    socket_file = tmp_path / folder / "devtools"
    socket_file.parent.mkdir()
    write_socket(tmp_path, socket_file)

    prepare(tmp_path)

    assert (socket_file.parent.exists(), read_socket(tmp_path)) == (is_left, None)


def test_cookie_of_a_domain_survives_the_way_into_the_browser_and_back() -> None:
    """Every field."""
    cookie = Cookie("sid", "v", ".x.org", "/a", 1_800_000_000.0, True, True, "Lax")

    assert read_cookie(cookie_fields(cookie)) == cookie


def test_cookie_of_one_host_is_not_widened_to_its_domain() -> None:
    """With a domain, the browser would send it to every host below, and twice to its own."""
    written = [cookie_fields(Cookie("sid", "v", "x.org", "/a", None, secure)) for secure in (True, False)]

    assert ["domain" in one for one in written] == [False, False]
    assert [one["url"] for one in written] == ["https://x.org/a", "http://x.org/a"]


def test_unreadable_bundle_is_a_typed_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is named, not a file system's riddle."""
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")

    with pytest.raises(ChromeNotReady) as caught:
        trusted_home(tmp_path, tmp_path / "absent.pem")

    assert caught.value.message == f"network.ca_bundle: {tmp_path / 'absent.pem'} cannot be read."
