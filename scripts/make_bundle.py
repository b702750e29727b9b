"""Builds dist/lyra-VERSION.mcpb: one file that desktop clients install with a click, uv doing the rest."""

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lyra import __version__
from lyra.mcp.prompting import CHECK, PROMPTS
from lyra.mcp.server import TOOLS

ROOT = Path(__file__).parent.parent
_DAY = (2020, 1, 1, 0, 0, 0)  # the same sources give the same bytes
_FILES = ("pyproject.toml", "README.md", "LICENSE")


def manifest() -> dict[str, Any]:
    """The bundle's manifest (MCPB 0.4), made from the code so that it cannot fall behind."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    described = re.search(r'^description = "(.+)"$', project, re.MULTILINE)
    assert described is not None
    return {
        "manifest_version": "0.4",
        "name": "lyra",
        "display_name": "Lyra",
        "version": __version__,
        "description": described[1],
        "author": {"name": "The Lyra authors"},
        "license": "Apache-2.0",
        "keywords": ["research", "evidence", "fact-checking", "local-first"],
        "server": {
            "type": "uv",
            "entry_point": "src/lyra/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    "run",
                    "--no-dev",
                    "--extra",
                    "browser",
                    "--extra",
                    "japanese",
                    "--directory",
                    "${__dirname}",
                    "lyra",
                    "serve",
                ],
                "env": {"LYRA_DATA_DIR": "${user_config.data_dir}"},
            },
        },
        "tools": [{"name": tool.name, "description": tool.description} for tool in TOOLS],
        "prompts": [
            {"name": one.name, "description": one.description, "arguments": [one.argument], "text": _words(one)}
            for one in PROMPTS
            if one.name != CHECK  # its text holds a result, which only the server can make
        ],
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.11"}},
        "user_config": {
            "data_dir": {
                "type": "directory",
                "title": "Data directory",
                "description": "Where the database and the archive live.",
                "default": "${HOME}/lyra",
                "required": False,
            }
        },
    }


def _words(prompt: Any) -> str:
    """The prompt's text with its argument written as the manifest wants it."""
    text = (ROOT / "src" / "lyra" / "mcp" / "prompts" / f"{prompt.name}.md").read_text("utf-8")
    return text.replace("{" + prompt.argument + "}", "${arguments." + prompt.argument + "}")


def contents() -> Iterator[tuple[str, Path]]:
    """Every file of the bundle, by its name in it: the packages as they are, without what Python leaves behind."""
    for name in _FILES:
        yield name, ROOT / name
    for path in sorted((ROOT / "src").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and "__pycache__" not in name and "/." not in name and ".egg-info" not in name:
            yield name, path


def build(target: Path) -> None:
    """Write the bundle."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        _add(bundle, "manifest.json", json.dumps(manifest(), ensure_ascii=False, indent=2).encode())
        for name, path in contents():
            _add(bundle, name, path.read_bytes())


def _add(bundle: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _DAY)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    bundle.writestr(info, data)


def main() -> int:
    target = ROOT / "dist" / f"lyra-{__version__}.mcpb"
    build(target)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
