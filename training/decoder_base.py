"""The first layers of a Qwen GGUF file in the four bits in which the product multiplies them, and back as floats.

python decoder_base.py MODEL.gguf FOLDER ROWS.jsonl.gz [...] [--layers 28]
An adapter is trained over exactly the numbers that it will serve beside, so they are quantised by the product's own
module. Written are the layers (`layers.safetensors`), the input rows that the texts need (`rows.safetensors`,
`kept_rows.npy`), the output rows of the three answers with the final norm in them (`answers.npy`) and tokenizer.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from decoder import INPUT_TABLE, OUTPUT_TABLE, Decoder, Shape, is_beyond, shape_of
from decoder_tokenizer import build, read_whole
from rows import read_rows

sys.path.append(str(Path(__file__).parents[1] / "src"))
from lyra.ml.four_bit import FourBit, quantise

ANSWER_WORDS = ("supports", "refutes", "neutral")
AT_ONCE = 20_000
NORM = "output_norm.weight"
PARTS = ("values", "scales", "zeros")


def floats(tensor: gguf.ReaderTensor) -> np.ndarray:
    return gguf.quants.dequantize(np.ascontiguousarray(tensor.data), tensor.tensor_type).astype(np.float32)


def parts_of(name: str, weights: FourBit) -> dict[str, np.ndarray]:
    return {f"{name}:{part}": getattr(weights, part) for part in PARTS}


def kept_tokens(tokenizer: object, size: int, texts: list[str]) -> np.ndarray:
    """Places of the tokens that occur in the texts."""
    used = np.zeros(size, bool)
    for start in range(0, len(texts), AT_ONCE):
        for each in tokenizer.encode_batch(texts[start : start + AT_ONCE], add_special_tokens=False):
            used[each.ids] = True
    return np.flatnonzero(used)


def write(source: Path, out: Path, texts: list[str], layers: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    tokens, merges = read_whole(source)
    tokenizer = build({token: place for place, token in enumerate(tokens)}, merges)
    tokenizer.save(str(out / "tokenizer.json"))
    kept = kept_tokens(tokenizer, len(tokens), texts)
    np.save(out / "kept_rows.npy", kept)
    reader = gguf.GGUFReader(source)
    shape = shape_of(reader, layers)
    tensors = {each.name: each for each in reader.tensors}
    save_file(parts_of(INPUT_TABLE, quantise(floats(tensors[INPUT_TABLE])[kept])), out / "rows.safetensors")
    found: dict[str, np.ndarray] = {}
    for name, tensor in tensors.items():
        if not name.startswith("blk.") or int(name.split(".")[1]) >= shape.layers:
            continue
        values = floats(tensor)
        found |= parts_of(name, quantise(values)) if values.ndim == 2 else {name: values}
    save_file(found, out / "layers.safetensors", metadata={"shape": json.dumps(asdict(shape))})
    words = [each.ids[0] for each in tokenizer.encode_batch(list(ANSWER_WORDS), add_special_tokens=False)]
    table = tensors[OUTPUT_TABLE]
    chosen = gguf.quants.dequantize(np.ascontiguousarray(table.data[words]), table.tensor_type).astype(np.float32)
    np.save(out / "answers.npy", chosen * floats(tensors[NORM]))
    print(len(kept), "rows of", len(tokens), "and", shape.layers, "layers")


def load(folder: Path, layers: int = 0) -> tuple[Decoder, np.ndarray]:
    """The first layers (or all) with the kept rows, as floats, and the answers' rows; the final norm is ones."""
    arrays: dict[str, np.ndarray] = {}
    shape = None
    for name in ("rows", "layers"):
        with safe_open(folder / f"{name}.safetensors", "np") as file:
            shape = (file.metadata() or {}).get("shape", shape)
            names = list(file.keys())
            wanted = [key for key in names if not (layers and is_beyond(key.partition(":")[0], layers))]
            arrays |= {key: file.get_tensor(key) for key in wanted}
    quantised = [key.removesuffix(":values") for key in arrays if key.endswith(":values")]
    whole = {name: FourBit(*(arrays[f"{name}:{part}"] for part in PARTS)) for name in quantised}
    values = {key: each for key, each in arrays.items() if ":" not in key} | {
        name: each.floats() for name, each in whole.items()
    }
    stored = Shape(**json.loads(shape))
    model = Decoder(replace(stored, layers=layers or stored.layers), len(values[INPUT_TABLE]))
    model.load_state_dict(
        {
            name: torch.from_numpy(values[name if name in values else f"{name}.weight"])
            for name in model.state_dict()
            if name != "output_norm"
        },
        strict=False,
    )
    return model, np.load(folder / "answers.npy")


def main() -> None:
    from train_adapter import claim_of, text_of

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--layers", type=int, default=0)
    options = parser.parse_args()
    texts = set(ANSWER_WORDS)
    for path in options.rows:
        texts |= {part for row in read_rows(path) for part in (text_of(row), claim_of(row))}
    write(options.source, options.out, sorted(texts), options.layers)


if __name__ == "__main__":
    main()
