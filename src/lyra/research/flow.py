"""The entries of the journal from which a task can be replayed: what was read, in which order, and by what means.

Each is written in the transaction of what it tells of, so that after a crash the journal holds what the graph holds, in
the order in which it was written.

`graph_load`    a search takes up what the task knows: settings, models and overrides in force
`page_read`     a page enters the graph: its record in the archive, its metadata, the trust levels it met
`work_linked`   a page is a scholarly work, as the indexes knew it then
`graph_assess`  a search ends: every claim is assessed again
`graph_digest`  the digest of the task's graph at that moment
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lyra import __version__
from lyra.evidence.task_graph import evidence_of
from lyra.ids import text_hash
from lyra.model.event import Event
from lyra.model.page import Page
from lyra.model.work import Work
from lyra.settings import Settings
from lyra.storage import citation_flows, journal, works
from lyra.storage.columns import to_json
from lyra.storage.rows import from_json

if TYPE_CHECKING:
    from apsw import Connection

LOAD, READ, WORK, ASSESS, DIGEST = "graph_load", "page_read", "work_linked", "graph_assess", "graph_digest"
FLOW = (LOAD, READ, WORK, ASSESS, DIGEST)


@dataclass(frozen=True, slots=True)
class GraphInputs:
    """What shapes the graph besides the pages: settings, models by their part, and the user's trust overrides."""

    evidence: Mapping[str, Any]
    models: Mapping[str, str]
    overrides: Mapping[str, str] = field(default_factory=dict)
    lyra_version: str = __version__


def graph_inputs(settings: Settings, models: Mapping[str, str], overrides: Mapping[str, str]) -> GraphInputs:
    return GraphInputs(settings.evidence.model_dump(mode="json"), dict(models), dict(overrides))


@dataclass(frozen=True, slots=True)
class FlowNote:
    """Whose entries these are: the run of a search, from its taking up the graph to its end or the process's."""

    task_id: str
    search_id: str
    run_id: str

    def event(self, kind: str, subject: str, details: Mapping[str, Any], now: datetime) -> Event:
        found = {"run": self.run_id, **details}
        return Event(kind, now, subject, found, self.task_id, self.search_id, self.search_id)


def load_event(connection: "Connection", note: FlowNote, inputs: GraphInputs, now: datetime) -> Event:
    cites = citation_flows.indexed(connection, note.task_id)
    return note.event(LOAD, note.search_id, {**asdict(inputs), "cites": cites}, now)


def read_event(
    connection: "Connection",
    note: FlowNote,
    page: Page,
    levels: Mapping[str, str],
    calibration: str | None,
    now: datetime,
    rewritten: Mapping[str, str] | None = None,
) -> Event:
    """`levels` are the trust levels of addresses that are new or other ones since the run's last page; `rewritten` are
    statements that a language model said anew, by the rules' words."""
    known = works.of_page(connection, page.id)
    details = {
        "page": page_fields(page),
        "version": text_hash(page.text),
        "work": None if known is None else work_fields(known),
        "levels": dict(levels),
        "calibration": calibration,
        **({"rewritten": dict(rewritten)} if rewritten else {}),
    }
    return note.event(READ, page.url, details, now)


def work_event(task_id: str, search_id: str, page_id: str, work: Work, now: datetime) -> Event:
    details = {"page_id": page_id, "work": work_fields(work)}
    return Event(WORK, now, work.id, details, task_id, search_id, search_id)


def assess_event(
    connection: "Connection", note: FlowNote, refuted: frozenset[str], overrides: Mapping[str, str], now: datetime
) -> Event:
    cites = citation_flows.indexed(connection, note.task_id)
    details = {"refuted": sorted(refuted), "overrides": dict(overrides), "cites": cites}
    return note.event(ASSESS, note.search_id, details, now)


def note_digest(connection: "Connection", task_id: str, search_id: str, now: datetime) -> str:
    """Write the digest of the task's graph of now into the journal."""
    digest = evidence_of(connection, task_id).digest
    journal.append(connection, [Event(DIGEST, now, digest, {}, task_id, search_id, search_id)])
    return digest


def page_fields(page: Page) -> dict[str, Any]:
    """A page without its text, which the archive has."""
    found: dict[str, Any] = json.loads(to_json(asdict(page)))
    del found["text"]
    return found


def page_from(fields: Mapping[str, Any]) -> Page:
    found: Page = from_json(Page, to_json(fields))
    return found


def work_fields(work: Work) -> dict[str, Any]:
    """A work without its abstract: the pages have it, and the archive."""
    found: dict[str, Any] = json.loads(to_json(asdict(work)))
    del found["archive"], found["abstract"]
    return found


def work_from(fields: Mapping[str, Any]) -> Work:
    found: Work = from_json(Work, to_json(fields))
    return found
