"""Machines without a browser: half of the engines cannot be asked, and that is told, not tried in vain."""

from pathlib import Path

import pytest

from lyra.errors import ChromeNotReady
from lyra.model.page import FetchOutcome
from lyra.search.engines import known_engines
from lyra.search.federation import Federation, FederationOptions
from lyra.settings import Engines, Settings
from lyra.storage import service_health
from lyra.storage.database import Database
from tests.clocks import HeldClock

from .conftest import MOJEEK, ScriptedWeb


async def test_browser_engines_without_a_browser_say_so(federation: Federation, scripted: ScriptedWeb) -> None:
    """CHROME_NOT_READY is for machines that lack the means; every request demanded a browser's rungs."""
    scripted.gives("google", FetchOutcome.UNAVAILABLE, reason="no Chrome was found")
    scripted.gives("bing", FetchOutcome.UNAVAILABLE, reason="no Chrome was found")

    answer = await federation.search("saxagliptin", FederationOptions(engines=("google", "bing")))

    assert isinstance(answer.refusal, ChromeNotReady)
    assert answer.refusal.message == "bing, google can only be asked through a browser, and none can be started."
    assert {request.rungs for request in scripted.asked} == {("headless", "headful")}


async def test_an_absent_browser_is_looked_for_again_after_ten_minutes(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock
) -> None:
    """Meanwhile no search waits for what is not there."""
    scripted.gives("bing", FetchOutcome.UNAVAILABLE, reason="no Chrome was found")
    scripted.serves("mojeek", MOJEEK)
    wish = FederationOptions(engines=("bing", "mojeek"))
    first = await federation.search("saxagliptin", wish)

    meanwhile = await federation.search("sitagliptin", wish)
    clock.pass_by(601)
    later = await federation.search("alogliptin", wish)

    reasons = [
        next(one.reason for one in answer.answers if one.engine == "bing") for answer in (first, meanwhile, later)
    ]
    assert reasons == [
        "This machine has no browser to ask it with (no Chrome was found).",
        "Not asked: this machine has no browser.",
        "This machine has no browser to ask it with (no Chrome was found).",
    ]


async def test_a_request_that_no_browser_could_send_uses_up_no_quota(
    federation: Federation, scripted: ScriptedWeb, db: Database
) -> None:
    """What was never asked does not count against the day."""
    scripted.gives("bing", FetchOutcome.UNAVAILABLE, reason="no Chrome was found")

    answer = await federation.search("saxagliptin", FederationOptions(engines=("bing",)))

    known = await db.read(service_health.get, "engine:bing")
    assert isinstance(answer.refusal, ChromeNotReady)
    assert (known.asked_day, known.asked_today) == ("2026-11-15", 0)


async def test_engines_are_off_where_the_machine_has_no_browser(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """`lyra engines` says so before any search has tried, and why; nobody is asked in vain."""
    engines = Engines(enabled=("mojeek", "bing"))
    settings = Settings(data_dir=tmp_path, engines=engines)
    federation = Federation(known_engines(), scripted, db, clock, settings, lambda: "browser.enabled is off")

    told = await federation.report()
    with pytest.raises(ChromeNotReady):
        await federation.search("saxagliptin", FederationOptions(engines=("bing",)))

    assert [(row["engine"], row["status"]) for row in told["engines"]] == [("mojeek", "asked"), ("bing", "off")]
    assert told["engines"][1]["why"].endswith("; this machine has no browser (browser.enabled is off)")
    assert scripted.asked == []
