"""What every worker is told: the task's question and hypotheses, and by which models and settings pages are read."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lyra.bulk.files import child, exists, open_file, put_file
from lyra.clock import parse_stamp, stamp
from lyra.errors import InvalidParams
from lyra.model.claim import Claim
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Granularity, Polarity, Task, TaskStatus
from lyra.settings import Settings
from lyra.settings.research import Evidence

PLAN_FILE = "plan.json"
_FORMAT = 1
_ID_CHARS = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """`models` are their ids by part; `max_body_bytes` is the size above which a document is not read."""

    task_id: str
    query: str
    created_at: datetime
    hypotheses: tuple[Claim, ...]
    evidence: Evidence
    models: Mapping[str, str]
    max_body_bytes: int

    @property
    def id(self) -> str:
        """The same question, read by the same means, has the same plan."""
        text = json.dumps(self.fields(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]

    def task(self) -> Task:
        """The task as a worker knows it."""
        return Task(self.task_id, self.query, TaskStatus.EXPLORING, self.created_at, Budget())

    def search(self) -> Search:
        """The search that reads the collection; done twice, it is the same one."""
        return Search(
            id=f"s_{self.id[:12]}",
            task_id=self.task_id,
            query=self.query,
            options=SearchOptions(),
            status=SearchStatus.RUNNING,
            created_at=self.created_at,
        )

    def fields(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "task_id": self.task_id,
            "query": self.query,
            "created_at": stamp(self.created_at),
            "hypotheses": [_hypothesis_fields(one) for one in self.hypotheses],
            "evidence": self.evidence.model_dump(mode="json"),
            "models": dict(self.models),
            "max_body_bytes": self.max_body_bytes,
        }


def make_plan(task: Task, claims: Sequence[Claim], settings: Settings, models: Mapping[str, str]) -> Plan:
    hypotheses = tuple(one for one in claims if one.is_hypothesis)
    return Plan(
        task.id, task.query, task.created_at, hypotheses, settings.evidence, models, settings.network.max_body_bytes
    )


def plan_from(fields: Mapping[str, Any]) -> Plan:
    """The plan that `Plan.fields` took apart."""
    created_at = parse_stamp(fields["created_at"])
    return Plan(
        task_id=str(fields["task_id"]),
        query=str(fields["query"]),
        created_at=created_at,
        hypotheses=tuple(_hypothesis(one, str(fields["task_id"]), created_at) for one in fields["hypotheses"]),
        evidence=Evidence(**fields["evidence"]),
        models=dict(fields["models"]),
        max_body_bytes=int(fields["max_body_bytes"]),
    )


def save_plan(plan: Plan, out: str) -> None:
    """Note what a folder is for. Raises InvalidParams where it holds what was read for another question."""
    address = child(out, PLAN_FILE)
    if exists(address) and load_plan(out).id != plan.id:
        raise InvalidParams(
            "The folder holds pages that were read for another question, or by other models or settings.",
            remedy="Choose another folder with --out.",
        )
    put_file(address, json.dumps(plan.fields(), ensure_ascii=False, indent=1).encode())


def load_plan(out: str) -> Plan:
    """Raises InvalidParams where the folder is none that `lyra bulk` has written."""
    problem = InvalidParams(
        "`lyra bulk` has not written this folder, or its plan.json is damaged.",
        remedy="Read a collection first with lyra bulk SOURCE --task TASK --out FOLDER.",
    )
    try:
        with open_file(child(out, PLAN_FILE)) as file:
            found = json.loads(file.read())
        if found["format"] != _FORMAT:
            raise problem
        return plan_from(found)
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise problem from exc


def _hypothesis_fields(one: Claim) -> dict[str, str]:
    return {
        "id": one.id,
        "text": one.claim_text,
        "language": one.language,
        "expected_polarity": one.expected_polarity.value,
        "granularity": one.granularity.value,
    }


def _hypothesis(fields: Mapping[str, str], task_id: str, created_at: datetime) -> Claim:
    return Claim(
        id=fields["id"],
        task_id=task_id,
        claim_text=fields["text"],
        language=fields["language"],
        created_at=created_at,
        expected_polarity=Polarity(fields["expected_polarity"]),
        granularity=Granularity(fields["granularity"]),
        is_hypothesis=True,
    )
