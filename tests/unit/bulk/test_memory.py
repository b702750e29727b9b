"""What models have said about a page is asked once, and a reader that fails is not replaced by the other one."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.bulk.memory import ModelMemory, RememberingEmbedder, RememberingReader
from lyra.errors import ModelError, PipelineError
from lyra.ml.cascade import Cascade

PAIRS = [("It rained.", "It was wet."), ("It rained.", "It was dry.")]


class Counting:
    """An embedder and a reader that count what they are asked."""

    model_id = "counting@1"
    dimension = 2

    def __init__(self, name: str = "small", failure: str = "") -> None:
        self.name = name
        self.asked = 0
        self._failure = failure

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += len(texts)
        return np.array([[len(text), 1] for text in texts], np.float32)

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        if self._failure:
            raise ModelError(self._failure)
        self.asked += len(pairs)
        return np.array([[len(claim), 3] for _, claim in pairs], np.float32)


async def test_a_text_is_asked_once_and_recalled_in_order() -> None:
    """Also where it stands twice in one question."""
    inner, memory = Counting(), ModelMemory()
    embedder = RememberingEmbedder(inner, memory)

    first = await embedder.embed(["a", "bb", "a"])
    second = await embedder.embed(["bb"])

    assert (first.tolist(), second.tolist()) == ([[1, 1], [2, 1], [1, 1]], [[2, 1]])
    assert (inner.asked, dict(memory.asked), dict(memory.recalled)) == (2, {"embed": 2}, {"embed": 2})


async def test_what_was_said_of_one_page_is_forgotten_for_the_next() -> None:
    """A row holds what its own page made the models say."""
    inner, memory = Counting(), ModelMemory()
    reader = RememberingReader(inner, memory)
    await reader.answers(PAIRS)

    memory.forget()
    await reader.answers(PAIRS[:1])

    assert (inner.asked, len(memory.answers)) == (3, 1)


async def test_a_reader_that_fails_ends_the_page() -> None:
    """The other one alone would give other stances than on a machine where both answer."""
    memory = ModelMemory()
    small, large = Counting("small"), Counting("large", failure="The model took too long.")
    cascade = Cascade(RememberingReader(small, memory), RememberingReader(large, memory), {"en": 0.0})

    with pytest.raises(PipelineError) as failed:
        await cascade.read(PAIRS)

    assert (type(failed.value), failed.value.message) == (PipelineError, "The model took too long.")
