"""The sentences of sources that are nearest to a sentence in meaning: a page may say it in other words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from lyra.model.check import Source, TextFragment
from lyra.report.check.opposite_words import sentences_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 4
# Shorter ones are heads and labels; rows of tables say nothing by themselves.
_LEAST_CHARS = 9


class Embedder(Protocol):
    """Texts to vectors whose dot product is their similarity."""

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 per text, in order."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of a source, and where it stands."""

    source: Source
    fragment: TextFragment
    quote: str


@dataclass(frozen=True)
class Meaning:
    """Finds sentences by meaning; those of a source are embedded once for each text that is checked."""

    embedder: Embedder
    _known: "dict[str, tuple[list[Near], NDArray[np.float32]]]" = field(default_factory=dict)

    async def nearest(self, sentence: str, sources: Sequence[Source]) -> list[Near]:
        """The sentences of these sources that are nearest in meaning, nearest first."""
        vector = (await self.embedder.embed([sentence]))[0]
        scored: list[tuple[float, Near]] = []
        for source in sources:
            places, vectors = await self._of_source(source)
            scored += zip((vectors @ vector).tolist(), places, strict=True) if places else []
        return [near for _, near in sorted(scored, key=lambda one: -one[0])[:_MOST]]

    async def _of_source(self, source: Source) -> "tuple[list[Near], NDArray[np.float32]]":
        if source.page_id not in self._known:
            found = {
                quote: Near(source, fragment, quote)
                for fragment in source.fragments
                for quote in sentences_of(fragment.text)
                if len(quote) >= _LEAST_CHARS and "|" not in quote
            }
            self._known[source.page_id] = list(found.values()), await self.embedder.embed(list(found))
        return self._known[source.page_id]
