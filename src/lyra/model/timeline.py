"""Evidence with all its dates."""

from dataclasses import dataclass

from lyra.model.edge import Relation

# SPEC §13: recent is within so many years of the newest evidence.
RECENT_YEARS = 2


@dataclass(frozen=True, slots=True)
class DatedEvidence:
    """A stance with what is known of its time: the page's own dates, when Lyra saw it, and what became of it since.

    `published_date` and `updated_date` are those of the version that was read. `superseded_at`: from then on the page
    no longer held these words; `superseded_on` is the day on which the page says it changed since. `is_corrected`: the
    page says that it was corrected, on `corrected_on`. `retraction_seen_at`: when the work was first heard or seen to
    be retracted; `retracted_on` is the day that the retraction itself names. `archived_from` is the day of the oldest
    archived copy that holds these words, `absent_on` that of the newest one that does not; `copied_on` is set where the
    page itself could not be opened and was read from a copy of that day. `no_vote` is why the stance has no vote.
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
    retracted_on: str | None = None
    is_corrected: bool = False
    corrected_on: str | None = None
    superseded_on: str | None = None
    no_vote: str = ""
