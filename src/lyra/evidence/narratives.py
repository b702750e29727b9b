"""Narrative clusters: texts that tell one story in nearly one wording (SPEC §13)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.evidence.independence import UnionFind
from lyra.text import is_japanese, shingles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIMILAR_FROM = 0.9
# Two people who write of one study share its name and a phrase; who shares a fifth of all 5-grams has copied.
SHARED_FROM = 0.2
# "Read more" stands on every site: what tells nothing joins nobody. Character n-grams are shorter than word n-grams.
_LEAST_GRAMS = 8
_LEAST_GRAMS_JA = 25


@dataclass(frozen=True, slots=True)
class Telling:
    """One text of a page, with its vector of length 1."""

    id: str
    page_id: str
    text: str
    vector: "NDArray[np.float32]"


def narrative_clusters(
    tellings: Sequence[Telling], *, similar_from: float = SIMILAR_FROM, shared_from: float = SHARED_FROM
) -> list[frozenset[str]]:
    """Groups of pages joined by texts with shared n-grams and similar vectors; a page alone makes no group."""
    groups = UnionFind()
    for first, second in _sharing(tellings, shared_from):
        is_apart = groups.find(first.page_id) != groups.find(second.page_id)
        if is_apart and float(first.vector @ second.vector) >= similar_from:
            groups.join((first.page_id, second.page_id))
    members: dict[str, set[str]] = {}
    for telling in tellings:
        members.setdefault(groups.find(telling.page_id), set()).add(telling.page_id)
    return sorted((frozenset(pages) for pages in members.values() if len(pages) > 1), key=min)


def _sharing(tellings: Sequence[Telling], floor: float) -> Iterator[tuple[Telling, Telling]]:
    """Pairs of which the shorter shares enough of its n-grams, found over posting lists instead of all × all."""
    postings: dict[str, list[int]] = {}
    sizes: list[int] = []
    for at, telling in enumerate(tellings):
        grams = _grams(telling.text)
        shared = Counter(other for gram in grams for other in postings.get(gram, ()))
        for other, count in shared.items():
            if count >= floor * min(len(grams), sizes[other]):
                yield tellings[other], telling
        sizes.append(len(grams))
        for gram in grams:
            postings.setdefault(gram, []).append(at)


def _grams(text: str) -> frozenset[str]:
    """The n-grams of a text that is long enough to tell something."""
    found = shingles(text)
    return found if len(found) >= (_LEAST_GRAMS_JA if is_japanese(text) else _LEAST_GRAMS) else frozenset()
