"""The strong reader inside its process: a published language model with an adapter of ours.

It is asked one question a pair, and its answer is not what it says but how likely each of three first tokens is.
"""

import contextlib
import ctypes
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.ml.card import ModelCard
from lyra.ml.decoder import Decoder
from lyra.ml.judge_prompt import parse_prompt
from lyra.ml.onnx import load_tokenizer
from lyra.ml.prepared import check_fits
from lyra.model.edge import page_and_text


class DecoderReader:
    """Loads the model once; every file is proven by its hash first."""

    def __init__(self, adapter: ModelCard, model: ModelCard, threads: int) -> None:
        check_fits(model, adapter)
        self.notes: dict[str, str] = {}
        self._tokenizer = load_tokenizer(model, {})
        self._prompt = parse_prompt(adapter.prompt, self._encode)
        self._decoder = Decoder(adapter, model, threads)
        self._beginning = self._decoder.read(self._prompt.beginning_tokens(), self._decoder.nothing())
        _give_back_memory()

    def answers(self, pairs: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """One row of logits (bears, side) per (text, claim); a text is read once for all its claims, and what is told
        of a page once for all its texts that follow each other."""
        on: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, (text, _) in enumerate(pairs):
            on[page_and_text(text)].append(place)
        rows = np.zeros((len(pairs), 2), np.float32)
        last_page, page_past = "", self._beginning
        for (page, text), places in on.items():
            if page != last_page:
                told = self._prompt.page_tokens(page)
                last_page, page_past = page, self._decoder.read(told, self._beginning) if told else self._beginning
            tokens = self._prompt.text_tokens(text, is_behind_page=page_past is not self._beginning)
            past = self._decoder.read(tokens, page_past)
            for place in places:
                rows[place] = _two_answers(self._decoder.answer(self._prompt.claim_tokens(pairs[place][1]), past))
        return rows

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _two_answers(logits: NDArray[np.float32]) -> tuple[float, float]:
    """Whether the text bears on the claim, and which side it takes, as logits."""
    supports, refutes, neutral = map(float, logits)
    return float(np.logaddexp(supports, refutes)) - neutral, supports - refutes


def _give_back_memory() -> None:
    """What loading has left over, some hundred megabytes; only the GNU C library can do this."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
