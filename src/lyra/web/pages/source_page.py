"""One page that was read: its text with the quoted words marked, its archived copy, its screenshot.

The archived copy is foreign and may be hostile. It is shown in a frame without scripts, forms, plug-ins and links, and
its own policy lets it load nothing: it sees neither the cookie nor the network.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from lyra.charset import decode, media_type_of
from lyra.research.proof import ArchivedPage, Proof
from lyra.storage import dashboard, pages
from lyra.web.archived_copy import inert_html
from lyra.web.pages.parts import lyra_of, not_found
from lyra.web.render import page

_AROUND_CHARS = 1_500
_WHOLE_CHARS = 300_000
_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A part of a page's text around the quoted words; what is cut off is told by the flags."""

    before: str
    marked: str
    after: str
    begins_late: bool = False
    ends_early: bool = False


async def source_page(request: Request) -> Response:
    """What was read, and the quoted words in it."""
    lyra = lyra_of(request)
    archived = await _archived(request)
    fragment = await _fragment(request, archived)
    words = archived.page.text
    if "check" in request.query_params:
        proof: Proof | None = await lyra.proofs.of(fragment[2] if fragment else archived.page.id)
    else:
        proof = None
    return page(
        request,
        "source_page.html",
        archived=archived,
        level=(await lyra.trust.of_pages([archived.page.id]))[archived.page.id],
        text=marked_text(words, fragment[:2] if fragment else None, is_whole="whole" in request.query_params),
        fragment_id=fragment[2] if fragment else None,
        is_retracted=bool(await lyra.db.read(dashboard.retracted_pages, [archived.page.id])),
        can_show=_is_shown(archived),
        proof=proof,
        is_own=await lyra.db.read(dashboard.is_page_own, archived.page.id, lyra.person),
    )


async def copy(request: Request) -> Response:
    """The archived page, inert."""
    archived = await _archived(request)
    if archived.record is None or not _is_shown(archived):
        raise not_found()
    content_type = _content_type(archived)
    text = decode(archived.record.body, content_type)
    headers = {"content-security-policy": _POLICY}
    if media_type_of(content_type) in _HTML:
        body = await asyncio.to_thread(inert_html, text)
        return Response(body, media_type="text/html; charset=utf-8", headers=headers)
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


async def file(request: Request) -> Response:
    """The archived bytes to keep; a browser saves them and does not open them."""
    archived = await _archived(request)
    if archived.record is None:
        raise not_found()
    name = f"{archived.page.id}.archived"
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": _POLICY}
    return Response(archived.record.body, media_type="application/octet-stream", headers=headers)


async def screenshot(request: Request) -> Response:
    """What a browser saw of the page."""
    lyra = lyra_of(request)
    archived = await _archived(request)
    if archived.capture is None or archived.capture.screenshot is None:
        raise not_found()
    path = lyra.settings.archive_dir / archived.capture.screenshot
    body = await asyncio.to_thread(_read, path)
    if body is None:
        raise not_found()
    return Response(body, media_type="image/png", headers={"content-security-policy": _POLICY})


def marked_text(text: str, span: tuple[int, int] | None, *, is_whole: bool) -> MarkedText:
    """The text around the span, or from its beginning where there is none; all of it where asked for."""
    start, end = span or (0, 0)
    first = 0 if is_whole or span is None else max(0, start - _AROUND_CHARS)
    last = min(len(text), _WHOLE_CHARS if is_whole else end + (_AROUND_CHARS if span else 2 * _AROUND_CHARS))
    return MarkedText(
        text[first:start],
        text[start:end],
        text[end : max(last, end)],
        begins_late=first > 0,
        ends_early=last < len(text),
    )


async def _archived(request: Request) -> ArchivedPage:
    lyra = lyra_of(request)
    page_id = request.path_params["page_id"]
    is_there = await lyra.db.read(pages.get, page_id) is not None
    if not is_there or not await lyra.db.read(dashboard.is_page_visible, page_id, lyra.person):
        raise not_found()
    return await lyra.proofs.archived(page_id)


async def _fragment(request: Request, archived: ArchivedPage) -> tuple[int, int, str] | None:
    """Place and id of the fragment that the address names, where the page still has its words."""
    name = request.query_params.get("fragment")
    found = await lyra_of(request).db.read(pages.fragments, [name]) if name else ()
    for one in found:
        if one.page_id == archived.page.id and archived.page.text[one.char_start : one.char_end] == one.text_content:
            return one.char_start, one.char_end, one.id
    return None


def _content_type(archived: ArchivedPage) -> str | None:
    headers = archived.record.headers if archived.record else ()
    return next((value for name, value in headers if name.lower() == "content-type"), None)


def _is_shown(archived: ArchivedPage) -> bool:
    """Whether the copy is markup or text; anything else can be kept as a file."""
    media_type = media_type_of(_content_type(archived))
    return archived.record is not None and (media_type in _HTML or media_type.startswith(("text/", "application/json")))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
