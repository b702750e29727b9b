"""When a page has come to rest: its network silent, or its content the same for a while; never later than a limit."""

from dataclasses import dataclass
from typing import Any

from lyra.clock import Clock
from lyra.errors import BrowserFault
from lyra.fetch.browser.driver import Tab
from lyra.fetch.browser.tap import Tap
from lyra.fetch.browser.traffic import Traffic
from lyra.settings import Browser

_POLL_S = 0.1
# A page whose network never falls silent counts as ready when its text has not changed for this long.
_STABLE_S = 2.0
# A page that says it is still loading is given this long between two changes.
_PENDING_S = 3.0
_PENDING = (
    '[aria-busy="true"], [data-state="loading"], #app:empty, #root:empty, #__next:empty, #__nuxt:empty, main:empty'
)
# Nodes and characters: what a reader would see change.
_MEASURE = (
    f"[document.readyState, !!document.querySelector({_PENDING!r}), document.getElementsByTagName('*').length,"
    " document.body ? document.body.textContent.length : 0]"
)


class Window:
    """A look into the page from a world of its own: the page's scripts neither see nor disturb it."""

    def __init__(self, tab: Tab, frame_id: str) -> None:
        self._line = tab.line
        self._frame_id = frame_id

    async def see(self, expression: str, *, is_gesture: bool = False) -> Any:
        """The value of an expression, as if a person had acted where so wished. BrowserFault: the page just changes."""
        world = await self._line.send(
            "Page.createIsolatedWorld", {"frameId": self._frame_id, "worldName": "", "grantUniveralAccess": False}
        )
        answer = await self._line.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": world["executionContextId"],
                "returnByValue": True,
                "userGesture": is_gesture,
            },
        )
        if "exceptionDetails" in answer:
            raise BrowserFault("The page could not be read.")
        return answer["result"].get("value")


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a page: how far its loading is, whether it says that more will come, how much there is of it."""

    ready: str = "loading"
    is_pending: bool = False
    size: tuple[int, ...] = ()
    loads: int = 0
    is_quiet: bool = False


class Rest:
    """Judges a row of looks."""

    def __init__(self, settings: Browser, now_s: float) -> None:
        self._settings = settings
        self._last = Look()
        self._silent_since_s: float | None = None
        self._same_since_s = now_s

    def is_reached(self, look: Look, now_s: float) -> bool:
        """Take in a look and say whether the page rests."""
        if not look.is_quiet:
            self._silent_since_s = None
        elif self._silent_since_s is None or look.loads != self._last.loads:
            self._silent_since_s = now_s
        if look.size != self._last.size or look.ready != self._last.ready:
            self._same_since_s = now_s
        self._last = look
        same_s = now_s - self._same_since_s
        if look.ready == "loading" or look.is_pending:
            return look.ready != "loading" and same_s >= _PENDING_S
        silent_s = 0.0 if self._silent_since_s is None else now_s - self._silent_since_s
        is_silent = look.ready == "complete" and look.is_quiet and min(silent_s, same_s) >= self._settings.quiet_s
        return is_silent or same_s >= _STABLE_S


async def settle(tab: Tab, window: Window, tap: Tap, traffic: Traffic, clock: Clock, settings: Browser) -> bool:
    """Wait until the page rests, the visit ends, or the limit has passed; whether it came to rest."""
    begun_s = clock.monotonic()
    rest = Rest(settings, begun_s)
    while clock.monotonic() - begun_s < settings.settle_limit_s:
        if tap.ended.is_set() or tab.has_crashed.is_set():
            return False
        look = await _look(window, traffic) if tap.arrived.is_set() else Look()
        if rest.is_reached(look, clock.monotonic()):
            return True
        await clock.sleep(_POLL_S)
    return False


async def _look(window: Window, traffic: Traffic) -> Look:
    try:
        ready, is_pending, *size = await window.see(_MEASURE)
    except BrowserFault:
        return Look()  # the page is being replaced by another
    return Look(str(ready), bool(is_pending), tuple(size), traffic.count(), traffic.is_quiet())
