"""Checks an installation part by part; every finding has its state, and what to do where something is wrong."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lyra import __version__, text
from lyra.errors import ChromeNotReady, LyraError, ModelError
from lyra.llm_settings import DEFAULT_LLM, LlmEndpoint
from lyra.model.edge import LARGE_READER
from lyra.settings import Settings, default_config_path

if TYPE_CHECKING:
    from lyra.archive.checking import ArchiveCheck
    from lyra.fetch.reachability import HostAnswer
    from lyra.ml.remote import ModelStatus
    from lyra.settings import ModelEndpoint
    from lyra.storage.integrity import DatabaseCheck

_MIN_FREE_BYTES = 500_000_000
_LLM_TIMEOUT_S = 30.0
_INSTALL_TOR = "Install Tor (Debian and Ubuntu: sudo apt-get install tor)."
_RUN_TOR = "Start it (Debian and Ubuntu: sudo systemctl start tor), or set tor.mode to start."
_NO_INTERNET = "Connect this machine to the internet, or correct network.proxy."
UNSET_PORT = "Unset browser.debugging_port; Lyra then starts its own browser, which only you can reach."
_RESTORE = (
    "Restore a backup with `lyra restore`; `lyra archive check --repair` removes incomplete records that a crash left."
)
_LIBRARY_STATUS = "`lyra library status` names every file with its reason."
_PROBLEMS_SHOWN = 3
_DAMAGE_SHOWN = 20
_CARD_REMEDY = "Reinstall lyra-mcp, or correct the card of the weights in models.directory."


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `is_fine` false means something the user should repair."""

    name: str
    is_fine: bool
    detail: str
    remedy: str | None = None


async def check_installation(
    settings: Settings, config: Path | None = None, *, asks_network: bool = False
) -> list[Finding]:
    """Every check in the order a user would ask; `config` is the settings file that was named, if any.

    Nothing beyond this machine is asked unless `asks_network`.
    """
    models = await _models(settings)
    return [
        Finding("lyra", True, f"{__version__} on Python {sys.version.split()[0]}"),
        _settings_file(config),
        _data_dir(settings.data_dir),
        await _database(settings),
        *await _clock(settings),
        *models,
        *_served(settings, {one.name.removeprefix("reader ") for one in models if not one.is_fine}),
        *_shared_strong(settings),
        *await _servers(settings, asks_network=asks_network),
        *await _vectors(settings),
        *await _libraries(settings),
        *await _llms(settings),
        await asyncio.to_thread(_browser, settings),
        *_extras(),
        await _tor(settings),
        _network(settings),
        Finding("engines", True, ", ".join(settings.engines.enabled)),
        *(await _reachability(settings) if asks_network else []),
        Finding("logs", True, str(settings.log_dir)),
    ]


_UNCHECKED_ARCHIVE = Finding(
    "archive", False, "not checked: the database, which lists its records, cannot be read", _RESTORE
)
# Told which part is read, and how much of how much of it.
DeepProgress = Callable[[str, int, int], None]


def check_deeply(settings: Settings, on_progress: DeepProgress) -> list[Finding]:
    """Every page of the database and every record of the archive, and who may read the files. May be interrupted."""
    from lyra.archive.checking import ArchiveChecker
    from lyra.storage.integrity import check_database

    if not settings.database_path.exists():
        return [Finding("integrity", True, "there is no database yet")]
    try:
        database = check_database(settings.database_path, lambda: on_progress("database", 0, 1))
    except LyraError as exc:
        return [Finding("integrity", False, exc.message, exc.remedy), _UNCHECKED_ARCHIVE]
    known = {record.ref.record_id: record for record in database.records}
    checker = ArchiveChecker(settings.archive_dir, known, database.page_records)
    archive = checker.check(lambda done, total: on_progress("archive", done, total))
    return [_integrity(database), *_archive_findings(archive, database), _permissions(settings.data_dir)]


def _integrity(found: "DatabaseCheck") -> Finding:
    if not found.problems:
        return Finding("integrity", True, "the database is sound")
    shown = "; ".join(found.problems[:_DAMAGE_SHOWN])
    return Finding("integrity", False, f"problems in the database: {len(found.problems)} ({shown})", _RESTORE)


def _archive_findings(found: "ArchiveCheck", database: "DatabaseCheck") -> list[Finding]:
    lines = []
    if found.missing_files:
        shown = ", ".join(found.missing_files[:_PROBLEMS_SHOWN])
        lines.append(
            Finding("archive files", False, f"archive files missing: {len(found.missing_files)} ({shown})", _RESTORE)
        )
    wrong = [f"{one.path}: {one.problem}" for one in found.problems]
    wrong += [f"{record_id} is in no file" for record_id in found.missing]
    if wrong:
        shown = "; ".join(wrong[:_PROBLEMS_SHOWN])
        lines.append(Finding("archive", False, f"problems in the archive: {len(wrong)} ({shown})", _RESTORE))
    if not database.is_archive_known:
        lines.append(_UNCHECKED_ARCHIVE)
    elif not wrong:
        records = sum(found.records.values())
        lines.append(Finding("archive", True, f"records that are as they were written: {records}"))
    return lines


def _permissions(directory: Path) -> Finding:
    """Files of the data directory that others on this machine may read or change."""
    found = [path for path in (directory, *directory.rglob("*")) if not path.is_symlink() and _is_open_to_others(path)]
    if not found:
        return Finding("permissions", True, "only this user can read the data directory")
    detail = f"files and folders that others may read or change: {len(found)} ({found[0]})"
    return Finding("permissions", False, detail, f"chmod -R go= {directory}")


def _is_open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:  # it went away meanwhile
        return False


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
    if free < _MIN_FREE_BYTES:
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


async def _clock(settings: Settings) -> list[Finding]:
    """Times that are still to come, which a clock that was ahead has written; nothing where there are none. Waits for
    them are shortened, as when Lyra starts."""
    from lyra.clock import SystemClock, stamp
    from lyra.storage.clock_repair import ahead_until, shorten_long_waits
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return []
    try:
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the line on the database
        return []
    try:
        now = SystemClock().now()
        repair = await db.write(shorten_long_waits, now)
        latest = await db.read(ahead_until, now)
    except LyraError as exc:
        return [Finding("clock", False, exc.message, exc.remedy)]
    finally:
        await db.close()
    remedy = "Compare `date` with a clock you trust."
    if repair.latest is not None:
        until = stamp(repair.latest if latest is None else max(latest, repair.latest))
        detail = (
            f"waits until {until} were stored: the clock of this machine was ahead, or is behind now; shortened to "
            f"what their rules allow from now: leases {repair.leases}, cooldowns {repair.rests}, others {repair.others}"
        )
        return [Finding("clock", True, detail, remedy)]
    if latest is None:
        return []
    detail = (
        f"the journal has times up to {stamp(latest)}: the clock of this machine was ahead, or is behind now; "
        "leases and cooldowns are shortened to what their rules allow from now"
    )
    return [Finding("clock", True, detail, remedy)]


async def _models(settings: Settings) -> list[Finding]:
    """The embedder and the isolation in one line, each reader in one of its own."""
    from lyra.app import bundled_calibration
    from lyra.ml.remote import IsolatedModels
    from lyra.model_store.store import chosen_models, chosen_strong

    try:
        chosen, strong = chosen_models(settings), chosen_strong(settings)
        models = IsolatedModels(settings.models, chosen=chosen, strong=strong)
    except LyraError as exc:
        return [Finding("models", False, exc.message, exc.remedy)]
    try:
        status = await models.probe()
        name = models.embedder.model_id
        readers = await models.probe_readers()
        bundled_calibration(models)
        intact = {one for one, found in readers.items() if isinstance(found, str)}
        readers |= {
            one: ModelError(why, remedy=_CARD_REMEDY) for one, why in models.disabled_readers.items() if one in intact
        }
    except LyraError as exc:
        return [Finding("models", False, exc.message, exc.remedy)]
    finally:
        await models.close()
    return [
        _isolation(name, status),
        _guards(status),
        *(_reader(one, found) for one, found in readers.items()),
        *_absent_large(readers),
    ]


def _served(settings: Settings, failed: Collection[str]) -> list[Finding]:
    """Which model serves what, how good it was here, and what another would gain and cost; `failed` are the readers
    that do not answer, which is told already."""
    from lyra.ml.card import EMBEDDER
    from lyra.model_store.overview import served_and_others
    from lyra.model_store.told import other_text, served_text

    try:
        rows = served_and_others(settings)
    except LyraError as exc:
        return [Finding("served models", False, exc.message, exc.remedy)]
    servers = {EMBEDDER: settings.models.embedding, LARGE_READER: settings.models.stance}
    shared = {role for role, server in servers.items() if server.url is not None}
    found = []
    for one, others in rows:
        found += [
            Finding(f"in reserve as {role}" if role in shared else f"serves as {role}", True, served_text(one))
            for role in one.serves
            if role not in failed
        ]
        found += [Finding(f"or as {role}", True, other_text(other, one)) for role in one.serves for other in others]
    return found


def _shared_strong(settings: Settings) -> list[Finding]:
    """A language model of everyone in this environment that does not judge here, where that is no fault."""
    from lyra.model_store.store import chosen_strong, shared_models

    if settings.models.strong == "off":
        return [Finding("strong reader", True, "models.strong is off")]
    try:
        if chosen_strong(settings) is not None:  # told by the line on the reader
            return []
    except LyraError:  # told by the line on the models
        return []
    return [
        Finding("shared strong reader", True, f"{model.directory} does not judge: {problem.message}", problem.remedy)
        for model, problem in shared_models(settings)
        if problem is not None
    ]


async def _servers(settings: Settings, *, asks_network: bool) -> list[Finding]:
    """The shared servers of models that are set; one on another machine is asked only with the network."""
    named = {"embedding": settings.models.embedding, "stance": settings.models.stance}
    return [await _server(name, one, settings, asks_network) for name, one in named.items() if one.url is not None]


async def _server(name: str, endpoint: "ModelEndpoint", settings: Settings, asks_network: bool) -> Finding:
    from lyra.clock import SystemClock
    from lyra.ml.endpoints import allowed_address
    from lyra.ml.shared import ServerContext, connect_embedder, connect_reader
    from lyra.model_store.measured import kept_calibration, kept_figures
    from lyra.model_store.overview import ModelRow
    from lyra.model_store.told import served_text

    title = f"{name} endpoint"
    try:
        address = allowed_address(endpoint.url or "", allow_remote=endpoint.allow_remote, insecure=endpoint.insecure)
        own = "your own documents too" if address.is_local or endpoint.library_text else "your own documents stay here"
        where = "on this machine" if address.is_local else f"ANOTHER MACHINE; {own}"
        if not (address.is_local or asks_network):
            return Finding(title, True, f"{address.place}, {where}; not asked without --network")
        context = ServerContext(SystemClock(), lambda one: kept_calibration(settings.models_dir, one))
        connect = connect_embedder if name == "embedding" else connect_reader
        model = await connect(endpoint, context)
    except LyraError as exc:
        return Finding(title, False, f"{exc.message} The isolated process serves instead.", exc.remedy)
    if name == "stance" and not model.card.calibration:
        remedy = "Run `lyra models calibrate stance-endpoint`."
        return Finding(
            title, False, f"{model.model_id} at {address.place} is not calibrated, so it may not judge", remedy
        )
    quality, rate = kept_figures(settings.models_dir, model.model_id)
    row = ModelRow(f"{name}-endpoint", model.card.kind, None, (), 0, "", model.model_id, quality, rate)
    return Finding(title, True, f"{address.place}, {where}: {served_text(row)}")


async def _vectors(settings: Settings) -> list[Finding]:
    """Texts that only another embedder has embedded, which is no fault; nothing where there are none."""
    from lyra.ml.card import EMBEDDER, load_card, model_directory
    from lyra.model_store.store import chosen_models
    from lyra.storage.database import Database
    from lyra.storage.reembedding import count_waiting

    if not settings.database_path.exists():
        return []
    try:
        place = chosen_models(settings).get(EMBEDDER) or model_directory(EMBEDDER, settings.models.directory)
        model_id = load_card(place, "embedder").model_id
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the lines on models and database
        return []
    try:
        waiting = await db.read(count_waiting, model_id)
    finally:
        await db.close()
    detail = (
        f"texts embedded by another embedder: {waiting}; {model_id} embeds them again while `lyra serve` or a search "
        "runs, and vector_search does not find them before"
    )
    return [Finding("vectors", True, detail)] if waiting else []


async def _libraries(settings: Settings) -> list[Finding]:
    """A line for every library: what it holds, and what could not be read; nothing where there are none."""
    from lyra.model.library import shown_path
    from lyra.storage import libraries
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return []
    try:
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the line on the database
        return []
    found = []
    try:
        for one in await db.read(libraries.all_):
            counts = await db.read(libraries.counts, one.id)
            unread = await db.read(libraries.unread, one.id, _PROBLEMS_SHOWN)
            detail = f"{shown_path(one.path)}: {counts.documents} documents"
            if one.problem is not None:
                found.append(Finding(f"library {one.name}", False, f"{detail}. {one.problem}", _LIBRARY_STATUS))
                continue
            names = ", ".join(shown_path(file.path) for file in unread)
            detail += f"; files that could not be read: {counts.failed + counts.waiting} ({names})" if unread else ""
            found.append(Finding(f"library {one.name}", True, detail, _LIBRARY_STATUS if unread else None))
    finally:
        await db.close()
    return found


def _isolation(name: str, status: "ModelStatus") -> Finding:
    if status.mechanism == "none" or status.can_reach_network:
        return Finding("models", False, f"{name}; inference is NOT cut off from the network", status.warning)
    return Finding("models", True, f"{name}; no network by {status.mechanism}")


def _guards(status: "ModelStatus") -> Finding:
    """What else the kernel keeps the processes from that infer and read; what it lacks is no fault of the user's."""
    kept = "; ".join(f"{name}: {status.guards[name]}" for name in sorted(status.guards))
    if not status.lacking:
        return Finding("isolation", True, f"closed in: {kept}")
    missing = "; ".join(f"{name} ({status.lacking[name]})" for name in sorted(status.lacking))
    return Finding("isolation", True, f"closed in: {kept}. NOT closed in on this kernel: {missing}")


def _reader(name: str, found: "str | ModelError") -> Finding:
    if isinstance(found, str):
        return Finding(f"reader {name}", True, found)
    return Finding(f"reader {name}", False, f"{found.message} The other readers go on without it.", found.remedy)


def _absent_large(readers: Iterable[str]) -> list[Finding]:
    """The large reader where it is not installed, which is no fault."""
    if LARGE_READER in readers:
        return []
    detail = "not installed: the small reader judges alone (pip install lyra-reader-large)"
    return [Finding(f"reader {LARGE_READER}", True, detail)]


async def _llms(settings: Settings) -> list[Finding]:
    """Asks each language model one small question, as a search would, and says what it serves and where it is."""
    servers = settings.llm.servers
    if not servers:
        return [Finding("llm", True, "off: rules alone judge (llm.endpoint is unset)")]
    return [await _llm(settings, name, server) for name, server in servers.items()]


async def _llm(settings: Settings, name: str, server: LlmEndpoint) -> Finding:
    from lyra.clock import SystemClock
    from lyra.ml.generator import LocalGenerator

    title = "llm" if name == DEFAULT_LLM else f"llm {name}"
    uses = [use for use in type(settings.llm.uses).model_fields if settings.llm.server_for(use) == name]
    quick = server.model_copy(update={"timeout_s": min(server.timeout_s, _LLM_TIMEOUT_S)})
    try:
        generator = LocalGenerator(quick, SystemClock(), ca_bundle=settings.network.ca_bundle)
        seconds = await generator.probe()
    except LyraError as exc:
        return Finding(title, False, f"{exc.message} Searches go on without it.", exc.remedy)
    detail = (
        f"{generator.model_id} at {server.address}, answers in {seconds:.1f} s; serves {', '.join(uses) or 'nothing'}"
    )
    if not generator.is_local:
        own = "too" if server.library_text else "not"
        detail += f"; another machine: texts of searches go there, of your own documents {own}"
    return Finding(title, True, detail)


def _browser(settings: Settings) -> Finding:
    """The browser that pages are read with; its own checks are `lyra browser diagnose`."""
    from lyra.fetch.browser import machine

    if not settings.browser.enabled:
        return Finding("browser", True, "off (browser.enabled): pages that need a browser stay unread")
    if settings.browser.debugging_port is not None:
        detail = f"one of yours is driven at port {settings.browser.debugging_port}, as every local user can drive it"
        return Finding("browser", False, detail, UNSET_PORT)
    try:
        return Finding("browser", True, str(machine.executable(settings.browser.executable)))
    except ChromeNotReady as exc:
        is_named = settings.browser.executable is not None
        detail = f"{exc.message} Pages that need a browser stay unread."
        return Finding("browser", not is_named, detail, exc.remedy)


async def _tor(settings: Settings) -> Finding:
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


async def _reachability(settings: Settings) -> list[Finding]:
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


def _extras() -> list[Finding]:
    """What was left out of the installation, which is no fault, and what it would add."""
    from lyra.fetch.browser import machine
    from lyra.ml import ocr
    from lyra.search import mirrors

    return [
        _extra("browser driver", machine.has_driver(), "pages that need a browser stay unread", machine.DRIVER),
        _extra(
            "japanese", text.has_dictionary(), "Japanese text is split into pairs of characters", text.JAPANESE_EXTRA
        ),
        _extra(
            "dictionary",
            mirrors.has_dictionary(),
            "few queries are asked in the other language",
            mirrors.DICTIONARY_EXTRA,
        ),
        _extra("ocr", ocr.is_installed(), "scanned pages stay unread", ocr.REMEDY),
    ]


def _extra(name: str, is_installed: bool, without: str, remedy: str) -> Finding:
    return Finding(name, True, "installed" if is_installed else f"not installed: {without} ({remedy})")


def _network(settings: Settings) -> Finding:
    network = settings.network
    if network.ca_bundle and not network.ca_bundle.is_file():
        remedy = "Correct network.ca_bundle."
        return Finding("network", False, f"the CA bundle {network.ca_bundle} does not exist", remedy)
    via = f"through {network.proxy}" if network.proxy else "direct"
    return Finding(
        "network", True, f"{via}; private addresses {'allowed' if network.allow_private_addresses else 'refused'}"
    )
