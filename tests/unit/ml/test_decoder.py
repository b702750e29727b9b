"""The strong reader's arithmetic: that of the published model and its adapter, whatever else is asked."""

from pathlib import Path

import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.card import load_card
from lyra.ml.decoder_reader import DecoderReader
from lyra.ml.four_bit import quantise
from lyra.ml.prepared import load_prepared
from tests import tiny_gguf

LAYERS = 2
RAIN = "It rained on 3 days.\nThen the sun came out."
PAIRS = [
    (RAIN, "It was wet."),
    ("雨が降った。", "晴れていた。"),
    (RAIN, "It was dry."),
    ("", ""),
    (RAIN, "It was wet."),
]


def reader_of(folder: Path, base: Path, layers: int, arrays: "dict[str, np.ndarray] | None" = None) -> DecoderReader:
    adapter = tiny_gguf.write_adapter(folder / "adapter", base, layers=layers, arrays=arrays)
    model = tiny_gguf.write_prepared(folder / "model", base)
    return DecoderReader(load_card(adapter, "adapter"), load_prepared(model), threads=1)


def test_answers_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    """Base and adapter together; the answer to another text is the same, for its last token is."""
    reader = reader_of(tmp_path, tiny_gguf.write_model(tmp_path / "base.gguf"), 1)

    rows = reader.answers([PAIRS[0], ("", "")])

    bears = float(np.logaddexp(tiny_gguf.SUPPORTS, tiny_gguf.REFUTES)) - tiny_gguf.NEUTRAL
    np.testing.assert_allclose(rows, [[bears, tiny_gguf.SUPPORTS - tiny_gguf.REFUTES]] * 2, atol=0.01)


@pytest.fixture(scope="module")
def weights() -> "tuple[list[dict[str, np.ndarray]], np.ndarray, dict[str, np.ndarray]]":
    """Layers, embeddings and adapter at random."""
    random = np.random.default_rng(3)

    def some(*size: int, times: float = 0.2) -> np.ndarray:
        return (random.standard_normal(size) * times).astype(np.float32)

    layers = [{name: some(*size) for name, size in tiny_gguf.sizes().items()} for _ in range(LAYERS)]
    adapter = {"answers": some(3, tiny_gguf.WIDTH)}
    for name in ("attn_q", "attn_v", "ffn_down"):
        rows, columns = tiny_gguf.sizes()[name]
        adapter |= {f"blk.1.{name}.a": some(2, columns).astype(np.float16)}
        adapter |= {f"blk.1.{name}.b": some(rows, 2).astype(np.float16)}
    return layers, some(len(tiny_gguf.tokens()), tiny_gguf.WIDTH, times=1.0), adapter


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, weights: tuple) -> DecoderReader:
    layers, embedding, adapter = weights
    folder = tmp_path_factory.mktemp("random")
    return reader_of(folder, tiny_gguf.write(folder / "base.gguf", layers, embedding), LAYERS, adapter)


def test_a_pair_is_answered_alone_as_among_others(reader: DecoderReader) -> None:
    """To the last bit, in the order of the pairs."""
    together = reader.answers(PAIRS)

    np.testing.assert_array_equal(together, np.concatenate([reader.answers([pair]) for pair in PAIRS]))
    np.testing.assert_array_equal(together[0], together[4])
    assert len({tuple(row) for row in together.tolist()}) == 4


def test_the_arithmetic_is_that_of_the_published_model(reader: DecoderReader, weights: tuple) -> None:
    """Grouped queries, rotated halves, gates and the adapter, reckoned in numpy; ONNX Runtime rounds to eight bits."""
    rows = reader.answers(PAIRS)

    np.testing.assert_allclose(rows, [_reckoned(weights, reader, *pair) for pair in PAIRS], atol=0.15)


def test_a_long_text_is_read_in_parts(reader: DecoderReader, weights: tuple) -> None:
    """What was read before stays in view."""
    pair = ("It rained. " * 40, "It was wet.")

    rows = reader.answers([pair])

    np.testing.assert_allclose(rows, [_reckoned(weights, reader, *pair)], atol=0.15)


def test_what_is_told_of_a_page_is_read_before_its_texts(reader: DecoderReader, weights: tuple) -> None:
    """As if it stood above each of them, an empty line between."""
    pairs = [("It was May.\u2029It rained.", "It was wet."), ("It was May.\u2029It was dry.", "It was wet.")]

    rows = reader.answers(pairs)

    np.testing.assert_allclose(
        rows, [_reckoned(weights, reader, text.replace("\u2029", "\n\n"), claim) for text, claim in pairs], atol=0.15
    )
    np.testing.assert_array_equal(rows[1], reader.answers(pairs[1:])[0])


def _reckoned(weights: tuple, reader: DecoderReader, text: str, claim: str) -> tuple[float, float]:
    layers, embedding, adapter = weights
    said = tiny_gguf.PROMPT.replace("{text}", text.strip()).partition(" {claim}")[0]
    ids = reader._encode(said) + reader._encode(f" {claim}\n")
    x = quantise(embedding).floats()[ids]
    places = np.arange(len(ids))[:, None]
    half = tiny_gguf.WIDTH // tiny_gguf.HEADS
    angle = places * tiny_gguf.THETA ** (-np.arange(0, half, 2) / half)
    cosine, sine = np.tile(np.cos(angle), 2), np.tile(np.sin(angle), 2)

    def normed(rows: np.ndarray) -> np.ndarray:
        return rows / np.sqrt(np.square(rows).mean(1, keepdims=True) + tiny_gguf.EPSILON)

    def turned(rows: np.ndarray) -> np.ndarray:
        left, right = np.split(rows, 2, 1)
        return rows * cosine + np.concatenate([-right, left], 1) * sine

    for number, layer in enumerate(layers):

        def linear(name: str, rows: np.ndarray, layer: dict = layer, number: int = number) -> np.ndarray:
            out = rows @ quantise(tiny_gguf.published(layer[name])).floats().T
            first, second = adapter.get(f"blk.{number}.{name}.a"), adapter.get(f"blk.{number}.{name}.b")
            return out if first is None else out + rows @ first.astype(np.float32).T @ second.astype(np.float32).T

        h = normed(x)
        key, value = turned(linear("attn_k", h)), linear("attn_v", h)
        heads = []
        for query in np.split(linear("attn_q", h), tiny_gguf.HEADS, 1):
            scores = turned(query) @ key.T / np.sqrt(half) + np.triu(np.full((len(ids), len(ids)), -1e9), 1)
            shares = np.exp(scores - scores.max(1, keepdims=True))
            heads.append(shares / shares.sum(1, keepdims=True) @ value)
        x = x + linear("attn_output", np.concatenate(heads, 1))
        h = normed(x)
        gate = linear("ffn_gate", h)
        x = x + linear("ffn_down", gate / (1 + np.exp(-gate)) * linear("ffn_up", h))
    supports, refutes, neutral = adapter["answers"] @ normed(x)[-1]
    return float(np.logaddexp(supports, refutes) - neutral), float(supports - refutes)


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ({}, "it has no rows of answers"),
        ({"blk.7.attn_q.a": np.zeros((1, 64), np.float16)}, "it changes 'blk.7.attn_q', which the model does not have"),
        ({"blk.0.attn_q.a": np.zeros((1, 64), np.float16)}, "its part blk.0.attn_q has another form"),
    ],
    ids=["answers", "part", "form"],
)
def test_an_adapter_of_another_form_is_refused(tmp_path: Path, arrays: dict[str, np.ndarray], why: str) -> None:
    """It says what does not fit."""
    base = tiny_gguf.write_model(tmp_path / "base.gguf")
    answers = {"answers": np.zeros((3, tiny_gguf.WIDTH), np.float32)} if arrays else {"other": np.zeros(1)}

    with pytest.raises(ModelError) as raised:
        reader_of(tmp_path, base, 1, answers | arrays)

    assert raised.value.message == f"The adapter {tmp_path / 'adapter' / 'adapter.npz'} is unfit: {why}."


def test_fewer_layers_than_were_prepared_are_enough(tmp_path: Path) -> None:
    """The adapter says how many."""
    base = tiny_gguf.write_model(tmp_path / "base.gguf", layers=3)

    rows = reader_of(tmp_path, base, 1).answers([("a", "b")])

    np.testing.assert_allclose(rows[0, 1], tiny_gguf.SUPPORTS - tiny_gguf.REFUTES, atol=0.01)
