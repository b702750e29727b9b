"""A server for a team: TLS, a token for each person, and each sees their own and the shared tasks."""

import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from lyra_bench.demo.world import HURRIED
from simweb import SimWeb
from tests.e2e.conftest import IN_FRONT

HIDDEN_ORDERS = "https://best-charger-picks.com/alp2-speed-02"
PLAIN_PAGE = "https://www.oipa-alliance.org/standards/alp-2"


@dataclass(frozen=True)
class Team:
    """A running server with TLS, and the tokens of its people."""

    root: str
    data_dir: Path
    trust: ssl.SSLContext
    tokens: dict[str, str]

    def get(self, path: str, token: str | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.get(self.root + path, headers=headers, verify=self.trust, timeout=20)

    @asynccontextmanager
    async def client(self, name: str) -> AsyncIterator[Client]:
        bearer = {"Authorization": f"Bearer {self.tokens[name]}"}
        async with (
            httpx2.AsyncClient(headers=bearer, verify=self.trust, timeout=60) as http,
            Client(streamable_http_client(f"{self.root}/mcp", http_client=http)) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def team(lyra_here: Any, shared_web: SimWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Two researchers and a reader."""
    folder, data_dir = tmp_path_factory.mktemp("tls"), tmp_path_factory.mktemp("team")
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1", "localhost")
    leaf.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    leaf.private_key_pem.write_to_path(folder / "key.pem")
    roles = {"Mori": "researcher", "Ito": "researcher", "Sato": "reader"}
    tokens = {
        name: lyra_here("token", "add", name, "--role", role, data_dir=data_dir).out.strip()
        for name, role in roles.items()
    }
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    options = ["--http", "--host", "0.0.0.0", "--port", "0"]
    files = ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "serve", *options, *files]
    reach = {"LYRA_NETWORK__PROXY": shared_web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(shared_web.ca_path)}
    env = {**own, **HURRIED, **IN_FRONT, **reach}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = process.stderr.readline().split()[1].rsplit(":", 1)[1].split("/")[0]
        yield Team(f"https://127.0.0.1:{port}", data_dir, trust, tokens)
        process.terminate()


async def fields(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict((await client.call_tool(tool, arguments)).structured_content or {})


async def test_each_sees_their_own_tasks_in_every_answer(team: Team) -> None:
    """Over the official client: tools, SQL, vectors and resources know nothing of another's task."""
    config = {"hypotheses": [{"text": "Gliptins are safe."}]}
    async with team.client("Mori") as mori, team.client("Ito") as ito:
        task = (await fields(mori, "create_task", query="Are gliptins safe?", config=config))["task_id"]
        status = await fields(ito, "get_status", task_id=task)
        rows = [(await fields(one, "query_graph", sql="SELECT claim_text FROM claims"))["rows"] for one in (mori, ito)]
        near = await fields(ito, "vector_search", query="Gliptins are safe.", target="claims")
        with pytest.raises(MCPError, match="There is no task"):
            await ito.read_resource(f"lyra://tasks/{task}/report")
        report = await mori.read_resource(f"lyra://tasks/{task}/report")

    assert (status["ok"], status["error_code"]) == (False, "TASK_NOT_FOUND")
    assert rows == [[{"claim_text": "Gliptins are safe."}], []]
    assert near["total_searched"] == 0
    assert "Gliptins are safe." in report.contents[0].text


async def test_domain_blocked_in_a_private_task_is_not_shown_to_others(team: Team) -> None:
    """Neither `get_status` nor `search` names to Ito what only Mori's task has reached; Mori sees it with its cause."""
    async with team.client("Mori") as mori, team.client("Ito") as ito:
        task = (await fields(mori, "create_task", query="Are ALP-2 pads faster than cables?"))["task_id"]
        searched = await fields(mori, "search", task_id=task, query=HIDDEN_ORDERS, options={"wait_seconds": 100})
        own = await fields(mori, "get_status", task_id=task)
        other = (await fields(ito, "create_task", query="Are gliptins safe?"))["task_id"]
        status = await fields(ito, "get_status", task_id=other)
        found = await fields(ito, "search", task_id=other, query=PLAIN_PAGE, options={"wait_seconds": 100})

    assert searched["status"] == found["status"] == "partial"
    assert [row["domain"] for row in own["blocked_domains"]] == ["best-charger-picks.com"]
    assert own["_lyra_meta"]["blocked_domains"] == ["best-charger-picks.com"]
    assert (status["blocked_domains"], status["_lyra_meta"]["blocked_domains"]) == ([], [])
    assert found["_lyra_meta"]["blocked_domains"] == []


async def test_reader_may_not_begin_anything(team: Team) -> None:
    """Typed, with the role that is needed."""
    async with team.client("Sato") as sato:
        answer = await fields(sato, "create_task", query="Are gliptins safe?")

    assert (answer["error_code"], answer["error"]) == (
        "INVALID_PARAMS",
        "This needs the role researcher; yours is reader.",
    )


def test_health_needs_no_token_and_metrics_an_admin(team: Team) -> None:
    """What watches over the server asks without a token; figures of everyone's work are the admins'."""
    answers = {path: team.get(path) for path in ("/healthz", "/readyz", "/metrics")}
    as_researcher = team.get("/metrics", team.tokens["Mori"])

    assert {path: one.status_code for path, one in answers.items()} == {
        "/healthz": 200,
        "/readyz": 200,
        "/metrics": 401,
    }
    assert (answers["/readyz"].text, as_researcher.status_code) == ("ok\n", 403)


def test_revoked_token_ends_at_once(team: Team, lyra_here: Any) -> None:
    """The next request with it is refused, while the server goes on."""
    issued = lyra_here("token", "add", "Abe", data_dir=team.data_dir).out.strip()
    before = team.get("/metrics", issued).status_code

    lyra_here("token", "revoke", "Abe", data_dir=team.data_dir)
    after = team.get("/metrics", issued).status_code

    assert (before, after) == (403, 401)


def test_without_tls_only_this_machine_is_served(lyra: Any, tmp_path: Path) -> None:
    """Exit code 2 and the remedy, before a port is opened."""
    done = lyra("serve", "--http", "--host", "0.0.0.0", data_dir=tmp_path)

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "lyra: Tokens and questions would be sent unencrypted to 0.0.0.0.",
        "      Give --tls-cert and --tls-key, or serve on 127.0.0.1 behind a proxy that has TLS.",
    ]
