"""Which models judge and embed, how they are isolated, and whether shared servers of models answer."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from lyra.errors import LyraError, ModelError
from lyra.health.finding import Finding
from lyra.model.edge import LARGE_READER
from lyra.settings import Settings

if TYPE_CHECKING:
    from lyra.ml.remote import ModelStatus
    from lyra.settings import ModelEndpoint

_CARD_REMEDY = "Reinstall lyra-mcp, or correct the card of the weights in models.directory."


async def check_models(settings: Settings) -> list[Finding]:
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


def check_served(settings: Settings, failed: Collection[str]) -> list[Finding]:
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


def check_shared_strong(settings: Settings) -> list[Finding]:
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


async def check_shared_servers(settings: Settings, *, asks_network: bool) -> list[Finding]:
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
