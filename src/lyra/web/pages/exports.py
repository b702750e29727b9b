"""A task's exports as files to keep."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from lyra.report.export.formats import zipped
from lyra.report.export.names import TEXT_FORMATS, ZIP_FORMATS
from lyra.web.pages.parts import lyra_of, not_found

# What readers call each format, and the last part of its address.
LINKS = (*((one.label, one.name) for one in TEXT_FORMATS.values()), *ZIP_FORMATS.values())
_FORMATS = {name: wanted for wanted, (_, name) in zip((*TEXT_FORMATS, *ZIP_FORMATS), LINKS, strict=True)}


async def export(request: Request) -> Response:
    """One of them; a folder as a zip file."""
    lyra = lyra_of(request)
    name = request.path_params["name"]
    wanted = _FORMATS.get(name)
    if wanted is None:
        raise not_found()
    task = await lyra.tasks.get(request.path_params["task_id"])
    files = await lyra.reporter.export(task, wanted)
    content = await asyncio.to_thread(zipped, files) if wanted.is_folder else next(iter(files.values()))
    headers = {"content-disposition": f'attachment; filename="{task.id}-{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)
