"""What an engine has crawled: documents, found by rank and operators, shown with a snippet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from urllib.parse import urlsplit

from simweb.engines.query import Query, parse
from simweb.ranking import Bm25, Weights, normalise, tokens

_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n")
_SNIPPET_CHARS = 220


@dataclass(frozen=True)
class Document:
    """One crawled page."""

    url: str
    title: str
    text: str
    date: date | None = None
    site_name: str = ""
    file_type: str = "html"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True)
class Hit:
    """One result with the passage that matches best."""

    document: Document
    snippet: str


class Index:
    """The documents of one engine, ranked by its own weights."""

    def __init__(self, documents: Iterable[Document], weights: Weights | None = None) -> None:
        self._documents = tuple(documents)
        self._weights = weights

    @cached_property
    def _texts(self) -> list[str]:
        return [normalise(f"{document.title}\n{document.text}") for document in self._documents]

    @cached_property
    def _bm25(self) -> Bm25:
        """Made at the first question, so that a world starts quickly."""
        return Bm25(((document.title, document.text) for document in self._documents), self._weights)

    def search(self, text: str) -> list[Hit]:
        """All hits, best first; a query of operators alone lists what they admit."""
        query = parse(text)
        if tokens(query.words):
            order = [number for number, _ in self._bm25.rank(query.words)]
        else:
            order = list(range(len(self._documents))) if query.is_filter else []
        admitted = [n for n in order if self._admits(query, n)]
        return [Hit(self._documents[n], snippet(self._documents[n].text, query.words)) for n in admitted]

    def _admits(self, query: Query, number: int) -> bool:
        document = self._documents[number]
        return query.admits(document.host, self._texts[number]) and query.admits_kind(
            normalise(document.title), document.file_type, document.date
        )


def snippet(text: str, words: str) -> str:
    """The sentence with the most query terms and what follows, cut to a line or two."""
    wanted = set(tokens(words))
    sentences = [part.strip() for part in _SENTENCE_END.split(text)]
    sentences = [sentence for sentence in sentences if len(sentence) > 20] or [text.strip()]
    best = max(range(len(sentences)), key=lambda n: (len(wanted & set(tokens(sentences[n]))), -n))
    passage = " ".join(sentences[best : best + 3])
    return passage if len(passage) <= _SNIPPET_CHARS else passage[: _SNIPPET_CHARS - 4].rstrip() + " ..."
