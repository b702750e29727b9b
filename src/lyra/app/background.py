"""Starts what goes on beside the calls of clients: queued searches, and what is done again after an upgrade."""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass

from lyra.app.core import Core
from lyra.app.private_data import redact_journal
from lyra.jobs.search_process import SearchProcess
from lyra.jobs.worker import JobHandler, Worker
from lyra.model.job import Priority, Slot
from lyra.model.process_state import ProcessState
from lyra.policy.pressure import Pressure
from lyra.research.cleanup import Cleaner
from lyra.research.held_pages import HeldPages
from lyra.research.pipeline import Pipeline
from lyra.research.recheck import RECHECK_JOB
from lyra.research.recheck_run import RecheckRunner
from lyra.research.recompute import Reassessor, Reembedder
from lyra.research.searches import SEARCH_JOB
from lyra.settings import Settings
from lyra.storage import clock_repair, rechecks

# A client waits for its server to start: work that takes longer goes on in the background.
_REASSESS_TIMEOUT_S = 5.0
_REEMBED_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Background:
    """What goes on beside the calls of clients: how to wake it, what to clean with, and how it stands."""

    wake: Callable[[], None]
    cleaner: Cleaner
    state: Callable[[], ProcessState]


async def start_apart(settings: Settings, core: Core, stack: contextlib.AsyncExitStack) -> Background:
    """Searches, and what is done anew after an upgrade, in a process of its own."""
    process = SearchProcess(settings.model_dump_json(), core.clock)
    stack.push_async_callback(process.stop)
    await process.start()
    return Background(
        process.wake, Cleaner(core.db, core.clock, settings), lambda: core.models.state().combined_with(process.state())
    )


async def start_here(
    settings: Settings, core: Core, stack: contextlib.AsyncExitStack, *, with_worker: bool
) -> Background:
    """The same in this process; without a worker no search runs, and claims are assessed again before it returns."""
    db, clock = core.db, core.clock
    await db.write(clock_repair.shorten_long_waits, clock.now())
    await redact_journal(settings, db)
    pipeline = Pipeline(core.parts)
    handlers: dict[str, JobHandler] = {SEARCH_JOB: pipeline, RECHECK_JOB: RecheckRunner(core.parts, pipeline)}
    cleaner = Cleaner(db, clock, settings)
    held_pages = HeldPages(cleaner, clock, settings.jobs.lease_s)
    stack.push_async_callback(held_pages.stop)  # when the worker holds nothing any more
    worker = Worker(db, clock, settings.jobs, handlers, core.owner)
    stack.push_async_callback(worker.stop)
    pressure = Pressure(db, clock, settings.network.concurrency, core.gate.limit)
    stack.push_async_callback(pressure.stop)
    reassessor = Reassessor(core.parts)
    stack.push_async_callback(reassessor.stop)
    # Not through the cache, which holds what searches ask for.
    give_way = functools.partial(core.slots.hold, Slot.CPU_NLP, Priority.REEMBED)
    reembedder = Reembedder(core.parts, core.models.embedder, give_way)
    stack.push_async_callback(reembedder.stop)
    stack.push_async_callback(core.libraries.watch.stop)
    if with_worker:
        await reassessor.start(_REASSESS_TIMEOUT_S)
        await reembedder.start(_REEMBED_TIMEOUT_S)
        await cleaner.forget_caches()
        await cleaner.finish_erasing()
        await db.write(rechecks.mend_due_times, clock.now())
        worker.start()
        held_pages.start()
        pressure.start()
        core.libraries.watch.start()
    else:
        await reassessor.run()
    return Background(
        worker.wake, cleaner, lambda: core.models.state().combined_with(ProcessState(troubles=reembedder.troubles()))
    )
