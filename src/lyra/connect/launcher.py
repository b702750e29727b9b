"""The command by which a client starts this very installation: absolute, since clients have another PATH."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGE = "lyra-mcp"
_CACHED_BY_UVX = "archive-v0"


def launcher(
    options: Sequence[str] = (),
    *,
    executable: str = sys.executable,
    prefix: str = sys.prefix,
    suffix: str = ".exe" if os.name == "nt" else "",
) -> tuple[str, tuple[str, ...]]:
    """Command and arguments of `lyra … serve`; what `uvx` keeps in its cache is named, not pointed at."""
    words = (*options, "serve")
    if _CACHED_BY_UVX in Path(prefix).parts:
        return "uvx", (PACKAGE, *words)
    script = Path(executable).parent / f"lyra{suffix}"
    if script.exists():
        return str(script), words
    return executable, ("-m", "lyra", *words)
