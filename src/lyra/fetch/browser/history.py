"""What a profile remembers of the pages it has shown: forgotten with a task, as long as no browser has it open."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from lyra.errors import StorageError
from lyra.fetch.browser.profile import holder, name_in_snap, starting
from lyra.settings import Settings

# Files of Chrome with addresses or contents of pages. Cookies stay: they are the log-ins of a person.
_REMEMBERING = (
    "History*",
    "Visited Links*",
    "Top Sites*",
    "Favicons*",
    "Shortcuts*",
    "Network Action Predictor*",
    "Network Persistent State*",
    "Reporting and NEL*",
    "Site Characteristics Database",
    "Session Storage",
    "Sessions*",
    "Cache",
    "Code Cache",
)
IN_USE = "a browser has this profile open; its history stays. Close the browser and delete the history there."


def forget_history(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Remove it from every profile of this data directory; returns those that keep it, each with the reason."""
    left = []
    for profile in _profiles(settings):
        try:
            _forget(profile)
        except StorageError as exc:
            left.append((str(profile), exc.message))
    return tuple(left)


def _profiles(settings: Settings) -> Iterator[Path]:
    """Also those of a browser in a snap, which lie in its own corner of the home directory."""
    folders = (settings.browser_dir, *Path.home().glob(f"snap/*/common/lyra/{name_in_snap(settings)}"))
    for folder in folders:
        yield from sorted(one.parent for one in folder.glob("*/Default") if one.is_dir() and not one.is_symlink())


def _forget(profile: Path) -> None:
    with starting(profile) as is_ours:
        found = holder(profile)
        if not is_ours or (found is not None and (found.is_alive or not found.is_here)):
            raise StorageError(IN_USE)
        for pattern in _REMEMBERING:
            for path in (profile / "Default").glob(pattern):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
