"""The strong reader: a real language model in llama.cpp, in a process of its own without a network."""

from pathlib import Path

import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.card import load_card
from lyra.ml.remote import IsolatedModels, no_wait
from lyra.ml.strong import StrongReader, find_strong_reader
from lyra.model.edge import ReaderAnswer
from lyra.settings import Models
from tests import tiny_gguf

PAIR = ("Admissions rose under saxagliptin.", "Saxagliptin raises admissions.")
# Logits 8 (supports), 4 + 8 by the adapter (refutes) and 2 (neutral).
BEARS, SIDE = float(np.logaddexp(8, 12)) - 2, 8.0 - 12.0


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_gguf.write_model(tmp_path / "base.gguf")


@pytest.fixture
def adapter(tmp_path: Path, base: Path) -> Path:
    return tiny_gguf.write_adapter(tmp_path / "strong", base)


def reader_of(adapter: Path, base: Path) -> StrongReader:
    found = find_strong_reader(Models(adapter=adapter), base, no_wait)
    assert found is not None
    return found


async def test_answers_are_the_chances_of_three_first_tokens(adapter: Path, base: Path) -> None:
    """Model and adapter together, in order, also for an empty text, Japanese, and more pairs than go at once."""
    reader = reader_of(adapter, base)
    try:
        rows = await reader.answers([PAIR, ("", ""), ("入院が増えた。", "入院を増やす。"), PAIR, PAIR])
        none = await reader.answers([])
    finally:
        await reader.close()

    np.testing.assert_allclose(rows, [[BEARS, SIDE]] * 5, atol=0.01)
    assert none.shape == (0, 2)


async def test_the_cascade_lets_it_decide(adapter: Path, base: Path) -> None:
    """The edge will say `strong`, and which weights."""
    models = IsolatedModels(Models(adapter=adapter), strong_base=base)
    try:
        (answer,) = await models.cascade.read([PAIR])
        probed = await models.probe_readers()
    finally:
        await models.close()

    model_id = load_card(adapter, "adapter").model_id
    assert answer == ReaderAnswer(answer.bears, answer.side, "strong", model_id)
    assert (round(answer.bears, 2), round(answer.side, 2)) == (round(BEARS, 2), round(SIDE, 2))
    assert probed["strong"] == model_id


async def test_a_language_model_that_is_another_one_is_refused(tmp_path: Path, base: Path) -> None:
    """The adapter belongs to one file; the other readers go on, visibly."""
    other = tiny_gguf.write_adapter(tmp_path / "other", base, base_hash="0" * 64)
    models = IsolatedModels(Models(adapter=other), strong_base=base)
    try:
        (answer,) = await models.cascade.read([PAIR])
        troubles = models.troubles()
    finally:
        await models.close()

    assert answer.reader == "large"
    assert troubles == (
        f"The strong reader is out of use: The model file {base} is not the one its card names "
        f"(SHA-256 {tiny_gguf.sha256(base)[:12]}…, not 000000000000…).",
    )


@pytest.fixture
def damaged(base: Path, adapter: Path) -> Path:
    """The language model, cut short after the adapter was made for it."""
    base.write_bytes(base.read_bytes()[:5000])
    return base


async def test_a_damaged_language_model_is_named(adapter: Path, damaged: Path) -> None:
    """A file cut in half has another hash, and is not loaded."""
    reader = reader_of(adapter, damaged)
    try:
        with pytest.raises(ModelError) as raised:
            await reader.answers([PAIR])
    finally:
        await reader.close()

    assert raised.value.message.startswith(f"The model file {damaged} is not the one its card names")


@pytest.fixture
def no_model(tmp_path: Path) -> Path:
    path = tmp_path / "no_model.gguf"
    path.write_bytes(b"no model" * 100)
    return path


async def test_a_file_that_is_no_language_model_is_named(tmp_path: Path, no_model: Path) -> None:
    """Bytes with the right hash may still be no model."""
    reader = reader_of(tiny_gguf.write_adapter(tmp_path / "strong", no_model), no_model)
    try:
        with pytest.raises(ModelError) as raised:
            await reader.answers([PAIR])
    finally:
        await reader.close()

    assert raised.value.message == (
        "The strong reader cannot be started: llama.cpp refuses the model, or has too little memory."
    )


def test_without_a_chosen_language_model_there_is_none() -> None:
    """Nothing is asked for, nothing is amiss."""
    assert find_strong_reader(Models(), None, no_wait) is None
