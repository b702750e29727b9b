"""Models in the layouts of other makers, run by the isolated process."""

import math
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.remote import IsolatedModels
from lyra.model_store.folder import card_of
from lyra.model_store.pull import pin_folder
from lyra.model_store.store import ModelStore
from lyra.settings import Models
from tests import tiny_models

Chosen = Callable[[str, Path], IsolatedModels]


@pytest.fixture
async def chosen() -> AsyncIterator[Chosen]:
    """The process with one model of the user's own in a role."""
    opened: list[IsolatedModels] = []

    def open_models(role: str, folder: Path) -> IsolatedModels:
        purpose: Any = "embedder" if role == "embedder" else "reader"
        ModelStore(folder).write_card(folder, card_of(folder, pin_folder("tiny", purpose, folder)))
        opened.append(IsolatedModels(Models(threads=1), chosen={role: folder}))
        return opened[-1]

    yield open_models
    for one in opened:
        await one.close()


def vectors() -> Any:
    return np.asarray(tiny_models.word_vectors(4 + len(tiny_models.WORDS)), np.float32)


async def test_multilingual_e5_is_the_mean_of_its_tokens(tmp_path: Path, chosen: Chosen) -> None:
    """`last_hidden_state` is pooled over all tokens, the special ones too, and made length 1."""
    models = chosen("embedder", tiny_models.e5_folder(tmp_path / "e5"))

    found = await models.embedder.embed(["rain fell"])

    mean = vectors()[[0, 4, 5, 2]].mean(axis=0)
    np.testing.assert_allclose(found, [mean / np.linalg.norm(mean)], atol=1e-6)


async def test_bge_m3_gives_the_vector_of_a_sentence_itself(tmp_path: Path, chosen: Chosen) -> None:
    """`sentence_embedding` is taken as it is, though the graph also has `token_embeddings`."""
    models = chosen("embedder", tiny_models.bge_folder(tmp_path / "bge"))

    found = await models.embedder.embed(["rain fell"])

    first = vectors()[0]
    np.testing.assert_allclose(found, [first / np.linalg.norm(first)], atol=1e-6)


@pytest.mark.parametrize(
    "labels",
    [("entailment", "neutral", "contradiction"), ("CONTRADICTION", "entailment", "neutral")],
    ids=["mDeBERTa", "DeBERTa-v3"],
)
async def test_nli_labels_become_two_answers_whatever_their_order(
    tmp_path: Path, chosen: Chosen, labels: tuple[str, ...]
) -> None:
    """bears = logsumexp(E, C) - N and side = E - C, from the labels that config.json names."""
    folder = tiny_models.nli_folder(tmp_path / "nli", labels)
    models = chosen("small", folder)

    found = await models.readers[0].answers([("rain fell", "rain")])

    # [CLS] rain fell [SEP] rain [SEP]: of six tokens one speaks for entailment, five are neutral.
    entails, contradicts, silent = 4 / 6, 0.0, 20 / 6
    bears = math.log(math.exp(entails) + math.exp(contradicts)) - silent
    np.testing.assert_allclose(found, [[bears, entails - contradicts]], atol=1e-5)


async def test_a_text_without_any_known_piece_has_the_zero_vector(tmp_path: Path, chosen: Chosen) -> None:
    """The unknown token of XLM-RoBERTa is `<unk>`."""
    models = chosen("embedder", tiny_models.e5_folder(tmp_path / "e5"))

    found = await models.embedder.embed(["xyz"])

    assert found.tolist() == [[0.0] * tiny_models.DIMENSION]


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (
            tiny_models.encoder_graph(11, inputs=("input_ids", "pixel_values")),
            "has another layout: it asks for pixel_values.",
        ),
        (
            tiny_models.encoder_graph(11, output="features"),
            "has another layout: its outputs are features, none of them vectors of sentences or tokens.",
        ),
        (b"not a graph", "cannot be loaded: InvalidProtobuf."),
    ],
    ids=["foreign input", "foreign output", "no graph"],
)
async def test_a_graph_of_another_layout_is_a_typed_error(
    tmp_path: Path, chosen: Chosen, graph: bytes, said: str
) -> None:
    """The message names the tensors, and the process lives on."""
    folder = tiny_models.e5_folder(tmp_path / "e5")
    (folder / "onnx" / "model.onnx").write_bytes(graph)
    models = chosen("embedder", folder)

    with pytest.raises(ModelError) as raised:
        await models.embedder.embed(["rain"])

    assert raised.value.message.endswith(said)
    assert models.status().crashes == 0


async def test_a_graph_that_answers_with_another_width_is_a_typed_error(tmp_path: Path, chosen: Chosen) -> None:
    """config.json says another dimension than the graph has."""
    folder = tiny_models.e5_folder(tmp_path / "e5")
    tiny_models.write(folder, {"config.json": {"hidden_size": 8}})
    models = chosen("embedder", folder)

    with pytest.raises(ModelError) as raised:
        await models.embedder.embed(["rain", "xyz"])

    assert raised.value.message.endswith("answers in another form: it is another kind of model.")
