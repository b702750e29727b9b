"""What came of auditing a text or a bibliography: every cited work, whether it exists, and what it says."""

from dataclasses import dataclass
from enum import StrEnum

from lyra.model.check import CheckResult
from lyra.model.page import Identifier


class WorkStatus(StrEnum):
    """NOT_FOUND: every catalogue that was asked answered, and none has it. NOT_CHECKED: not all of them answered, or
    none could know it."""

    EXISTS = "exists"
    OTHER_TITLE = "other_title"
    NOT_FOUND = "not_found"
    RETRACTED = "retracted"
    NOT_CHECKED = "not_checked"

    @property
    def is_failure(self) -> bool:
        return self in (WorkStatus.OTHER_TITLE, WorkStatus.NOT_FOUND, WorkStatus.RETRACTED)


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A work as a text cites it; `line` is where, `text` the whole entry. `is_broken`: the entry never ends. `files`
    are what a reference manager has attached to it."""

    key: str
    text: str
    line: int
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    identifiers: tuple[Identifier, ...] = ()
    url: str = ""
    is_broken: bool = False
    abstract: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditedWork:
    """`found_*` are what the catalogues know under the cited identifier or title."""

    cited: CitedWork
    status: WorkStatus
    sentence: str
    found_title: str = ""
    found_authors: tuple[str, ...] = ()
    found_year: int | None = None
    found_url: str = ""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The works in the order of the text, and, of a draft, what came of the sentences that cite them."""

    works: tuple[AuditedWork, ...]
    statements: CheckResult | None = None
    remarks: tuple[str, ...] = ()

    @property
    def is_unanswered(self) -> bool:
        """Whether there are works, and nothing is known of any."""
        return bool(self.works) and all(one.status is WorkStatus.NOT_CHECKED for one in self.works)

    @property
    def failures(self) -> tuple[AuditedWork, ...]:
        return tuple(one for one in self.works if one.status.is_failure)
