"""What is wrong with a profile on the disk, and its repair; done before every start, and by an audit."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lyra.fetch.browser.profile import clear_stale, holder, prepare

REPAIR = "lyra browser audit --repair"
_LARGE_BYTES = 1_000_000_000
_CACHES = ("Cache", "Code Cache", "GPUCache", "DawnGraphiteCache", "DawnWebGPUCache", "Service Worker/CacheStorage")


@dataclass(frozen=True, slots=True)
class BrowserCheck:
    """One finding about the browser or its profile; `is_repaired`: it was wrong and has just been put right."""

    name: str
    is_fine: bool
    detail: str
    remedy: str | None = None
    is_repaired: bool = False


def check_profile(profile: Path, *, repairs: bool) -> list[BrowserCheck]:
    """Lock, last ending, extensions and size; with `repairs`, what is wrong is put right unless the profile is open."""
    found = holder(profile)
    is_open = found is not None and found.is_alive
    may = repairs and not is_open
    checks = [_lock(profile, may), _preferences(profile, is_open, may), _extensions(profile, may), _size(profile, may)]
    if repairs and is_open:
        checks.append(
            BrowserCheck("open", False, f"the profile is open in process {found.pid if found else 0}", "Close it.")
        )
    return checks


def _lock(profile: Path, repairs: bool) -> BrowserCheck:
    found = holder(profile)
    if found is None or found.is_alive:
        return BrowserCheck("lock", True, "free" if found is None else f"held by process {found.pid}")
    if not found.is_here:
        remedy = f"Close the browser there, or remove {profile / 'SingletonLock'} if it is gone."
        return BrowserCheck("lock", False, f"held by the machine {found.host}", remedy)
    if repairs:
        return BrowserCheck("lock", False, "a dead browser had left its lock", is_repaired=clear_stale(profile))
    return BrowserCheck("lock", False, "a dead browser has left its lock", REPAIR)


def _preferences(profile: Path, is_open: bool, repairs: bool) -> BrowserCheck:
    """Whether the last browser ended well, and its settings can be read; while it is open both are its own."""
    file = profile / "Default" / "Preferences"
    if is_open or not file.exists():
        return BrowserCheck("crash", True, "the browser is running" if is_open else "never used")
    try:
        values = json.loads(file.read_text("utf-8"))
        ending = str(values.get("profile", {}).get("exit_type", "Normal"))
        wrong = None if ending != "Crashed" else "the last browser crashed"
    except (OSError, ValueError, AttributeError):
        wrong = "its settings cannot be read"
    if wrong is None:
        return BrowserCheck("crash", True, "the last browser ended well")
    if repairs:
        prepare(profile)
    return BrowserCheck("crash", False, wrong, None if repairs else REPAIR, is_repaired=repairs)


def _extensions(profile: Path, repairs: bool) -> BrowserCheck:
    folder = profile / "Default" / "Extensions"
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    names = [name for name in names if name != "Temp"]
    if not names:
        return BrowserCheck("extensions", True, "none")
    if repairs:
        shutil.rmtree(folder, ignore_errors=True)
    detail = f"{len(names)}: {', '.join(names)}"
    return BrowserCheck("extensions", False, detail, None if repairs else REPAIR, is_repaired=repairs)


def _size(profile: Path, repairs: bool) -> BrowserCheck:
    size = sum(_sizes(profile))
    detail = f"{size / 1e6:.0f} MB"
    if size <= _LARGE_BYTES:
        return BrowserCheck("size", True, detail)
    if repairs:
        for name in _CACHES:
            shutil.rmtree(profile / "Default" / name, ignore_errors=True)
        detail = f"{detail}, now {sum(_sizes(profile)) / 1e6:.0f} MB"
    return BrowserCheck("size", False, detail, None if repairs else REPAIR, is_repaired=repairs)


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                yield (Path(place) / name).lstat().st_size
            except OSError:
                continue
