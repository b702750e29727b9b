"""PDF and pictures, printed from HTML by Chrome or Chromium: fonts are embedded, and nothing is asked of the network.

No driver is needed: the browser prints by its command line, with a profile that is thrown away afterwards.
"""

import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lyra.errors import ChromeNotReady
from lyra.fetch.browser import machine
from lyra.report import figures
from lyra.report.html import draw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TIMEOUT_S = 180
_QUIET = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # the page asks for nothing; neither may the browser
    "--no-pdf-header-footer",
)
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_FONT_REMEDY = "Install a Japanese font (Debian and Ubuntu: sudo apt-get install fonts-noto-cjk)."
_PIXELS_PER_POINT = 3.0


def print_pdf(page: str, executable: Path | None) -> bytes:
    """An HTML page as PDF. Raises ChromeNotReady, with a remedy, where no browser or no Japanese font is there."""
    browser = machine.executable(executable)
    if _JAPANESE.search(page):
        _require_japanese_font()
    home = Path.home() if machine.is_snap(browser) else None  # a snap sees no hidden or temporary folders
    with tempfile.TemporaryDirectory(prefix="lyra-print-", dir=home, ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        _run([str(browser), *_QUIET, *_flags(folder), f"--print-to-pdf={target}", source.as_uri()])
        try:
            return target.read_bytes()
        except OSError as exc:
            raise ChromeNotReady(
                f"{browser} printed no page.", remedy="Try `lyra browser diagnose`, or write --format html."
            ) from exc


def pictures(shown: Sequence[figures.FigureData], executable: Path | None) -> list[bytes]:
    """Each figure as PNG, three pixels a point."""
    if not shown:
        return []
    drawn = [draw(data) for data in shown]
    heights = [float(found[1]) if (found := re.search(r'height="([\d.]+)"', svg)) else 400.0 for svg in drawn]
    style = (
        f"@page{{size:{figures.WIDTH}px {max(heights) + 2}px;margin:0}}body{{margin:0}}"
        f"svg{{display:block;break-after:page}}{figures.STYLE}"
    )
    page = f'<!doctype html><meta charset="utf-8"><style>{style}</style>{"".join(drawn)}'
    return _rasters(print_pdf(page, executable), heights)


def _rasters(pdf: bytes, heights: Sequence[float]) -> list[bytes]:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    try:
        found = []
        for number, height in enumerate(heights):
            bitmap = document[number].render(scale=_PIXELS_PER_POINT)
            rows = round(height * 0.75 * _PIXELS_PER_POINT)  # a CSS pixel is three quarters of a point
            found.append(_png(bitmap.to_numpy()[:rows, :, 2::-1]))
        return found
    finally:
        document.close()


def _png(pixels: "NDArray[np.uint8]") -> bytes:
    """Rows of red, green and blue as a PNG file."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\x00" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _flags(folder: str) -> list[str]:
    flags = [f"--user-data-dir={folder}/profile"]
    if machine.is_root():
        flags.append("--no-sandbox")
    if machine.is_shared_memory_small():
        flags.append("--disable-dev-shm-usage")
    return flags


def _run(command: list[str]) -> None:
    """Run the browser to its end and leave none of its processes behind."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as exc:
        raise ChromeNotReady(f"{command[0]} cannot be run: {exc.strerror}.", remedy=machine.INSTALL) from exc
    try:
        process.wait(_TIMEOUT_S)
    except subprocess.TimeoutExpired as exc:
        raise ChromeNotReady(
            f"The browser did not print within {_TIMEOUT_S} seconds.", remedy="Write --format html and print that."
        ) from exc
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _require_japanese_font() -> None:
    """Without one the letters would be empty boxes. Where fontconfig is missing (macOS) the system has fonts."""
    listing = shutil.which("fc-list")
    if listing is None:
        return
    found = subprocess.run([listing, ":lang=ja", "family"], capture_output=True, check=False)
    if found.returncode == 0 and not found.stdout.strip():
        raise ChromeNotReady("This machine has no font with Japanese letters.", remedy=_FONT_REMEDY)
