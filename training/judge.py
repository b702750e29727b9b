"""Runs a packaged reader over pairs: the whole text in one reading, one pair a run, as the product does."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from encoding import encode
from rows import Row

SEPARATOR = 102


class Judge:
    """A reader's folder; two threads, each with one pair at a time."""

    def __init__(self, folder: Path) -> None:
        self.card = json.loads((folder / "card.json").read_text("utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        model = (folder / "model.onnx").read_bytes()
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}

    def answers(self, rows: list[Row]) -> np.ndarray:
        with ThreadPoolExecutor(2) as pool:
            return np.concatenate(list(pool.map(self._run, encode(self._tokenizer, rows, self.card["max_tokens"]))))

    def _run(self, ids: list[int]) -> np.ndarray:
        array = np.array([ids], np.int64)
        ends = array == SEPARATOR
        feed = {
            "input_ids": array,
            "attention_mask": np.ones_like(array),
            "token_type_ids": np.minimum(np.cumsum(ends, 1) - ends, 1).astype(np.int64),
        }
        return self._session.run(["answers"], {name: feed[name] for name in self._inputs})[0]
