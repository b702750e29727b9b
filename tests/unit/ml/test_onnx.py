"""What the graph of a model is given, told by a graph that answers with its own input."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from lyra.errors import ModelError
from lyra.ml.card import ModelCard, ModelKind
from lyra.ml.onnx import OnnxEmbedder, OnnxReader

WORDS = ("[UNK]", "[CLS]", "[SEP]", "rain", "fell", "it", "was", "wet")
IDS = {word: number for number, word in enumerate(WORDS)}
INT64, FLOAT, INT_ATTRIBUTE = 7, 1, 2


def part(number: int, value: bytes | str | int) -> bytes:
    """One field of a protocol buffer; a text or a message is at most 127 bytes long."""
    if isinstance(value, int):
        return bytes([number << 3]) + bytes([value])
    content = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(content)]) + content


def echo() -> bytes:
    """The ONNX model `answer = Cast(input_ids)`."""
    attribute = part(1, "to") + part(3, FLOAT) + bytes([0xA0, 0x01, INT_ATTRIBUTE])  # field 20, its type
    node = part(1, "input_ids") + part(2, "answer") + part(4, "Cast") + part(5, attribute)
    ids, answer = (
        part(1, name) + part(2, part(1, part(1, of))) for name, of in (("input_ids", INT64), ("answer", FLOAT))
    )
    graph = part(1, node) + part(2, "echo") + part(11, ids) + part(12, answer)
    return part(1, 8) + part(7, graph) + part(8, part(2, 13))


def words_tokenizer() -> str:
    """A token for each known word; pairs are joined as `[CLS] text [SEP] claim [SEP]`."""
    tokenizer = Tokenizer(WordLevel(IDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", IDS["[CLS]"]), ("[SEP]", IDS["[SEP]"])],
    )
    return str(tokenizer.to_str())


def echoing(directory: Path, kind: ModelKind = "reader") -> ModelCard:
    """The card of the echo, whose files lie in the directory."""
    contents = {"model.onnx": echo(), "tokenizer.json": words_tokenizer().encode()}
    for name, content in contents.items():
        (directory / name).write_bytes(content)
    files = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    return ModelCard(directory, "echo", "1", kind, "Apache-2.0", max_tokens=16, files=files, dimension=16)


def reader(directory: Path) -> OnnxReader:
    return OnnxReader(echoing(directory), threads=1)


def seen(model: OnnxReader, text: str, claim: str) -> str:
    """The words that the graph was given."""
    (row,) = model.answers([(text, claim)])
    return " ".join(WORDS[int(number)] for number in row)


def test_a_pair_is_joined_as_the_tokenizer_does(tmp_path: Path) -> None:
    """The text first, then the claim."""
    assert seen(reader(tmp_path), "rain fell", "it was wet") == "[CLS] rain fell [SEP] it was wet [SEP]"


def test_a_tokenizer_that_cannot_read_a_word_is_a_typed_error(tmp_path: Path) -> None:
    """One that lacks the token for unknown words fails at the first of them, not when it is loaded."""
    card = echoing(tmp_path)
    content = str(Tokenizer(WordLevel({"rain": 0}, unk_token="[UNK]")).to_str()).encode()
    (tmp_path / "tokenizer.json").write_bytes(content)
    damaged = replace(card, files={**card.files, "tokenizer.json": hashlib.sha256(content).hexdigest()})
    model = OnnxReader(damaged, threads=1)

    with pytest.raises(ModelError) as caught:
        model.answers([("hail", "rain")])

    assert caught.value.message == f"The model file {tmp_path / 'tokenizer.json'} is not a tokenizer."
    assert caught.value.remedy == "Reinstall lyra-mcp, or point the setting models.directory at intact weights."


def test_a_long_text_is_cut_at_its_end(tmp_path: Path) -> None:
    """Sixteen tokens in all; the claim and what stands around both are whole."""
    expected = "[CLS]" + " rain" * 10 + " [SEP] it was wet [SEP]"

    assert seen(reader(tmp_path), "rain " * 100, "it was wet") == expected


def test_a_long_claim_leaves_half_of_the_room(tmp_path: Path) -> None:
    """Eight of sixteen tokens are the claim's beginning."""
    expected = "[CLS]" + " rain" * 5 + " [SEP]" + " wet" * 8 + " [SEP]"

    assert seen(reader(tmp_path), "rain " * 100, "wet " * 100) == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        pytest.param("", "it was wet", id="empty text"),
        pytest.param("rain fell", " ", id="blank claim"),
        pytest.param("🎉", "it was wet", id="emoji"),
        pytest.param("снег", "it was wet", id="no known word"),
        pytest.param("rain fell", "снег", id="no known word in the claim"),
    ],
)
def test_what_says_nothing_is_not_run(tmp_path: Path, text: str, claim: str) -> None:
    """It surely does not bear on the claim, and takes no side."""
    assert reader(tmp_path).answers([(text, claim)]).tolist() == [[-12.0, 0.0]]


def test_no_pairs_are_an_empty_matrix(tmp_path: Path) -> None:
    """Two columns, no row."""
    assert reader(tmp_path).answers([]).shape == (0, 2)


@pytest.mark.parametrize("words", [pytest.param(100, id="cut at the end"), pytest.param(14, id="just whole")])
def test_an_embedder_is_given_as_much_of_a_text_as_it_has_room_for(tmp_path: Path, words: int) -> None:
    """Sixteen tokens, of which two stand around the text."""
    model = OnnxEmbedder(echoing(tmp_path, "embedder"), threads=1)

    (row,) = model.embed(["rain " * words])

    assert row.tolist() == [IDS["[CLS]"], *[IDS["rain"]] * 14, IDS["[SEP]"]]


def test_models_with_the_same_tokenizer_share_it(tmp_path: Path) -> None:
    """Made once from its file, a vocabulary takes memory once; cutting for one model does not cut for another."""
    tokenizers: dict[str, Tokenizer] = {}
    card = echoing(tmp_path)
    OnnxEmbedder(echoing(tmp_path, "embedder"), 1, tokenizers).embed(["rain " * 100])

    found = seen(OnnxReader(replace(card, max_tokens=24), 1, tokenizers), "rain " * 20, "wet")

    assert list(tokenizers) == [card.files["tokenizer.json"]]
    assert found == "[CLS]" + " rain" * 20 + " [SEP] wet [SEP]"


def test_a_damaged_tokenizer_is_refused_though_another_model_has_the_intact_one(tmp_path: Path) -> None:
    """Which of two models is loaded first makes no difference."""
    tokenizers: dict[str, Tokenizer] = {}
    card = echoing(tmp_path)
    OnnxReader(card, 1, tokenizers)
    (tmp_path / "tokenizer.json").write_bytes(b"{}")

    with pytest.raises(ModelError, match=r"tokenizer\.json is not the one its card names"):
        OnnxReader(card, 1, tokenizers)
