"""A task's exports as files to keep."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from lyra.report.export.formats import LABELS, TEXT_FORMATS, ZIP_NAMES, zipped
from lyra.web.pages.parts import lyra_of, not_found

_NAMES = {**{wanted: one.name for wanted, one in TEXT_FORMATS.items()}, **ZIP_NAMES}
_FORMATS = {name: wanted for wanted, name in _NAMES.items()}
# What readers call each format, and the last part of its address.
LINKS = tuple((label, _NAMES[wanted]) for wanted, label in LABELS.items())


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
