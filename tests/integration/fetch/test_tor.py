"""A real Tor process whose network is disabled: what can be said to it, and how honest the rung is about it."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lyra.clock import SystemClock
from lyra.fetch.tor import TorService
from lyra.model.page import FetchOutcome
from lyra.settings import Network
from lyra.settings.rungs import Tor
from simweb import SimWeb
from simweb.faults import Fault

NOT_CONNECTED = "Tor is running but not connected to its network (at 0 %)."
PAGE = "https://www.fdso.gov/safety/dpp4-heart-failure"
SETTINGS = Tor(mode="start", socks_address="127.0.0.1:1", control_address="127.0.0.1:1", start_timeout_s=1)


@pytest.fixture
def disabled(tmp_path: Path) -> Path:
    """A directory whose Tor never goes online."""
    if shutil.which("tor") is None:
        pytest.skip("tor is not installed")
    directory = tmp_path / "tor"
    directory.mkdir(mode=0o700)
    (directory / "torrc").write_text("DisableNetwork 1\n", "ascii")
    return directory


@pytest.fixture
async def service(disabled: Path) -> AsyncIterator[TorService]:
    service = TorService(SETTINGS, disabled, SystemClock())
    yield service
    await service.close()


async def test_started_tor_is_asked_whether_it_is_connected(service: TorService) -> None:
    """A Tor that runs but has no network is not ready, and the reason says how far it came."""
    assert await service.unready_reason() == NOT_CONNECTED


async def test_new_identity_is_ordered_through_the_control_port(service: TorService) -> None:
    """NEWNYM reaches the process over its control port, authenticated by its cookie."""
    await service.unready_reason()

    assert await service.renew("fdso.gov") is True


async def test_circuit_token_changes_with_the_new_identity(service: TorService) -> None:
    """A domain keeps its circuit until it is renewed; another domain never shares it."""
    await service.unready_reason()
    first, again, other = (service.proxy_for(name) for name in ("fdso.gov", "fdso.gov", "nimeth.gov"))
    await service.renew("fdso.gov")

    renewed = service.proxy_for("fdso.gov")

    assert (first == again, first == other, first == renewed) == (True, False, False)


async def test_closing_ends_the_process(service: TorService) -> None:
    """No Tor that Lyra started outlives it."""
    await service.unready_reason()
    process = service._process
    assert process is not None

    await service.close()

    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_rung_says_that_tor_is_not_connected(build: Any, network: Network, web: SimWeb, disabled: Path) -> None:
    """The ladder passes a Tor without network, named in the journal, and nothing leaves over it."""
    bench = await build(network, tor=SETTINGS)
    web.faults.set("www.fdso.gov/safety/*", Fault("status", status=403))

    result = await bench.get(PAGE, rungs=("tor",))

    assert (result.outcome, result.reason) == (FetchOutcome.UNAVAILABLE, NOT_CONNECTED)


async def test_missing_program_is_named(tmp_path: Path) -> None:
    """Where Tor is not installed the reason names the program that was looked for."""
    service = TorService(SETTINGS.model_copy(update={"executable": "tor-nowhere"}), tmp_path, SystemClock())

    assert await service.unready_reason() == "Tor is not installed ('tor-nowhere' was not found)."


async def test_switched_off_tor_is_never_looked_for(tmp_path: Path) -> None:
    """Off means off."""
    service = TorService(Tor(mode="off"), tmp_path, SystemClock())

    assert await service.unready_reason() == "Tor is switched off (setting tor.mode)."
