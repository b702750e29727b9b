"""The composition root: builds every part once, in order, and closes them in reverse. Nothing else builds."""

import contextlib
import functools
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from lyra.app.background import Background, start_apart, start_here
from lyra.app.core import Core
from lyra.app.fetching import domain_policy, page_fetcher, request_gate
from lyra.app.parts import inference_turn, language_models, search_parts
from lyra.app.private_data import make_private, redactor_for
from lyra.archive.captures import Captures
from lyra.archive.maintenance import ArchiveMaintenance
from lyra.archive.warc import WarcArchive
from lyra.calibration.book import CalibrationBook
from lyra.calibration.bundled import BundledCalibration
from lyra.claims.stance import StanceJudge
from lyra.clock import Clock, SystemClock
from lyra.errors import CalibrationError, LyraError, ModelError
from lyra.evidence.explore import Explorer
from lyra.extract.draft_reader import DraftReader
from lyra.extract.reader import DocumentReader
from lyra.extract.unread import UnreadBodies
from lyra.fetch.browser.machine import port_warnings
from lyra.fetch.sessions import SessionStore
from lyra.handoff.desktop import CHANNELS
from lyra.handoff.notify import Notifier
from lyra.handoff.questions import Questions
from lyra.handoff.queue import AuthQueue
from lyra.ids import new_id
from lyra.jobs.slots import Slots, capacities
from lyra.library.getter import LibraryGetter
from lyra.library.libraries import Libraries
from lyra.ml.caches import CachedReader
from lyra.ml.card import card_bytes
from lyra.ml.cascade import Cascade
from lyra.ml.protocols import Readers
from lyra.ml.remote import IsolatedModels, no_wait
from lyra.model.calibration import CalibrationSource
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER
from lyra.model.person import OWNER, Person
from lyra.model.process_state import ProcessState
from lyra.model_store.servers import connect_shared
from lyra.model_store.store import chosen_models, chosen_strong
from lyra.observe.calls import CallFigures
from lyra.observe.log import get_logger
from lyra.observe.metrics import MetricsReader
from lyra.policy.domain_policy import DomainPolicy
from lyra.rank.ranker import Ranker
from lyra.redact.key import redactor_of
from lyra.replay.player import ReplayParts, Tell, no_network
from lyra.replay.replay import OriginalArchive, Replay, other_means, read_checked, recorded_models, replay
from lyra.replay.trust import RecordedTrust
from lyra.report.audit.auditor import Auditor
from lyra.report.check.checker import TextChecker
from lyra.report.pack.make import Packer
from lyra.report.write import Reporter
from lyra.research.cleanup import Cleaner
from lyra.research.handoffs import Handoffs, PageUnlocker, browser_session
from lyra.research.history import History
from lyra.research.injections import SecurityWarnings
from lyra.research.people import People
from lyra.research.proof import Proofs
from lyra.research.recheck import Rechecks
from lyra.research.reviewing import Reviews
from lyra.research.search_run import SearchParts
from lyra.research.searches import Searches
from lyra.research.status import Status
from lyra.research.tasks import Tasks
from lyra.research.trust import DomainTrust
from lyra.research.whatif import WhatIf
from lyra.search.engines import known_engines
from lyra.settings import Settings
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database
from lyra.storage.vectors import KINDS as VECTOR_KINDS
from lyra.storage.vectors import Vectors
from lyra.trust.levels import TrustList

_FIRST_TEXT = "Lyra"
_log = get_logger(__name__)


@dataclass(frozen=True)
class Lyra:
    """An open Lyra, as the CLI and the MCP server use it."""

    settings: Settings
    clock: Clock
    db: Database
    models: IsolatedModels
    ranker: Ranker
    judge: StanceJudge
    parts: SearchParts
    calibration: CalibrationBook
    reviews: Reviews
    tasks: Tasks
    searches: Searches
    rechecks: Rechecks
    status: Status
    trust: DomainTrust
    what_if: WhatIf
    cleaner: Cleaner
    graph: Explorer
    vectors: Vectors
    reporter: Reporter
    checker: TextChecker
    auditor: Auditor
    drafts: DraftReader
    packer: Packer
    history: History
    archive: ArchiveMaintenance
    proofs: Proofs
    handoffs: Handoffs
    unlocking: PageUnlocker
    notifier: Notifier
    questions: Questions
    slots: Slots
    meter: MetricsReader
    policy: DomainPolicy
    people: People
    libraries: Libraries
    calls: CallFigures
    warnings: SecurityWarnings
    wake: Callable[[], None]
    process_state: Callable[[], ProcessState]
    person: Person = OWNER

    def seen_by(self, person: Person) -> "Lyra":
        """The same Lyra for a person with a token: what they do not see is not there."""
        tasks = Tasks(self.db, self.clock, self.settings, person)
        return replace(
            self,
            person=person,
            tasks=tasks,
            searches=self.searches.seen_through(tasks),
            rechecks=self.rechecks.seen_through(tasks),
            status=self.status.seen_through(tasks),
            graph=self.graph.seen_by(person, tasks.get),
            history=History(self.db, tasks),
            reviews=Reviews(self.parts, self.calibration, person),
            questions=Questions(self.db, self.clock, person),
            warnings=SecurityWarnings(self.db, person),
        )

    async def warm_up(self) -> None:
        """Start the embedder and read the vectors, so that the first who searches by meaning does not wait for it."""
        embedder = self.parts.embedder
        try:
            for kind in VECTOR_KINDS:
                await self.vectors.load(kind, embedder.model_id)
            await embedder.embed([_FIRST_TEXT])
        except LyraError as exc:
            _log.warning("search by meaning is not ready", error=exc.message)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, settings: Settings, *, with_worker: bool = False, is_apart: bool = False
    ) -> "AsyncIterator[Lyra]":
        """Build everything over the data directory; with a worker, queued searches run in this process.

        Apart, they run in a process of their own that stands back for this one.
        """
        async with contextlib.AsyncExitStack() as stack:
            core = await _open_core(settings, stack, is_apart=is_apart)
            start = start_apart if is_apart else functools.partial(start_here, with_worker=with_worker)
            background = await start(settings, core, stack)
            lyra = cls._assembled(settings, core, background)
            stack.push_async_callback(lyra.people.wait_for_writes)
            stack.push_async_callback(lyra.graph.close)
            yield lyra

    @classmethod
    def _assembled(cls, settings: Settings, core: "Core", background: "Background") -> "Lyra":
        db, clock, parts, trust, slots = core.db, core.clock, core.parts, core.trust, core.slots
        wake = background.wake
        tasks, vectors = Tasks(db, clock, settings), Vectors(db)
        reporter = Reporter(db, trust.of_pages, redactor_for(settings))
        handoffs = Handoffs(
            AuthQueue(db, clock, settings.research.pages_per_search, wake),
            SessionStore(settings.sessions_dir, clock),
            functools.partial(browser_session, settings),
        )
        return cls(
            settings=settings,
            clock=clock,
            db=db,
            models=core.models,
            ranker=parts.ranker,
            judge=core.judge,
            parts=parts,
            calibration=core.book,
            reviews=Reviews(parts, core.book),
            tasks=tasks,
            searches=Searches(db, clock, settings, tasks, trust, tuple(known_engines()), wake),
            rechecks=Rechecks(db, clock, tasks, wake),
            status=Status(
                db,
                clock,
                tasks,
                trust,
                lambda: (*background.state().troubles, *port_warnings(settings.browser)),
            ),
            trust=trust,
            what_if=WhatIf(parts),
            cleaner=background.cleaner,
            graph=Explorer(db, parts.embedder, vectors, GraphQueries(db.path, redactor_for(settings)), tasks.get),
            vectors=vectors,
            reporter=reporter,
            checker=text_checker(db, core),
            auditor=Auditor(db, parts.catalogue, core.judge, settings.academic.enabled),
            drafts=DraftReader(core.reader),
            packer=_packer(settings, core, reporter),
            history=History(db, tasks),
            archive=ArchiveMaintenance(settings.archive_dir, db, clock, redactor_for(settings)),
            proofs=Proofs(db, core.archive, Captures(settings.archive_dir, clock), core.reader),
            handoffs=handoffs,
            unlocking=PageUnlocker(db, clock, settings, handoffs, slots),
            notifier=Notifier(db, clock, CHANNELS),
            questions=Questions(db, clock),
            slots=slots,
            meter=MetricsReader(db, clock),
            policy=core.policy,
            people=People(db, clock),
            libraries=core.libraries,
            calls=CallFigures(),
            warnings=SecurityWarnings(db),
            wake=wake,
            process_state=background.state,
        )


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What a replay may do otherwise than the recording: other settings and models, or other readers, by name.

    `keep` is a directory for the scratch data, empty or to be made; without it they are gone afterwards.
    """

    settings: Settings | None = None
    readers: tuple[str, ...] | None = None
    keep: Path | None = None


async def replay_task(lyra: Lyra, task_id: str, options: ReplayOptions, tell: Tell) -> Replay:
    """Run a task again from its journal and the archive; nothing is fetched, and nothing of the original changed."""
    recording = await read_checked(lyra.db, task_id)
    async with contextlib.AsyncExitStack() as stack:
        scratch = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lyra-replay-")))
        settings = (options.settings or lyra.settings).moved_to(scratch)
        known = None if options.settings else recorded_models(recording) or None
        core = await _open_core(settings, stack, readers=options.readers or known)
        archive = WarcArchive(lyra.settings.archive_dir, core.clock, db=lyra.db)
        redactor = redactor_of(lyra.settings.data_dir)
        trust = RecordedTrust(core.db, core.clock, scratch / "domains.yaml", redactor)
        evidence = options.settings.evidence if options.settings else None
        parts = replace(core.parts, getter=no_network, llm=None)
        given = ReplayParts(parts, lyra.db, OriginalArchive(lyra.db, archive), redactor, evidence, tell)
        models = {"embedder": core.parts.embedder.model_id, **core.judge.model_ids}
        others = other_means(recording, models, options.settings)
        found = await replay(given, recording, trust, others)
        check_readers(options.readers or (), core.judge.model_ids, core.models.troubles())
        return found


def check_readers(wanted: Collection[str], at_work: Collection[str], troubles: Iterable[str]) -> None:
    """What a reader would say cannot be told where it did not judge; `troubles` say why."""
    if missing := next((name for name in wanted if name not in at_work), None):
        why = [one for one in troubles if f" {missing} reader " in one]
        raise ModelError(
            " ".join((f"The {missing} reader did not judge.", *why)),
            remedy="Run `lyra doctor`; it names what is missing.",
        )


async def _open_core(
    settings: Settings,
    stack: contextlib.AsyncExitStack,
    *,
    readers: Collection[str] | None = None,
    is_apart: bool = False,
) -> Core:
    """`readers` are the only ones that may judge, by name; all that are installed by default.

    Where searches run apart, what this process asks its models waits for no seat: somebody waits for the answer.
    """
    clock, owner = SystemClock(), f"{os.getpid()}-{new_id('w')}"
    db = await Database.open(settings.database_path)
    stack.push_async_callback(db.close)
    await make_private(settings, db, clock)
    seats = capacities(settings.network.concurrency, settings.jobs.cpu_nlp)
    slots = Slots(db, clock, owner, seats, settings.jobs.lease_s)
    turn = no_wait if is_apart else functools.partial(inference_turn, slots)
    chosen, strong = chosen_models(settings), chosen_strong(settings)
    models = IsolatedModels(settings.models, turn=turn, chosen=chosen, strong=strong)
    stack.push_async_callback(models.close)
    models.share(await connect_shared(settings, db, clock))
    for one in () if readers is None else models.readers:
        if one.name not in (readers or ()):
            models.disable_reader(one.name, "this replay goes without it")
    read_turn = functools.partial(inference_turn, slots, "read")
    reader = DocumentReader(settings.models, turn=read_turn, memory=UnreadBodies(db, clock))
    stack.push_async_callback(reader.close)
    archive = WarcArchive(settings.archive_dir, clock, db=db, redactor=redactor_for(settings))
    listed = TrustList(settings.data_dir / "domains.yaml")
    policy = domain_policy(settings, db, clock, listed)
    gate = request_gate(settings, db, clock, owner, listed)
    fetcher = page_fetcher(settings, db, clock, gate, archive, slots, policy)
    stack.push_async_callback(fetcher.close)
    calibrator = bundled_calibration(models)
    book = CalibrationBook(db, clock, settings.calibration, {CalibrationSource.NLI_JUDGE: calibrator.version})
    judge, trust = stance_judge(models, models.cascade, calibrator, book), DomainTrust(db, clock, listed)
    llm = language_models(settings, clock, slots)
    getter = LibraryGetter(db, clock, archive, settings.library, fetcher)
    parts = search_parts(settings, db, clock, models, fetcher, judge, trust, reader, llm, getter)
    own = Libraries(db, clock, reader, settings.library)
    return Core(owner, clock, db, slots, models, reader, archive, policy, gate, trust, book, judge, parts, own)


def stance_judge(
    models: IsolatedModels, readers: Readers, calibrator: BundledCalibration, book: CalibrationBook | None = None
) -> StanceJudge:
    """Judges by these readers; with a book, corrected by what users' reviews have taught."""
    learned = functools.partial(book.current, CalibrationSource.NLI_JUDGE) if book else None
    thresholds = {one.name: one.card.thresholds for one in models.readers}
    return StanceJudge(readers, calibrator, thresholds, learned)


def bundled_calibration(models: IsolatedModels) -> BundledCalibration:
    """The scalings on the cards of all readers; one whose scaling is unfit must not judge and is left out."""
    for one in models.readers:
        if one.card.is_pulled and not one.card.calibration:
            models.disable_reader(one.name, f"The model {one.card.name} is not calibrated, so it may not judge.")
            continue
        try:
            BundledCalibration({one.name: one.card.calibration})
        except CalibrationError as exc:
            models.disable_reader(one.name, exc.message)
    return BundledCalibration(
        {one.name: one.card.calibration for one in models.readers}, [one.model_id for one in models.readers]
    )


def text_checker(db: Database, core: Core) -> TextChecker:
    """Texts are judged without the strong reader, where there is one: on twelve texts by somebody who knew no rule it
    took four times as long, and found not one error more."""
    readers = {one.name: one for one in core.models.readers}
    small = readers.get(SMALL_READER)
    if small is None or STRONG_READER not in readers:
        return TextChecker(db, core.judge, core.parts.embedder)
    kept = {name: CachedReader(one) for name, one in readers.items()}
    cascade = Cascade(kept[SMALL_READER], kept.get(LARGE_READER), small.card.asks_from)
    judge = stance_judge(core.models, cascade, bundled_calibration(core.models), core.book)
    return TextChecker(db, judge, core.parts.embedder)


def _packer(settings: Settings, core: Core, reporter: Reporter) -> Packer:
    def cards() -> dict[str, bytes]:
        known = [core.models.embedder.card, *(one.card for one in core.models.readers)]
        return {card.model_id: card_bytes(card) for card in known}

    proxy = urlsplit(settings.network.proxy or "").password
    secrets = (*settings.api_keys, settings.tor.control_password, proxy)
    captures = Captures(settings.archive_dir, core.clock)
    given = [one for one in secrets if one]
    embedder_id = core.parts.embedder.model_id
    return Packer(core.db, core.archive, captures, settings.archive_dir, reporter, cards, embedder_id, given)
