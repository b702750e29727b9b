"""Sources and how far they are trusted, in one task or in all, and the user's overrides."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from lyra.errors import InvalidParams
from lyra.model.person import Role
from lyra.model.trust import TrustLevel
from lyra.storage import dashboard, domains
from lyra.text import normalise
from lyra.trust.override_file import write_override
from lyra.web.guard import form_fields
from lyra.web.pages.parts import lyra_of, part_of, see
from lyra.web.render import page

_SOURCES = 50
_MAX_REASON_CHARS = 500
_LEVELS = tuple(level.value for level in TrustLevel)


async def of_task(request: Request) -> Response:
    """The domains that speak in a task, those that say the most first."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    part = part_of(request, _SOURCES)
    rows, total = await lyra.db.read(dashboard.source_rows, task.id, part.size, part.offset)
    return page(
        request,
        "task_sources.html",
        task=task,
        rows=[(row, await lyra.trust.domain_status(row.domain)) for row in rows],
        levels=_LEVELS,
        part=part.of(total),
    )


async def all_sources(request: Request) -> Response:
    """Every domain that was met or overridden; only those with the given words in their name, where given."""
    lyra = lyra_of(request)
    words = normalise(request.query_params.get("name", ""))[:100].strip().lower()
    found = [one for one in await lyra.trust.domain_statuses() if words in one.domain]
    if not lyra.person.sees_everything:
        seen = await lyra.db.read(domains.visible_to, lyra.person)
        found = [one for one in found if one.domain in seen]
    part = part_of(request, _SOURCES).of(len(found))
    return page(
        request,
        "sources.html",
        statuses=found[part.offset : part.offset + part.size],
        levels=_LEVELS,
        words_in_name=words,
        problem=lyra.trust.problem,
        part=part,
    )


async def set_level(request: Request) -> Response:
    """Set the user's level for a domain, or take it back where none is given."""
    lyra = lyra_of(request)
    lyra.person.require(Role.ADMIN)
    fields = await form_fields(request)
    level = fields.get("level", "")
    if level not in (*_LEVELS, ""):
        raise InvalidParams(f"There is no trust level {level[:40]!r}.", remedy="Choose one from the list.")
    await asyncio.to_thread(
        write_override,
        lyra.settings.data_dir / "domains.yaml",
        fields.get("domain", ""),
        TrustLevel(level) if level else None,
        normalise(fields.get("reason", ""))[:_MAX_REASON_CHARS].strip(),
    )
    await lyra.trust.record_overrides()
    return see(fields.get("back", "/sources"))
