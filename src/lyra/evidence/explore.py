"""Exploration of the graph: guarded SQL and search by meaning."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from lyra.errors import InvalidParams
from lyra.ml.protocols import Embedder
from lyra.model.graph_query import SimilarAnswer
from lyra.model.person import OWNER, Person
from lyra.storage import embeddings
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database
from lyra.text import normalise

if TYPE_CHECKING:
    from lyra.model.graph_query import GuardedResult
    from lyra.storage.vectors import Vectors

_TARGETS = {"claims": "claim", "fragments": "fragment"}
_LONGEST_QUERY = 4000
# Half a second of work; what is left over comes with the next question.
_EMBEDDED_AT_ONCE = 100


class Explorer:
    """What a person may ask of the graph; `check_task` raises where a task id is unknown to them."""

    def __init__(
        self,
        db: Database,
        embedder: Embedder,
        vectors: "Vectors",
        queries: GraphQueries,
        check_task: Callable[[str], Awaitable[object]],
        person: Person = OWNER,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._vectors = vectors
        self._queries = queries
        self._check_task = check_task
        self._person = person

    def seen_by(self, person: Person, check_task: Callable[[str], Awaitable[object]]) -> "Explorer":
        """The same graph as this person sees it."""
        return Explorer(self._db, self._embedder, self._vectors, self._queries, check_task, person)

    async def close(self) -> None:
        """Close the connections of guarded SQL, for every person who uses this graph."""
        await self._queries.close()

    async def query(
        self, sql: str, *, limit: int, timeout_ms: int, max_vm_steps: int, include_schema: bool
    ) -> "GuardedResult":
        """One read-only statement within its limits; INVALID_PARAMS where refused, TIMEOUT where stopped."""
        return await self._queries.run(
            sql,
            limit=limit,
            timeout_ms=timeout_ms,
            max_vm_steps=max_vm_steps,
            include_schema=include_schema,
            person=self._person,
        )

    async def similar(
        self, query: str, *, target: str, task_id: str | None, top_k: int, min_similarity: float
    ) -> SimilarAnswer:
        """Claims or fragments nearest in meaning, over all tasks or within one."""
        if target not in _TARGETS:
            raise InvalidParams(f"There is no target {target[:40]!r}.", remedy="Use claims or fragments.")
        if len(query) > _LONGEST_QUERY:
            raise InvalidParams(
                f"query has {len(query)} characters; at most {_LONGEST_QUERY} are taken.", remedy="Shorten it."
            )
        text = normalise(query).strip()
        if not text:
            raise InvalidParams("query is empty.", remedy="Give query some words.")
        if task_id is not None:
            await self._check_task(task_id)
        if target == "claims":
            await self._embed_claims(task_id)
        vector = (await self._embedder.embed([text]))[0]
        return await self._vectors.search(
            vector,
            _TARGETS[target],
            self._embedder.model_id,
            task_id=task_id,
            top_k=top_k,
            min_similarity=min_similarity,
            person=self._person,
        )

    async def _embed_claims(self, task_id: str | None) -> None:
        """Give vectors to claims that have none yet: hypotheses before the first search, or claims of another model."""
        model_id = self._embedder.model_id
        bare = await self._db.read(embeddings.claims_without, model_id, task_id, _EMBEDDED_AT_ONCE)
        if bare:
            vectors = await self._embedder.embed([text for _, text in bare])
            rows = [(claim_id, vector) for (claim_id, _), vector in zip(bare, vectors, strict=True)]
            await self._db.write(embeddings.put_many, "claim", rows, model_id)
