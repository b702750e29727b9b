"""What `lyra doctor` says of the models."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lyra.health import check_installation
from lyra.health.finding import Finding
from lyra.ml.card import load_card
from lyra.settings import Models, Settings

from .conftest import change_card, rehash

OTHER = {"small": "large", "large": "small"}
REMEDY = "Reinstall lyra-mcp, or point the setting models.directory at intact weights."
GOES_ON = " The other readers go on without it."
LINE = {"scale": 1.0, "bias": 0.0}


def change_a_byte(directory: Path) -> None:
    path = directory / "model.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut_in_half(directory: Path) -> None:
    path = directory / "model.onnx"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def swap(directory: Path) -> None:
    (directory / "model.onnx").write_bytes((directory.parent / "embedder" / "model.onnx").read_bytes())


def name_another_hash(directory: Path) -> None:
    change_card(directory, files=dict(load_card(directory).files) | {"model.onnx": "0" * 64})


def remove_weights(directory: Path) -> None:
    (directory / "model.onnx").unlink()


def make_garbage(directory: Path) -> None:
    (directory / "model.onnx").write_bytes(b"not a graph")
    rehash(directory, "model.onnx")


def cut_card(directory: Path) -> None:
    (directory / "card.json").write_text('{"name": "lyra-rea', "utf-8")


def remove_card(directory: Path) -> None:
    (directory / "card.json").unlink()


async def findings(root: Path, tmp_path: Path) -> dict[str, Finding]:
    """Those about the models, by name."""
    settings = Settings(data_dir=tmp_path / "data", models=Models(directory=root))
    return {one.name: one for one in await check_installation(settings) if one.name.startswith(("models", "reader"))}


async def test_each_reader_that_answers_is_named(two_readers: Path, tmp_path: Path) -> None:
    """By its id, in a line of its own; the first line is the embedder's."""
    found = await findings(two_readers, tmp_path)

    assert list(found) == ["models", "reader small", "reader large"]
    assert found["models"].detail.startswith(f"{load_card(two_readers / 'embedder').model_id}; no network by ")
    assert found["reader small"] == Finding("reader small", True, load_card(two_readers / "small").model_id)
    assert found["reader large"] == Finding("reader large", True, load_card(two_readers / "large").model_id)


async def test_a_large_reader_that_is_not_installed_is_no_fault(copied_weights: Path, tmp_path: Path) -> None:
    """The line says what goes on without it and how to have it."""
    found = await findings(copied_weights, tmp_path)

    assert list(found) == ["models", "reader small", "reader large"]
    assert found["reader large"] == Finding(
        "reader large", True, "not installed: the small reader judges alone (pip install lyra-reader-large)"
    )


@pytest.mark.parametrize("reader", ["small", "large"])
@pytest.mark.parametrize(
    ("damage", "file", "says"),
    [
        pytest.param(change_a_byte, "model.onnx", "The model file {} is not the one its card names", id="damaged"),
        pytest.param(cut_in_half, "model.onnx", "The model file {} is not the one its card names", id="half-written"),
        pytest.param(swap, "model.onnx", "The model file {} is not the one its card names", id="another model's"),
        pytest.param(name_another_hash, "model.onnx", "The model file {} is not the one its card names", id="hash"),
        pytest.param(remove_weights, "model.onnx", "The model file {} cannot be read: No such file", id="missing"),
        pytest.param(cut_card, "card.json", "The {reader} model's card {} is not valid JSON.", id="half a card"),
        pytest.param(remove_card, "card.json", "The {reader} model's card {} cannot be read: No such file", id="card"),
    ],
)
async def test_a_damaged_reader_is_named_while_the_other_goes_on(
    two_readers: Path, tmp_path: Path, reader: str, damage: Callable[[Path], None], file: str, says: str
) -> None:
    """The line says which file is unfit and what to do; the other reader's line stays well."""
    damage(two_readers / reader)

    found = await findings(two_readers, tmp_path)

    damaged, other = found[f"reader {reader}"], found[f"reader {OTHER[reader]}"]
    assert (damaged.is_fine, damaged.remedy) == (False, REMEDY)
    assert damaged.detail.startswith(says.format(two_readers / reader / file, reader=reader))
    assert damaged.detail.endswith(GOES_ON)
    assert (other.is_fine, other.detail) == (True, load_card(two_readers / OTHER[reader]).model_id)


@pytest.mark.parametrize("reader", ["small", "large"])
async def test_a_reader_that_is_no_model_is_named_while_the_other_goes_on(
    two_readers: Path, tmp_path: Path, reader: str
) -> None:
    """A fitting hash alone is no sign of health: each reader has to answer."""
    make_garbage(two_readers / reader)

    found = await findings(two_readers, tmp_path)

    assert found[f"reader {reader}"] == Finding(
        f"reader {reader}",
        False,
        f"The model {load_card(two_readers / reader).model_id} cannot be loaded: InvalidProtobuf.{GOES_ON}",
        REMEDY,
    )
    assert found[f"reader {OTHER[reader]}"].is_fine is True


@pytest.mark.parametrize("reader", ["small", "large"])
@pytest.mark.parametrize("content", [b"not a tokenizer", b"{}", b"\xff\xfe", b""])
async def test_a_file_that_is_no_tokenizer_is_named_while_the_other_goes_on(
    two_readers: Path, tmp_path: Path, reader: str, content: bytes
) -> None:
    """Its hash fits; the inference process answers what is wrong instead of ending."""
    path = two_readers / reader / "tokenizer.json"
    path.write_bytes(content)
    rehash(two_readers / reader, "tokenizer.json")

    found = await findings(two_readers, tmp_path)

    assert found[f"reader {reader}"] == Finding(
        f"reader {reader}", False, f"The model file {path} is not a tokenizer.{GOES_ON}", REMEDY
    )
    assert found[f"reader {OTHER[reader]}"].is_fine is True


async def test_without_any_reader_nothing_can_judge(copied_weights: Path, tmp_path: Path) -> None:
    """The one card that is left is missing: the models are not well."""
    remove_card(copied_weights / "small")

    found = await findings(copied_weights, tmp_path)

    path = copied_weights / "small" / "card.json"
    assert found == {
        "models": Finding(
            "models",
            False,
            f"The small model's card {path} cannot be read: No such file or directory.",
            "Reinstall lyra-mcp.",
        )
    }


@pytest.mark.parametrize("reader", ["small", "large"])
async def test_a_card_whose_calibration_is_unfit_is_found(two_readers: Path, tmp_path: Path, reader: str) -> None:
    """The files are intact and the model answers, but nothing may be judged by it; the other one goes on."""
    unfit = {"bears": LINE | {"scale": 0}, "side": LINE}
    change_card(two_readers / reader, calibration={"method": "two_answers", "ja": unfit})

    found = await findings(two_readers, tmp_path)

    assert found[f"reader {reader}"] == Finding(
        f"reader {reader}",
        False,
        "The model card's calibration for 'ja' is unfit: the scale of bears must be above 0."
        " The other readers go on without it.",
        "Reinstall lyra-mcp, or correct the card of the weights in models.directory.",
    )
    assert found[f"reader {OTHER[reader]}"].is_fine is True
