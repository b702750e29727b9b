"""Preparing a published language model: its numbers, its files, and what cannot be prepared."""

from pathlib import Path

import gguf
import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.card import CARD_FILE, load_card
from lyra.ml.four_bit import FourBit, quantise
from lyra.ml.prepared import check_fits, load_prepared, open_weights
from lyra.model_store.prepare import prepare
from tests import tiny_gguf


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_gguf.write_model(tmp_path / "base.gguf", layers=2)


def test_every_weight_becomes_four_bits(tmp_path: Path) -> None:
    """The matrices by their numbers in the file; embeddings keep their rows apart."""
    random = np.random.default_rng(2)
    layer = {name: random.standard_normal(size).astype(np.float32) for name, size in tiny_gguf.sizes().items()}
    embedding = random.standard_normal((len(tiny_gguf.tokens()), tiny_gguf.WIDTH)).astype(np.float32)
    base = tiny_gguf.write(tmp_path / "base.gguf", [layer], embedding)

    folder = tiny_gguf.write_prepared(tmp_path / "model", base)

    with open_weights(load_prepared(folder)) as weights:
        arrays = weights.arrays
        table = FourBit(*(arrays[f"token_embd.{part}"] for part in ("values", "scales", "zeros")))
        np.testing.assert_array_equal(table.floats(), quantise(embedding).floats())
        expected = quantise(tiny_gguf.published(layer["ffn_up"]))
        np.testing.assert_array_equal(arrays["blk.0.ffn_up.values"], expected.values)
        np.testing.assert_array_equal(arrays["blk.0.ffn_up.scales"], expected.scales.astype(np.float32).ravel())
        np.testing.assert_array_equal(arrays["blk.0.ffn_up.zeros"], expected.zeros.ravel())
        np.testing.assert_array_equal(arrays["blk.0.ffn_norm"], np.ones(tiny_gguf.WIDTH, np.float32))


def test_only_the_layers_that_are_wanted_are_written(tmp_path: Path, base: Path) -> None:
    """The card says how many there are."""
    card = load_prepared(tiny_gguf.write_prepared(tmp_path / "model", base, layers=1))

    with open_weights(card) as weights:
        layers = {name.split(".")[1] for name in weights.arrays if name.startswith("blk.")}
    assert (card.layers, layers) == (1, {"0"})


def test_progress_ends_at_all_there_is(tmp_path: Path, base: Path) -> None:
    """Bytes done, and all bytes."""
    told: list[tuple[str, int, int]] = []

    prepare(base, tmp_path, lambda *step: told.append(step))

    (name, done, total), sizes = told[-1], [done for _, done, _ in told]
    assert (name, done, sizes) == ("weights.bin", total, sorted(sizes))


def test_a_damaged_file_is_named(tmp_path: Path, base: Path) -> None:
    """Cut in half."""
    base.write_bytes(base.read_bytes()[: base.stat().st_size // 2])

    with pytest.raises(ModelError) as raised:
        prepare(base, tmp_path, lambda *_: None)

    assert raised.value.message.startswith("base.gguf cannot be prepared: it is damaged, or of another make (")


def test_a_model_of_another_make_is_named(tmp_path: Path) -> None:
    """Its arithmetic would be another one."""
    writer = gguf.GGUFWriter(tmp_path / "other.gguf", "mamba")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    with pytest.raises(ModelError) as raised:
        prepare(tmp_path / "other.gguf", tmp_path, lambda *_: None)

    assert raised.value.message == "other.gguf cannot be prepared: its architecture is 'mamba', not 'qwen2'."


def test_an_adapter_for_more_layers_is_refused(tmp_path: Path, base: Path) -> None:
    """The model has to be prepared again."""
    model = load_prepared(tiny_gguf.write_prepared(tmp_path / "model", base, layers=1))
    adapter = load_card(tiny_gguf.write_adapter(tmp_path / "strong", base, layers=2), "adapter")

    with pytest.raises(ModelError) as raised:
        check_fits(model, adapter)

    assert (raised.value.message, raised.value.remedy) == (
        f"The model in {tmp_path / 'model'} was prepared with fewer layers (1) than the adapter of the strong reader "
        "wants (2).",
        "Pull it again with `lyra models pull model`.",
    )


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("decoder.json", "[]", "decoder.json is damaged"),
        ("decoder.json", '{"shape": {}, "arrays": {}}', "decoder.json is damaged"),
        ("weights.bin", "short", "weights.bin is shorter than decoder.json says"),
    ],
    ids=["list", "sizes", "short"],
)
def test_files_that_do_not_fit_each_other_are_named(
    tmp_path: Path, base: Path, file: str, content: str, why: str
) -> None:
    """Bytes with the right hash may still be no model."""
    folder = tiny_gguf.write_prepared(tmp_path / "model", base)
    before = tiny_gguf.sha256(folder / file)
    (folder / file).write_text(content)
    card = (folder / CARD_FILE).read_text().replace(before, tiny_gguf.sha256(folder / file))
    (folder / CARD_FILE).write_text(card)

    with pytest.raises(ModelError) as raised, open_weights(load_prepared(folder)):
        pass

    assert raised.value.message == f"The model in {folder} is unfit: {why}."
