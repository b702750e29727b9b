"""Writes requirements.lock: every package that set-up installs, for each Python and system, with its hashes.

It asks the package index, so that it is run by hand (`make lock`) after a change of what the project needs.
"""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
PROJECTS = (ROOT / "pyproject.toml", ROOT / "packages" / "bench" / "pyproject.toml")
_OWN = "lyra-"  # the project's own packages come from the checkout
_OLDEST = "3.11"
_HEAD = """\
# What `make setup` installs, by hash: made by `make lock` from the pyproject.toml files. Edit those, not this file.
"""


def requirements() -> Iterator[str]:
    """All that the packages, their extras and the development tools name, in the order of the files."""
    for path in PROJECTS:
        project = tomllib.loads(path.read_text("utf-8"))
        groups = [
            project["project"]["dependencies"],
            *project["project"].get("optional-dependencies", {}).values(),
            project.get("dependency-groups", {}).get("dev", []),
        ]
        yield from (one for group in groups for one in group if not one.startswith(_OWN))


def main() -> int:
    """Write the lock; what it names already stays where it fits, unless --upgrade is given."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}") or shutil.which("uv")
    if uv is None:
        print("uv is missing: .venv/bin/pip install uv", file=sys.stderr)
        return 1
    command = [uv, "pip", "compile", "-", "--universal", "--python-version", _OLDEST, "--generate-hashes"]
    command += ["--no-header", "--no-annotate", "--quiet", "--output-file", str(LOCK), *sys.argv[1:]]
    done = subprocess.run(command, input="\n".join(requirements()), text=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    if done.returncode == 0:
        LOCK.write_text(_HEAD + LOCK.read_text("utf-8").removeprefix(_HEAD), "utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
