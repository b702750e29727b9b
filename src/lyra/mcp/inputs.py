"""The arguments of every tool, as clients see them in the tool list and as calls are checked.

Schemas keep to what clients of every model API take: one type for a value, a type for the items of an array, properties
for every object (`lyra.mcp.tool`). Where more is accepted than the schema says, the field says so.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

TaskId = Annotated[str, Field(description="Id from create_task.")]
CalibratedSource = Literal["nli_judge", "llm_extract"]
_TEXT = {"type": "string"}
# What an entry of `samples` looks like. It is checked one by one: a bad entry must not spoil the others.
_SAMPLE = {
    "type": "object",
    "properties": {
        "edge_id": {**_TEXT, "description": "Edge to review: edges.id."},
        "actual": {**_TEXT, "enum": ["supports", "refutes", "neutral"], "description": "What it says of the claim."},
        "reason": {**_TEXT, "description": "Why."},
        "reviewer": {**_TEXT, "description": "Who judged; default client."},
    },
    "required": ["edge_id", "actual"],
}
# One probability may also come without its brackets, true and false as booleans.
_PROBABILITIES = {"type": "array", "items": {"type": "number"}}
Prediction = Annotated[float | list[float], WithJsonSchema(_PROBABILITIES)]
Outcome = Annotated[bool | str, WithJsonSchema(_TEXT)]


class Input(BaseModel):
    """Arguments: unknown fields are refused, so that a typing error is noticed.

    An object or a list may come as the JSON text of one: some clients send nested arguments so.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _read_json_text(cls, given: Any) -> Any:
        return read_json_text(cls, given) if isinstance(given, Mapping) else given


def read_json_text(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with JSON text read wherever the model takes an object or a list and no text."""
    nested = _nested_fields(model)
    return {name: _read(value) if name in nested else value for name, value in given.items()}


@functools.cache
def _nested_fields(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(name for name, field in model.model_fields.items() if _is_nested(field.annotation))


def _is_nested(annotation: Any) -> bool:
    """Whether a field takes objects or lists, and no text."""
    kinds = list(_kinds(annotation))
    return str not in kinds and any(issubclass(one, BaseModel | dict | list) for one in kinds)


def _kinds(annotation: Any) -> Iterator[type]:
    """The plain classes that a field takes."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _kinds(part)
    elif isinstance(origin or annotation, type):
        yield origin or annotation


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, dict | list) or found is None else value


# create_task


class BudgetIn(Input):
    max_pages: int = Field(120, ge=1, le=10_000, description="Pages to fetch.")
    max_seconds: float = Field(1200, ge=1, le=86_400, description="Seconds of searching.")


class HypothesisIn(Input):
    text: str = Field(min_length=1, description="One checkable statement.")
    expected_polarity: Literal["positive", "negative", "neutral"] = Field(
        "positive", description="negative: expected to be false."
    )
    granularity: Literal["atomic", "compound"] = Field("atomic", description="compound: several things.")


class TaskConfigIn(Input):
    budget: BudgetIn | None = Field(None, description="Of the whole task.")
    priority_domains: list[str] = Field(default_factory=list, max_length=50, description="Domains to read first.")
    language: str | None = Field(
        None, min_length=2, max_length=8, description="en, ja, …: queries derived in it go first."
    )
    hypotheses: list[HypothesisIn] = Field(
        default_factory=list, max_length=50, description="Atomic claims to judge findings against."
    )


class CreateTaskIn(Input):
    query: str = Field(min_length=1, description="The research question.")
    config: TaskConfigIn | None = Field(None, description="Hypotheses and limits.")


# get_status


class GetStatusIn(Input):
    task_id: TaskId
    wait_seconds: float = Field(0, ge=0, le=600, description="Long poll: answer when until is met.")
    until: Literal["change", "done"] = Field(
        "change", description="change: a search moved on, at every page; done: no search runs."
    )


# search


class ExtendBudget(Input):
    pages: int = Field(0, ge=0, le=10_000, description="Pages to add.")
    seconds: float = Field(0, ge=0, le=86_400, description="Seconds to add.")


SourceName = Literal["web", "academic", "library", "registries"]


class SearchOptionsIn(Input):
    engines: list[str] | None = Field(
        None, min_length=1, max_length=10, description="Engines to ask; default by health."
    )
    sources: list[SourceName] | None = Field(None, min_length=1, description="Where to look; default by the query.")
    max_pages: int | None = Field(None, ge=1, le=1000, description="Pages this search may fetch.")
    seek_primary: bool = Field(False, description="Prefer primary sources.")
    refute: bool = Field(False, description="Look for evidence against claim_ids, or the claims like the query.")
    claim_ids: list[str] = Field(default_factory=list, max_length=50, description="Claims to refute.")
    auth_priority: Literal["high", "normal"] | None = Field(None, description="Of pages that will wait for a person.")
    vertical: Literal["companies", "infrastructure", "academic", "policy", "people", "defence", "patents"] | None = (
        Field(None, description="Add fixed queries for this kind of question.")
    )
    extend_budget: ExtendBudget | None = Field(None, description="Add to the task's budget.")
    search_id: str | None = Field(None, description="Wait on this running search; start none.")
    wait_seconds: float | None = Field(None, ge=0, le=600, description="How long this call may wait; default 3.5.")


class SearchIn(Input):
    task_id: TaskId
    query: str = Field(min_length=1, description="Your query; also a URL, DOI, PMID or arXiv id.")
    options: SearchOptionsIn | None = Field(None, description="How to search.")


# stop_task


class StopTaskIn(Input):
    task_id: TaskId
    reason: str = Field("completed", max_length=200, description="completed, user_cancelled, budget_exhausted, …")


# query_graph


class QueryOptions(Input):
    limit: int = Field(50, ge=1, le=200, description="Rows at most.")
    timeout_ms: int = Field(300, ge=1, le=2000, description="Time it may work.")
    max_vm_steps: int = Field(500_000, ge=1000, le=5_000_000, description="SQLite steps.")
    include_schema: bool = Field(False, description="List tables and views instead.")


class QueryGraphIn(Input):
    sql: str = Field(min_length=1, description="One SELECT or WITH … SELECT.")
    options: QueryOptions | None = Field(None, description="Limits.")


# vector_search


class VectorSearchIn(Input):
    query: str = Field(min_length=1, description="Text to compare with.")
    target: Literal["claims", "fragments"] = Field("claims", description="fragments: paragraphs of pages.")
    task_id: str | None = Field(None, description="All tasks if left out.")
    top_k: int = Field(10, ge=1, le=50, description="Results at most.")
    min_similarity: float = Field(0.5, ge=0, le=1, description="Least cosine.")


# calibrate, calibrate_rollback


class CalibrateData(Input):
    source: CalibratedSource | None = Field(None, description="Stances or extracted claims.")
    edge_id: str | None = Field(None, description="Instead of source and prediction.")
    samples: list[Annotated[Any, WithJsonSchema(_SAMPLE)]] | None = Field(
        None, min_length=1, max_length=100, description="Reviews of edges."
    )
    prediction: Prediction | None = Field(
        None, description="The model's probability before fits, [p]; for nli_judge also [supports, refutes, neutral]."
    )
    actual: Outcome | None = Field(None, description="true or false, or the right stance.")
    language: Literal["en", "ja"] | None = Field(None, description="Of the judged text.")
    context: str = Field("", description="A note.")
    predictions: list[Annotated[Any, WithJsonSchema(_PROBABILITIES)]] | None = Field(
        None, description="For evaluate; each as prediction."
    )
    labels: list[Annotated[Any, WithJsonSchema(_TEXT)]] | None = Field(
        None, description="For evaluate; each as actual."
    )
    limit: int = Field(20, ge=1, le=100, description="Evaluations at most.")
    since: str | None = Field(None, description="ISO date of the oldest.")
    evaluation_id: str | None = Field(None, description="Default: the newest.")


class CalibrateIn(Input):
    action: Literal["add_sample", "undo_review", "get_stats", "evaluate", "get_evaluations", "get_diagram_data"] = (
        Field(description="What to do; takes the data named above.")
    )
    data: CalibrateData | None = Field(None, description="What the action takes.")


class CalibrateRollbackIn(Input):
    source: CalibratedSource = Field(description="Whose calibration.")
    version: int | None = Field(None, ge=0, description="Default: the one before. 0: bundled only.")
    reason: str = Field("", description="For the audit.")


# get_auth_queue


class AuthQueueOptions(Input):
    group_by: Literal["none", "domain", "type"] = Field("none", description="Rows by page, domain or kind of wall.")
    priority_filter: Literal["high", "normal", "all"] = Field("all", description="Which pages.")


class GetAuthQueueIn(Input):
    task_id: str | None = Field(None, description="All tasks if left out.")
    options: AuthQueueOptions | None = Field(None, description="Which rows.")


# resolve_auth


_COOKIE = {
    "type": "object",
    "properties": {
        "name": {**_TEXT, "description": "Its name."},
        "value": {**_TEXT, "description": "Its value."},
        "domain": {**_TEXT, "description": "Default: the page's host alone."},
        "path": {**_TEXT, "description": "Default: /."},
    },
    "required": ["name", "value"],
}
_SESSION = {
    "type": "object",
    "properties": {
        "cookies": {"type": "array", "items": _COOKIE, "description": "Of the opened page."},
        "user_agent": {**_TEXT, "description": "Of that browser."},
    },
}


class ResolveData(Input):
    auth_id: str | None = Field(None, description="Of an item in the queue.")
    domain: str | None = Field(None, description="For target domain.")
    status: Literal["resolved", "skipped", "failed"] = Field(description="What the user said.")
    session_data: Annotated[dict[str, Any], WithJsonSchema(_SESSION)] | None = Field(
        None, description="A session of the user.", repr=False
    )


class ResolveAuthIn(Input):
    target: Literal["item", "domain"] = Field(description="One page, or all pages of a domain.")
    data: ResolveData = Field(description="What was decided.")


# notify_user


_DETAILS = {
    "type": "object",
    "properties": {
        "url": {**_TEXT, "description": "A page to open."},
        "title": {**_TEXT, "description": "Its title."},
        "reason": {**_TEXT, "description": "Why."},
    },
}


class NotifyPayload(Input):
    message: str = Field(min_length=1, max_length=2000, description="What the user reads.")
    details: Annotated[dict[str, Any], WithJsonSchema(_DETAILS)] | None = Field(None, description="Shown below it.")
    timeout_seconds: float | None = Field(None, gt=0, le=86_400, description="How long it stays.")


class NotifyUserIn(Input):
    event: Literal["info", "warning", "auth_required", "decision_required"] = Field(description="Kind of notice.")
    payload: NotifyPayload = Field(description="What to show.")


# wait_for_user


class WaitOptions(Input):
    timeout_seconds: float = Field(300, gt=0, le=86_400, description="For the user.")
    choices: list[str] = Field(default_factory=list, max_length=20, description="Answers to choose from.")
    wait_id: str | None = Field(None, description="Of a pending answer, to wait on.")
    wait_seconds: float | None = Field(None, ge=0, le=600, description="How long this call may wait; default 25.")


class WaitForUserIn(Input):
    prompt: str = Field("", max_length=2000, description="The question; not with wait_id.")
    options: WaitOptions | None = Field(None, description="Choices and limits.")
