"""Makes of a published language model, a GGUF file, what the strong reader runs: four bits a weight, laid out for it.

One tensor after the other is read and written, so that never the whole model is in memory as floats.
"""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from lyra.disk import open_private, put_whole, write_all, writing
from lyra.errors import ModelError
from lyra.ml.card import DECODER_FILE, PREPARED_FILES, TOKENIZER_FILE, WEIGHTS_FILE
from lyra.ml.decoder_graph import DecoderShape, weights_of
from lyra.ml.four_bit import BLOCK, quantise
from lyra.ml.prepared import EMBEDDINGS, Place, decoder_text
from lyra.ml.strong import INSTALL
from lyra.model_store.hashing import hash_file

if TYPE_CHECKING:
    import gguf
    import numpy as np
    from numpy.typing import NDArray

_ARCHITECTURE = "qwen2"
_ROWS_AT_ONCE = 256
_ALIGNED = 64  # where an array begins
# As published for Qwen2: words with their leading space, single digits, runs of signs.
_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_FOUR_BIT = {"values": "|u1", "scales": "<f4", "zeros": "|u1"}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The files that were written, by their hashes, and how many layers they have."""

    files: dict[str, str]
    layers: int
    context: int


def prepare(source: Path, folder: Path, progress: Progress, layers: int = 0) -> Prepared:
    """Write the files of a prepared model into a folder: the first `layers` layers, all by default."""
    try:
        reader = _open(source)
        published = _shape(reader)
        shape = replace(published, layers=min(layers or published.layers, published.layers))
        with writing(folder):
            put_whole(folder / TOKENIZER_FILE, _tokenizer(reader).to_str())
            _write_weights(reader, shape, folder, progress)
        context = int(_number(reader, "context_length"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, MemoryError) as exc:
        raise _unfit(source, f"it is damaged, or of another make ({type(exc).__name__})") from exc
    return Prepared({name: hash_file(folder / name) for name in PREPARED_FILES}, shape.layers, context)


def _open(source: Path) -> "gguf.GGUFReader":
    try:
        import gguf
    except ImportError as exc:
        raise ModelError("The package gguf, which reads language models, is not installed.", remedy=INSTALL) from exc
    reader = gguf.GGUFReader(source)
    if (found := reader.fields["general.architecture"].contents()) != _ARCHITECTURE:
        raise _unfit(source, f"its architecture is {str(found)[:40]!r}, not {_ARCHITECTURE!r}")
    return reader


def _shape(reader: "gguf.GGUFReader") -> DecoderShape:
    shape = DecoderShape(
        width=int(_number(reader, "embedding_length")),
        inner=int(_number(reader, "feed_forward_length")),
        layers=int(_number(reader, "block_count")),
        heads=int(_number(reader, "attention.head_count")),
        key_heads=int(_number(reader, "attention.head_count_kv")),
        theta=float(_number(reader, "rope.freq_base")),
        epsilon=float(_number(reader, "attention.layer_norm_rms_epsilon")),
    )
    if shape.width % BLOCK or shape.inner % BLOCK or shape.width % shape.heads or shape.heads % shape.key_heads:
        raise ValueError("sizes that cannot be cut into blocks and heads")
    return shape


def _number(reader: "gguf.GGUFReader", name: str) -> Any:
    return reader.fields[f"{_ARCHITECTURE}.{name}"].contents()


def _tokenizer(reader: "gguf.GGUFReader") -> Any:
    """The published tokenizer, whole."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(one.split(" ")) for one in reader.fields["tokenizer.ggml.merges"].contents()]
    try:
        tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(tokens)}, merges))
    except Exception as exc:  # the tokenizers library raises `Exception` itself
        raise ValueError("its tokens do not fit each other") from exc
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([one for one in _CONTROL if one in tokens])
    return tokenizer


def _write_weights(reader: "gguf.GGUFReader", shape: DecoderShape, folder: Path, progress: Progress) -> None:
    tensors = {one.name: one for one in reader.tensors}
    embeddings = tensors[f"{EMBEDDINGS}.weight"]
    with open_private(folder / WEIGHTS_FILE, "wb") as file:
        arrays = _Arrays(file, _kinds_and_forms(shape, len(embeddings.data)))
        for name in arrays.tensors:
            tensor = tensors.get(name) or tensors[f"{name}.weight"]
            for floats in _floats(tensor):
                arrays.add(name, floats)
            progress(WEIGHTS_FILE, arrays.written, arrays.total)
        arrays.check()
        os.fsync(file.fileno())
    put_whole(folder / DECODER_FILE, decoder_text(shape, arrays.places))


def _kinds_and_forms(shape: DecoderShape, tokens: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Of every array; those of the embeddings are not given to the graph, and keep their rows apart."""
    blocks = shape.width // BLOCK
    found = {name: (_FOUR_BIT.get(name.rpartition(".")[2], "<f4"), form) for name, form in weights_of(shape).items()}
    return found | {
        f"{EMBEDDINGS}.values": ("|u1", (tokens, blocks, BLOCK // 2)),
        f"{EMBEDDINGS}.scales": ("<f2", (tokens, blocks)),
        f"{EMBEDDINGS}.zeros": ("|u1", (tokens, (blocks + 1) // 2)),
    }


class _Arrays:
    """The file of weights: every array has its place in it from the start, and is filled bit by bit."""

    def __init__(self, file: BinaryIO, forms: Mapping[str, tuple[str, tuple[int, ...]]]) -> None:
        self._file = file
        self.places: dict[str, Place] = {}
        start = 0
        for name, (kind, form) in forms.items():
            self.places[name] = Place(kind, form, start)
            start += -(-_size(self.places[name]) // _ALIGNED) * _ALIGNED
        self.total = sum(map(_size, self.places.values()))
        self._filled = dict.fromkeys(forms, 0)

    @property
    def tensors(self) -> list[str]:
        """What they are made of: a matrix becomes three of them."""
        return list(dict.fromkeys(re.sub(rf"\.({'|'.join(_FOUR_BIT)})$", "", name) for name in self.places))

    @property
    def written(self) -> int:
        return sum(self._filled.values())

    def add(self, tensor: str, rows: "NDArray[np.float32]") -> None:
        """The next rows of a tensor."""
        if tensor in self.places:
            self._write(tensor, rows)
            return
        found = quantise(rows)
        for part in _FOUR_BIT:
            self._write(f"{tensor}.{part}", getattr(found, part))

    def check(self) -> None:
        """Whether every array is as long as it has to be."""
        if wrong := [name for name, place in self.places.items() if self._filled[name] != _size(place)]:
            raise ValueError(f"{wrong[0]} has another form")

    def _write(self, name: str, array: "NDArray[Any]") -> None:
        place, content = self.places[name], array.astype(self.places[name].kind).tobytes()
        self._file.seek(place.start + self._filled[name])
        self._filled[name] += len(content)
        if self._filled[name] > _size(place):
            raise ValueError(f"{name} has another form")
        write_all(self._file, content)


def _size(place: Place) -> int:
    return math.prod(place.form) * int(place.kind[-1])


def _floats(tensor: "gguf.ReaderTensor") -> "Iterator[NDArray[np.float32]]":
    """The tensor's rows as floats, some at a time."""
    import gguf

    for first in range(0, len(tensor.data), _ROWS_AT_ONCE):
        rows = tensor.data[first : first + _ROWS_AT_ONCE]
        yield gguf.quants.dequantize(rows, tensor.tensor_type).astype("float32")


def _unfit(source: Path, why: str) -> ModelError:
    return ModelError(
        f"{source.name} cannot be prepared: {why}.",
        remedy="Use the language model that `lyra models pull judge` gets, or one of the same make.",
    )
