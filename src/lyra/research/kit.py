"""What the phases of a search work with, built once by the application."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.settings import Settings
from lyra.storage.database import Database

if TYPE_CHECKING:
    from lyra.academic.catalogue import Catalogue
    from lyra.claims.stance import StanceJudge
    from lyra.extract.reader import DocumentReader
    from lyra.ml.protocols import Embedder, Generator
    from lyra.model.page import Getter
    from lyra.rank.ranker import Ranker
    from lyra.research.trust import TrustKeeper
    from lyra.search.federation import Federation


@dataclass(frozen=True, slots=True)
class Kit:
    db: Database
    clock: Clock
    settings: Settings
    getter: "Getter"
    federation: "Federation"
    catalogue: "Catalogue"
    ranker: "Ranker"
    embedder: "Embedder"
    judge: "StanceJudge"
    trust: "TrustKeeper"
    reader: "DocumentReader"
    generator: "Generator | None" = None
