"""How a search's pages are shared between its branches: the queries that found the addresses."""

from collections.abc import Sequence

from lyra.model.search import Candidate
from lyra.research.search_run import SearchParts
from lyra.search.branches import page_value
from lyra.storage import derived_queries


async def by_branch(parts: SearchParts, search_id: str, waiting: Sequence[Candidate]) -> list[Candidate]:
    """Best first: each address's own score, weighed by UCB1 on the harvest of the query that found it (SPEC §3)."""
    yields = await parts.db.read(derived_queries.branch_yields, search_id)
    return sorted(waiting, key=lambda one: (-page_value(one.score, one.derived_query, yields), one.rank, one.id))
