"""The parts that every service of an open Lyra shares."""

from dataclasses import dataclass

from lyra.archive.warc import WarcArchive
from lyra.calibration.book import CalibrationBook
from lyra.claims.stance import StanceJudge
from lyra.clock import Clock
from lyra.extract.reader import DocumentReader
from lyra.jobs.slots import Slots
from lyra.library.libraries import Libraries
from lyra.ml.remote import IsolatedModels
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.gate import Gate
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.storage.database import Database


@dataclass(frozen=True, slots=True)
class Core:
    """What the services are built of: the database, what reads and fetches, what judges."""

    owner: str
    clock: Clock
    db: Database
    slots: Slots
    models: IsolatedModels
    reader: DocumentReader
    archive: WarcArchive
    policy: DomainPolicy
    gate: Gate
    trust: DomainTrust
    book: CalibrationBook
    judge: StanceJudge
    parts: SearchParts
    libraries: Libraries
