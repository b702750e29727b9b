"""The composition root: builds every part once, in order, and closes them in reverse. Nothing else builds."""

import contextlib
import functools
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass

from lyra.academic.catalogue import Catalogue
from lyra.academic.openalex import OpenAlex
from lyra.academic.semantic_scholar import SemanticScholar
from lyra.archive.warc import WarcArchive
from lyra.calibration.book import CalibrationBook
from lyra.calibration.bundled import Calibrator
from lyra.calibration.versions import basis_name
from lyra.claims.stance import StanceJudge
from lyra.clock import Clock, SystemClock, system_chance
from lyra.evidence.explore import Explorer
from lyra.fetch.fetcher import Fetcher
from lyra.fetch.http import HttpClient
from lyra.ids import new_id
from lyra.jobs.worker import Worker
from lyra.ml.cache import CachedEmbedder
from lyra.ml.pair_cache import CachedEntailer
from lyra.ml.remote import IsolatedModels
from lyra.model.calibration import CalibrationSource
from lyra.policy.cooldown import Cooldown
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.rank.ranker import Ranker
from lyra.report.write import Reporter
from lyra.research.cleanup import Cleaner
from lyra.research.history import History
from lyra.research.kit import Kit
from lyra.research.pipeline import Pipeline
from lyra.research.searches import SEARCH_JOB, Searches
from lyra.research.status import Status
from lyra.research.tasks import Tasks
from lyra.research.trust import TrustKeeper
from lyra.research.whatif import WhatIf
from lyra.search.engines import known_engines
from lyra.search.federation import Federation
from lyra.settings import Settings
from lyra.storage.database import Database
from lyra.storage.vectors import Vectors
from lyra.trust.levels import TrustList


@dataclass(frozen=True)
class Lyra:
    """An open Lyra, as the faces see it."""

    settings: Settings
    clock: Clock
    db: Database
    models: IsolatedModels
    ranker: Ranker
    judge: StanceJudge
    kit: Kit
    calibration: CalibrationBook
    tasks: Tasks
    searches: Searches
    status: Status
    trust: TrustKeeper
    what_if: WhatIf
    cleaner: Cleaner
    graph: Explorer
    reporter: Reporter
    history: History

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, settings: Settings, *, with_worker: bool = False) -> "AsyncIterator[Lyra]":
        """Build everything over the data directory; with a worker, queued searches run in this process."""
        async with contextlib.AsyncExitStack() as stack:
            clock = SystemClock()
            owner = f"{os.getpid()}-{new_id('w')}"
            db = await Database.open(settings.database_path)
            stack.push_async_callback(db.close)
            models = IsolatedModels(settings.models)
            stack.push_async_callback(models.close)
            fetcher = _fetcher(settings, db, clock, owner)
            stack.push_async_callback(fetcher.close)
            calibrator = Calibrator(models.entailer.card.calibration)
            bases = {CalibrationSource.NLI_JUDGE: basis_name(models.entailer.model_id, calibrator.version)}
            book = CalibrationBook(db, clock, settings.calibration, bases)
            judge = _judge(models, calibrator, book)
            trust = TrustKeeper(db, clock, TrustList(settings.data_dir / "domains.yaml"))
            kit = _kit(settings, db, clock, models, fetcher, judge, trust)
            worker = Worker(db, clock, settings.jobs, {SEARCH_JOB: Pipeline(kit)}, owner)
            stack.push_async_callback(worker.stop)
            if with_worker:
                worker.start()
            tasks = Tasks(db, clock, settings)
            yield cls(
                settings=settings,
                clock=clock,
                db=db,
                models=models,
                ranker=kit.ranker,
                judge=judge,
                kit=kit,
                calibration=book,
                tasks=tasks,
                searches=Searches(db, clock, settings, tasks, trust, tuple(known_engines()), worker.wake),
                status=Status(db, clock, tasks, trust),
                trust=trust,
                what_if=WhatIf(kit),
                cleaner=Cleaner(db, clock, settings),
                graph=Explorer(db, kit.embedder, Vectors(db), tasks.get),
                reporter=Reporter(db),
                history=History(db, tasks),
            )


def _fetcher(settings: Settings, db: Database, clock: Clock, owner: str) -> Fetcher:
    keys = (settings.academic.semantic_scholar_key, settings.academic.openalex_key)
    return Fetcher(
        http=HttpClient(settings.network, clock),
        gate=Gate(db, clock, system_chance(), settings.politeness, owner, settings.network.concurrency),
        robots=Robots(db, clock, settings.politeness),
        cooldown=Cooldown(db, clock, settings.politeness),
        archive=WarcArchive(settings.archive_dir, clock, secrets=[key for key in keys if key]),
        db=db,
        clock=clock,
        settings=settings,
    )


def _judge(models: IsolatedModels, calibrator: Calibrator, book: CalibrationBook) -> StanceJudge:
    learned = functools.partial(book.current, CalibrationSource.NLI_JUDGE)
    return StanceJudge(CachedEntailer(models.entailer), calibrator, models.entailer.card.thresholds, learned)


def _kit(
    settings: Settings,
    db: Database,
    clock: Clock,
    models: IsolatedModels,
    fetcher: Fetcher,
    judge: StanceJudge,
    trust: TrustKeeper,
) -> Kit:
    academic = settings.academic
    embedder = models.embedder
    cached = CachedEmbedder(embedder)
    return Kit(
        db=db,
        clock=clock,
        settings=settings,
        getter=fetcher,
        federation=Federation(known_engines(), fetcher, db, clock, settings),
        catalogue=Catalogue(
            (
                SemanticScholar(fetcher, clock, academic.semantic_scholar_key),
                OpenAlex(fetcher, clock, academic.openalex_key, academic.contact_email),
            ),
            academic,
        ),
        ranker=Ranker(cached, settings.ranking, embedder.card.fusion),
        embedder=cached,
        judge=judge,
        trust=trust,
    )
