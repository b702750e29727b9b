"""The simulated internet: finds the host, applies faults, and adds what every good server does."""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime

from simweb import walls
from simweb.bomb import gzip_bomb
from simweb.faults import SPOILING, Certificate, Fault, Faults, spoil
from simweb.hosts import SOFT_404, Host
from simweb.messages import Request, Response

_GZIP_FROM_BYTES = 500
_COMPRESSIBLE = ("text/", "application/json", "application/xml")


class Internet:
    """Host names to hosts; a name it does not know does not exist."""

    def __init__(self, hosts: Mapping[str, Host], faults: Faults) -> None:
        self._hosts = dict(hosts)
        self._faults = faults

    def knows(self, host: str) -> bool:
        return host in self._hosts

    def become(self, hosts: Mapping[str, Host]) -> None:
        """Answer from other hosts from now on; requests under way end with the old ones."""
        self._hosts = dict(hosts)

    def certificate_flaw(self, host: str) -> Certificate | None:
        """What is wrong with the certificate of this connection."""
        return self._faults.strike_handshake(host)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._hosts))

    def answer(self, request: Request) -> Response:
        """The answer to a request for a known host, faults applied."""
        host = self._hosts.get(request.host)
        if host is None:
            return Response.text("the host has gone\n", 502)
        opened = self._faults.doors.enter(request)
        if opened is not None:
            return opened
        fault = self._faults.strike(request)
        if fault is None:
            return _finish(request, host.answer(request))
        if fault.kind == "endless":  # uncompressed: what is repeated would end with the first gzip member
            return spoil(host.answer(request), fault)
        if fault.kind in SPOILING:
            return spoil(_finish(request, host.answer(request)), fault)
        refusal = _refusal(host, request, fault)
        if fault.kind not in ("challenge", "captcha"):
            return refusal
        return self._faults.doors.add_to(refusal, fault.kind, fault.asks, request)


def _refusal(host: Host, request: Request, fault: Fault) -> Response:
    if fault.kind == "challenge":
        return host.challenge(request)
    if fault.kind == "soft_404":
        return Response.html(SOFT_404)
    if fault.kind == "redirect_loop":
        return Response.redirect(request.url, 302).with_headers(set_cookie="visited=1; path=/")
    if fault.kind == "gzip_bomb":
        return Response.html("").with_headers(content_encoding="gzip").with_body(gzip_bomb(fault.expanded_bytes))
    if fault.kind == "rate_limit":
        return host.refuse(request, 429).with_headers(retry_after=str(math.ceil(fault.pause_s)))
    if walls.is_wall(fault.kind):
        return host.wall(fault.kind, request)
    response = host.refuse(request, fault.status)
    if fault.retry_after_s is None:
        return response
    return response.with_headers(retry_after=str(fault.retry_after_s))


def _finish(request: Request, response: Response) -> Response:
    return _compress(request, _validate(request, response))


def _validate(request: Request, response: Response) -> Response:
    """Add an ETag to what may be kept, and answer 304 when the client has it already."""
    if response.status != 200 or "last-modified" not in response.headers:
        return response
    etag = f'"{hashlib.sha1(response.body, usedforsecurity=False).hexdigest()[:16]}"'
    response = response.with_headers(etag=etag, cache_control="max-age=0, must-revalidate")
    if not _is_fresh(request, etag, response.headers["last-modified"]):
        return response
    kept = {name: value for name, value in response.headers.items() if name != "content-type"}
    return Response(304, kept)


def _is_fresh(request: Request, etag: str, last_modified: str) -> bool:
    if "if-none-match" in request.headers:
        candidates = {tag.strip().removeprefix("W/") for tag in request.headers["if-none-match"].split(",")}
        return bool(candidates & {etag, "*"})
    try:
        since = parsedate_to_datetime(request.headers.get("if-modified-since", ""))
    except ValueError:
        return False
    return parsedate_to_datetime(last_modified) <= since


def _compress(request: Request, response: Response) -> Response:
    is_text = response.headers.get("content-type", "").startswith(_COMPRESSIBLE)
    if not is_text or len(response.body) < _GZIP_FROM_BYTES:
        return response
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    body = gzip.compress(response.body, compresslevel=6, mtime=0)
    return replace(response, body=body).with_headers(content_encoding="gzip")
