"""`lyra demo` and its like where the package lyra-bench is not installed."""

from typing import Any

import pytest

from lyra.cli import commands

SENTENCE = "`lyra {}` is part of a package that is not installed: pip install lyra-bench"


@pytest.fixture(autouse=True)
def _no_other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "entry_points", lambda **_: ())


@pytest.mark.parametrize("name", ["bench", "demo", "eval", "simweb"])
def test_the_package_to_install_is_named(lyra: Any, name: str) -> None:
    """One sentence, and the exit code of wrong usage."""
    done = lyra(name)

    assert (done.code, done.out, done.err) == (2, "", f"lyra: {SENTENCE.format(name)}\n")


def test_programs_are_told_as_json(lyra: Any) -> None:
    """The same sentence, typed."""
    done = lyra("bench", "start", "--json")

    assert (done.code, done.json["error_code"], done.json["error"]) == (2, "INVALID_PARAMS", SENTENCE.format("bench"))


def test_help_lists_the_commands_all_the_same(lyra: Any) -> None:
    """What there could be is shown with what there is."""
    done = lyra("--help")

    assert done.code == 0
    assert [name for name in ("bench", "demo", "eval", "simweb") if f" {name} " not in done.out] == []
