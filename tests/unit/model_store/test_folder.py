"""What folders in Hugging Face's layout say of their models."""

from pathlib import Path
from typing import Any

import pytest

from lyra.errors import ModelError
from lyra.model_store.folder import card_of
from lyra.model_store.pull import pin_folder
from tests import tiny_models


def test_an_encoder_is_described_by_its_folder(tmp_path: Path) -> None:
    """Dimension, pooling and length; XLM-RoBERTa counts positions from 2 on."""
    folder = tiny_models.e5_folder(tmp_path / "e5")

    card = card_of(folder, pin_folder("e5", "embedder", folder))

    chosen = {name: card[name] for name in ("kind", "dimension", "pooling", "max_tokens", "graph")}
    assert chosen == {
        "kind": "embedder", "dimension": 4, "pooling": "mean", "max_tokens": 512, "graph": "onnx/model.onnx",
    }  # fmt: skip
    assert sorted(card["files"]) == ["1_Pooling/config.json", "config.json", "onnx/model.onnx", "tokenizer.json"]


def test_the_order_of_nli_labels_comes_from_the_folder(tmp_path: Path) -> None:
    """Capitals do not matter."""
    folder = tiny_models.nli_folder(tmp_path / "nli", ("CONTRADICTION", "Entailment", "neutral"))

    card = card_of(folder, pin_folder("nli", "reader", folder))

    assert card["labels"] == ["contradiction", "entailment", "neutral"]


@pytest.mark.parametrize(
    ("contents", "removed", "purpose", "why"),
    [
        ({}, "config.json", "embedder", "config.json cannot be read (No such file or directory)"),
        ({"config.json": b"{"}, "", "embedder", "config.json is not valid JSON"),
        ({"config.json": {"model_type": "bert"}}, "", "embedder", "config.json has no hidden_size"),
        ({}, "onnx/model.onnx", "embedder", "there is no graph (onnx/model.onnx, model.onnx)"),
        (
            {},
            "tokenizer.json",
            "embedder",
            "there is no tokenizer.json; a tokenizer in another form is not known",
        ),
        ({"tokenizer.json": {"vocab": 1}}, "", "embedder", "tokenizer.json is not a tokenizer"),
        (
            {"1_Pooling/config.json": {"pooling_mode_max_tokens": True}},
            "",
            "embedder",
            "1_Pooling/config.json pools neither by mean nor by the first token",
        ),
        ({}, "", "reader", "config.json does not name the labels of an NLI model (id2label)"),
        (
            {"config.json": {"id2label": {"0": "entailment", "1": "not_entailment"}}},
            "",
            "reader",
            "its labels are entailment, not_entailment, not entailment, neutral, contradiction",
        ),
    ],
    ids=["no config", "broken config", "no size", "no graph", "no tokenizer", "foreign tokenizer", "pooling", "labels",
         "two labels"],
)  # fmt: skip
def test_a_folder_of_another_layout_is_named(
    tmp_path: Path, contents: dict[str, Any], removed: str, purpose: Any, why: str
) -> None:
    """The message says what is missing or foreign."""
    folder = tiny_models.write(tiny_models.e5_folder(tmp_path / "model"), contents)
    (folder / (removed or "nothing")).unlink(missing_ok=True)

    with pytest.raises(ModelError) as raised:
        card_of(folder, pin_folder("mine", purpose, folder))

    assert raised.value.message == f"The model in model has another layout: {why}."
