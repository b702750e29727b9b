"""Writes a model folder of the product: graph, tokenizer and card, the card last."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import onnx
from tokenizers import Tokenizer


def write_model(folder: Path, graph: onnx.ModelProto, tokenizer: Tokenizer, card: dict) -> None:
    """Replaces the folder's files one by one; `card` gains the digest of each."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    parts = {
        "model.onnx": graph.SerializeToString(),
        "tokenizer.json": tokenizer.to_str().encode(),
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
    card_text = json.dumps({**card, "files": digests}, indent=2, ensure_ascii=False) + "\n"
    for name, content in {**parts, "card.json": card_text.encode()}.items():
        replace_file(folder / name, content)


def replace_file(path: Path, content: bytes) -> None:
    """Readers see the old file or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
