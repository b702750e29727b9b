"""Resources: the schema, the views, and a task's report, exports and checks, for clients that can read them."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from lyra.errors import InvalidParams, LyraError
from lyra.report import rechecks
from lyra.report.export.names import TEXT_FORMATS, ExportFormat, schema_text

if TYPE_CHECKING:
    from lyra.app import Lyra

_TASK = re.compile("lyra://tasks/([^/]+)/([^/]+)")
_CHECK = re.compile("lyra://tasks/([^/]+)/check/([^/]+)")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A resource with one address."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: "Callable[[Lyra], Awaitable[str]]"


async def _schema(lyra: "Lyra") -> str:
    return json.dumps([row for row in await _tables(lyra) if not row["name"].startswith("v_")], ensure_ascii=False)


async def _views(lyra: "Lyra") -> str:
    return json.dumps([row for row in await _tables(lyra) if row["name"].startswith("v_")], ensure_ascii=False)


async def _tables(lyra: "Lyra") -> list[Mapping[str, Any]]:
    found = await lyra.graph.query("select 1", limit=1, timeout_ms=300, max_vm_steps=1000, include_schema=True)
    return list(found.schema or ())


async def _evidence_schema(_: "Lyra") -> str:
    return schema_text()


FIXED = (
    Fixed(
        "lyra://schema", "schema", "Tables that query_graph can read, with their columns.", "application/json", _schema
    ),
    Fixed("lyra://views", "views", "Ready-made analyses and what each is for.", "application/json", _views),
    Fixed(
        "lyra://evidence-schema",
        "evidence-schema",
        "JSON Schema of a task's evidence.json.",
        "application/schema+json",
        _evidence_schema,
    ),
)

TEMPLATES = (
    ("report", "lyra://tasks/{task_id}/report", "Report skeleton of a task.", "text/markdown"),
    *(
        (one.name, f"lyra://tasks/{{task_id}}/{one.name}", one.description, one.media_type)
        for one in TEXT_FORMATS.values()
    ),
    (
        "check",
        "lyra://tasks/{task_id}/check/{file}",
        "Check of a draft in Lyra's folder of reports against what the task has read.",
        "application/json",
    ),
    (
        "recheck",
        "lyra://tasks/{task_id}/recheck.json",
        "What has changed since a watched task was last checked.",
        "application/json",
    ),
)
_RECHECK = "recheck.json"
# The exports by the last part of their address, with their media type.
_EXPORTS = {
    "report": (ExportFormat.REPORT, "text/markdown"),
    **{one.name: (wanted, one.media_type) for wanted, one in TEXT_FORMATS.items()},
}


def listed() -> list[types.Resource]:
    return [
        types.Resource(uri=one.uri, name=one.name, description=one.description, mime_type=one.mime_type)
        for one in FIXED
    ]


def templates() -> list[types.ResourceTemplate]:
    return [
        types.ResourceTemplate(uri_template=uri, name=name, description=description, mime_type=mime_type)
        for name, uri, description, mime_type in TEMPLATES
    ]


async def read(lyra: "Lyra", uri: str) -> types.TextResourceContents:
    """The resource's text; an unknown address or task is a protocol error with its reason."""
    try:
        text, mime_type = await _read(lyra, uri)
    except LyraError as exc:
        raise MCPError(code=types.INVALID_PARAMS, message=exc.message, data={"error_code": exc.code}) from exc
    return types.TextResourceContents(uri=uri, text=text, mime_type=mime_type)


async def _read(lyra: "Lyra", uri: str) -> tuple[str, str]:
    for one in FIXED:
        if uri == one.uri:
            return await one.read(lyra), one.mime_type
    if checked := _CHECK.fullmatch(uri):
        from lyra.mcp.drafts import check_file  # lazy: other resources need none of it

        return await check_file(lyra, checked[1], checked[2]), "application/json"
    match = _TASK.fullmatch(uri)
    if match is None or match[2] not in (*_EXPORTS, _RECHECK):
        raise MCPError(
            code=types.INVALID_PARAMS, message=f"There is no resource {uri[:100]!r}.", data={"uri": uri[:100]}
        )
    if match[2] == _RECHECK:
        return await _recheck(lyra, (await lyra.tasks.get(match[1])).id), "application/json"
    wanted, mime_type = _EXPORTS[match[2]]
    (content,) = (await lyra.reporter.export(await lyra.tasks.get(match[1]), wanted)).values()
    return content.decode(), mime_type


async def _recheck(lyra: "Lyra", task_id: str) -> str:
    last = await lyra.rechecks.last(task_id)
    if last is None:
        raise InvalidParams(f"There is no report on {task_id} yet.", remedy="Make one: lyra recheck run TASK.")
    return json.dumps(rechecks.fields(last), ensure_ascii=False)
