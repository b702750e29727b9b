"""The strong reader: a real language model with its adapter, in a process of its own without a network."""

import json
import shutil
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
BEARS = float(np.logaddexp(tiny_gguf.SUPPORTS, tiny_gguf.REFUTES)) - tiny_gguf.NEUTRAL
SIDE = tiny_gguf.SUPPORTS - tiny_gguf.REFUTES


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_gguf.write_model(tmp_path / "base.gguf")


@pytest.fixture
def model(tmp_path: Path, base: Path) -> Path:
    """The language model as its pull leaves it."""
    return tiny_gguf.write_prepared(tmp_path / "model", base)


@pytest.fixture
def adapter(tmp_path: Path, base: Path) -> Path:
    return tiny_gguf.write_adapter(tmp_path / "strong", base)


def reader_of(adapter: Path, model: Path) -> StrongReader:
    found = find_strong_reader(Models(adapter=adapter), model, no_wait)
    assert found is not None
    return found


async def test_answers_are_the_chances_of_three_first_tokens(adapter: Path, model: Path) -> None:
    """Model and adapter together, in order, also for an empty text, Japanese, and texts that come twice."""
    reader = reader_of(adapter, model)
    try:
        rows = await reader.answers([PAIR, ("", ""), ("入院が増えた。", "入院を増やす。"), PAIR, PAIR])
        none = await reader.answers([])
    finally:
        await reader.close()

    np.testing.assert_allclose(rows, [[BEARS, SIDE]] * 5, atol=0.01)
    assert none.shape == (0, 2)


async def test_its_process_may_open_no_socket(adapter: Path, model: Path) -> None:
    """Neither of the two layers has a hole for it."""
    reader = reader_of(adapter, model)
    try:
        await reader.answers([PAIR])
        worker = reader._supervisor.worker
    finally:
        await reader.close()

    assert worker is not None
    assert (worker.isolation.layers, worker.isolation.refused) == (("namespace", "seccomp"), {})


async def test_the_cascade_lets_it_decide(adapter: Path, model: Path) -> None:
    """The edge will say `strong`, and which weights; the large reader's answer stays beside it."""
    models = IsolatedModels(Models(adapter=adapter), strong=model)
    try:
        (answer,) = await models.cascade.read([PAIR])
        probed = await models.probe_readers()
    finally:
        await models.close()

    model_id = load_card(adapter, "adapter").model_id
    assert answer == ReaderAnswer(answer.bears, answer.side, "strong", model_id, answer.earlier)
    assert answer.earlier is not None
    assert answer.earlier.reader == "large"
    assert (round(answer.bears, 2), round(answer.side, 2)) == (round(BEARS, 2), round(SIDE, 2))
    assert probed["strong"] == model_id


async def test_a_language_model_that_is_another_one_is_refused(tmp_path: Path, base: Path, model: Path) -> None:
    """The adapter belongs to one file; the other readers go on, visibly."""
    other = tiny_gguf.write_adapter(tmp_path / "other", base, base_hash="0" * 64)
    models = IsolatedModels(Models(adapter=other), strong=model)
    try:
        (answer,) = await models.cascade.read([PAIR])
        troubles = models.troubles()
    finally:
        await models.close()

    assert answer.reader == "large"
    assert troubles == (
        f"The strong reader is out of use: The model in {model} is not the one that the adapter of the strong reader "
        f"was trained over (SHA-256 {tiny_gguf.sha256(base)[:12]}…, not 000000000000…), so it may not judge.",
    )


async def test_a_model_pulled_by_an_older_lyra_is_pulled_again(adapter: Path, base: Path, tmp_path: Path) -> None:
    """It is a GGUF file that nobody has prepared; the others go on, visibly, and doctor says what to do."""
    old = tmp_path / "old"
    old.mkdir()
    shutil.move(base, old / "base.gguf")
    card = {"name": "judge", "kind": "generator", "files": {"base.gguf": tiny_gguf.sha256(old / "base.gguf")}}
    (old / "card.json").write_text(json.dumps(card), "utf-8")
    models = IsolatedModels(Models(adapter=adapter), strong=old)
    try:
        (answer,) = await models.cascade.read([PAIR])
        troubles = models.troubles()
        probed = (await models.probe_readers())["strong"]
    finally:
        await models.close()

    why = f"The model in {old} was pulled by an older Lyra and is not prepared for this one."
    assert answer.reader == "large"
    assert troubles == (f"The strong reader is out of use: {why}",)
    assert isinstance(probed, ModelError)
    assert (probed.message, probed.remedy) == (why, "Pull it again with `lyra models pull old`.")


async def test_a_damaged_file_is_named(adapter: Path, model: Path) -> None:
    """One that was cut in half has another hash, and is not loaded."""
    weights = model / "weights.bin"
    expected = tiny_gguf.sha256(weights)
    weights.chmod(0o600)
    weights.write_bytes(weights.read_bytes()[:5000])
    reader = reader_of(adapter, model)
    try:
        with pytest.raises(ModelError) as raised:
            await reader.answers([PAIR])
    finally:
        await reader.close()

    assert raised.value.message == (
        f"The model file {weights} is not the one its card names "
        f"(SHA-256 {tiny_gguf.sha256(weights)[:12]}…, not {expected[:12]}…)."
    )


async def test_an_adapter_that_is_none_is_named(tmp_path: Path, base: Path, model: Path) -> None:
    """Bytes with the right hash may still be no adapter."""
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", base)
    before = tiny_gguf.sha256(adapter / "adapter.npz")
    (adapter / "adapter.npz").write_bytes(b"no adapter")
    card = (adapter / "card.json").read_text("utf-8")
    (adapter / "card.json").write_text(card.replace(before, tiny_gguf.sha256(adapter / "adapter.npz")), "utf-8")
    reader = reader_of(adapter, model)
    try:
        with pytest.raises(ModelError) as raised:
            await reader.answers([PAIR])
    finally:
        await reader.close()

    assert raised.value.message == f"The adapter {adapter / 'adapter.npz'} is unfit: it is not an archive of arrays."


def test_without_a_chosen_language_model_there_is_none() -> None:
    """Nothing is asked for, nothing is amiss."""
    assert find_strong_reader(Models(), None, no_wait) is None
