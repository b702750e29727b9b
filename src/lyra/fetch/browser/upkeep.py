"""The health of a research profile: what is wrong with it, and putting it right. Only research profiles are touched."""

import asyncio
from pathlib import Path

from lyra.clock import Clock
from lyra.errors import BrowserFault, ChromeNotReady
from lyra.fetch.browser import face as faces
from lyra.fetch.browser import machine
from lyra.fetch.browser.check import Check
from lyra.fetch.browser.chrome import Chrome, major_version
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.mending import REPAIR, examine
from lyra.fetch.browser.profile import profile_dir
from lyra.fetch.sessions import SessionStore
from lyra.settings import Settings


async def audit(settings: Settings, mode: Mode, clock: Clock, *, repairs: bool = False) -> list[Check]:
    """Every check of one profile; with `repairs`, what is wrong is put right where a program may."""
    browser = machine.executable(settings.browser.executable)
    profile = profile_dir(settings, mode, browser)
    if not profile.exists():
        return [Check("profile", True, f"{profile} will be made on first use")]
    checks = await asyncio.to_thread(examine, profile, repairs=repairs)
    checks.append(await _sessions(settings, clock, repairs=repairs))
    if all(check.is_fine or check.is_repaired for check in checks if check.name == "lock"):
        checks += await _faces(settings, mode, clock, profile, browser, repairs=repairs)
    return checks


async def _sessions(settings: Settings, clock: Clock, *, repairs: bool) -> Check:
    """Sessions whose every cookie has run out are no use to anybody."""
    store = SessionStore(settings.sessions_dir, clock)
    domains = await store.domains()
    dead = [name for name in domains if not ((one := await store.load(name)) and one.cookies)]
    if not dead:
        return Check("sessions", True, f"{len(domains)} domains")
    if repairs:
        for name in dead:
            await store.forget(name)
    detail = f"{len(dead)} of {len(domains)} have run out"
    return Check("sessions", False, detail, None if repairs else REPAIR, is_repaired=repairs)


async def _faces(
    settings: Settings, mode: Mode, clock: Clock, profile: Path, browser: Path, *, repairs: bool
) -> list[Check]:
    try:
        chrome = await Chrome.start(settings, mode, clock)
        try:
            seen = await faces.look(chrome.endpoint)
        finally:
            await chrome.close()
    except (BrowserFault, ChromeNotReady) as exc:
        return [Check("face", False, exc.message, exc.remedy or "See `lyra browser diagnose`.")]
    version = await asyncio.to_thread(major_version, browser)
    wrong = faces.incoherences(seen, version=version, language=settings.browser.language, time_zone=machine.time_zone())
    shown = f"Chrome {seen.major}, {seen.languages}, {seen.time_zone}"
    checks = [Check("face", not wrong, "; ".join(wrong) or shown, "See docs/how-to/browser.md." if wrong else None)]
    file = profile.parent / f"{profile.name}.face.json"
    before = faces.remembered(file)
    changed = faces.differences(before, seen) if before else ()
    if before is None or repairs:
        faces.remember(file, seen)
    detail = "; ".join(changed) or ("as at the last audit" if before else "remembered from now on")
    remedy = f"If you changed that yourself: {REPAIR}" if changed and not repairs else None
    return [*checks, Check("constancy", not changed, detail, remedy, is_repaired=bool(changed) and repairs)]
