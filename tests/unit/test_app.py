"""How the parts are put together."""

from types import SimpleNamespace
from typing import Any

import pytest

from lyra.app import check_readers, text_checker
from lyra.errors import ModelError
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


def test_readers_that_judged_are_no_error() -> None:
    """Whatever is said of others."""
    check_readers(("small", "large"), {"small": "s@1", "large": "l@1"}, ("The strong reader is out of use: Damaged.",))


def test_a_reader_that_was_asked_for_and_did_not_judge_is_an_error() -> None:
    """What another says in its place would be taken for its opinion."""
    told = ("The strong reader is out of use: Damaged.", "The inference process ended unexpectedly.")

    with pytest.raises(ModelError) as caught:
        check_readers(("small", "large", "strong"), {"small": "s@1", "large": "l@1"}, told)

    assert caught.value.message == "The strong reader did not judge. The strong reader is out of use: Damaged."
    assert caught.value.remedy == "Run `lyra doctor`; it names what is missing."
