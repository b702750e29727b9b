"""What the protocol's own tools say of this server: the MCP Inspector's command line and the conformance suite.

Both come from npm, so this is no part of the tests. Where Node or npm is missing the answer says so by name.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lyra.errors import PipelineError
from lyra_bench.measure.relay import relayed

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE_MAJOR = 22
# The other scenarios only ask for fixtures of a test server: a tool that returns an image, a subscription …
SCENARIOS = (
    "server-initialize",
    "server-session-lifecycle",
    "server-stateless",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "sep-2164-resource-not-found",
    "caching",
    "http-header-validation",
    "tasks-dispatch-and-envelope",
    "input-required-result-unsupported-methods",
)
# Checks within those scenarios that call a test server's tool (test_missing_capability, slow_compute).
NEED_A_FIXTURE = frozenset(
    {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "tasks-server-directed-creation-no-hint",
        "sep-2663-durable-create-strong-consistency",
    }
)
ASKED: Mapping[str, Sequence[str]] = {
    "tools/list": (),
    "resources/list": (),
    "resources/templates/list": (),
    "prompts/list": (),
    "resources/read": ("--uri", "lyra://views"),
    "tools/call": ("--tool-name", "create_task", "--tool-arg", "query=ワイヤレス充電は電池を傷めるか。"),
}
_LIMIT_S = 120.0
_CHECK = re.compile(r"\[([\w-]+)\s*\]\s+(SUCCESS|FAILURE)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


async def measure_protocol() -> dict[str, Any]:
    """Each check with `passed`, what it found, or why it was skipped."""
    missing = [name for name in ("node", "npm", "npx") if shutil.which(name) is None]
    if missing:
        return {"skipped": f"{' and '.join(missing)} not installed"}
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as directory, _environment_kept():
        if old := await _use_node(Path(directory) / "node"):
            return {"skipped": old}
        return {
            "node": (await _run("node", "--version"))[1].strip(),
            "inspector": await _absent(INSPECTOR) or await _inspect(Path(directory)),
            "conformance": await _absent(CONFORMANCE) or await _conform(Path(directory) / "http"),
        }


@contextlib.contextmanager
def _environment_kept() -> Iterator[None]:
    """English messages, which are read here, and afterwards the variables of before."""
    before = dict(os.environ)
    os.environ["LYRA_LANG"] = "en"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


async def _absent(package: str) -> dict[str, str]:
    """Why the package cannot be had; empty when npm has it or gets it."""
    code, out = await _run("npx", "--yes", "--package", package, "--", "node", "--version")
    return {} if code == 0 else {"skipped": f"npm could not get {package}: {_last_line(out)}"}


async def _use_node(folder: Path) -> str:
    """Put a Node that the tools run on first in the path, from npm where this machine's is too old; why not, if not."""
    code, told = await _run("node", "--version")
    major = int(told.strip().lstrip("v").partition(".")[0]) if code == 0 else 0
    if major >= NODE_MAJOR:
        return ""
    installing = ("npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"node@{NODE_MAJOR}")
    code, out = await _run(*installing)
    if code != 0:
        return f"Node {NODE_MAJOR} or newer is needed, this is {major}, and npm could not get one: {_last_line(out)}"
    os.environ["PATH"] = f"{folder / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    return ""


async def _inspect(directory: Path) -> dict[str, str]:
    """The Inspector: lists and calls over stdio, and the list of tools over HTTP."""
    serve = (sys.executable, "-m", "lyra", "--data-dir", str(directory / "stdio"), "serve")
    told = {method: await _ask_inspector(serve, method, more) for method, more in ASKED.items()}
    async with _http(directory / "http") as (port, token):
        door = (f"http://127.0.0.1:{port}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {token}")
        told["tools/list over HTTP"] = await _ask_inspector(door, "tools/list", ())
    return told


async def _ask_inspector(server: Sequence[str], method: str, more: Sequence[str]) -> str:
    strict = ("--strict",) if method == "tools/list" else ()
    code, out = await _run("npx", "--yes", INSPECTOR, "--cli", *server, "--method", method, *more, *strict)
    if code != 0:
        return f"failed: {_last_line(out)}"
    try:
        answer, _ = json.JSONDecoder().raw_decode(out[out.index("{") :])
    except ValueError:
        return f"failed: no JSON: {_last_line(out)}"
    listed = next((len(value) for value in answer.values() if isinstance(value, list)), 0)
    return f"failed: {_last_line(out)}" if answer.get("isError") else f"passed ({listed} entries)"


async def _conform(data_dir: Path) -> dict[str, str]:
    """The scenarios that fit any server, over HTTP."""
    async with _http(data_dir) as (port, token), relayed(port, token) as door:
        return {name: await _scenario(door, name) for name in SCENARIOS}


async def _scenario(port: int, name: str) -> str:
    url = f"http://127.0.0.1:{port}/mcp"
    _, out = await _run("npx", "--yes", CONFORMANCE, "server", "--url", url, "--scenario", name)
    return verdict(_COLOUR.sub("", out))


def verdict(told: str) -> str:
    """What a scenario's report comes to; checks of fixtures that only a test server has do not count."""
    checks = _CHECK.findall(told)
    failed = sorted({check for check, outcome in checks if outcome == "FAILURE"})
    fixtures = [check for check in failed if check in NEED_A_FIXTURE]
    broken = [check for check in failed if check not in NEED_A_FIXTURE]
    if broken or not checks:
        return f"failed: {', '.join(broken) or _last_line(told)}"
    passed = sum(1 for _, outcome in checks if outcome == "SUCCESS")
    return f"passed ({passed} checks{f', {len(fixtures)} need a test tool' if fixtures else ''})"


@contextlib.asynccontextmanager
async def _http(data_dir: Path) -> AsyncIterator[tuple[int, str]]:
    """A `lyra serve --http` of its own: its port and token."""
    command = (sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "serve", "--http", "--port", "0")
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), _LIMIT_S)).decode()
        found = re.search(r":(\d+)/mcp; the token is in (.+)", line)
        if found is None:
            raise PipelineError(f"`lyra serve --http` did not start: {line.strip()[:200]}")
        yield int(found[1]), await asyncio.to_thread(_read, Path(found[2].strip()))
    finally:
        process.terminate()
        await process.wait()


def _read(path: Path) -> str:
    return path.read_text("utf-8").strip()


async def _run(*command: str) -> tuple[int, str]:
    """Exit code and everything a command said; one that hangs is killed."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), _LIMIT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        return 124, f"no answer within {_LIMIT_S:.0f} s"
    return process.returncode or 0, out.decode("utf-8", "replace")


def _last_line(out: str) -> str:
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "nothing was said"
