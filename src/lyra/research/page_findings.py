"""What one page gives a task's graph, and how all of it is written in one transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.evidence.copies import Originals
from lyra.model.claim import Claim, Mention
from lyra.model.edge import Edge
from lyra.model.event import Event
from lyra.storage import claims as claim_records
from lyra.storage import edges, embeddings, journal, pages, sentence_vectors

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray
AlsoWrite = Callable[["Connection"], None]


@dataclass(slots=True)
class PageFindings:
    """What one page has given so far; written at once when the page is done."""

    model_id: str
    found_at: datetime
    claims: list[Claim] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    originals: dict[str, Originals] = field(default_factory=dict)
    fragment_vectors: "list[tuple[str, NDArray[np.float32]]]" = field(default_factory=list)
    sentence_vectors: "dict[str, NDArray[np.float32]]" = field(default_factory=dict)
    claim_vectors: "list[tuple[str, NDArray[np.float32]]]" = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    levels: dict[str, str] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    obeyed: bool = False


def save_findings(connection: "Connection", found: PageFindings, also_write: AlsoWrite | None) -> None:
    """Everything that one page gave, and the note that it was read, in one transaction."""
    claim_records.insert_many(connection, found.claims)
    claim_records.add_mentions(connection, found.mentions)
    edges.insert_many(connection, found.edges)
    edges.mark_origins(connection, [(one.fragment_id, one.claim_id) for one in found.mentions])
    save_originals(connection, found.originals)
    embeddings.put_many(connection, "fragment", found.fragment_vectors, found.model_id)
    embeddings.put_many(connection, "claim", found.claim_vectors, found.model_id)
    sentence_vectors.put_many(connection, found.sentence_vectors, found.model_id, found.found_at)
    journal.append(connection, found.events)
    if also_write is not None:
        also_write(connection)


def save_originals(connection: "Connection", found: Mapping[str, Originals]) -> None:
    """Which texts these repeat."""
    pages.set_near_duplicates(connection, [(one, originals.first) for one, originals in found.items()])
    pages.set_contained_originals(connection, {one: originals.contained for one, originals in found.items()})
