"""What clients and registries read about the package: it names what is really there."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from lyra import __version__
from lyra.connect.launch import PACKAGE
from lyra.mcp.server import TOOLS
from lyra.storage.graph_views import purposes

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def bundle() -> ModuleType:
    path = ROOT / "scripts" / "make_bundle.py"
    spec = importlib.util.spec_from_file_location("make_bundle", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_registry_entry_fits_the_package() -> None:
    """`uvx NAME serve` must start what was published under that version."""
    listed = json.loads((ROOT / "server.json").read_text("utf-8"))

    (package,) = listed["packages"]
    assert (listed["version"], package["version"]) == (__version__, __version__)
    assert (package["identifier"], package["runtimeHint"]) == (PROJECT["name"], "uvx")
    assert [one["value"] for one in package["packageArguments"]] == ["serve"]
    assert len(listed["description"]) <= 100
    assert PROJECT["name"] == PACKAGE
    assert PROJECT["scripts"][PACKAGE] == PROJECT["scripts"]["lyra"]


def test_the_registry_recognises_the_package_by_its_readme() -> None:
    """The registry looks on PyPI for the server's name in the README, and allows a reverse-DNS namespace only."""
    listed = json.loads((ROOT / "server.json").read_text("utf-8"))
    readme = (ROOT / "README.md").read_text("utf-8")

    assert PROJECT["readme"] == "README.md"
    assert re.findall(r"mcp-name: (\S+)", readme) == [listed["name"]]
    assert re.fullmatch(r"[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+/[a-zA-Z0-9._-]+", listed["name"]) is not None
    assert listed["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def test_the_bundle_is_described_from_the_code(bundle: ModuleType) -> None:
    """Its manifest names every tool; entry point and files that `uv` needs are in it; benchmarks and caches are not."""
    manifest = bundle.manifest()
    names = [name for name, _ in bundle.contents()]

    assert [tool["name"] for tool in manifest["tools"]] == [tool.name for tool in TOOLS]
    assert (manifest["manifest_version"], manifest["version"], manifest["server"]["type"]) == ("0.4", __version__, "uv")
    assert manifest["server"]["entry_point"] in names
    assert {"pyproject.toml", "README.md", "LICENSE", "src/lyra/__init__.py"} <= set(names)
    assert [name for name in names if "simweb" in name or "bench" in name] == []
    assert [name for name in names if "__pycache__" in name or "mypy_cache" in name] == []
    assert [one["text"].count("{") for one in manifest["prompts"]] == [
        one["text"].count("${arguments.") for one in manifest["prompts"]
    ]


def test_the_skill_teaches_only_what_there_is() -> None:
    """Every tool and view it names exists, and it stays short enough to be read."""
    text = (ROOT / "skills" / "lyra" / "SKILL.md").read_text("utf-8")

    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", text)) | set(re.findall(r"`(search|calibrate)`", text))
    tools = {tool.name for tool in TOOLS}
    fields = {"wait_seconds", "claim_ids", "edge_id", "add_sample", "independent_sources", "retry_after_s"}
    assert named - tools - fields - set(purposes()) == set()
    assert {"create_task", "search", "get_status", "query_graph", "stop_task"} <= named
    assert (text.startswith("---\nname: lyra\ndescription: "), len(text) < 3_000) == (True, True)
