"""Writes a trained adapter as the GGUF file that llama.cpp reads beside the published model, and reads one back.

python adapter_gguf.py adapter.safetensors adapter.gguf --alpha 32
python adapter_gguf.py adapter.gguf adapter.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import load_file, save_file

LICENCE = "apache-2.0"
BASE = "Qwen2.5-Coder-1.5B-Instruct"


def tensor_name(name: str) -> str:
    """`body.blk.0.attn_q.lora_a` in training is `blk.0.attn_q.weight.lora_a` in a GGUF file."""
    place, _, half = name.removeprefix("body.").rpartition(".")
    return f"{place}.weight.{half}"


def write(weights: dict[str, np.ndarray], out: Path, alpha: float) -> None:
    writer = gguf.GGUFWriter(out, "qwen2")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    writer.add_name("Lyra reader, strong")
    writer.add_license(LICENCE)
    writer.add_string("general.base_model.0.name", BASE)
    for name in sorted(weights):
        writer.add_tensor(tensor_name(name), np.ascontiguousarray(weights[name].astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def trained_name(name: str) -> str:
    """The way back from `tensor_name`."""
    place, _, half = name.rpartition(".weight.")
    return f"body.{place}.{half}"


def read(source: Path) -> dict[str, np.ndarray]:
    """The weights of an adapter, by their names in training."""
    tensors = gguf.GGUFReader(source).tensors
    return {trained_name(each.name): np.array(each.data, np.float16) for each in tensors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--alpha", type=float, default=32)
    options = parser.parse_args()
    if options.weights.suffix == ".gguf":
        save_file(read(options.weights), options.out)
    else:
        write(load_file(options.weights), options.out, options.alpha)


if __name__ == "__main__":
    main()
