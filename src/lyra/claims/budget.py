"""Which of a page's candidate pairs are judged when there are more than a page may cost."""

from collections.abc import Collection, Iterable

from lyra.claims.pairs import Pair


def within_budget(
    pairs: Iterable[Pair], *, always: Collection[str], origins: Collection[tuple[str, str]], limit: int
) -> list[Pair]:
    """Each pair once: all with a claim in `always`, and of the others at most `limit`, those that state the claim
    (`origins`, as fragment and claim) before those that are merely alike, the most alike first.

    Judging is nearly all that a page costs, and in a task with hundreds of claims every page is a little like all of
    them: without a limit the two hundredth page would cost many times what the second did.
    """
    once = {(pair.fragment_id, pair.claim_id): pair for pair in pairs}
    wanted = [pair for pair in once.values() if pair.claim_id in always]
    others = [pair for pair in once.values() if pair.claim_id not in always]
    return wanted + sorted(others, key=lambda pair: _rank(pair, origins))[:limit]


def _rank(pair: Pair, origins: Collection[tuple[str, str]]) -> tuple[bool, float, str, str]:
    """Equals go by name, so that a search that was interrupted chooses as one that was not."""
    ids = (pair.fragment_id, pair.claim_id)
    return ids not in origins, -round(pair.similarity + pair.overlap, 4), *ids
