"""Examines an installation part by part; every finding says what is, and what to do where it is not well."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from lyra import __version__
from lyra.errors import LyraError
from lyra.settings import Settings, default_config_path

_LEAST_FREE_BYTES = 500_000_000
_LLM_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `is_fine` false means something the user should mend."""

    name: str
    is_fine: bool
    detail: str
    remedy: str | None = None


async def examine(settings: Settings, config: Path | None = None) -> list[Finding]:
    """Every check in the order a user would ask; `config` is the settings file that was named, if any."""
    return [
        Finding("lyra", True, f"{__version__} on Python {sys.version.split()[0]}"),
        _settings_file(config),
        _data_dir(settings.data_dir),
        await _database(settings),
        await _models(settings),
        await _llm(settings),
        _network(settings),
        Finding("engines", True, ", ".join(settings.engines.enabled)),
        Finding("logs", True, str(settings.log_dir)),
    ]


def _settings_file(named: Path | None) -> Finding:
    path = Path(named or os.environ.get("LYRA_CONFIG") or default_config_path())
    return Finding("settings", True, str(path) if path.exists() else f"defaults (no file at {path})")


def _data_dir(path: Path) -> Finding:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    choose = "Choose another with --data-dir or LYRA_DATA_DIR."
    if not existing.is_dir():
        return Finding("data", False, f"{existing} is not a directory", choose)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding("data", False, f"{path} cannot be written", choose)
    free = shutil.disk_usage(existing).free
    detail = f"{path} ({free / 1e9:.1f} GB free)"
    if free < _LEAST_FREE_BYTES:
        return Finding("data", False, detail, "Free some disk space.")
    return Finding("data", True, detail)


async def _database(settings: Settings) -> Finding:
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return Finding("database", True, "will be created on first use")
    try:
        db = await Database.open(settings.database_path)
    except LyraError as exc:
        return Finding("database", False, exc.message, exc.remedy)
    try:
        size = settings.database_path.stat().st_size
        return Finding("database", True, f"{settings.database_path} ({size / 1e6:.1f} MB)")
    finally:
        await db.close()


async def _models(settings: Settings) -> Finding:
    from lyra.calibration.bundled import Calibrator
    from lyra.ml.remote import IsolatedModels

    models = IsolatedModels(settings.models)
    try:
        names = f"{models.embedder.model_id}, {models.entailer.model_id}"
        Calibrator(models.entailer.card.calibration)
        status = await models.probe()
    except LyraError as exc:
        return Finding("models", False, exc.message, exc.remedy)
    finally:
        await models.close()
    if status.mechanism == "none" or status.can_reach_network:
        return Finding("models", False, f"{names}; inference is NOT cut off from the network", status.warning)
    return Finding("models", True, f"{names}; no network by {status.mechanism}")


async def _llm(settings: Settings) -> Finding:
    """Asks the model one small question, as a search would."""
    if settings.llm.endpoint is None:
        return Finding("llm", True, "off: rules alone judge (llm.endpoint is unset)")
    from lyra.clock import SystemClock
    from lyra.ml.generator import LocalGenerator

    quick = settings.llm.model_copy(update={"timeout_s": min(settings.llm.timeout_s, _LLM_PATIENCE_S)})
    generator = LocalGenerator(quick, settings.llm.endpoint, SystemClock())
    try:
        seconds = await generator.probe()
    except LyraError as exc:
        return Finding("llm", False, f"{exc.message} Searches go on without it.", exc.remedy)
    return Finding("llm", True, f"{generator.model_id} at {settings.llm.endpoint}, answers in {seconds:.1f} s")


def _network(settings: Settings) -> Finding:
    network = settings.network
    if network.ca_bundle and not network.ca_bundle.is_file():
        remedy = "Correct network.ca_bundle."
        return Finding("network", False, f"the CA bundle {network.ca_bundle} does not exist", remedy)
    via = f"through {network.proxy}" if network.proxy else "direct"
    return Finding(
        "network", True, f"{via}; private addresses {'allowed' if network.allow_private_addresses else 'refused'}"
    )
