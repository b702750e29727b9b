"""Captures: what a browser saw of a page, kept beside the WARC files under the name of the page's own record."""

import asyncio
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lyra import __version__
from lyra.archive.cdxj import cdxj_line
from lyra.clock import Clock, stamp
from lyra.disk import make_private_folder, open_private, write_all, writing
from lyra.errors import InvalidParams
from lyra.model.archive import Capture, CaptureRef, Resource
from lyra.redact.redactor import PLAIN, Redactor

FOLDER = "captures"
_SCREENSHOT, _RESOURCES, _HAR_SUFFIX = ".png", ".cdxj", ".har"
_RECORD = re.compile(r"<urn:uuid:([0-9a-fA-F-]{36})>")


class Captures:
    """A folder a day below `directory`/captures; three files a capture, each written whole or not at all."""

    def __init__(self, directory: Path, clock: Clock, redactor: Redactor = PLAIN) -> None:
        self._directory = directory
        self._clock = clock
        self._redactor = redactor

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
        files = {ref.resources: _cdxj_bytes(clean), ref.har: _har_bytes(clean)}
        if ref.screenshot is not None and capture.screenshot is not None:
            files[ref.screenshot] = capture.screenshot
        with writing(self._directory):
            self._write(files)
        return ref

    def _redacted(self, capture: Capture) -> Capture:
        resources = tuple(replace(r, url=self._redactor.url(r.url)) for r in capture.resources)
        return replace(capture, url=self._redactor.url(capture.url), resources=resources)

    def _write(self, files: dict[str, bytes]) -> None:
        """All under passing names first: a full disk leaves none behind."""
        pending: list[tuple[Path, Path]] = []
        try:
            for path, data in files.items():
                target = self._directory / path
                make_private_folder(target.parent)
                part = target.with_name(f"{target.name}.{os.getpid()}.part")
                pending.append((part, target))
                with open_private(part, "wb") as file:
                    write_all(file, data)
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
        raise InvalidParams(
            f"{record_id[:80]!r} is not the id of an archived record.", remedy="Archive the page first."
        )
    return match.group(1).lower()


def _ref(record_id: str, stem: Path, *, has_screenshot: bool) -> CaptureRef:
    base = stem.as_posix()
    return CaptureRef(record_id, base + _RESOURCES, base + _HAR_SUFFIX, base + _SCREENSHOT if has_screenshot else None)


def _cdxj_bytes(capture: Capture) -> bytes:
    lines = [
        cdxj_line(
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


def _har_bytes(capture: Capture) -> bytes:
    return json.dumps(har(capture), ensure_ascii=False, indent=1).encode()


_PAGE = "page_1"


def har(capture: Capture) -> dict[str, Any]:
    """The whole log; what the browser did not say is -1, as the format has it."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "lyra-mcp", "version": __version__},
            "pages": [
                {
                    "startedDateTime": stamp(min((r.started_at for r in capture.resources), default=capture.taken_at)),
                    "id": _PAGE,
                    "title": capture.url,
                    "pageTimings": {},
                }
            ],
            "entries": [_har_entry(resource) for resource in capture.resources],
        }
    }


def _har_entry(resource: Resource) -> dict[str, Any]:
    elapsed_ms = round(1000 * resource.elapsed_s, 3)
    return {
        "pageref": _PAGE,
        "startedDateTime": stamp(resource.started_at),
        "time": elapsed_ms,
        "request": {
            "method": resource.method,
            "url": resource.url,
            "queryString": _har_query(resource.url),
            **_har_unknown(),
        },
        "response": {
            "status": resource.status_code or 0,
            "statusText": "",
            "content": _har_content(resource),
            "redirectURL": "",
            **_har_unknown(),
        },
        "cache": {},
        "timings": {"send": 0, "wait": elapsed_ms, "receive": 0},
    }


def _har_unknown() -> dict[str, Any]:
    return {"httpVersion": "", "cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}


def _har_content(resource: Resource) -> dict[str, Any]:
    size = -1 if resource.bytes is None else resource.bytes
    content: dict[str, Any] = {"size": size, "mimeType": resource.media_type}
    return content | ({"comment": f"sha256:{resource.sha256}"} if resource.sha256 else {})


def _har_query(url: str) -> list[dict[str, str]]:
    try:
        query = urlsplit(url).query
    except ValueError:
        return []
    return [{"name": name, "value": value} for name, value in parse_qsl(query, keep_blank_values=True)]
