"""Phases, states and verdicts of the model are enums."""

import importlib
import pkgutil
import typing
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

import lyra.model

_WORDS = ("phase", "state", "status", "verdict", "relation", "outcome")


def _kinds(hint: Any) -> tuple[Any, ...]:
    return tuple(one for one in typing.get_args(hint) or (hint,) if one is not type(None))


def test_a_field_that_holds_a_state_is_no_bare_text() -> None:
    """One is: what is remembered of services, whose outcomes are those of fetches or of searches."""
    modules = [importlib.import_module(f"lyra.model.{one.name}") for one in pkgutil.iter_modules(lyra.model.__path__)]
    classes = {one for module in modules for one in vars(module).values() if is_dataclass(one)}

    texts = {
        f"{one.__name__}.{field.name}"
        for one in classes
        for field in fields(one)
        if field.name.endswith(_WORDS) and _kinds(typing.get_type_hints(one)[field.name]) == (str,)
    }

    assert texts == {"ServiceHealth.last_outcome"}


def test_an_enum_is_kept_as_its_word() -> None:
    """JSON and SQL have the same values as before there was an enum."""
    enums = [lyra.model.search.SearchPhase.READ_PAPERS, lyra.model.task.FinalStatus.PARTIAL]

    assert [(isinstance(one, StrEnum), str(one)) for one in enums] == [(True, "read papers"), (True, "partial")]
