"""Model cards, and where the weights lie."""

import hashlib
import json
import os
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import pytest

import lyra.ml.card
from lyra.errors import ModelError
from lyra.ml.card import DATA_PACKAGE, large_reader_directory, load_card, model_directory, verified_file, verify

MODEL = b"graph"
TOKENIZER = b"{}"


def write_card(root: Path, place: str = "embedder", **changes: Any) -> Path:
    directory = root / place
    directory.mkdir()
    (directory / "model.onnx").write_bytes(MODEL)
    (directory / "tokenizer.json").write_bytes(TOKENIZER)
    card = {
        "name": "minilm-l6",
        "version": "0.1.0",
        "kind": "embedder",
        "licence": "Apache-2.0",
        "dimension": 384,
        "max_tokens": 256,
        "files": {
            "model.onnx": hashlib.sha256(MODEL).hexdigest(),
            "tokenizer.json": hashlib.sha256(TOKENIZER).hexdigest(),
        },
        "fusion": {"ja": {"bm25": 1, "embedding": 0.0}},
    } | changes
    (directory / "card.json").write_text(json.dumps(card), "utf-8")
    return directory


def write_reader(root: Path, **changes: Any) -> Path:
    return write_card(root, "small", kind="reader", **changes)


def test_card_names_the_weights_exactly(tmp_path: Path) -> None:
    """The id holds the digest of all files, because other weights under the same version are another model."""
    directory = write_card(tmp_path)

    card = load_card(directory)

    listing = "\n".join(f"{name} {card.files[name]}" for name in ("model.onnx", "tokenizer.json"))
    assert card.model_id == f"minilm-l6@0.1.0+{hashlib.sha256(listing.encode()).hexdigest()[:8]}"
    assert (card.dimension, card.max_tokens, card.licence) == (384, 256, "Apache-2.0")
    assert card.fusion == {"ja": {"bm25": 1.0, "embedding": 0.0}}


def test_other_weights_have_another_id(tmp_path: Path) -> None:
    """A changed tokenizer alone changes the id: stored vectors of the old one must not be mixed in."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    files = {"model.onnx": "0" * 64, "tokenizer.json": "1" * 64}
    one = write_card(tmp_path / "a", files=files)
    other = write_card(tmp_path / "b", files=files | {"tokenizer.json": "2" * 64})

    first, second = load_card(one), load_card(other)

    assert first.model_id.split("+")[0] == second.model_id.split("+")[0]
    assert first.model_id != second.model_id


def test_a_verified_file_is_open_at_its_beginning(tmp_path: Path) -> None:
    """Hashing has read it to its end."""
    card = load_card(write_card(tmp_path))

    with verified_file(card, "model.onnx") as file:
        content = file.read()

    assert content == MODEL


def test_a_file_put_in_the_place_of_a_verified_one_is_not_read(tmp_path: Path) -> None:
    """An upgrade replaces files while they are loaded: the one that was hashed is the one handed on."""
    directory = write_card(tmp_path)
    other = tmp_path / "other.onnx"
    other.write_bytes(b"other")

    with verified_file(load_card(directory), "model.onnx") as file:
        other.replace(directory / "model.onnx")
        content = file.read()

    assert content == MODEL


def test_a_verified_file_that_is_written_to_is_refused(tmp_path: Path) -> None:
    """What was read after the hash may be anything: whatever was made of it is not used."""
    directory = write_card(tmp_path)
    path = directory / "model.onnx"
    os.utime(path, ns=(0, 0))

    with pytest.raises(ModelError) as caught, verified_file(load_card(directory), "model.onnx"):
        path.write_bytes(b"other")

    assert caught.value.message == f"The model file {path} was written to while it was loaded."
    assert caught.value.remedy == "Reinstall lyra-mcp, or point the setting models.directory at intact weights."


def test_intact_files_are_verified(tmp_path: Path) -> None:
    """Nothing is said of files that are those of the card."""
    verify(load_card(write_card(tmp_path)))


def test_wrong_hash_is_refused_with_file_and_remedy(tmp_path: Path) -> None:
    """Weights that are not those of the card are never loaded: the error names the file and what to do."""
    directory = write_card(tmp_path)
    (directory / "tokenizer.json").write_bytes(b'{"other": true}')

    with pytest.raises(ModelError) as caught:
        verify(load_card(directory))

    assert caught.value.details["file"] == str(directory / "tokenizer.json")
    assert caught.value.message.startswith(
        f"The model file {directory / 'tokenizer.json'} is not the one its card names"
    )
    assert caught.value.remedy == "Reinstall lyra-mcp, or point the setting models.directory at intact weights."


def test_missing_weights_are_named(tmp_path: Path) -> None:
    """A file that vanished is an error of its own, not a crash."""
    directory = write_card(tmp_path)
    (directory / "model.onnx").unlink()

    with pytest.raises(ModelError, match=r"model\.onnx cannot be read: No such file"):
        verify(load_card(directory))


def test_missing_card_is_named(tmp_path: Path) -> None:
    """A directory without weights says which card it lacks."""
    with pytest.raises(ModelError, match=r"small model's card .*small/card\.json cannot be read"):
        load_card(tmp_path / "small")


def test_card_that_is_not_json_is_refused(tmp_path: Path) -> None:
    """A half-written card is refused rather than guessed at."""
    directory = write_card(tmp_path)
    (directory / "card.json").write_text('{"name": "mini', "utf-8")

    with pytest.raises(ModelError, match="is not valid JSON"):
        load_card(directory)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"kind": "reader"}, "kind is 'reader', not 'embedder'", id="other kind"),
        pytest.param({"name": ""}, "name must be a text", id="no name"),
        pytest.param({"max_tokens": "256"}, "max_tokens must be a whole number of at least 8", id="text for a number"),
        pytest.param({"dimension": 0}, "dimension must be a whole number of at least 1", id="no dimension"),
        pytest.param({"files": {"model.onnx": "abc"}}, "files must map names to SHA-256 hashes", id="not a hash"),
        pytest.param({"files": {"model.onnx": "0" * 64}}, "files does not name tokenizer.json", id="no tokenizer"),
        pytest.param(
            {"files": {"model.onnx": "0" * 64, "tokenizer.json": "0" * 64, "../key": "0" * 64}},
            "the file name '../key' leaves the directory",
            id="path out of the directory",
        ),
        pytest.param({"fusion": {"ja": {"bm25": "1"}}}, "fusion.ja must hold numbers", id="text for a weight"),
        pytest.param({"thresholds": {"refutes": float("nan")}}, "thresholds must hold numbers", id="no number"),
        pytest.param({"thresholds": {"refutes": 1.5}}, "thresholds must lie between 0 and 1", id="never reached"),
        pytest.param({"thresholds": [0.5]}, "thresholds must be an object", id="list for thresholds"),
    ],
)
def test_unfit_card_is_refused_with_its_reason(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    """Every field is checked before a byte of the weights is read."""
    directory = write_card(tmp_path, **changes)

    with pytest.raises(ModelError) as caught:
        load_card(directory)

    assert caught.value.message.endswith(f"is unfit: {reason}.")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("  HbA1c fell.", "HbA1c fell.", id="leading space"),
        pytest.param("血" * 10_000_000, "血" * 256 * 48, id="30 MB of Japanese"),
        pytest.param(" " * 1_000_000 + "x", "x", id="space before the first word"),
        pytest.param("", "", id="empty"),
    ],
)
def test_bounded_text_holds_what_can_become_tokens(tmp_path: Path, text: str, kept: str) -> None:
    """However long a text is, what is sent to the model is bounded."""
    directory = write_card(tmp_path)

    bounded = load_card(directory).bounded(text)

    assert bounded == kept


def test_a_reader_s_card_says_when_the_large_one_is_asked(tmp_path: Path) -> None:
    """By language, from a raw chance on; it has no dimension."""
    directory = write_reader(tmp_path, asks_from={"en": 0.05, "ja": 1})

    card = load_card(directory)

    assert (card.kind, card.dimension, card.asks_from) == ("reader", 0, {"en": 0.05, "ja": 1.0})


def test_a_reader_s_card_may_leave_out_what_it_has_not(tmp_path: Path) -> None:
    """No threshold, no scaling."""
    directory = write_reader(tmp_path)

    card = load_card(directory)

    assert (card.asks_from, card.thresholds, card.calibration) == ({}, {}, {})


def test_what_lies_in_a_reader_s_place_must_be_a_reader(tmp_path: Path) -> None:
    """The directory's name says what is expected: an embedder's card among the readers is refused."""
    directory = write_card(tmp_path, "small", kind="embedder")

    with pytest.raises(ModelError) as caught:
        load_card(directory)

    assert caught.value.message == (
        f"The model card {directory / 'card.json'} is unfit: kind is 'embedder', not 'reader'."
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"asks_from": 0.05}, "asks_from must be an object", id="one number for all languages"),
        pytest.param({"asks_from": {"en": "0.05"}}, "asks_from must hold numbers", id="text for a chance"),
        pytest.param({"asks_from": {"en": float("nan")}}, "asks_from must hold numbers", id="not a number"),
        pytest.param({"asks_from": {"en": -0.1}}, "asks_from must lie between 0 and 1", id="below 0"),
        pytest.param({"asks_from": {"en": 1.1}}, "asks_from must lie between 0 and 1", id="above 1"),
        pytest.param({"calibration": []}, "calibration must be an object", id="list for a calibration"),
    ],
)
def test_unfit_reader_s_card_is_refused_with_its_reason(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    """What a reader's card says of asking is checked as the rest is."""
    directory = write_reader(tmp_path, **changes)

    with pytest.raises(ModelError) as caught:
        load_card(directory)

    assert caught.value.message == f"The model card {directory / 'card.json'} is unfit: {reason}."


INSIDE = Path(lyra.ml.card.__file__).parent / "weights"


def add_package(root: Path) -> Path:
    """The data package as it is installed, with the directory of the large reader."""
    package = root / DATA_PACKAGE
    (package / "large").mkdir(parents=True)
    (package / "__init__.py").touch()
    return package / "large"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory in which Python looks for packages."""
    found = tmp_path / "packages"
    found.mkdir()
    monkeypatch.setattr("sys.path", [str(found)])
    monkeypatch.setattr("sys.meta_path", [PathFinder])  # an editable installation adds finders of its own
    return found


@pytest.mark.parametrize("name", ["embedder", "small"])
def test_the_small_models_lie_inside_the_package(name: str) -> None:
    """Everyone has them, with nothing else installed."""
    assert model_directory(name) == INSIDE / name


def test_the_large_reader_lies_in_its_data_package(packages: Path) -> None:
    """It comes in a wheel of its own."""
    place = add_package(packages)

    assert large_reader_directory() == place


def test_a_large_reader_that_is_not_installed_has_no_place(packages: Path) -> None:
    """Its absence is no error."""
    assert large_reader_directory() is None


def test_a_data_package_without_its_weights_is_no_reader(packages: Path) -> None:
    """A package in which the directory is missing counts as not installed."""
    add_package(packages).rmdir()

    assert large_reader_directory() is None


@pytest.mark.parametrize("name", ["embedder", "small"])
def test_the_user_s_directory_holds_one_for_each_model(tmp_path: Path, name: str) -> None:
    """The setting models.directory replaces every place at once."""
    assert model_directory(name, tmp_path) == tmp_path / name


def test_the_user_s_directory_may_hold_a_large_reader(packages: Path, tmp_path: Path) -> None:
    """It is used in place of the installed one."""
    add_package(packages)
    own = tmp_path / "own" / "large"
    own.mkdir(parents=True)

    assert large_reader_directory(tmp_path / "own") == own


def test_an_installed_large_reader_that_the_user_s_directory_does_not_hold_is_not_used(
    packages: Path, tmp_path: Path
) -> None:
    """Mixed weights would go unnoticed; a file of that name is none either."""
    add_package(packages)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "large").touch()

    assert large_reader_directory(tmp_path / "own") is None


def test_the_name_of_the_data_package_is_the_published_one() -> None:
    """`lyra doctor` tells users to install lyra-reader-large, whose module this is."""
    assert DATA_PACKAGE == "lyra_reader_large"
