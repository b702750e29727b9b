"""Settings of the ways to a page besides plain requests: the browser, Tor and the web archive."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from lyra.settings.section import Section


class Browser(Section):
    """The user's own Chrome or Chromium, with a profile that only research uses."""

    enabled: bool = Field(True, description="Open pages in a browser where plain HTTP does not work.")
    executable: Path | None = Field(
        None, description="Chrome or Chromium to start; unset, the usual names on the PATH are looked for."
    )
    tabs: int = Field(2, ge=1, le=16, description="Pages the headless browser has open at once.")
    start_timeout_s: float = Field(
        15.0, gt=0, le=120, description="Longest time for the browser to be ready, in seconds."
    )
    quiet_s: float = Field(
        0.5, ge=0, le=10, description="Seconds without network traffic after which a page counts as loaded."
    )
    settle_limit_s: float = Field(
        10.0, gt=0, le=120, description="Longest wait for a page to stop changing after it has arrived, in seconds."
    )
    challenge_wait_s: float = Field(
        8.0, ge=0, le=60, description="How long a check that asks nothing of a person may take to pass, in seconds."
    )
    idle_exit_s: float = Field(
        300.0, gt=0, description="Time without any visit after which the browser is closed, in seconds."
    )
    blocked: tuple[Literal["images", "media", "fonts", "ads"], ...] = Field(
        ("media", "ads"), description="What pages may not load: images, media, fonts, ads."
    )
    language: str | None = Field(
        None, description="Language the browser asks for, such as ja; unset, that of the system."
    )
    max_memory_mb: int = Field(
        2_000, ge=300, description="Memory of the browser above which the page that takes most of it is ended, in MB."
    )
    takes_screenshots: bool = Field(True, description="Keep a picture of every page that a browser opened.")
    debugging_port: int | None = Field(
        None,
        ge=1,
        le=65_535,
        description="Port of a Chrome that you have started yourself with --remote-debugging-port, used where a window "
        "is needed; every user of this machine can drive it, so leave it unset unless you must.",
    )


class Tor(Section):
    """The Tor rung: pages whose server refuses direct requests, never engines or APIs."""

    mode: Literal["off", "auto", "start"] = Field(
        "auto", description="off: never; auto: a Tor that is already running; start: start one where none runs."
    )
    socks_address: str = Field("127.0.0.1:9050", description="Where Tor takes connections (SOCKS5).")
    control_address: str = Field("127.0.0.1:9051", description="Tor's control port, for new circuits.")
    control_password: str | None = Field(None, description="Password of the control port, where it wants one.")
    executable: str = Field("tor", description="Program that mode start runs.")
    start_timeout_s: float = Field(60.0, gt=0, le=600, description="Longest time for a started Tor to be ready.")
    share: float = Field(0.2, ge=0, le=0.2, description="Most requests of a day over Tor, overall and per domain.")
    sticky_s: float = Field(900.0, ge=0, description="How long one domain keeps one circuit, in seconds.")


class Wayback(Section):
    """The Internet Archive's public pages: for what cannot be opened, and for how pages have changed."""

    enabled: bool = Field(True, description="Ask the archive.")
    share: float = Field(
        0.15,
        ge=0,
        le=0.15,
        description="Most pages of a day that come from the archive, and of a search of more than 10 pages that are "
        "compared with their copies; of fewer all are.",
    )
    snapshots: int = Field(3, ge=0, le=10, description="Past versions of a page that are compared.")
