"""Folders of tiny models in the layouts of known makers, written byte by byte: a graph is a protocol buffer."""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import Unigram, WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

FLOAT, INT64 = 1, 7
WORDS = ("rain", "fell", "dry", "sun", "not", "query", ":")
DIMENSION = 4


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: bytes | str | int) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def tensor(name: str, rows: Sequence[Sequence[float]]) -> bytes:
    """A named matrix of floats."""
    raw = b"".join(struct.pack("<f", value) for row in rows for value in row)
    return field(1, len(rows)) + field(1, len(rows[0])) + field(2, FLOAT) + field(8, name) + field(9, raw)


def whole_number(name: str, value: int) -> bytes:
    """A named scalar."""
    return field(2, INT64) + field(8, name) + field(9, struct.pack("<q", value))


def attribute(name: str, value: int) -> bytes:
    return field(1, name) + field(3, value) + field(20, 2)


def ints(name: str, *values: int) -> bytes:
    return field(1, name) + b"".join(field(8, value) for value in values) + field(20, 7)


def node(op: str, inputs: Sequence[str], output: str, *attributes: bytes) -> bytes:
    names = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op)
    return names + b"".join(field(5, one) for one in attributes)


def value_info(name: str, of: int, axes: Sequence[str | int]) -> bytes:
    """The type of an input or output; an axis is a name or a size."""
    shape = b"".join(field(1, field(2, axis) if isinstance(axis, str) else field(1, axis)) for axis in axes)
    return field(1, name) + field(2, field(1, field(1, of) + field(2, shape)))


def model(
    nodes: Sequence[bytes], initializers: Sequence[bytes], inputs: Sequence[str], outputs: Mapping[str, Sequence[Any]]
) -> bytes:
    graph = b"".join(field(1, one) for one in nodes) + field(2, "tiny")
    graph += b"".join(field(5, one) for one in initializers)
    graph += b"".join(field(11, value_info(name, INT64, ("batch", "sequence"))) for name in inputs)
    graph += b"".join(field(12, value_info(name, FLOAT, axes)) for name, axes in outputs.items())
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def word_vectors(count: int) -> list[list[float]]:
    """A direction for every token."""
    return [[float((token * (axis + 3)) % 7 - 3) for axis in range(DIMENSION)] for token in range(count)]


def encoder_graph(tokens: int, *, output: str = "last_hidden_state", inputs: Sequence[str] = ()) -> bytes:
    """Each token's row of a table, as `last_hidden_state` (multilingual-e5, gte, mpnet)."""
    nodes = [node("Gather", ["table", "input_ids"], output)]
    axes = {output: ("batch", "sequence", DIMENSION)}
    return model(nodes, [tensor("table", word_vectors(tokens))], inputs or ("input_ids", "attention_mask"), axes)


def bge_graph(tokens: int) -> bytes:
    """Vectors of tokens and the normalised one of the first (bge-m3)."""
    nodes = [
        node("Gather", ["table", "input_ids"], "token_embeddings"),
        node("Gather", ["token_embeddings", "first"], "cls", attribute("axis", 1)),
        node("LpNormalization", ["cls"], "sentence_embedding", attribute("axis", 1), attribute("p", 2)),
    ]
    outputs = {"token_embeddings": ("batch", "sequence", DIMENSION), "sentence_embedding": ("batch", DIMENSION)}
    given = [tensor("table", word_vectors(tokens)), whole_number("first", 0)]
    return model(nodes, given, ("input_ids", "attention_mask"), outputs)


def nli_graph(logits: Sequence[Sequence[float]], *, output: str = "logits", inputs: Sequence[str] = ()) -> bytes:
    """The mean of each token's logits (mDeBERTa, DeBERTa-v3)."""
    nodes = [
        node("Gather", ["table", "input_ids"], "rows"),
        node("ReduceMean", ["rows"], output, ints("axes", 1), attribute("keepdims", 0)),
    ]
    width = len(logits[0])
    return model(
        nodes, [tensor("table", logits)], inputs or ("input_ids", "attention_mask"), {output: ("batch", width)}
    )


def roberta_tokenizer() -> tuple[str, int]:
    """A Unigram tokenizer with XLM-RoBERTa's special tokens; and how many tokens it has."""
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((word, -1.0) for word in WORDS)]
    tokenizer = Tokenizer(Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = Whitespace()
    special = [("<s>", 0), ("</s>", 2)]
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=special
    )
    return str(tokenizer.to_str()), len(pieces)


def deberta_tokenizer() -> tuple[str, int]:
    """A tokenizer with DeBERTa's special tokens; and how many tokens it has."""
    ids = {word: number for number, word in enumerate(("[PAD]", "[CLS]", "[SEP]", "[UNK]", *WORDS))}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(["[PAD]", "[CLS]", "[SEP]", "[UNK]"])
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return str(tokenizer.to_str()), len(ids)


def write(folder: Path, contents: Mapping[str, bytes | str | dict[str, Any]]) -> Path:
    """Files below a folder; a mapping is written as JSON."""
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = json.dumps(content) if isinstance(content, dict) else content
        path.write_bytes(written.encode() if isinstance(written, str) else written)
    return folder


def e5_folder(folder: Path) -> Path:
    """The layout of multilingual-e5."""
    tokenizer, tokens = roberta_tokenizer()
    return write(
        folder,
        {
            "config.json": {"model_type": "xlm-roberta", "hidden_size": DIMENSION, "max_position_embeddings": 514},
            "tokenizer.json": tokenizer,
            "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
            "onnx/model.onnx": encoder_graph(tokens),
        },
    )


def bge_folder(folder: Path) -> Path:
    """The layout of bge-m3."""
    tokenizer, tokens = roberta_tokenizer()
    return write(
        folder,
        {
            "config.json": {"model_type": "xlm-roberta", "hidden_size": DIMENSION, "max_position_embeddings": 8194},
            "tokenizer.json": tokenizer,
            "1_Pooling/config.json": {"pooling_mode_cls_token": True},
            "onnx/model.onnx": bge_graph(tokens),
        },
    )


def nli_folder(folder: Path, labels: Sequence[str] = ("entailment", "neutral", "contradiction")) -> Path:
    """The layout of mDeBERTa and DeBERTa-v3, whose labels stand in different orders.

    "fell" speaks for entailment and "not" for contradiction; whatever else it reads is neutral.
    """
    tokenizer, tokens = deberta_tokenizer()
    strong = {"fell": "entailment", "not": "contradiction"}
    words = ("", "", "", "", *WORDS)
    logits = [[4.0 if strong.get(word, "neutral") == label.lower() else 0.0 for label in labels] for word in words]
    return write(
        folder,
        {
            "config.json": {
                "model_type": "deberta-v2",
                "hidden_size": DIMENSION,
                "max_position_embeddings": 512,
                "id2label": {str(number): label for number, label in enumerate(labels)},
            },
            "tokenizer.json": tokenizer,
            "onnx/model.onnx": nli_graph(logits[:tokens]),
        },
    )


def pinned(folder: Path, purpose: str, **more: Any) -> dict[str, Any]:
    """The catalogue's entry for a folder."""
    files = {
        path.relative_to(folder).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    named = {"repository": "makers/tiny", "revision": "abc123", "licence": "MIT"}
    return {"purpose": purpose, **named, "files": files, **more}
