"""Search by words over everything: questions of tasks, claims, and texts of pages."""

import json
import re

from apsw import Connection

from lyra.model.dashboard import TextHit
from lyra.text import normalise

_WORD = re.compile(r"\w+")
_MAX_WORDS = 20


def search(connection: Connection, words: str, limit: int) -> tuple[TextHit, ...]:
    """At most `limit` hits of each kind: tasks, claims, texts; all words must occur, and the nearest come first."""
    found = _WORD.findall(normalise(words))[:_MAX_WORDS]
    if not found:
        return ()
    match = " ".join(f'"{word}"' for word in found)
    return (*_tasks(connection, found, limit), *_claims(connection, match, limit), *_texts(connection, match, limit))


def _tasks(connection: Connection, words: list[str], limit: int) -> list[TextHit]:
    rows = connection.execute(
        """
        select id, query
        from tasks
        where not exists (
            select 1 from json_each(?) w where instr(lower(tasks.query), lower(w.value)) = 0
        )
        order by created_at desc, id
        limit ?
        """,
        (json.dumps(words), limit),
    )
    return [TextHit("task", str(task_id), str(query), str(task_id), str(query)) for task_id, query in rows]


def _claims(connection: Connection, match: str, limit: int) -> list[TextHit]:
    rows = connection.execute(
        """
        select c.id, c.claim_text, c.task_id, t.query
        from claims_fts f
        join claims c on c.seq = f.rowid
        join tasks t on t.id = c.task_id
        where claims_fts match ?
        order by f.rank, c.seq
        limit ?
        """,
        (match, limit),
    )
    return [TextHit("claim", str(one), str(text), str(task), str(query)) for one, text, task, query in rows]


def _texts(connection: Connection, match: str, limit: int) -> list[TextHit]:
    rows = connection.execute(
        """
        select g.id, g.text_content, p.id, iif(p.title = '', p.url, p.title)
        from fragments_fts f
        join fragments g on g.seq = f.rowid
        join pages p on p.id = g.page_id
        where fragments_fts match ?
        order by f.rank, g.seq
        limit ?
        """,
        (match, limit),
    )
    return [TextHit("text", str(one), str(text), None, str(title), str(page)) for one, text, page, title in rows]
