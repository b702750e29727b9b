"""Browsers with a window, on a screen that nobody sees: the last two rungs that need one."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import ChromeNotReady
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.machine import display
from lyra.model.page import FetchOutcome
from lyra.settings import Network, Settings
from lyra.settings.rungs import Browser

PAGE = """<!DOCTYPE html><html><body style="height:4000px"><h1>観測</h1><p id="told"></p><script>
  let moves = 0, far = 0;
  onmousemove = () => { moves += 1; show() }; onscroll = () => { far = Math.max(far, scrollY); show() };
  function show() { told.textContent = `moved ${moves > 9} scrolled ${far > 300} driven ${navigator.webdriver}` }
</script></body></html>"""


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("mode", ["headful", "undetected"])
async def test_window_is_read_by_something_like_a_person(
    mode: Mode, chromium: Path, virtual_screen: None, stage: Any, tmp_path: Path, open_desk: Any
) -> None:
    """The pointer moves, the page is scrolled, nothing says that a program does it, and all ends with the rung."""
    url = stage.show("/watching", PAGE)
    settings = Settings(data_dir=tmp_path, network=Network(proxy=stage.url), browser=Browser(quiet_s=0.2))

    async with AsyncExitStack() as stack:
        desk = await open_desk(stack, settings, mode)
        result = await desk.get(url)

    assert (result.outcome, result.rung) == (FetchOutcome.OK, mode)
    assert "moved true scrolled true driven false" in result.body.decode()


def test_machine_without_any_screen_says_what_to_install() -> None:
    """No display and no Xvfb: the rung takes itself out with the remedy."""
    with pytest.raises(ChromeNotReady) as caught:
        display({"PATH": "/nonexistent"})

    assert caught.value.message == "There is no display for a browser window, and no virtual one (Xvfb)."
    assert "apt-get install xvfb" in (caught.value.remedy or "")
