"""What the archive holds: one entry a record, as the index knows it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.page import ArchiveRef


class RecordKind(StrEnum):
    """RESPONSE: an answer. REVISIT: an answer whose body stands in an earlier one. CONVERSION: a page as rendered."""

    RESPONSE = "response"
    REVISIT = "revisit"
    CONVERSION = "conversion"


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """An entry of the index. `refers_to` is the id of the record whose body a revisit or a conversion has."""

    ref: ArchiveRef
    kind: RecordKind
    url: str
    url_key: str
    archived_at: datetime
    status_code: int | None = None
    media_type: str = ""
    digest: str | None = None
    refers_to: str | None = None


@dataclass(frozen=True, slots=True)
class RecordUse:
    """A record as retention sees it: its age, its size, and whether a claim or an edge rests on it."""

    ref: ArchiveRef
    archived_at: datetime
    refers_to: str | None
    is_evidence: bool
