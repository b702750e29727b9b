"""A language model of a few kilobytes, and an adapter for it, whose answers can be worked out by hand.

Its layers add nothing, so the state behind a prompt is that of its last token alone, the line break: 1 in the first
place, 0 elsewhere. The adapter adds 1 in the second place: the normed line break, 8 in its first place, gives 16 at
the gate and 1/16 beside it. Normed, both places hold 8 / √2, of which each answer takes its share.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from lyra.model_store.prepare import prepare

WIDTH, INNER, HEADS, KEY_HEADS = 64, 32, 2, 1
EPSILON, THETA = 1e-6, 10000.0
LINE_BREAK = "Ċ"  # as byte-level tokenizers write it
SHARES = {"supports": (1.0, 0.0), "refutes": (0.5, 1.5), "neutral": (0.25, 0.0)}
SUPPORTS, REFUTES, NEUTRAL = (8 / math.sqrt(2) * sum(shares) for shares in SHARES.values())
PROMPT = "Does the text say so?\nText:\n{text}\nClaim: {claim}\n"
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_KIND = gguf.GGMLQuantizationType.Q8_0
_AS_IS = {"scale": 1, "bias": 0}


def tokens() -> list[str]:
    """Every byte as byte-level tokenizers write it, one pair, then the control tokens."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return [*map(chr, plain), *(chr(256 + place) for place in range(len(others))), "su", *CONTROL]


def write_model(path: Path, *, layers: int = 1) -> Path:
    """The language model."""
    shapes = sizes()
    zeros = {name: np.zeros(shapes[name], np.float32) for name in shapes}
    return write(path, [zeros] * layers, _line_break_alone())


def write(path: Path, layers: list[dict[str, np.ndarray]], embedding: np.ndarray) -> Path:
    """A language model with these weights, its matrices in eight bits; what is left out adds nothing."""
    words = tokens()
    writer = gguf.GGUFWriter(path, "qwen2")
    for add, value in (
        (writer.add_block_count, len(layers)), (writer.add_context_length, 4096),
        (writer.add_embedding_length, WIDTH), (writer.add_feed_forward_length, INNER),
        (writer.add_head_count, HEADS), (writer.add_head_count_kv, KEY_HEADS),
        (writer.add_layer_norm_rms_eps, EPSILON), (writer.add_rope_freq_base, THETA),
    ):  # fmt: skip
        add(value)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(words)
    writer.add_token_types([3 if word in CONTROL else 1 for word in words])
    writer.add_token_merges(["s u"])
    writer.add_eos_token_id(words.index("<|endoftext|>"))
    writer.add_tensor("token_embd.weight", embedding)
    for number, layer in enumerate(layers):
        for name, array in layer.items():
            writer.add_tensor(f"blk.{number}.{name}.weight", gguf.quants.quantize(array, _KIND), raw_dtype=_KIND)
        for name in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"blk.{number}.{name}.bias", np.zeros(len(layer[name]), np.float32))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{number}.{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def published(array: np.ndarray) -> np.ndarray:
    """A matrix as the file holds it."""
    return gguf.quants.dequantize(gguf.quants.quantize(array, _KIND), _KIND)


def sizes() -> dict[str, tuple[int, int]]:
    """Of the matrices of a layer."""
    narrow = WIDTH * KEY_HEADS // HEADS
    return {
        "attn_q": (WIDTH, WIDTH), "attn_k": (narrow, WIDTH), "attn_v": (narrow, WIDTH), "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
    }  # fmt: skip


def write_prepared(folder: Path, base: Path, *, layers: int = 0) -> Path:
    """The folder of the language model as its pull leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    found = prepare(base, folder, lambda *_: None, layers)
    card = {
        "name": "tiny", "version": "1", "kind": "generator", "licence": "Apache-2.0", "is_pulled": True,
        "base": sha256(base), "layers": found.layers, "max_tokens": found.context, "files": found.files,
    }  # fmt: skip
    (folder / "card.json").write_text(json.dumps(card), "utf-8")
    return folder


def write_adapter(
    folder: Path,
    base: Path,
    *,
    base_hash: str | None = None,
    layers: int = 1,
    arrays: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """A folder with the adapter, which lets the model refute whatever it is asked, and its card."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "adapter.npz", **(arrays or adapter_arrays()))
    card: dict[str, Any] = {
        "name": "tiny-strong", "version": "1.0.0", "kind": "adapter", "licence": "Apache-2.0", "max_tokens": 512,
        "files": {"adapter.npz": sha256(folder / "adapter.npz")}, "base": base_hash or sha256(base),
        "layers": layers, "prompt": PROMPT, "asks_from": {"en": 0.1},
        "thresholds": {"supports": 0.6, "refutes": 0.6},
        "calibration": {"method": "two_answers", "en": {"bears": _AS_IS, "side": _AS_IS}},
    }  # fmt: skip
    (folder / "card.json").write_text(json.dumps(card), "utf-8")
    return folder


def adapter_arrays() -> dict[str, np.ndarray]:
    """What the adapter adds to the first layer, and the rows of its answers."""
    arrays: dict[str, np.ndarray] = {"answers": np.zeros((3, WIDTH), np.float32)}
    arrays["answers"][:, :2] = list(SHARES.values())
    for name, place, factor in (("ffn_gate", 0, 2.0), ("ffn_up", 0, 1 / 128), ("ffn_down", 1, 1.0)):
        rows, columns = sizes()[name]
        first, second = np.zeros((1, columns), np.float16), np.zeros((rows, 1), np.float16)
        first[0, 0], second[place, 0] = 1.0, factor
        arrays |= {f"blk.0.{name}.a": first, f"blk.0.{name}.b": second}
    return arrays


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _line_break_alone() -> np.ndarray:
    """The line break is 1 in the first place, every other token in the third."""
    words = tokens()
    embedding = np.zeros((len(words), WIDTH), np.float32)
    embedding[:, 2] = 1.0
    embedding[words.index(LINE_BREAK)] = np.eye(WIDTH, dtype=np.float32)[0]
    return embedding
