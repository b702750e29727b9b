"""Makes the pictures of the dashboard in docs/images: two demonstrations, one dashboard each, one real Chromium.

    python scripts/make_screenshots.py [--english DIR] [--japanese DIR]

Without directories the demonstrations run first, which takes some minutes; with them, those of an earlier run are
shown (`lyra demo dpp4 --keep DIR`, `lyra demo kosodate --keep DIR`).
"""

import argparse
import asyncio
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from patchright.async_api import async_playwright
from PIL import Image

from lyra.app import Lyra
from lyra.fetch.browser.machine import executable
from lyra.loopback import listen
from lyra.settings import Settings
from lyra.storage import claims
from lyra.web.server import new_access, serve_dashboard

_IMAGES = Path(__file__).parent.parent / "docs" / "images"
_COLOURS = 128
_DESKTOP, _PHONE = {"width": 1200, "height": 850}, {"width": 360, "height": 740}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--english", type=Path)
    parser.add_argument("--japanese", type=Path)
    given = parser.parse_args()
    _IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        english = given.english or _demonstration("dpp4", Path(folder) / "english")
        japanese = given.japanese or _demonstration("kosodate", Path(folder) / "japanese")
        await _take(english, "en")
        await _take(japanese, "ja")


def _demonstration(topic: str, folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "lyra", "demo", topic, "--keep", str(folder)], check=True)
    return folder


async def _take(folder: Path, language: str) -> None:
    """All pictures of one language."""
    listening = listen(0)
    access, stopping = new_access(listening), asyncio.Event()
    async with Lyra.open(Settings(data_dir=folder)) as lyra, async_playwright() as driver:
        serving = asyncio.create_task(serve_dashboard(lyra, listening, access, stopping))
        browser = await driver.chromium.launch(executable_path=executable(None), args=["--no-sandbox"])
        for name, path in (await _screens(lyra)).items():
            await _picture(browser, access.link, path, f"dashboard-{name}", language, "light", _DESKTOP)
        screens = await _screens(lyra)
        await _picture(browser, access.link, screens["claim"], "dashboard-dark", language, "dark", _DESKTOP)
        await _picture(browser, access.link, screens["task"], "dashboard-phone", language, "light", _PHONE)
        await browser.close()
        stopping.set()
        await serving


async def _screens(lyra: Lyra) -> dict[str, str]:
    """The screens of the newest task, and its most contested hypothesis."""
    (task,) = await lyra.tasks.recent(1)
    hypotheses = await lyra.db.read(claims.hypotheses, task.id)
    contested = max(hypotheses, key=lambda one: (one.assessment.evidence.controversy, one.claim.id))
    root = f"/tasks/{task.id}"
    return {
        "task": root,
        "claim": f"/claims/{contested.claim.id}",
        "graph": f"{root}/graph",
        "timeline": f"{root}/timeline",
        "review": f"{root}/review",
    }


async def _picture(
    browser: Any, link: str, path: str, name: str, language: str, colours: str, size: dict[str, int]
) -> None:
    context = await browser.new_context(locale=language, color_scheme=colours, viewport=size)
    page = await context.new_page()
    await page.goto(link)
    await page.wait_for_url("**/")
    await page.goto(link.split("/open")[0] + path)
    if path.endswith("/graph"):
        await page.locator("#graph[data-calm]").wait_for()
    taken = Image.open(io.BytesIO(await page.screenshot()))
    taken.convert("RGB").quantize(_COLOURS).save(_IMAGES / f"{name}-{language}.png", optimize=True)
    await context.close()


if __name__ == "__main__":
    asyncio.run(main())
