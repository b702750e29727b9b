"""The claims that were found, in the order in which they answer a query."""

from collections.abc import Sequence
from typing import TypeVar

from lyra.model.claim import AssessedClaim
from lyra.model.report import ReportClaim
from lyra.rank.ranker import Bm25
from lyra.text import tokens

_Found = TypeVar("_Found", AssessedClaim, ReportClaim)


def by_relevance(query: str, found: Sequence[_Found]) -> tuple[_Found, ...]:
    """Found claims, those with the words of the query first; equal ones stay as they came, the best supported first.

    Hypotheses are left out: they are answered by themselves.
    """
    own = [one for one in found if not one.claim.is_hypothesis]
    if not own:
        return ()
    scores = Bm25([tokens(one.claim.claim_text) for one in own]).scores(tokens(query))
    order = sorted(range(len(own)), key=lambda place: -scores[place])
    return tuple(own[place] for place in order)
