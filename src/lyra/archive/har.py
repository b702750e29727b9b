"""What a browser loaded, as HAR 1.2: addresses, times, kinds and sizes; no cookies, no headers, no bodies. Pure."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lyra import __version__
from lyra.clock import stamp
from lyra.model.archive import Capture, Resource

_PAGE = "page_1"


def har(capture: Capture) -> dict[str, Any]:
    """The whole log; what the browser did not say is -1, as the format has it."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "lyra-mcp", "version": __version__},
            "pages": [
                {
                    "startedDateTime": stamp(min((r.started_at for r in capture.resources), default=capture.taken_at)),
                    "id": _PAGE,
                    "title": capture.url,
                    "pageTimings": {},
                }
            ],
            "entries": [_entry(resource) for resource in capture.resources],
        }
    }


def _entry(resource: Resource) -> dict[str, Any]:
    elapsed_ms = round(1000 * resource.elapsed_s, 3)
    return {
        "pageref": _PAGE,
        "startedDateTime": stamp(resource.started_at),
        "time": elapsed_ms,
        "request": {"method": resource.method, "url": resource.url, "queryString": _query(resource.url), **_unsaid()},
        "response": {
            "status": resource.status_code or 0,
            "statusText": "",
            "content": _content(resource),
            "redirectURL": "",
            **_unsaid(),
        },
        "cache": {},
        "timings": {"send": 0, "wait": elapsed_ms, "receive": 0},
    }


def _unsaid() -> dict[str, Any]:
    return {"httpVersion": "", "cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}


def _content(resource: Resource) -> dict[str, Any]:
    size = -1 if resource.bytes is None else resource.bytes
    content: dict[str, Any] = {"size": size, "mimeType": resource.media_type}
    return content | ({"comment": f"sha256:{resource.sha256}"} if resource.sha256 else {})


def _query(url: str) -> list[dict[str, str]]:
    try:
        query = urlsplit(url).query
    except ValueError:
        return []
    return [{"name": name, "value": value} for name, value in parse_qsl(query, keep_blank_values=True)]
