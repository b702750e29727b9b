"""Fails where the package imports a distribution that pyproject.toml does not declare.

A dependency of a dependency may go away with the next version of that one.

    .venv/bin/python scripts/check_imports.py
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def declared() -> frozenset[str]:
    """The distributions that `pyproject.toml` declares, in the package and its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return frozenset(_normal(one) for one in [*project["dependencies"], *(one for extra in extras for one in extra)])


def imported(paths: Iterable[Path]) -> dict[str, str]:
    """The top-level modules of others that these files import, each with one file that does."""
    return {
        name: path.name
        for path in paths
        for name in _modules(ast.parse(path.read_text("utf-8")))
        if name not in sys.stdlib_module_names
    }


def undeclared(modules: dict[str, str], known: frozenset[str]) -> list[str]:
    """A sentence for each module of which no distribution is declared."""
    by_module = packages_distributions()
    found = []
    for name, file in sorted(modules.items()):
        of = sorted({_normal(one) for one in by_module.get(name, [name])})
        if not known.intersection(of):
            found.append(f"{file} imports {name}: declare {' or '.join(of)} in pyproject.toml.")
    return found


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def _normal(requirement: str) -> str:
    """The name of a requirement, as the index compares names."""
    found = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def main() -> int:
    """Print what is missing; 1 where anything is."""
    own = {path.name for path in SOURCE.iterdir()}
    modules = {name: file for name, file in imported(SOURCE.rglob("*.py")).items() if name not in own}
    problems = undeclared(modules, declared())
    print("\n".join(problems) if problems else f"{len(modules)} imported modules are declared.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
