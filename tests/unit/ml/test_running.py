"""How models of other makers run: on which device, and when memory is short."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lyra.ml.card import ModelCard, load_card
from lyra.ml.onnx import OnnxEmbedder
from lyra.model_store.folder import card_of
from lyra.model_store.pull import pin_folder
from lyra.model_store.store import ModelStore
from tests import tiny_models

CUDA = "CUDAExecutionProvider"


@pytest.fixture
def card(tmp_path: Path) -> ModelCard:
    folder = tiny_models.e5_folder(tmp_path / "e5")
    ModelStore(folder).write_card(folder, card_of(folder, pin_folder("tiny", "embedder", folder)))
    return load_card(folder, "embedder")


class SmallMemory:
    """A session with room for few tokens at once, which keeps how many it was given."""

    def __init__(self, inner: Any, room: int) -> None:
        self._inner = inner
        self._room = room
        self.asked: list[tuple[int, ...]] = []

    def run(self, outputs: Any, inputs: dict[str, Any]) -> Any:
        self.asked.append(inputs["input_ids"].shape)
        if inputs["input_ids"].size > self._room:
            raise MemoryError
        return self._inner.run(outputs, inputs)


def test_a_build_without_cuda_falls_back_at_once(card: ModelCard) -> None:
    """The model answers on the processor, and says why."""
    model = OnnxEmbedder(card, 1, device="cuda")

    rows = model.embed(["rain"])

    assert (rows.shape, model.device) == ((1, tiny_models.DIMENSION), "cpu")
    assert model.notes == {
        "device": f"The model {card.model_id} runs on the processor: this build of ONNX Runtime has no CUDA "
        "(pip install onnxruntime-gpu)."
    }


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_card_that_does_not_start_falls_back_at_once(card: ModelCard, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime knows CUDA, and no card answers: the session has the processor alone."""
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: [CUDA, "CPUExecutionProvider"])

    model = OnnxEmbedder(card, 1, device="cuda")

    assert (model.device, model.notes["device"].endswith("runs on the processor: CUDA could not be started.")) == (
        "cpu", True,
    )  # fmt: skip


def test_texts_are_cut_shorter_where_memory_is_used_up(card: ModelCard) -> None:
    """Each text is tried whole, then at half its length, and it is told."""
    model = OnnxEmbedder(card, 1)
    session = SmallMemory(model._session, room=70)
    model._session = session

    rows = model.embed(["rain " * 128, "rain"])

    assert session.asked == [(1, 130), (1, 130), (1, 65), (1, 3)]
    assert np.isfinite(rows).all()
    assert list(model.notes) == ["length"]


def test_a_batch_is_padded_without_changing_vectors(card: ModelCard) -> None:
    """What a graphics card is given at once gives the same as one by one."""
    texts = ["rain fell", "sun", "xyz", "not dry rain fell"]
    model = OnnxEmbedder(card, 1)
    alone = model.embed(texts)
    model._at_once = 3

    together = model.embed(texts)

    np.testing.assert_allclose(together, alone, atol=1e-6)
