"""What the dashboard lists: tasks with their figures, pages, nodes and links of the graph, hits of full text."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lyra.model.claim import AssessedClaim
from lyra.model.edge import Relation
from lyra.model.task import Task


@dataclass(frozen=True, slots=True)
class TaskCard:
    """A task in the list; `verdicts` counts its hypotheses by verdict."""

    task: Task
    pages: int
    claims: int
    running_searches: int
    waiting_pages: int
    verdicts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ClaimList:
    """A part of a task's claims, and how many there are of each verdict; `total` counts those that were asked for."""

    claims: tuple[AssessedClaim, ...]
    total: int
    verdicts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page that a task has read, and how many of its texts support or refute a claim of the task."""

    id: str
    url: str
    title: str
    domain: str
    fetched_at: datetime
    published_date: str | None
    supports: int
    refutes: int
    is_retracted: bool


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A domain that speaks in a task."""

    domain: str
    pages: int
    supports: int
    refutes: int
    retracted_pages: int


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A claim or a page. `kind`: hypothesis, claim or page; `group` is the verdict of a claim, the domain of a page."""

    id: str
    kind: str
    label: str
    group: str
    degree: int


@dataclass(frozen=True, slots=True)
class GraphLink:
    """What a page says of a claim with its strongest words, or that a page cites another."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """The best connected part of a task's graph; the totals count the whole."""

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]
    total_nodes: int
    total_links: int


@dataclass(frozen=True, slots=True)
class TextHit:
    """Something that has the words searched for; `subject` is the title of the page or the question of the task."""

    kind: str
    id: str
    text: str
    task_id: str | None
    subject: str
    page_id: str | None = None
