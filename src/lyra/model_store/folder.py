"""What a folder in Hugging Face's layout says of its model, as the fields of a card. Reads JSON, runs nothing.

Known are the exports of sentence encoders (bge-m3, multilingual-e5, gte, mpnet and their like) and of NLI models
(mDeBERTa, DeBERTa-v3): `config.json`, `tokenizer.json`, the graph beside them or in `onnx/`, and for a sentence encoder
`1_Pooling/config.json`. A card that Lyra's own models have is taken as it is.
"""

import json
from pathlib import Path
from typing import Any

from lyra.errors import ModelError
from lyra.ml.card import NLI_LABELS, TOKENIZER_FILE, ModelKind, nli_label
from lyra.model_store.catalogue import PinnedModel

GRAPHS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx", "model_quantized.onnx")
_CONFIG, _POOLING = "config.json", "1_Pooling/config.json"
# Longer texts are cut; fragments have at most 1,200 characters, and time grows with the square of the length.
_MOST_TOKENS = 512
# XLM-RoBERTa and MPNet count positions from 2 on.
_OFFSET_FAMILIES = frozenset({"xlm-roberta", "roberta", "mpnet", "camembert"})


def card_of(folder: Path, entry: PinnedModel) -> dict[str, Any]:
    """The card's fields without hashes; `ModelError` says what the folder lacks."""
    kind: ModelKind = "embedder" if entry.purpose == "embedder" else "reader"
    config = _json(folder, _CONFIG)
    names = {one.name for one in entry.files}
    graph = next((name for name in GRAPHS if name in names), None)
    if graph is None:
        raise _wrong_layout(folder, f"there is no graph ({', '.join(GRAPHS[:2])})")
    if TOKENIZER_FILE not in names:
        raise _wrong_layout(folder, f"there is no {TOKENIZER_FILE}; a tokenizer in another form is not known")
    _check_tokenizer(folder)
    values: dict[str, Any] = {
        "name": entry.name,
        "version": entry.revision[:12],
        "kind": kind,
        "licence": entry.licence,
        "origin": {"repository": entry.repository, "revision": entry.revision},
        "is_pulled": True,
        "graph": graph,
        "max_tokens": entry.max_tokens or _max_tokens(config),
        "files": {one.name: one.sha256 for one in entry.files},
    }
    return values | (_embedder(folder, entry, config) if kind == "embedder" else _reader(folder, config))


def _embedder(folder: Path, entry: PinnedModel, config: dict[str, Any]) -> dict[str, Any]:
    dimension = config.get("hidden_size", config.get("dim"))
    if not isinstance(dimension, int) or isinstance(dimension, bool) or dimension < 1:
        raise _wrong_layout(folder, f"{_CONFIG} has no hidden_size")
    values = {"dimension": dimension, "pooling": entry.pooling or _pooling(folder)}
    return values | ({"prefix": entry.prefix} if entry.prefix else {})


def _pooling(folder: Path) -> str:
    """As the folder says; the mean of all tokens where it says nothing, as most makers train."""
    if not (folder / _POOLING).exists():
        return "mean"
    values = _json(folder, _POOLING)
    if values.get("pooling_mode_cls_token"):
        return "cls"
    if values.get("pooling_mode_mean_tokens"):
        return "mean"
    raise _wrong_layout(folder, f"{_POOLING} pools neither by mean nor by the first token")


def _reader(folder: Path, config: dict[str, Any]) -> dict[str, Any]:
    labels = config.get("id2label")
    if not isinstance(labels, dict):
        raise _wrong_layout(folder, f"{_CONFIG} does not name the labels of an NLI model (id2label)")
    ordered = [nli_label(str(labels.get(str(number), ""))) for number in range(len(labels))]
    if sorted(ordered) != sorted(NLI_LABELS):
        shown = ", ".join(map(str, labels.values()))[:80]
        raise _wrong_layout(folder, f"its labels are {shown}, not {', '.join(NLI_LABELS)}")
    return {"labels": ordered, "thresholds": {"supports": 0.6, "refutes": 0.6}}


def _max_tokens(config: dict[str, Any]) -> int:
    most = config.get("max_position_embeddings")
    if not isinstance(most, int) or isinstance(most, bool) or most < 16:
        return _MOST_TOKENS
    return min(_MOST_TOKENS, most - (2 if config.get("model_type") in _OFFSET_FAMILIES else 0))


def _check_tokenizer(folder: Path) -> None:
    """The process that is closed in reads it whole; here only that it is a tokenizer's file at all."""
    if not isinstance(_json(folder, TOKENIZER_FILE).get("model"), dict):
        raise _wrong_layout(folder, f"{TOKENIZER_FILE} is not a tokenizer")


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        values = json.loads((folder / name).read_bytes())
    except OSError as exc:
        raise _wrong_layout(folder, f"{name} cannot be read ({exc.strerror})") from exc
    except (ValueError, RecursionError) as exc:
        raise _wrong_layout(folder, f"{name} is not valid JSON") from exc
    if not isinstance(values, dict):
        raise _wrong_layout(folder, f"{name} is not a JSON object")
    return values


def _wrong_layout(folder: Path, why: str) -> ModelError:
    return ModelError(
        f"The model in {folder.name} has another layout: {why}.",
        remedy="Use an ONNX export of a sentence encoder or of an NLI model, with config.json and tokenizer.json.",
    )
