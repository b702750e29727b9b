"""Gets the files of a model from a hub (`/{repository}/resolve/{revision}/{file}`) or from a disk, proven by hash.

A transfer that broke off goes on where it stopped. What arrives under another hash is deleted, and nothing of it used.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lyra.disk import make_private_folder, open_private, write_all, writing
from lyra.errors import DiskFull, InvalidParams, ModelError, NetworkUnavailable
from lyra.ml.endpoints import allowed_address
from lyra.model_store.catalogue import PinnedFile, PinnedModel
from lyra.model_store.hashing import hash_file
from lyra.settings import Network

Progress = Callable[[str, int, int], None]
_ATTEMPTS = 4
_CONNECT_S = 20.0
# A server that sends less than this for so long hangs.
_LEAST_BYTES_PER_S, _HANGS_AFTER_S = 1_000, 30
_SPARE_BYTES = 100_000_000


class _Interrupted(Exception):
    """The transfer broke off and may go on; never leaves this module."""


def fetch_model(entry: PinnedModel, folder: Path, hub: str, network: Network, progress: Progress) -> None:
    """Every file of the entry below `folder`, each with the hash that the entry names."""
    base = allowed_address(hub, allow_remote=True).base
    missing = [one for one in entry.files if not is_there(folder / one.name, one, progress)]
    check_space(folder, sum(one.size_bytes for one in missing))
    for one in missing:
        path = f"{entry.repository}/resolve/{entry.revision}/{one.name}"
        _fetch(f"{base}/{quote(path)}", folder / one.name, one, network, progress)


def copy_model(entry: PinnedModel, origin: Path, folder: Path, progress: Progress) -> None:
    """The same from a disk: a folder in the repository's layout, or the one file where the entry has one."""
    if not origin.exists():
        raise InvalidParams(f"{origin} does not exist.", remedy="Name the file or folder to copy.")
    if origin.is_file() and len(entry.files) > 1:
        raise InvalidParams(
            f"The model {entry.name} has {len(entry.files)} files, and {origin} is one.",
            remedy="Name the folder that holds all of them.",
        )
    check_space(folder, entry.size_bytes)
    for one in entry.files:
        source = origin if origin.is_file() else origin / one.name
        target = folder / one.name
        with writing(folder):
            make_private_folder(target.parent)
        _copy(source, target, one, progress)


def _copy(source: Path, target: Path, pinned: PinnedFile, progress: Progress) -> None:
    try:
        reading = source.open("rb")
    except OSError as exc:
        raise InvalidParams(f"{source} cannot be read: {exc.strerror}.", remedy="Name the files to copy.") from exc
    with reading, writing(target.parent), open_private(target, "wb") as file:
        done = 0
        while block := reading.read(1 << 20):
            write_all(file, block)
            done += len(block)
            progress(pinned.name, done, max(pinned.size_bytes, done))
    check_content(target, pinned, str(source))


def is_there(path: Path, pinned: PinnedFile, progress: Progress) -> bool:
    """Whether an earlier attempt has left the whole file."""
    if not path.is_file() or path.stat().st_size != pinned.size_bytes:
        return False
    return hash_file(path, lambda done, total: progress(pinned.name, done, total)) == pinned.sha256


def _fetch(url: str, target: Path, pinned: PinnedFile, network: Network, progress: Progress) -> None:
    part = target.with_name(f"{target.name}.part")
    with writing(target.parent):
        make_private_folder(target.parent)
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            _transfer(url, part, pinned, network, progress)
        except _Interrupted as exc:
            reason = str(exc)
            continue
        check_content(part, pinned, url)
        with writing(target.parent):
            part.replace(target)
        return
    raise NetworkUnavailable(
        f"The transfer of {pinned.name} from {url} broke off ({reason}).",
        remedy="Run the same command again: it goes on where it stopped.",
    )


def _transfer(url: str, part: Path, pinned: PinnedFile, network: Network, progress: Progress) -> None:
    """Append what is missing to the part."""
    have = part.stat().st_size if part.exists() else 0
    if have == pinned.size_bytes and have:
        return
    if have > pinned.size_bytes:
        part.unlink()
        have = 0
    with _asked(url, have, network) as (status, blocks):
        if status == 416:
            part.unlink(missing_ok=True)
            raise _Interrupted("the server has a shorter file")
        if status not in (200, 206):
            raise _refused(status, url)
        mode, done = ("ab", have) if status == 206 and have else ("wb", 0)
        with writing(part.parent), open_private(part, mode) as file:
            for block in blocks:
                done += len(block)
                if done > pinned.size_bytes:
                    file.truncate(0)
                    raise wrong_content(pinned, url, f"it is longer than {pinned.size_bytes} bytes")
                write_all(file, block)
                progress(pinned.name, done, pinned.size_bytes)
    if done < pinned.size_bytes:
        raise _Interrupted(f"{done} of {pinned.size_bytes} bytes came")


@contextlib.contextmanager
def _asked(url: str, start: int, network: Network) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Status and body of the answer; redirects are followed, as a hub sends large files from elsewhere."""
    from curl_cffi import CurlOpt
    from curl_cffi.requests import Session
    from curl_cffi.requests.exceptions import RequestException

    options: dict[Any, Any] = {
        CurlOpt.LOW_SPEED_LIMIT: _LEAST_BYTES_PER_S,
        CurlOpt.LOW_SPEED_TIME: _HANGS_AFTER_S,
        CurlOpt.PROXY: (network.proxy or "").encode(),
    }
    headers = {"Range": f"bytes={start}-"} if start else {}
    verify: Any = str(network.ca_bundle) if network.ca_bundle else True
    with Session(curl_options=options) as session:
        try:
            reply = session.get(
                url, headers=headers, stream=True, timeout=(_CONNECT_S, 0), verify=verify, accept_encoding="identity"
            )
        except RequestException as exc:
            raise _Interrupted(_why(exc)) from exc
        try:
            yield reply.status_code, _blocks(reply)
        finally:
            reply.close()


def _blocks(reply: Any) -> Iterator[bytes]:
    from curl_cffi.requests.exceptions import RequestException

    try:
        yield from reply.iter_content()
    except RequestException as exc:
        raise _Interrupted(_why(exc)) from exc


def _why(exc: Exception) -> str:
    """The class of the error: its text repeats addresses and headers."""
    return type(exc).__name__


def check_content(path: Path, pinned: PinnedFile, where: str) -> None:
    """Delete a file that is not the one that was pinned, and say so."""
    found = hash_file(path)
    if found != pinned.sha256:
        path.unlink(missing_ok=True)
        raise wrong_content(pinned, where, f"SHA-256 {found[:12]}…, not {pinned.sha256[:12]}…")


def wrong_content(pinned: PinnedFile, where: str, why: str) -> ModelError:
    """The error for a file that was deleted because of its content."""
    return ModelError(
        f"{pinned.name} from {where} is not the file that was pinned ({why}); it was deleted.",
        remedy="Get it from where the pin was made; a pin of your own is in the file models.catalogue names.",
        details={"file": pinned.name, "expected": pinned.sha256},
    )


def _refused(status: int, url: str) -> ModelError:
    if status in (401, 403):
        return ModelError(
            f"The hub asks for a sign-in for {url} ({status}).",
            remedy="Download the files in a browser, then `lyra models pull NAME --from FOLDER`.",
        )
    if status == 404:
        return ModelError(f"The hub does not have {url}.", remedy="Check repository, revision and file of the pin.")
    return ModelError(f"The hub answered with status {status} for {url}.", remedy="Try again later.")


def check_space(folder: Path, needed: int) -> None:
    """`DiskFull` where so many bytes would not fit."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < needed + _SPARE_BYTES:
        raise DiskFull(
            f"The model needs {needed / 1e9:.2f} GB and {free / 1e9:.2f} GB are free; nothing was written.",
            remedy="Free some space, or choose another data directory.",
        )
