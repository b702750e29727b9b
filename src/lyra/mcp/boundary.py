"""The one boundary of every call: validate, time, map errors, allow-list fields, bound the size, audit."""

import json
import secrets
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import mcp_types as types
from pydantic import ValidationError

from lyra.answers.addresses import without_secrets
from lyra.answers.answer import Answer, common_last
from lyra.answers.security_meta import TextColumns, foreign_paths, has_computed_text, strings_of, warning_fields
from lyra.errors import InvalidParams, LyraError
from lyra.mcp.tool import CallContext, Tool
from lyra.model.person import OWNER, Person
from lyra.observe import audit
from lyra.observe.calls import CallFigures
from lyra.observe.log import get_logger
from lyra.redact.redactor import PLAIN, Redactor
from lyra.remedies import fields_for_client
from lyra.text import visible_fields

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.model.injection import AnswerWarnings
    from lyra.research.searches import Progress

_MORE = "The answer was cut: ask for less at once, or page through it with query_graph (LIMIT … OFFSET …)."
_log = get_logger(__name__)


class FindWarnings(Protocol):
    """Looks for the flagged pages behind the strings of an answer; `is_computed`: some do not show their page."""

    def __call__(self, strings: Sequence[str], *, is_computed: bool = False) -> Awaitable["AnswerWarnings"]: ...


class Boundary:
    """Answers calls by name; success or a typed error, never an exception."""

    def __init__(
        self,
        lyra: "Lyra",
        tools: tuple[Tool, ...],
        *,
        max_answer_bytes: int,
        person: Person = OWNER,
        figures: CallFigures | None = None,
        find_warnings: FindWarnings | None = None,
        redactor: Redactor = PLAIN,
    ) -> None:
        self._lyra = lyra
        self._person = person
        self._figures = figures
        self._tools = {tool.name: tool for tool in tools}
        self._max_answer_bytes = max_answer_bytes
        self._find_warnings = find_warnings
        self._redactor = redactor

    async def call(
        self, name: str, arguments: Mapping[str, Any], progress: "Progress", *, elapsed_s: float = 0.0
    ) -> dict[str, Any]:
        """The answer as JSON-ready fields; `ok` is false for an error. The client has waited for `elapsed_s` before."""
        started = time.monotonic()
        tool = self._tools.get(name)
        try:
            if tool is None:
                raise InvalidParams(f"There is no tool {name[:60]!r}.", remedy=f"Use one of: {', '.join(self._tools)}.")
            self._person.require(tool.needs)
            context = CallContext(self._lyra, progress, elapsed_s)
            answer = await tool.handler(context, _validated(tool, arguments))
        except LyraError as exc:
            answer = Answer.from_error(exc)
        except Exception as exc:  # noqa: BLE001 - the interface boundary: whatever happens, the client gets an answer
            answer = _unexpected(name, exc)
        stored = _dump(answer, tool.answer_model if tool else Answer)
        columns = answer.text_columns()
        told = await self._with_security(_visible(stored, name), stored, columns)
        fields = shorten(without_secrets(told, self._redactor, columns), self._max_answer_bytes)
        duration_s = round(time.monotonic() - started, 3)
        if self._figures is not None:
            self._figures.add(tool.name if tool else "unknown", fields.get("error_code", "ok"), duration_s)
        _log.info("call", tool=name[:60], ok=fields["ok"], code=fields.get("error_code"), s=duration_s)
        return fields

    async def _with_security(
        self, fields: dict[str, Any], stored: dict[str, Any], columns: TextColumns | None
    ) -> dict[str, Any]:
        """The answer with the paths of its foreign text, and the flagged pages that some of it comes from (L5).

        Text that leaves without invisible characters is known by how it is stored: with them.
        """
        meta = dict(fields["_lyra_meta"])
        if paths := foreign_paths(fields, columns):
            meta["untrusted"] = paths
        if self._find_warnings is not None and fields["ok"]:
            texts = list(dict.fromkeys([*strings_of(stored), *strings_of(fields)]))
            is_computed = has_computed_text(stored, columns)
            meta |= warning_fields(await self._find_warnings(texts, is_computed=is_computed))
        return {**fields, "_lyra_meta": meta}


def _visible(fields: dict[str, Any], tool: str) -> dict[str, Any]:
    """The answer without characters that show nothing or turn the direction of reading (L7)."""
    cleaned = cast("dict[str, Any]", visible_fields(fields))
    if cleaned != fields:
        audit.record("L7", "invisible characters dropped", tool=tool[:60])
    return cleaned


def _unexpected(name: str, exc: Exception) -> Answer:
    error_id = f"err_{secrets.token_hex(4)}"
    _log.error("unexpected", tool=name[:60], error_id=error_id, exc_info=exc)
    return Answer(
        ok=False,
        error_code="INTERNAL_ERROR",
        error="Something unexpected went wrong inside Lyra.",
        retryable=False,
        remedy=f"Look for {error_id} in the log (`lyra doctor` says where it is) and report it.",
        error_id=error_id,
    )


def _validated(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    try:
        return tool.input_model.model_validate(dict(arguments))
    except ValidationError as exc:
        problems = [_problem(error) for error in exc.errors(include_url=False, include_context=False)[:5]]
        raise InvalidParams(
            f"{tool.name}: {problems[0]}",
            remedy="Correct the arguments; the tool's input schema lists what it takes.",
            details={"problems": problems},
        ) from exc


def _problem(error: Mapping[str, Any]) -> str:
    where = ".".join(str(part)[:60] for part in error["loc"]) or "arguments"
    return f"{where}: {error['msg'][:300]}"


def error_fields(exc: LyraError) -> dict[str, Any]:
    """A typed error as the fields of an answer."""
    return _dump(Answer.from_error(exc), Answer)


def _dump(answer: Answer, model: type[Answer]) -> dict[str, Any]:
    """Only the fields of the tool's own model, empty ones left out."""
    fields = answer.model_dump(mode="json", by_alias=True, exclude_none=True, include=set(model.model_fields))
    return common_last(cast("dict[str, Any]", fields_for_client(fields)))


def shorten(fields: dict[str, Any], limit_bytes: int) -> dict[str, Any]:
    """Cut the longest lists until the answer fits, and say so."""
    if _size(fields) <= limit_bytes:
        return fields
    shortened = dict(fields)
    shortened["truncated"] = True
    shortened.setdefault("more", _MORE)
    while _size(shortened) > limit_bytes:
        name = max(shortened, key=lambda key: _size(shortened[key]) if isinstance(shortened[key], list) else -1)
        rows = shortened[name]
        if not isinstance(rows, list) or not rows:
            break
        shortened[name] = rows[: len(rows) * 3 // 4]
    if "row_count" in shortened:  # what a client pages by must be what it got
        shortened["row_count"] = len(shortened["rows"])
    return shortened


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def as_text(fields: dict[str, Any]) -> str:
    """Compact JSON, Japanese as it is written."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def tool_result(fields: dict[str, Any]) -> types.CallToolResult:
    """An answer as text and in structured form; one that is not `ok` is an error."""
    content = [types.TextContent(type="text", text=as_text(fields))]
    return types.CallToolResult(content=content, structured_content=fields, is_error=not fields["ok"])
