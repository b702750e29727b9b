"""Checking a client's draft: its text, or a file in Lyra's own folder of reports. No other file can be named."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lyra.errors import InvalidParams
from lyra.extract.draft import Draft
from lyra.mcp.boundary import shorten
from lyra.model.check import CheckResult
from lyra.model.person import Role
from lyra.model.task import Task
from lyra.report.check.fields import result_fields

if TYPE_CHECKING:
    from lyra.app import Lyra

MAX_DRAFT_CHARS = 400_000
_NAME = re.compile(r"[^/\\\x00-\x1f]{1,200}\.(?:md|markdown|txt|html?|docx|pdf)", re.IGNORECASE)


async def check_draft(lyra: "Lyra", task_id: str, draft: str, *, with_resolved: bool) -> str:
    """The result as JSON; `draft` is the text itself or the name of a file in the folder of reports."""
    task = await lyra.tasks.get(task_id)
    result = await _check(lyra, await _draft(lyra, draft), task)
    fields: dict[str, Any] = {"task_id": task.id, **result_fields(result, with_resolved=with_resolved)}
    return json.dumps(shorten(fields, lyra.settings.server.max_answer_bytes), ensure_ascii=False)


async def check_file(lyra: "Lyra", task_id: str, name: str) -> str:
    """The same for a file in the folder of reports, with what is in order."""
    task = await lyra.tasks.get(task_id)
    result = await _check(lyra, await lyra.drafts.read(_path(lyra, unquote(name))), task)
    fields: dict[str, Any] = {"task_id": task.id, "file": unquote(name), **result_fields(result)}
    return json.dumps(shorten(fields, lyra.settings.server.max_answer_bytes), ensure_ascii=False)


async def _check(lyra: "Lyra", draft: Draft, task: Task) -> CheckResult:
    """With what of the draft could not be read."""
    result = await lyra.checker.check(draft.text, task)
    return replace(result, remarks=(*draft.remarks, *result.remarks))


async def _draft(lyra: "Lyra", draft: str) -> Draft:
    if _NAME.fullmatch(draft.strip()):
        return await lyra.drafts.read(_path(lyra, draft.strip()))
    if len(draft) > MAX_DRAFT_CHARS:
        raise InvalidParams(
            f"The draft has more than {MAX_DRAFT_CHARS:,} characters.",
            remedy="Save it as a file in Lyra's folder of reports and give its name, or check it in parts.",
        )
    return Draft(draft)


def _path(lyra: "Lyra", name: str) -> Path:
    """A file in the folder of reports itself; links that lead out of it are refused. The folder is everyone's, so that
    on a shared server only admins may name files of it; others send their text."""
    lyra.person.require(Role.ADMIN)
    folder = lyra.settings.reports_dir
    path = folder / name
    is_inside = bool(_NAME.fullmatch(name)) and path.resolve().parent == folder.resolve()
    if not is_inside or not path.is_file():
        raise InvalidParams(
            f"There is no draft {name[:100]!r} in Lyra's folder of reports.",
            remedy="Give the text itself, or save the draft there (`lyra doctor` says where the data is).",
        )
    return path
