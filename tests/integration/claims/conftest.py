"""The simulated web's topics, and the bundled models in this process."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.ml.card import load_card, model_directory
from lyra.ml.onnx import OnnxEmbedder
from simweb.apis import pubmed
from simweb.model import Page
from simweb.truth import Truth, load_truth
from simweb.world import WORLD, load_topic


@dataclass(frozen=True)
class World:
    """The pages of one topic and what was planted in them."""

    name: str
    pages: dict[str, Page]
    truth: Truth

    def paragraphs(self, url: str) -> list[str]:
        return [part for part in self.pages[url].text.split("\n") if part.strip()]


def _world(name: str) -> World:
    topic = load_topic(WORLD / name)
    pages = {page.url: page for page in (*topic.pages, *pubmed.pages(topic.papers))}
    return World(name, pages, load_truth(WORLD / name))


@pytest.fixture(scope="session", params=["dpp4", "alp2", "kosodate"])
def world(request: pytest.FixtureRequest) -> World:
    return _world(request.param)


class InProcess:
    """The bundled embedder without its own process: quality is measured here, isolation elsewhere."""

    def __init__(self, model: OnnxEmbedder) -> None:
        self._model = model
        self._known: dict[str, NDArray[np.float32]] = {}
        self.model_id = model.card.model_id
        self.dimension = model.card.dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            vectors = await asyncio.to_thread(self._model.embed, unknown)
            self._known.update(zip(unknown, vectors, strict=True))
        return np.stack([self._known[text] for text in texts])


@pytest.fixture(scope="session")
def embedder() -> InProcess:
    return InProcess(OnnxEmbedder(load_card(model_directory("embedder")), threads=2))
