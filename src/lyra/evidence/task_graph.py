"""The evidence of one task as it is compared, packed and replayed: read from the graph, addresses without secrets."""

from typing import TYPE_CHECKING

from lyra.model.task_evidence import TaskEvidence
from lyra.redact.redactor import public_url
from lyra.storage import task_evidence

if TYPE_CHECKING:
    from apsw import Connection


def evidence_of(connection: "Connection", task_id: str) -> TaskEvidence:
    """Pages, fragments, claims with their verdicts, mentions, edges and citations of a task."""
    return task_evidence.of_task(connection, task_id, public_url)
