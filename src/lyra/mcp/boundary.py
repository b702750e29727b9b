"""The one boundary of every call: validate, time, map errors, allow-list fields, bound the size, audit."""

import json
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from lyra.errors import InvalidParams, LyraError
from lyra.mcp.contracts import Answer
from lyra.mcp.tool import Call, Tool
from lyra.observe.log import get_logger

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.research.searches import Progress

_log = get_logger(__name__)


class Boundary:
    """Answers calls by name; success or a typed error, never an exception."""

    def __init__(self, lyra: "Lyra", tools: tuple[Tool, ...], *, max_answer_bytes: int) -> None:
        self._lyra = lyra
        self._tools = {tool.name: tool for tool in tools}
        self._max_answer_bytes = max_answer_bytes

    async def call(self, name: str, arguments: Mapping[str, Any], progress: "Progress") -> dict[str, Any]:
        """The answer as JSON-ready fields; `ok` says whether it is one."""
        started = time.monotonic()
        tool = self._tools.get(name)
        try:
            if tool is None:
                raise InvalidParams(f"There is no tool {name[:60]!r}.", remedy=f"Use one of: {', '.join(self._tools)}.")
            answer = await tool.answer(Call(self._lyra, progress), _validated(tool, arguments))
        except LyraError as exc:
            answer = Answer(**exc.fields())
        except Exception as exc:  # noqa: BLE001 - the interface boundary: whatever happens, the client gets an answer
            answer = self._unexpected(name, exc)
        fields = _allowed(tool.gives if tool else Answer, answer)
        fitted = fit(fields, self._max_answer_bytes)
        _log.info(
            "call",
            tool=name[:60],
            ok=fitted["ok"],
            code=fitted.get("error_code"),
            s=round(time.monotonic() - started, 3),
        )
        return fitted

    def _unexpected(self, name: str, exc: Exception) -> Answer:
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
        return tool.takes.model_validate(dict(arguments))
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


def refused(exc: LyraError) -> dict[str, Any]:
    """A typed error as the fields of an answer."""
    return _allowed(Answer, Answer(**exc.fields()))


def _allowed(gives: type[Answer], answer: Answer) -> dict[str, Any]:
    """Only the fields of the tool's own contract, empty ones left out."""
    checked = gives.model_validate(answer.model_dump(by_alias=True))
    return checked.model_dump(mode="json", by_alias=True, exclude_none=True)


def fit(fields: dict[str, Any], limit_bytes: int) -> dict[str, Any]:
    """Shorten the longest lists until the answer fits, and say so."""
    if _size(fields) <= limit_bytes:
        return fields
    shortened = dict(fields)
    shortened["truncated"] = True
    shortened.setdefault("more", _HOW_TO_GET_THE_REST)
    while _size(shortened) > limit_bytes:
        name = max(shortened, key=lambda key: _size(shortened[key]) if isinstance(shortened[key], list) else -1)
        rows = shortened[name]
        if not isinstance(rows, list) or not rows:
            break
        shortened[name] = rows[: len(rows) * 3 // 4]
    if "row_count" in shortened:  # what a client pages by must be what it got
        shortened["row_count"] = len(shortened["rows"])
    return shortened


_HOW_TO_GET_THE_REST = (
    "The answer was cut: ask for less at once, or page through it with query_graph (LIMIT … OFFSET …)."
)


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
