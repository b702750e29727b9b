"""The strong reader inside its process: a published language model with an adapter of ours, run by llama.cpp.

It is asked one question a pair, and its answer is not what it says but how likely each of three first tokens is.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.card import ADAPTER_FILE, ModelCard, verified_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUNTIME = "xllamacpp"
INSTALL = "Install it with `pip install 'lyra-mcp[strong]'`."
# A prompt has at most 1,600 characters of text and twice 400 of the claim; Japanese takes about a token for each.
_MAX_TEXT_CHARS = 1600
_MAX_CLAIM_CHARS = 400
_CONTEXT_TOKENS = 4096
_BATCH_TOKENS = 512
# Of the likeliest tokens so many are asked for; trained answers are among the first three.
_TOP = 40
_MARK = "<|"  # begins the model's own control tokens
_PLACE = re.compile(r"\{(claim|text)\}")


class GgufReader:
    """Loads the model once; both files are proven by their hashes first."""

    def __init__(self, card: ModelCard, base: Path, threads: int) -> None:
        self._card = card
        self.notes: dict[str, str] = {}
        _check_base(card, base)
        with verified_file(card, ADAPTER_FILE):
            self._server = _load(base, card.directory / ADAPTER_FILE, threads)

    def answers(self, pairs: Sequence[Sequence[str]]) -> "NDArray[np.float32]":
        """One row of logits (bears, side) per (text, claim)."""
        import numpy as np

        rows = [_two_answers(self._logprobs(text, claim)) for text, claim in pairs]
        return np.array(rows, np.float32).reshape(len(pairs), 2)

    def _logprobs(self, text: str, claim: str) -> list[float]:
        """The logarithms of the chances of supports, refutes and neutral, as first tokens of the answer."""
        prompt = prompt_for(self._card.prompt, text, claim)
        asked = {"prompt": prompt, "max_tokens": 1, "n_predict": 1, "n_probs": _TOP, "temperature": 0}
        try:
            answer = self._server.handle_completions(asked)
            found = answer if isinstance(answer, dict) else json.loads(answer)
            top = found["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            likely = {str(one["token"]): float(one["logprob"]) for one in top}
        except (RuntimeError, ValueError, KeyError, IndexError, TypeError) as exc:
            raise ModelError("The strong reader gave no answer that can be read.", remedy=INSTALL) from exc
        least = min(likely.values())
        return [likely.get(token, least) for token in self._card.answer_tokens]


def prompt_for(template: str, text: str, claim: str) -> str:
    """What the model is asked; foreign text holds none of its control tokens, and is cut."""
    said = {"claim": _plain(claim, _MAX_CLAIM_CHARS), "text": _plain(text, _MAX_TEXT_CHARS)}
    return _PLACE.sub(lambda found: said[found[1]], template)


def _plain(text: str, longest: int) -> str:
    return text.strip().replace(_MARK, "<")[:longest].strip()


def _two_answers(logprobs: Sequence[float]) -> tuple[float, float]:
    """Whether the text bears on the claim, and which side it takes, as logits."""
    import numpy as np

    supports, refutes, neutral = logprobs
    return float(np.logaddexp(supports, refutes)) - neutral, supports - refutes


def _check_base(card: ModelCard, base: Path) -> None:
    """The language model is the one that the adapter was made for."""
    files = {base.name: card.base}
    with verified_file(replace(card, directory=base.parent, files=files, is_pulled=True), base.name):
        pass


def _load(base: Path, adapter: Path, threads: int) -> Any:
    try:
        import xllamacpp
    except ImportError as exc:
        raise ModelError(f"The runtime of the strong reader, {RUNTIME}, is not installed.", remedy=INSTALL) from exc
    params = xllamacpp.CommonParams()
    params.n_ctx, params.n_batch, params.n_ubatch, params.n_parallel = _CONTEXT_TOKENS, _BATCH_TOKENS, _BATCH_TOKENS, 1
    params.warmup, params.verbosity = False, 0
    params.model.path = str(base)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    try:
        with _quiet():
            return xllamacpp.Server(params)
    except RuntimeError as exc:
        raise ModelError(
            "The strong reader cannot be started: llama.cpp refuses the model, or has too little memory.",
            remedy="Run `lyra models verify judge`; the model needs 2.5 GB of memory.",
        ) from exc


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """llama.cpp writes about every tensor on stderr, which is a file of limited size here."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
