"""Captures: what a browser saw of a page, kept beside the WARC files under the name of the page's own record."""

import asyncio
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lyra.archive import cdxj
from lyra.archive.har import har
from lyra.archive.redact import redacted_text, redacted_url
from lyra.clock import Clock
from lyra.disk import writing
from lyra.errors import InvalidParams
from lyra.model.archive import Capture, CaptureRef

FOLDER = "captures"
_SCREENSHOT, _RESOURCES, _HAR = ".png", ".cdxj", ".har"
_RECORD = re.compile(r"<urn:uuid:([0-9a-fA-F-]{36})>")


class Captures:
    """A folder a day below `directory`/captures; three files a capture, each written whole or not at all."""

    def __init__(self, directory: Path, clock: Clock, secrets: Sequence[str] = ()) -> None:
        self._directory = directory
        self._clock = clock
        self._secrets = tuple(secrets)

    async def store(self, capture: Capture) -> CaptureRef:
        """Keep screenshot, resource list and HAR. Raises DiskFull or StorageError, and then nothing of it is kept."""
        return await asyncio.to_thread(self._store, capture)

    async def of_record(self, record_id: str) -> CaptureRef | None:
        """The capture whose page is this record, if there is one."""
        return await asyncio.to_thread(self._find, record_id)

    def _store(self, capture: Capture) -> CaptureRef:
        clean = self._redacted(capture)
        stem = Path(FOLDER) / self._clock.now().strftime("%Y%m%d") / capture_name(capture.record_id)
        ref = _ref(capture.record_id, stem, has_screenshot=capture.screenshot is not None)
        files = {ref.resources: _cdxj(clean), ref.har: _json(clean)}
        if ref.screenshot is not None and capture.screenshot is not None:
            files[ref.screenshot] = capture.screenshot
        with writing(self._directory):
            self._write(files)
        return ref

    def _redacted(self, capture: Capture) -> Capture:
        resources = tuple(replace(r, url=self._clean(r.url)) for r in capture.resources)
        return replace(capture, url=self._clean(capture.url), resources=resources)

    def _clean(self, url: str) -> str:
        return redacted_text(redacted_url(url), self._secrets)

    def _write(self, files: dict[str, bytes]) -> None:
        """All under passing names first: a full disk leaves none behind."""
        pending: list[tuple[Path, Path]] = []
        try:
            for path, data in files.items():
                target = self._directory / path
                target.parent.mkdir(parents=True, exist_ok=True)
                part = target.with_name(f"{target.name}.{os.getpid()}.part")
                pending.append((part, target))
                part.write_bytes(data)
            for part, target in pending:
                part.replace(target)
        except OSError:
            for part, target in pending:
                part.unlink(missing_ok=True)
                target.unlink(missing_ok=True)
            raise

    def _find(self, record_id: str) -> CaptureRef | None:
        name = capture_name(record_id)
        found = next((self._directory / FOLDER).glob(f"*/{name}{_RESOURCES}"), None)
        if found is None:
            return None
        stem = found.relative_to(self._directory).with_suffix("")
        return _ref(record_id, stem, has_screenshot=found.with_suffix(_SCREENSHOT).is_file())


def capture_sizes(directory: Path) -> dict[str, int]:
    """The bytes of every capture, by the name of its record."""
    sizes: dict[str, int] = {}
    for file in (directory / FOLDER).glob("*/*"):
        name = file.name.partition(".")[0]
        sizes[name] = sizes.get(name, 0) + file.stat().st_size
    return sizes


def remove_capture(directory: Path, record_id: str) -> int:
    """Remove the capture of a record, if there is one; returns the bytes that became free."""
    freed = 0
    for file in (directory / FOLDER).glob(f"*/{capture_name(record_id)}.*"):
        freed += file.stat().st_size
        file.unlink()
    return freed


def capture_name(record_id: str) -> str:
    """The record's UUID, which names its files."""
    match = _RECORD.fullmatch(record_id)
    if match is None:
        raise InvalidParams(f"{record_id[:80]!r} is no id of an archived record.", remedy="Archive the page first.")
    return match.group(1).lower()


def _ref(record_id: str, stem: Path, *, has_screenshot: bool) -> CaptureRef:
    base = stem.as_posix()
    return CaptureRef(record_id, base + _RESOURCES, base + _HAR, base + _SCREENSHOT if has_screenshot else None)


def _cdxj(capture: Capture) -> bytes:
    lines = [
        cdxj.cdxj_line(
            resource.url,
            resource.started_at,
            {
                "mime": resource.media_type or None,
                "status": str(resource.status_code) if resource.status_code else None,
                "digest": f"sha256:{resource.sha256}" if resource.sha256 else None,
                "length": str(resource.bytes) if resource.bytes is not None else None,
                "method": resource.method if resource.method != "GET" else None,
            },
        )
        for resource in capture.resources
    ]
    return "".join(f"{line}\n" for line in sorted(lines)).encode()


def _json(capture: Capture) -> bytes:
    return json.dumps(har(capture), ensure_ascii=False, indent=1).encode()
