"""The ways to the web: the network, a browser, Tor, and whether engines can be reached."""

import shutil
from typing import TYPE_CHECKING

from lyra.errors import ChromeNotReady, LyraError
from lyra.health.finding import Finding
from lyra.settings import Settings

if TYPE_CHECKING:
    from lyra.fetch.reachability import HostAnswer

_INSTALL_TOR = "Install Tor (Debian and Ubuntu: sudo apt-get install tor)."
_RUN_TOR = "Start it (Debian and Ubuntu: sudo systemctl start tor), or set tor.mode to start."
_NO_INTERNET = "Connect this machine to the internet, or correct network.proxy."
_UNSET_PORT = "Unset browser.debugging_port; Lyra then starts its own browser, which only you can reach."


def check_network(settings: Settings) -> Finding:
    network = settings.network
    if network.ca_bundle and not network.ca_bundle.is_file():
        remedy = "Correct network.ca_bundle."
        return Finding("network", False, f"the CA bundle {network.ca_bundle} does not exist", remedy)
    via = f"through {network.proxy}" if network.proxy else "direct"
    return Finding(
        "network", True, f"{via}; private addresses {'allowed' if network.allow_private_addresses else 'refused'}"
    )


def check_browser(settings: Settings) -> Finding:
    """The browser that pages are read with; its own checks are `lyra browser diagnose`."""
    from lyra.fetch.browser import machine

    if not settings.browser.enabled:
        return Finding("browser", True, "off (browser.enabled): pages that need a browser stay unread")
    if settings.browser.debugging_port is not None:
        detail = f"one of yours is driven at port {settings.browser.debugging_port}, as every local user can drive it"
        return Finding("browser", False, detail, _UNSET_PORT)
    try:
        return Finding("browser", True, str(machine.executable(settings.browser.executable)))
    except ChromeNotReady as exc:
        is_named = settings.browser.executable is not None
        detail = f"{exc.message} Pages that need a browser stay unread."
        return Finding("browser", not is_named, detail, exc.remedy)


async def check_tor(settings: Settings) -> Finding:
    """Whether a Tor could be used; nothing is started, and nothing beyond this machine is asked."""
    from lyra.fetch.tor import is_listening

    tor, unused = settings.tor, "pages whose servers refuse this machine's address stay unread"
    if tor.mode == "off":
        return Finding("tor", True, f"off (tor.mode): {unused}")
    if await is_listening(tor.socks_address):
        return Finding("tor", True, f"runs at {tor.socks_address}")
    if shutil.which(tor.executable) is None:
        return Finding("tor", tor.mode != "start", f"not installed: {unused}", _INSTALL_TOR)
    if tor.mode == "start":
        return Finding("tor", True, "installed; started when it is needed")
    return Finding("tor", True, f"installed, but none runs at {tor.socks_address}: {unused}", _RUN_TOR)


async def check_reachability(settings: Settings) -> list[Finding]:
    """What can be reached of the web: a line for the internet, and one for every engine."""
    from lyra.clock import SystemClock
    from lyra.fetch.reachability import reach
    from lyra.search.engines import known_engines

    known = known_engines()
    engines = [known[name] for name in settings.engines.enabled if name in known]
    try:
        found = await reach([one.url_for("lyra").url for one in engines], settings.network, SystemClock())
    except LyraError as exc:
        return [Finding("internet", False, exc.message, exc.remedy)]
    reached = sum(not one.is_unreachable for one in found)
    if not reached:
        return [Finding("internet", False, "no internet: none of the engines can be reached", _NO_INTERNET)]
    lines = [_reached_engine(engine.id, one) for engine, one in zip(engines, found, strict=True)]
    return [Finding("internet", True, f"{reached} of {len(found)} hosts can be reached"), *lines]


def _reached_engine(name: str, one: "HostAnswer") -> Finding:
    if one.status_code is not None:
        return Finding(f"engine {name}", True, f"{one.host} answers in {one.elapsed_s:.1f} s")
    return Finding(f"engine {name}", False, one.reason or f"{one.host} gave no answer", "Try again later.")
