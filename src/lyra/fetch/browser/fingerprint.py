"""The fingerprint a profile shows to sites: its parts must agree, and stay the same from visit to visit."""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lyra.fetch.browser.driver import Driver, IsolatedWorld

# Letters of two scripts in the page's default font: the picture changes when fonts or the graphics do.
_SCRIPT = """(() => {
  const c = document.createElement('canvas'); c.width = 240; c.height = 60;
  const g = c.getContext('2d'); g.font = '16px sans-serif'; g.fillText('Lyra 調査 ﾗｲﾗ', 4, 24);
  g.font = '16px serif'; g.fillText('quod erat 証明', 4, 50);
  return {user_agent: navigator.userAgent, languages: navigator.languages.join(','),
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, platform: navigator.platform,
    is_automated: navigator.webdriver === true, picture: c.toDataURL()};
})()"""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    user_agent: str
    languages: str
    time_zone: str
    platform: str
    is_automated: bool
    picture: str

    @property
    def major(self) -> str:
        """The version in the name the browser gives."""
        return self.user_agent.partition("Chrome/")[2].partition(".")[0]


async def read_fingerprint(endpoint: str) -> Fingerprint:
    """The fingerprint of a running browser, read in an empty tab. Raises BrowserFault."""
    driver = await Driver.connect(endpoint)
    try:
        tab = await driver.new_tab()
        try:
            await tab.cdp.send("Page.enable")
            tree = await tab.cdp.send("Page.getFrameTree")
            return _from_fields(await IsolatedWorld(tab, tree["frameTree"]["frame"]["id"]).evaluate(_SCRIPT))
        finally:
            await tab.close()
    finally:
        await driver.close()


def _from_fields(fields: dict[str, Any]) -> Fingerprint:
    picture = hashlib.sha256(str(fields.pop("picture")).encode()).hexdigest()[:16]
    return Fingerprint(**fields, picture=picture)


def load_fingerprint(file: Path) -> Fingerprint | None:
    """The fingerprint at the last audit."""
    try:
        return Fingerprint(**json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def save_fingerprint(file: Path, fingerprint: Fingerprint) -> None:
    file.write_text(json.dumps(asdict(fingerprint)), "utf-8")


def differences(before: Fingerprint, now: Fingerprint) -> tuple[str, ...]:
    """What a site would notice, in words."""
    return tuple(
        f"{name}: {old} → {new}"
        for name, old in asdict(before).items()
        if (new := asdict(now)[name]) != old and name != "user_agent"
    ) + ((f"version: {before.major} → {now.major}",) if before.major != now.major else ())


def contradictions(
    fingerprint: Fingerprint, *, version: str | None, language: str | None, time_zone: str | None
) -> tuple[str, ...]:
    """Where the fingerprint contradicts the machine it is on."""
    found = []
    if fingerprint.is_automated:
        found.append("navigator.webdriver is true")
    if "Headless" in fingerprint.user_agent:
        found.append("the user agent says headless")
    if version is not None and fingerprint.major != version:
        found.append(f"the user agent says version {fingerprint.major}, the program is {version}")
    if language and not fingerprint.languages.lower().startswith(language.lower()):
        found.append(f"it asks for {fingerprint.languages}, the setting is {language}")
    if time_zone and not is_same_time(fingerprint.time_zone, time_zone):
        found.append(f"its time zone is {fingerprint.time_zone}, the system's is {time_zone}")
    return tuple(found)


def is_same_time(one: str, other: str) -> bool:
    """Whether two names of time zones mean the same clock, summer and winter (UTC has a dozen names)."""
    try:
        zones = [ZoneInfo(name) for name in (one, other)]
    except (ZoneInfoNotFoundError, ValueError):
        return one == other
    moments = [datetime(2026, month, 1, tzinfo=UTC) for month in (1, 7)]
    return all(len({moment.astimezone(zone).utcoffset() for zone in zones}) == 1 for moment in moments)
