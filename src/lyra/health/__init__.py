"""Checks an installation part by part; every finding has its state, and what to do where something is wrong."""

import asyncio
import sys
from pathlib import Path

from lyra import __version__
from lyra.health.data import (
    check_clock,
    check_data_dir,
    check_database,
    check_libraries,
    check_settings_file,
    check_vectors,
)
from lyra.health.extras import check_extras
from lyra.health.finding import Finding
from lyra.health.llms import check_llms
from lyra.health.models import check_models, check_served, check_shared_servers, check_shared_strong
from lyra.health.network import check_browser, check_network, check_reachability, check_tor
from lyra.settings import Settings


async def check_installation(
    settings: Settings, config: Path | None = None, *, asks_network: bool = False
) -> list[Finding]:
    """Every check in the order a user would ask; `config` is the settings file that was named, if any.

    Nothing beyond this machine is asked unless `asks_network`.
    """
    models = await check_models(settings)
    return [
        Finding("lyra", True, f"{__version__} on Python {sys.version.split()[0]}"),
        check_settings_file(config),
        check_data_dir(settings.data_dir),
        await check_database(settings),
        *await check_clock(settings),
        *models,
        *check_served(settings, {one.name.removeprefix("reader ") for one in models if not one.is_fine}),
        *check_shared_strong(settings),
        *await check_shared_servers(settings, asks_network=asks_network),
        *await check_vectors(settings),
        *await check_libraries(settings),
        *await check_llms(settings),
        await asyncio.to_thread(check_browser, settings),
        *check_extras(),
        await check_tor(settings),
        check_network(settings),
        Finding("engines", True, ", ".join(settings.engines.enabled)),
        *(await check_reachability(settings) if asks_network else []),
        Finding("logs", True, str(settings.log_dir)),
    ]
