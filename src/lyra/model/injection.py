"""Text on a page that gives an AI orders: what was found, where, and how dangerous it is (SPEC §1 decision 9)."""

from dataclasses import dataclass
from enum import StrEnum


class InjectionKind(StrEnum):
    """What the text does. `stray_request`: a task for an assistant that has nothing to do with the
    page; `obeyed`: a language model tried to do what the page says (L4)."""

    ORDER = "order"
    DISCLOSURE = "disclosure"
    TRANSMISSION = "transmission"
    ROLE_MARKS = "role_marks"
    INVISIBLE_CHARACTERS = "invisible_characters"
    STRAY_REQUEST = "stray_request"
    MENTION = "mention"
    OBEYED = "obeyed"


class Severity(StrEnum):
    """High blocks the domain; medium and low are only reported."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """One place; `start` and `end` are in the page's text, or in what the page hides where `is_hidden`."""

    kind: InjectionKind
    severity: Severity
    is_hidden: bool
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class SecurityWarning:
    """A flagged page: its gravest finding, and how many there are."""

    page_id: str
    url: str
    kind: InjectionKind
    severity: Severity
    is_hidden: bool
    findings: int


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """A flagged page that an answer carries text from, with the answer's claims that it states.

    Where it is not traced, the answer may carry its text: it was computed from text of many pages.
    """

    warning: SecurityWarning
    claim_ids: tuple[str, ...]
    is_traced: bool = True


@dataclass(frozen=True, slots=True)
class AnswerWarnings:
    """The gravest flagged pages behind an answer, and how many there are in all."""

    gravest: tuple[AnswerWarning, ...] = ()
    total: int = 0
