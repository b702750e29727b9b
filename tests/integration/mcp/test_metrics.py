"""/metrics of the HTTP server: the figures for a Prometheus with the token, nothing for anybody else."""

from pathlib import Path
from typing import Any

from lyra.app import Lyra
from lyra.mcp.http import application
from lyra.request_limits import RequestLimits
from lyra.settings import load

TOKEN = "t" * 43


async def get(app: Any, path: str, **headers: str) -> tuple[int, str, str]:
    """Status, content type and body."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    lines = [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8377", **headers}.items()]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": lines, "scheme": "http"}
    await app(scope, receive, send)
    told = dict(said[0]["headers"])[b"content-type"].decode()
    return int(said[0]["status"]), told, b"".join(one.get("body", b"") for one in said[1:]).decode()


async def test_figures_need_the_token(tmp_path: Path) -> None:
    """401 without it; with it the text format, unknown figures as NaN."""
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra:
        app = application(lyra, TOKEN, RequestLimits(lyra.clock, 10))
        refused = await get(app, "/metrics")
        wrong = await get(app, "/metrics", authorization="Bearer nonsense")
        status, kind, body = await get(app, "/metrics", authorization=f"Bearer {TOKEN}")

    assert (refused[0], wrong[0]) == (401, 401)
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert body.splitlines()[:3] == [
        "# HELP lyra_harvest_rate Useful fragments per page read; a task counts each page and fragment once.",
        "# TYPE lyra_harvest_rate gauge",
        "lyra_harvest_rate NaN",
    ]
    assert {"lyra_auth_pending 0", "# TYPE lyra_call_seconds histogram"} <= set(body.splitlines())
