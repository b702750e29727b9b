"""What a task knows when a search takes it up: read in one transaction with the note in the journal that it was."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.model.claim import Claim, Mention
from lyra.model.page import Fragment, PageHead
from lyra.research.assessing import fragments_read
from lyra.research.flow import FlowNote, GraphInputs, load_event
from lyra.storage import claims, edges, journal, pages

if TYPE_CHECKING:
    from apsw import Connection


@dataclass(frozen=True, slots=True)
class TaskState:
    """What a task knows at one moment."""

    claims: tuple[Claim, ...]
    judged: set[tuple[str, str]]
    mentions: tuple[Mention, ...]
    fragments: tuple[Fragment, ...]
    pages: dict[str, PageHead]


def take_up(connection: "Connection", note: FlowNote, inputs: GraphInputs, now: datetime) -> TaskState:
    """Read what the task knows and note in the journal that it was read at this point: no page comes between."""
    journal.append(connection, [load_event(connection, note, inputs, now)])
    known = claims.of_task(connection, note.task_id)
    fragments = fragments_read(connection, note.task_id)
    return TaskState(
        claims=known,
        judged=edges.judged_pairs(connection, note.task_id),
        mentions=claims.mentions_of(connection, [claim.id for claim in known]),
        fragments=fragments,
        pages=pages.heads_of(connection, {fragment.page_id for fragment in fragments}),
    )
