"""The shared servers of models, connected with what a data directory knows of them and of the user's documents."""

import functools

from lyra.clock import Clock
from lyra.ml.shared import ServerContext, SharedModels, connect_servers
from lyra.model_store.measured import kept_calibration
from lyra.settings import Settings
from lyra.storage import pages
from lyra.storage.database import Database


async def connect_shared(settings: Settings, db: Database, clock: Clock) -> SharedModels:
    """What the servers serve that are set."""
    calibration_of = functools.partial(kept_calibration, settings.models_dir)
    has_own_documents = functools.partial(db.read, pages.has_own_documents)
    return await connect_servers(
        settings.models, ServerContext(clock, calibration_of, has_own_documents, settings.network.ca_bundle)
    )
