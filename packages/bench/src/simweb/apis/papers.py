"""The papers of all topics as one collection: found by any identifier, walked along citations both ways."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator

from simweb.model import Paper
from simweb.ranking import Bm25


class Papers:
    """The papers that one index holds; `index` is its name in `indexed_in`.

    With `merges_versions` a preprint is one record with the work it became, as in Semantic Scholar.
    """

    def __init__(self, papers: Iterable[Paper], index: str, *, merges_versions: bool = False) -> None:
        everything = list(papers)
        self._papers = {paper.id: paper for paper in everything if index in paper.indexed_in}
        self._versions = {paper.version_of: paper for paper in everything if merges_versions and paper.version_of}
        self._bm25 = Bm25((paper.title, paper.abstract) for paper in self._papers.values())

    def __iter__(self) -> Iterator[Paper]:
        return iter(self._papers.values())

    def get(self, paper_id: str) -> Paper | None:
        return self._papers.get(paper_id)

    def preprint_of(self, paper: Paper) -> Paper | None:
        """The preprint that is merged into this record."""
        return self._versions.get(paper.id)

    def find(self, matches: Callable[[Paper], bool]) -> Paper | None:
        """The record whose paper, or whose merged preprint, matches."""
        for paper in self._papers.values():
            preprint = self._versions.get(paper.id)
            if matches(paper) or (preprint is not None and matches(preprint)):
                return paper
        return None

    def search(self, query: str) -> list[Paper]:
        listed = list(self._papers.values())
        return [listed[number] for number, _ in self._bm25.rank(query)]

    def references(self, paper: Paper) -> list[Paper]:
        return [self._papers[item] for item in paper.references if item in self._papers]

    def citations(self, paper: Paper) -> list[Paper]:
        """The papers that cite this one, newest first."""
        citing = (other for other in self._papers.values() if paper.id in other.references)
        return sorted(citing, key=lambda other: (other.date, other.id), reverse=True)

    def citation_count(self, paper: Paper) -> int:
        return paper.cited_elsewhere + len(self.citations(paper))

    def influential_count(self, paper: Paper) -> int:
        return sum(paper.id in other.influential for other in self._papers.values())


def number_of(text: str, digits: int) -> int:
    """A number that stays the same for the same text."""
    number = int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16)
    return number % int(10**digits)
