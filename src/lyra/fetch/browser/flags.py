"""The command line of the browser. Pure."""

from typing import Literal, get_args

from lyra.fetch.browser import storage

Mode = Literal["headless", "headful", "undetected", "person"]
MODES: tuple[Mode, ...] = get_args(Mode)

# Nothing but what pages ask for may leave the machine: no updates, reports, suggestions or sign-in of its own.
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-crash-restore-bubble",
    # Several pages are read at once: the one behind is no less alive.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    # Where it would ask about accounts at every start; pages that use the real address are not affected.
    "--gaia-url=https://accounts.invalid",
    "--google-apis-url=https://apis.invalid",
    "--disable-features=OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,DialMediaRouteProvider,"
    "Translate,InterestFeedContentSuggestions,AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "NetworkTimeServiceQuerying,PrefetchProxy,HttpsUpgrades,GlobalMediaControls,ChromeWhatsNewUI",
)
_UNSEEN = ("--disable-gpu", "--mute-audio", "--hide-scrollbars")
_WINDOW = "1366,900"


def command_line(
    mode: Mode,
    profile: str,
    proxy: str,
    *,
    user_agent: str | None = None,
    language: str | None = None,
    is_root: bool = False,
    is_shared_memory_small: bool = False,
) -> list[str]:
    """Arguments after the executable. No port is opened: what listens on one may be driven by every local user."""
    arguments = [
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
        # With a pipe, pages would be told that a program drives the browser; with a port they are not.
        "--disable-blink-features=AutomationControlled",
        f"--proxy-server={proxy}",
        # Without this, a page's requests to this very machine would go round the egress proxy.
        "--proxy-bypass-list=<-loopback>",
        # Names are the egress proxy's to look up: the browser itself asks no name server.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--window-size={_WINDOW}",
        *_QUIET,
        *storage.FLAGS,
    ]
    if mode == "headless":
        arguments += ["--headless=new", *_UNSEEN]
    else:
        arguments.append("--ozone-platform-hint=auto")
    if user_agent:
        arguments.append(f"--user-agent={user_agent}")
    if language:
        arguments += [f"--lang={language}", f"--accept-lang={language}"]
    if is_root:
        arguments.append("--no-sandbox")
    if is_shared_memory_small:
        arguments.append("--disable-dev-shm-usage")
    return [*arguments, "about:blank"]


def without_headless(user_agent: str) -> str:
    """The same browser's name for itself when it has a window; headless or not, it is one and the same program."""
    return user_agent.replace("HeadlessChrome/", "Chrome/")
