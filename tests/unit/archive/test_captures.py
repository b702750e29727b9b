"""HAR 1.2: what other tools read of a page's loading."""

from datetime import UTC, datetime, timedelta

from lyra import __version__
from lyra.archive.captures import har
from lyra.model.archive import Capture, Resource

_START = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def test_the_log_tells_times_kinds_and_sizes_and_no_secrets() -> None:
    """No header and no cookie is in it; the hash of a body stands as its comment."""
    resources = (
        Resource("https://a.example/x.js?v=2", "GET", _START, 200, "text/javascript", "ab" * 32, 12, 0.25),
        Resource("https://a.example/beacon", "POST", _START + timedelta(seconds=1)),
    )

    log = har(Capture("https://a.example/", "<urn:uuid:1>", _START + timedelta(seconds=3), None, resources))["log"]

    unsaid = {"httpVersion": "", "cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}
    assert (log["version"], log["creator"]) == ("1.2", {"name": "lyra-mcp", "version": __version__})
    assert log["pages"] == [
        {
            "startedDateTime": "2026-01-31T09:30:00.000Z",
            "id": "page_1",
            "title": "https://a.example/",
            "pageTimings": {},
        }
    ]
    assert log["entries"][0] == {
        "pageref": "page_1",
        "startedDateTime": "2026-01-31T09:30:00.000Z",
        "time": 250.0,
        "request": {
            "method": "GET",
            "url": "https://a.example/x.js?v=2",
            "queryString": [{"name": "v", "value": "2"}],
            **unsaid,
        },
        "response": {
            "status": 200,
            "statusText": "",
            "content": {"size": 12, "mimeType": "text/javascript", "comment": f"sha256:{'ab' * 32}"},
            "redirectURL": "",
            **unsaid,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 250.0, "receive": 0},
    }
    assert log["entries"][1]["response"]["status"] == 0
    assert log["entries"][1]["response"]["content"] == {"size": -1, "mimeType": ""}
