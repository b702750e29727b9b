"""Vector search: one matrix in memory per kind and model, kept up to date row by row, multiplied off the event loop."""

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, cast

from apsw import Connection

from lyra.errors import InvalidParams
from lyra.model.graph_query import SimilarAnswer, SimilarHit
from lyra.model.person import OWNER, Person
from lyra.storage import embeddings, journal
from lyra.storage.columns import ids_json
from lyra.storage.database import Database
from lyra.storage.people import visible_tasks
from lyra.text import preview

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = Sequence[float] | NDArray[np.float32]

PREVIEW_CHARS = 200
_BATCH = 4096
# How long the rows that a person sees are kept: while the journal tells of nothing new in their tasks, and otherwise.
_UNCHANGED_SCOPE_S = 600.0
_SCOPE_S = 5.0
_MAX_SCOPES = 100
_AT_ONCE = 16
# One product for several questions pays from here on: it reads the rows once, but a little less quickly.
_TOGETHER = 3
# A claim belongs to one task for good, so its task is read with its vector; fragments come to speak of ever more tasks.
_LOAD = {
    "claim": """
        select e.seq, e.target_id, e.embedding_blob, c.task_id
        from embeddings e
        left join claims c on c.id = e.target_id
        where e.target_type = 'claim' and e.model_id = ? and e.seq > ?
        order by e.seq
    """,
    "fragment": """
        select seq, target_id, embedding_blob, null
        from embeddings
        where target_type = 'fragment' and model_id = ? and seq > ?
        order by seq
    """,
}
KINDS = tuple(_LOAD)
# Everything that the task has read, whether or not it was judged: what was not is what a client may look for. Edges
# from others than fragments do no harm, and asking for their kind would keep SQLite from the index by task.
_TASKS = "select value from json_each(:task_ids)"
_FRAGMENTS_OF_TASKS = (
    f"""
    select f.id
    from queries q
    join serp_items s on s.query_id = q.id and s.state in ('fetched', 'reused', 'abstract')
    join fragments f on f.page_id = s.page_id
    where q.task_id in ({_TASKS})
    """,
    f"select source_id from edges where task_id in ({_TASKS})",
    f"select m.fragment_id from claims c join claim_mentions m on m.claim_id = c.id where c.task_id in ({_TASKS})",
)
# In one row: between two rows a thread waits for its turn to run Python, a hundred thousand times for as many rows.
_FRAGMENTS_IN_ONE_ROW = f"select group_concat(id, ' ') from ({' union all '.join(_FRAGMENTS_OF_TASKS)})"
_CLAIMS_OF_TASKS = f"select id from claims where task_id in ({_TASKS})"
_NOT_YET = """
    select count(distinct e.target_id)
    from embeddings e
    where e.target_type = :target_type and e.model_id <> :model_id and not exists (
        select 1
        from embeddings n
        where n.target_type = e.target_type and n.target_id = e.target_id and n.model_id = :model_id
    )
"""
_NOT_YET_OF_TASKS = {
    "claim": f"{_NOT_YET} and e.target_id in ({_CLAIMS_OF_TASKS})",
    "fragment": f"{_NOT_YET} and e.target_id in ({' union '.join(_FRAGMENTS_OF_TASKS)})",
}
_TEXTS = {
    "claim": "select id, claim_text from claims where id in (select value from json_each(?))",
    "fragment": "select id, text_content from fragments where id in (select value from json_each(?))",
}


@dataclass(slots=True, eq=False)
class _Question:
    """What one search asks for, and what came of it."""

    vector: "Vector"
    task_id: str | None
    top_k: int
    min_similarity: float
    person: Person
    answer: SimilarAnswer | InvalidParams | None = None


class Vectors:
    """Nearest claims and fragments by cosine similarity.

    Searches over one matrix take turns, so that they never fill the readers of the database; those that wait meanwhile
    are answered together, by one product.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._matrices: dict[tuple[str, str], _Matrix] = {}

    async def load(self, target_type: str, model_id: str) -> None:
        """Read the vectors into memory, so that the first search does not wait for it."""
        await self._db.read(self._matrix(target_type, model_id).refresh)

    async def search(
        self,
        query: "Vector",
        target_type: str,
        model_id: str,
        *,
        task_id: str | None = None,
        top_k: int = 10,
        min_similarity: float = 0.5,
        person: Person = OWNER,
    ) -> SimilarAnswer:
        """The `top_k` nearest of `target_type` (claim or fragment), of one task or of all that the person sees."""
        if target_type not in _LOAD:
            raise InvalidParams(f"There is no vector of {target_type[:40]!r}.", remedy="Ask for claim or fragment.")
        matrix = self._matrix(target_type, model_id)
        question = _Question(query, task_id, top_k, min_similarity, person)
        matrix.waiting.append(question)
        try:
            async with matrix.turn:
                if question.answer is None:
                    others = [one for one in matrix.waiting if one.answer is None and one is not question]
                    await self._answer(matrix, [question, *others][:_AT_ONCE])
        finally:
            matrix.waiting.remove(question)
        if isinstance(question.answer, SimilarAnswer):
            return question.answer
        assert question.answer is not None
        raise question.answer

    async def _answer(self, matrix: "_Matrix", questions: "list[_Question]") -> None:
        for question, answer in zip(questions, await self._db.read(_search_all, matrix, questions), strict=True):
            question.answer = answer

    def _matrix(self, target_type: str, model_id: str) -> "_Matrix":
        return self._matrices.setdefault((target_type, model_id), _Matrix(target_type, model_id))


def not_yet_embedded(
    connection: Connection, target_type: str, model_id: str, task_ids: Sequence[str] | None = None
) -> int:
    """How many texts, all or of some tasks, have vectors of other models and none of this one."""
    if not embeddings.has_others(connection, target_type, model_id):
        return 0
    names = {"target_type": target_type, "model_id": model_id}
    if task_ids is None:
        return int(connection.execute(_NOT_YET, names).get)
    return int(connection.execute(_NOT_YET_OF_TASKS[target_type], names | {"task_ids": ids_json(task_ids)}).get)


class _Matrix:
    """All vectors of one kind and model, each of length one; the rows a search has seen are never written again."""

    def __init__(self, target_type: str, model_id: str) -> None:
        self.target_type = target_type
        self.model_id = model_id
        self.turn = asyncio.Lock()
        self.waiting: list[_Question] = []
        self._lock = threading.Lock()
        self._removals = -1
        self._forget()

    def refresh(self, connection: Connection) -> "_Snapshot | None":
        """The matrix with what was added or removed since, or None where there is nothing."""
        with self._lock:
            removals = connection.execute(
                "select count from embedding_removals where target_type = ?", (self.target_type,)
            ).get
            if removals != self._removals:
                self._removals = int(removals)
                self._forget()
            self._append(connection)
            if self._rows is None:
                return None
            return _Snapshot(self._ids, self._row_of, self._rows_of_task, self._rows[: len(self._ids)], self._scopes)

    def _forget(self) -> None:
        self._last_seq = 0
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._rows_of_task: dict[str | None, list[int]] = {}
        self._rows: NDArray[np.float32] | None = None
        self._scopes: dict[tuple[str, ...], _Scope] = {}

    def _append(self, connection: Connection) -> None:
        cursor = connection.execute(_LOAD[self.target_type], (self.model_id, self._last_seq))
        while batch := list(islice(cursor, _BATCH)):
            start = len(self._ids)
            self._add_rows(start, len(batch), b"".join(row[2] for row in batch))
            for row, (_, target_id, _, task_id) in enumerate(batch, start):
                self._ids.append(target_id)
                self._row_of[target_id] = row
                self._rows_of_task.setdefault(task_id, []).append(row)
            self._last_seq = batch[-1][0]

    def _add_rows(self, start: int, count: int, blobs: bytes) -> None:
        import numpy as np

        new = np.frombuffer(blobs, dtype="<f4").reshape(count, -1)
        lengths = np.linalg.norm(new, axis=1, keepdims=True)
        if self._rows is None or start + count > len(self._rows):
            grown = np.zeros((max(start + count, 2 * start), new.shape[1]), dtype=np.float32)
            if self._rows is not None:
                grown[:start] = self._rows[:start]
            self._rows = grown
        np.divide(new, lengths, out=self._rows[start : start + count], where=lengths > 0)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The rows of all that a person sees, when they were found, and the journal's last line about their tasks then."""

    found_at: float
    last_event: int
    rows: "NDArray[np.intp]"


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The matrix as one search sees it; ids and indexes may meanwhile grow past its last row."""

    ids: list[str]
    row_of: dict[str, int]
    rows_of_task: dict[str | None, list[int]]
    rows: "NDArray[np.float32]"
    scopes: dict[tuple[str, ...], _Scope]

    def recent_scope(self, connection: Connection, target_type: str, task_ids: Sequence[str]) -> "NDArray[np.intp]":
        """The rows of all that a person sees. Finding them takes longer than the search itself, so that they are kept
        while nothing new was read in their tasks, and for a moment otherwise: what was read since is found after it."""
        key, now = tuple(task_ids), time.monotonic()
        last_event = journal.last_of_tasks(connection, task_ids)
        known = self.scopes.get(key)
        if known is not None:
            limit_s = _UNCHANGED_SCOPE_S if known.last_event == last_event else _SCOPE_S
            if now - known.found_at <= limit_s:
                return known.rows[known.rows < len(self.rows)]
        rows = self.scope(connection, target_type, task_ids)
        if len(self.scopes) >= _MAX_SCOPES:
            self.scopes.clear()
        self.scopes[key] = _Scope(now, last_event, rows)
        return rows[rows < len(self.rows)]

    def scope(self, connection: Connection, target_type: str, task_ids: Sequence[str] | None) -> "NDArray[np.intp]":
        """The rows to search, ascending."""
        import numpy as np

        end = len(self.rows)
        if task_ids is None:
            return np.arange(end)
        if target_type == "claim":
            rows = chain.from_iterable(self.rows_of_task.get(one, ()) for one in task_ids)
            chosen = np.sort(np.fromiter(rows, dtype=np.intp))
        else:
            found = str(connection.execute(_FRAGMENTS_IN_ONE_ROW, {"task_ids": ids_json(task_ids)}).get or "").split()
            known = map(self.row_of.get, found, repeat(end))
            is_chosen = np.zeros(end + 1, dtype=bool)
            is_chosen[np.minimum(np.fromiter(known, dtype=np.intp, count=len(found)), end)] = True
            chosen = np.flatnonzero(is_chosen)
        return chosen[chosen < end]


def _search_all(
    connection: Connection, matrix: _Matrix, questions: Sequence[_Question]
) -> list[SimilarAnswer | InvalidParams]:
    """The answers in order; a question that cannot be answered has its error."""
    snapshot = matrix.refresh(connection)
    found: list[SimilarAnswer | InvalidParams] = []
    products = None if snapshot is None else _Products(snapshot.rows, questions)
    for question in questions:
        try:
            found.append(_search(connection, matrix, snapshot, products, question))
        except InvalidParams as exc:
            found.append(exc)
    return found


class _Products:
    """Similarities of all rows to several questions, by one product: the rows pass through memory once."""

    def __init__(self, rows: "NDArray[np.float32]", questions: Sequence[_Question]) -> None:
        self._rows = rows
        self._questions = questions
        self._all: NDArray[np.float32] | None = None

    def of(self, question: _Question) -> "NDArray[np.float32]":
        """For every row; multiplied when first asked for."""
        import numpy as np

        if len(self._questions) < _TOGETHER:
            return self._rows @ _unit(question.vector, self._rows.shape[1])
        if self._all is None:
            fit = [_unit_or_none(one.vector, self._rows.shape[1]) for one in self._questions]
            zero = np.zeros(self._rows.shape[1], dtype=np.float32)
            self._all = np.stack([zero if one is None else one for one in fit]) @ self._rows.T
        return cast("NDArray[np.float32]", self._all[next(i for i, q in enumerate(self._questions) if q is question)])


def _search(
    connection: Connection,
    matrix: _Matrix,
    snapshot: _Snapshot | None,
    products: _Products | None,
    question: _Question,
) -> SimilarAnswer:
    task_ids = _scope(connection, question.task_id, question.person)
    left_out = not_yet_embedded(connection, matrix.target_type, matrix.model_id, task_ids)
    if snapshot is None or products is None:
        return SimilarAnswer((), 0, left_out)
    rows, wanted = snapshot.rows, _unit(question.vector, snapshot.rows.shape[1])
    if matrix.target_type == "fragment" and question.task_id is None and task_ids is not None:
        chosen = snapshot.recent_scope(connection, matrix.target_type, task_ids)
    else:
        chosen = snapshot.scope(connection, matrix.target_type, task_ids)
    # Copying the rows of a small scope is cheaper than multiplying all of them; of a large one it is not.
    is_small = 4 * len(chosen) < len(rows)
    similarities = rows[chosen] @ wanted if is_small else products.of(question)[chosen]
    best = _best(similarities, question.top_k, question.min_similarity)
    found = [(snapshot.ids[chosen[i]], min(1.0, float(similarities[i]))) for i in best]
    return SimilarAnswer(_with_previews(connection, matrix.target_type, found), len(chosen), left_out)


def _scope(connection: Connection, task_id: str | None, person: Person) -> Sequence[str] | None:
    """The tasks whose texts are searched; None where those of all are, also what no task names."""
    if task_id is not None:
        return [task_id]
    return None if person.sees_everything else visible_tasks(connection, person)


def _unit(query: "Vector", dimension: int) -> "NDArray[np.float32]":
    import numpy as np

    vector = np.asarray(query, dtype=np.float32)
    if vector.shape != (dimension,):
        raise InvalidParams(
            f"The query vector has shape {vector.shape}; this model's vectors have {dimension} numbers.",
            remedy="Embed the query with the model that embedded the graph.",
        )
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _unit_or_none(query: "Vector", dimension: int) -> "NDArray[np.float32] | None":
    """None for a vector that does not fit; who asked with it gets the error."""
    try:
        return _unit(query, dimension)
    except InvalidParams:
        return None


def _best(similarities: "NDArray[np.float32]", top_k: int, min_similarity: float) -> "NDArray[np.intp]":
    """Places of the highest similarities, descending; equals in the order they were stored."""
    import numpy as np

    places = np.flatnonzero(similarities >= min_similarity)
    if len(places) > top_k:
        floor = np.partition(similarities[places], len(places) - top_k)[len(places) - top_k]
        places = places[similarities[places] >= floor]
    return places[np.argsort(-similarities[places], kind="stable")][:top_k]


def _with_previews(connection: Connection, target_type: str, found: list[tuple[str, float]]) -> tuple[SimilarHit, ...]:
    texts = dict(connection.execute(_TEXTS[target_type], (ids_json(key for key, _ in found),)))
    return tuple(SimilarHit(key, score, preview(texts[key], PREVIEW_CHARS)) for key, score in found if key in texts)
