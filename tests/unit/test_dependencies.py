"""What the project depends on: locked by hash, bounded, permissive, and used by its public names alone."""

import importlib.util
import re
import tomllib
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT_FILES = [ROOT / "pyproject.toml", *sorted(ROOT.glob("packages/*/pyproject.toml"))]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PYTHONS = ["3.11.0", "3.12.0", "3.13.0"]


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def locked() -> list[tuple[Requirement, list[str]]]:
    """Every package of the lock with its hashes."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", LOCK.partition("\n")[2].strip())
    return [(Requirement(one.split("\\")[0]), re.findall("--hash=sha256:([0-9a-f]{64})", one)) for one in entries]


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_has_all_that_the_project_names(python: str) -> None:
    """Something is missing? Run `make lock`."""
    place = {"python_version": python[:4], "python_full_version": python, "sys_platform": "linux"}
    known = {
        canonicalize_name(one.name): next(iter(one.specifier)).version
        for one, _ in locked()
        if one.marker is None or one.marker.evaluate(place)
    }
    named = [Requirement(line) for line in script("make_lock").requirements()]

    unmet = [str(one) for one in named if not one.specifier.contains(known.get(canonicalize_name(one.name), "0"))]
    assert unmet == []


def test_every_package_is_pinned_by_version_and_hash() -> None:
    """Whatever the index gives, nothing else is installed."""
    loose = [str(one) for one, hashes in locked() if not hashes or [part.operator for part in one.specifier] != ["=="]]

    assert loose == []


def test_the_lock_names_no_host() -> None:
    """It serves every mirror of the index."""
    assert re.findall(r"https?://|--index|--find-links|\bfile:", LOCK) == []


def test_users_get_versions_that_fit() -> None:
    """Every requirement of the packages and their extras has an upper bound, or is one version."""
    projects = [tomllib.loads(path.read_text("utf-8"))["project"] for path in PROJECT_FILES]
    extras = [one.get("optional-dependencies", {}).values() for one in projects]
    lines = [line for one in projects for line in one.get("dependencies", [])]
    lines += [line for groups in extras for group in groups for line in group]

    open_upward = {
        canonicalize_name(one.name)
        for one in map(Requirement, lines)
        if not any(part.operator in ("<", "==") for part in one.specifier)
    }

    assert open_upward == set()


def test_extras_take_the_packages_of_this_repository() -> None:
    """A new version of a reader that its extra refuses would leave users with the old one, or with none."""
    own = [tomllib.loads(path.read_text("utf-8"))["project"] for path in PROJECT_FILES]
    versions = {canonicalize_name(one["name"]): one["version"] for one in own}
    lines = [line for group in PROJECT["project"]["optional-dependencies"].values() for line in group]

    named = {canonicalize_name(one.name): one for one in map(Requirement, lines)}
    fitting = {name: one.specifier.contains(versions[name]) for name, one in named.items() if name in versions}

    assert fitting == {"lyra-reader-large": True, "lyra-reader-strong": True}


def test_no_private_module_of_mcp_is_imported() -> None:
    """Its public names are kept over a major version."""
    private = re.compile(r"^\s*(?:from|import)\s+mcp(?:_types)?(?:\.\w+)*\._\w+", re.MULTILINE)
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")]

    assert [str(path.relative_to(ROOT)) for path in files if private.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT", True),
        ("MPL-2.0 AND MIT", False),
        ("(GPL-2.0-only OR BSD-3-Clause) AND MIT", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("", False),
    ],
)
def test_which_licences_are_permissive(expression: str, answer: bool) -> None:
    """A choice is enough; a part that is not permissive spoils the whole."""
    assert script("check_licences").is_permissive(expression) is answer


class Installed(Distribution):
    """A package with metadata of its own."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Path:
        return ROOT / str(path)


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        pytest.param("License-Expression: MIT", [], id="by its expression"),
        pytest.param("Classifier: License :: OSI Approved :: BSD License", [], id="by its classifier"),
        pytest.param("License: Apache 2.0", [], id="by its words"),
        pytest.param("License-Expression: AGPL-3.0-only", ["new: AGPL-3.0-only"], id="not permissive"),
        pytest.param("Summary: x", ["new: no licence in its metadata"], id="unknown"),
    ],
)
def test_a_package_that_is_not_permissive_is_named(metadata: str, found: list[str]) -> None:
    """With its licence; whoever wants it adds an exception with the reason."""
    package = Installed(f"Metadata-Version: 2.4\nName: new\nVersion: 1\n{metadata}\n")

    assert script("check_licences").problems({"new": package}) == found


def test_what_is_installed_is_permissive() -> None:
    """The core and its extras, also by way of others; every exception is needed."""
    checker = script("check_licences")
    packages = checker.dependencies("lyra-mcp", frozenset(PROJECT["project"]["optional-dependencies"]))

    assert checker.problems(packages) == []
    assert set(checker.EXCEPTIONS) - set(packages) == set()


def test_the_audit_tells_advisories_and_that_nothing_was_checked() -> None:
    """pip-audit's answer in lines; without a network it gives none."""
    audit = script("audit")
    answer = '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]},'
    answer += ' {"name": "b", "skip_reason": "not on the index"}]}'

    assert audit.advisories(answer) == ["a 1: X-1, fixed in 2"]
    assert audit.skipped(answer) == ["b: not on the index"]
    assert audit.advisories("") is None


@pytest.mark.parametrize(
    ("dependencies", "is_unreached"),
    [
        ('[{"name": "b", "skip_reason": "not found on PyPI"}]', True),
        ('[{"name": "b", "skip_reason": "not found on PyPI"}, {"name": "a", "version": "1", "vulns": []}]', False),
    ],
    ids=["nothing known", "something known"],
)
def test_an_audit_that_knows_nothing_of_any_package_did_not_reach_the_service(
    dependencies: str, is_unreached: bool
) -> None:
    """pip-audit says of every package that it is not on the index when the index does not answer."""
    assert script("audit").is_unreached(f'{{"dependencies": {dependencies}}}') is is_unreached


def test_every_imported_module_is_declared() -> None:
    """A dependency of a dependency may go away with the next version of that one."""
    checker = script("check_imports")

    modules = checker.imported((ROOT / "src").rglob("*.py"))
    del modules["lyra"]

    assert checker.undeclared(modules, checker.declared()) == []


def test_a_module_that_is_not_declared_is_named() -> None:
    """With the file that imports it and the distribution to declare."""
    checker = script("check_imports")

    found = checker.undeclared({"h11": "loopback.py", "yaml": "word_lists.py"}, frozenset({"pyyaml"}))

    assert found == ["loopback.py imports h11: declare h11 in pyproject.toml."]
