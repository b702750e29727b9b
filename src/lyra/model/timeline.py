"""Evidence with all its dates."""

from dataclasses import dataclass

from lyra.model.edge import Relation

# SPEC §13: recent is within so many years of the newest evidence.
RECENT_YEARS = 2


@dataclass(frozen=True, slots=True)
class DatedEvidence:
    """A stance with what is known of its time: the page's own dates, when Lyra saw it, and what became of it since.

    `superseded_at`: from then on the page no longer held these words. `retraction_seen_at`: when an index was heard to
    call the work retracted; the day of the retraction itself is not told. `archived_from` is the day of the oldest
    archived copy that holds these words, `absent_on` that of the newest one that does not; `copied_on` is set where the
    page itself could not be opened and was read from a copy of that day.
    """

    claim_id: str
    fragment_id: str
    page_id: str
    url: str
    domain: str
    relation: Relation
    quote: str
    seen_at: str
    published_date: str | None = None
    updated_date: str | None = None
    superseded_at: str | None = None
    work_id: str | None = None
    is_retracted: bool = False
    retraction_seen_at: str | None = None
    archived_from: str | None = None
    absent_on: str | None = None
    copied_on: str | None = None
