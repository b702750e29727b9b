"""What `lyra bench fuzz` draws, counts, and finds in parsers on a small scale."""

import random

import pytest

from lyra.app import Lyra
from lyra_bench.fuzz.arguments import arguments
from lyra_bench.fuzz.figures import FuzzFigures
from lyra_bench.fuzz.mutate import mutated
from lyra_bench.fuzz.parsers import fuzz_parsers
from lyra_bench.fuzz.tools import fuzz_tools

_SCHEMA = {"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["query"]}


def test_the_same_seed_draws_the_same_damage() -> None:
    """A finding can be looked at again."""
    drawn = [mutated(random.Random("7"), b"good bytes") for _ in range(2)]

    assert (drawn[0] == drawn[1], drawn[0] == b"good bytes") == (True, False)


def test_arguments_come_from_the_schema() -> None:
    """The same seed, the same names; of many draws some lack a required one, some have one too many."""
    drawn = [arguments(random.Random(str(number)), _SCHEMA) for number in range(200)]

    assert arguments(random.Random("3"), _SCHEMA) == drawn[3]
    assert {name for one in drawn for name in one} == {"query", "limit", "unknown"}
    assert any("query" not in one for one in drawn)


def test_what_escapes_or_hangs_fails_the_part() -> None:
    """One of either is enough, and it is named."""
    figures = FuzzFigures("html")
    figures.count("first", 0.5, 5.0)
    figures.count("second", 6.5, 5.0)

    assert (figures.is_passed, figures.inputs, figures.shown()["hangs"]) == (False, 2, ["second: 6.5 s"])


def test_a_few_damaged_inputs_of_every_parser_are_read_or_refused() -> None:
    """A small fixed share of the bench: ten parsers, no error without a type."""
    parts = fuzz_parsers(4, seed=1, limit_s=30.0)

    assert [(one.part, one.inputs, one.escapes, one.hangs) for one in parts] == [
        (name, 4, [], [])
        for name in (
            "html",
            "markdown",
            "pdf",
            "page state",
            "result pages",
            "academic answers",
            "robots.txt",
            "archive",
            "settings",
            "backup",
        )
    ]


async def test_models_answer_before_tools_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading them takes longer than the limit on a busy machine, which is no hang."""
    warmed: list[Lyra] = []

    async def warm_up(lyra: Lyra) -> None:
        warmed.append(lyra)

    monkeypatch.setattr(Lyra, "warm_up", warm_up)

    await fuzz_tools(0, seed=1, limit_s=5.0)

    assert len(warmed) == 1
