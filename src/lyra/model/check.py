"""What came of checking a text: every citation, quotation, figure and statement with its place and what decides."""

from dataclasses import dataclass
from enum import StrEnum

from lyra.model.page import Identifier


class CheckStatus(StrEnum):
    """NOT_CHECKED and NOT_UNDERSTOOD are no failures: nothing was found wrong, and nothing was found right."""

    RESOLVED = "resolved"
    MISQUOTED = "misquoted"
    OTHER_NUMBER = "other_number"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    SOURCE_RETRACTED = "source_retracted"
    SOURCE_MISSING = "source_missing"
    NOT_UNDERSTOOD = "not_understood"
    NOT_CHECKED = "not_checked"

    @property
    def is_failure(self) -> bool:
        return self not in (CheckStatus.RESOLVED, CheckStatus.NOT_UNDERSTOOD, CheckStatus.NOT_CHECKED)


class CheckedKind(StrEnum):
    CITATION = "citation"
    QUOTATION = "quotation"
    NUMBER = "number"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class TextFragment:
    """A passage of a source; `page_number` counts the pages of a PDF from 1."""

    id: str
    text: str
    heading: str = ""
    page_number: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a text may cite: a page that a task has read, or a work, with its names and its words.

    `key` is the same for all pages of one work. `published` and `updated` are a year or a day. `site_name` is what
    the page calls its site, `venue` the journal of a work.
    """

    page_id: str
    url: str
    title: str
    key: str
    final_url: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    published: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    is_retracted: bool = False
    fragments: tuple[TextFragment, ...] = ()
    updated: str | None = None
    site_name: str = ""
    venue: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: `start` and `end` count characters of the text from 0, line and column from 1."""

    line: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DecidingPassage:
    """The words of a source by which a finding was decided."""

    quote: str
    url: str
    title: str
    page_id: str = ""
    fragment_id: str = ""
    page_number: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked. `sentence` says in English what came of it; `difference` shows for a quotation what
    is other than in the source, words that are not there in [-…-] and what stands there instead in {+…+}."""

    kind: CheckedKind
    status: CheckStatus
    place: Place
    text: str
    sentence: str
    passage: DecidingPassage | None = None
    difference: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All findings in the order of the text, and how many sentences were compared with nothing."""

    findings: tuple[Finding, ...]
    sentences: int
    unchecked_sentences: int
    remarks: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.status.is_failure)

    def count(self, status: CheckStatus) -> int:
        return sum(1 for one in self.findings if one.status is status)
