"""The command with which a client starts Lyra, and the environment that goes with it."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "lyra-mcp"
_UVX_CACHE = "archive-v0"
_PLACES = ("LYRA_DATA_DIR", "LYRA_CONFIG")


@dataclass(frozen=True, slots=True)
class Launch:
    """Command, arguments and environment of a server."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def launcher(
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    *,
    executable: str = sys.executable,
    prefix: str = sys.prefix,
    suffix: str = ".exe" if os.name == "nt" else "",
) -> Launch:
    """How `lyra … serve` is started; for a package in the cache of `uvx` the command is `uvx`."""
    arguments = (*options, "serve")
    env = dict(env or {})
    if _UVX_CACHE in Path(prefix).parts:
        return Launch("uvx", (PACKAGE, *arguments), env)
    script = Path(executable).parent / f"lyra{suffix}"
    if script.exists():
        return Launch(str(script), arguments, env)
    return Launch(executable, ("-m", "lyra", *arguments), env)


def kept_environment(environ: Mapping[str, str], data_dir: Path | None) -> dict[str, str]:
    """The variables that say where Lyra keeps its data and settings, absolute, since the client runs elsewhere.

    A data directory that was named on the command line takes the place of LYRA_DATA_DIR.
    """
    named = {name: environ[name] for name in _PLACES if environ.get(name)}
    if data_dir is not None:
        named["LYRA_DATA_DIR"] = str(data_dir)
    return {name: str(Path(path).expanduser().resolve()) for name, path in named.items()}
