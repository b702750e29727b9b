"""How the parts are put together."""

from types import SimpleNamespace
from typing import Any

import pytest

from lyra.app import text_checker
from lyra.ml.card import load_card, model_directory

JUDGE: Any = object()
SMALL = load_card(model_directory("small"), "reader")


def core(*names: str) -> Any:
    """The core with readers of these names, all with the small one's card."""
    readers = [SimpleNamespace(name=name, model_id=name, card=SMALL) for name in names]
    parts = SimpleNamespace(embedder="embedder")
    return SimpleNamespace(models=SimpleNamespace(readers=readers), book=None, judge=JUDGE, parts=parts)


@pytest.mark.parametrize("names", [("small", "large"), ("large", "strong")], ids=["no strong one", "no small one"])
def test_texts_are_checked_by_the_judge_of_searches(names: tuple[str, ...]) -> None:
    """Where nothing more can be asked."""
    found = text_checker(None, core(*names))  # type: ignore[arg-type]

    assert found.judge is JUDGE


def test_texts_are_checked_without_the_strong_reader() -> None:
    """Its seconds a sentence found nothing more."""
    found = text_checker(None, core("small", "large", "strong"))  # type: ignore[arg-type]

    assert set(found.judge.model_ids) == {"small", "large"}  # type: ignore[attr-defined]
