"""A language model of a few kilobytes, and an adapter for it, whose answers can be worked out by hand.

Its layer adds nothing, so the state behind a prompt is that of its last token alone, the line break: 8 in the first
place after the norm, 0 elsewhere. A token's logit is 8 times the first number of its output row.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np

WIDTH, HEADS, KEY_HEADS = 64, 2, 1
LINE_BREAK = "Ċ"  # as byte-level tokenizers write it
ANSWERS = {"supports": 1.0, "ref": 0.5, "neutral": 0.25}
ADAPTED = "ref"
_AS_IS = {"scale": 1, "bias": 0}
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def tokens() -> list[str]:
    """Every byte as byte-level tokenizers write it, then the answers, then the control tokens."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return [*map(chr, plain), *(chr(256 + place) for place in range(len(others))), *ANSWERS, *CONTROL]


def write_model(path: Path) -> Path:
    """The language model."""
    words = tokens()
    writer = gguf.GGUFWriter(path, "qwen2")
    for add, value in (
        (writer.add_block_count, 1), (writer.add_context_length, 4096), (writer.add_embedding_length, WIDTH),
        (writer.add_feed_forward_length, WIDTH), (writer.add_head_count, HEADS), (writer.add_head_count_kv, KEY_HEADS),
        (writer.add_layer_norm_rms_eps, 1e-6), (writer.add_rope_freq_base, 10000.0),
    ):  # fmt: skip
        add(value)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(words)
    writer.add_token_types([3 if word in CONTROL else 1 for word in words])
    writer.add_token_merges(["s u"])
    writer.add_eos_token_id(words.index("<|endoftext|>"))
    for name, array in _tensors(words).items():
        writer.add_tensor(name, array)
    _finish(writer)
    return path


def write_adapter(folder: Path, base: Path, *, base_hash: str | None = None) -> Path:
    """A folder with the adapter, which adds 8 to the logit of `ref`, and its card."""
    folder.mkdir(parents=True, exist_ok=True)
    words = tokens()
    writer = gguf.GGUFWriter(folder / "adapter.gguf", "qwen2")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 1.0)
    first, second = np.zeros((1, WIDTH), np.float32), np.zeros((len(words), 1), np.float32)
    first[0, 0] = second[words.index(ADAPTED), 0] = 1.0
    writer.add_tensor("output.weight.lora_a", first)
    writer.add_tensor("output.weight.lora_b", second)
    _finish(writer)
    card: dict[str, Any] = {
        "name": "tiny-strong", "version": "1.0.0", "kind": "adapter", "licence": "Apache-2.0", "max_tokens": 512,
        "files": {"adapter.gguf": sha256(folder / "adapter.gguf")}, "base": base_hash or sha256(base),
        "prompt": "Claim:\n{claim}\nText:\n{text}\n", "answer_tokens": list(ANSWERS), "asks_from": {"en": 0.1},
        "thresholds": {"supports": 0.6, "refutes": 0.6},
        "calibration": {"method": "two_answers", "en": {"bears": _AS_IS, "side": _AS_IS}},
    }  # fmt: skip
    (folder / "card.json").write_text(json.dumps(card), "utf-8")
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _tensors(words: list[str]) -> dict[str, np.ndarray]:
    embedding, output = np.zeros((len(words), WIDTH), np.float32), np.zeros((len(words), WIDTH), np.float32)
    embedding[:, 1] = 1.0
    embedding[words.index(LINE_BREAK)] = np.eye(WIDTH, dtype=np.float32)[0]
    for word, value in ANSWERS.items():
        output[words.index(word), 0] = value
    narrow = WIDTH * KEY_HEADS // HEADS
    sizes = {"attn_q": WIDTH, "attn_k": narrow, "attn_v": narrow, "attn_output": WIDTH}
    nothing = {f"blk.0.{name}.weight": np.zeros((size, WIDTH), np.float32) for name, size in sizes.items()}
    nothing |= {f"blk.0.{name}.bias": np.zeros(sizes[name], np.float32) for name in ("attn_q", "attn_k", "attn_v")}
    nothing |= {f"blk.0.ffn_{name}.weight": np.zeros((WIDTH, WIDTH), np.float32) for name in ("gate", "up", "down")}
    ones = {
        name: np.ones(WIDTH, np.float32)
        for name in ("blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight")
    }
    return {"token_embd.weight": embedding, "output.weight": output, **nothing, **ones}


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
