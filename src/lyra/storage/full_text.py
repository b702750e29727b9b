"""Search by words over everything: questions of tasks, claims, and texts of pages."""

import json
import re
from collections.abc import Mapping
from typing import Any

from apsw import Connection

from lyra.model.dashboard import TextHit
from lyra.model.person import Person
from lyra.storage.columns import ids_json
from lyra.storage.people import visible_tasks
from lyra.text import normalise

_WORD = re.compile(r"\w+")
_MAX_WORDS = 20
_INDEXES = {
    "fragments_fts": ("text_content", "heading_context"),
    "claims_fts": ("claim_text",),
    "library_fts": ("title", "text_content"),
}
_NO_ROW = -1


def search(connection: Connection, words: str, limit: int, person: Person) -> tuple[TextHit, ...]:
    """At most `limit` hits of each kind: tasks, claims, texts; all words must occur, and the nearest come first. Only
    what the person sees is found."""
    found = _WORD.findall(normalise(words))[:_MAX_WORDS]
    if not found:
        return ()
    match = " ".join(f'"{word}"' for word in found)
    visible = ids_json(visible_tasks(connection, person))
    seen = {"match": match, "limit": limit, "visible": visible, "everything": person.sees_everything}
    return (
        *_tasks(connection, found, limit, visible),
        *_claims(connection, seen),
        *_texts(connection, seen),
    )


def _tasks(connection: Connection, words: list[str], limit: int, visible: str) -> list[TextHit]:
    rows = connection.execute(
        """
        select id, query
        from tasks
        where not exists (
            select 1 from json_each(?) w where instr(lower(tasks.query), lower(w.value)) = 0
        ) and id in (select value from json_each(?))
        order by created_at desc, id
        limit ?
        """,
        (json.dumps(words), visible, limit),
    )
    return [TextHit("task", str(task_id), str(query), str(task_id), str(query)) for task_id, query in rows]


def _claims(connection: Connection, seen: Mapping[str, Any]) -> list[TextHit]:
    rows = connection.execute(
        """
        select c.id, c.claim_text, c.task_id, t.query
        from claims_fts f
        join claims c on c.seq = f.rowid
        join tasks t on t.id = c.task_id
        where claims_fts match :match
            and (:everything or c.task_id in (select value from json_each(:visible)))
        order by f.rank, c.seq
        limit :limit
        """,
        seen,
    )
    return [TextHit("claim", str(one), str(text), str(task), str(query)) for one, text, task, query in rows]


def _texts(connection: Connection, seen: Mapping[str, Any]) -> list[TextHit]:
    rows = connection.execute(
        """
        select g.id, g.text_content, p.id, iif(p.title = '', p.url, p.title)
        from fragments_fts f
        join fragments g on g.seq = f.rowid
        join pages p on p.id = g.page_id
        where fragments_fts match :match and (
            :everything
            or exists (
                select 1
                from task_pages r
                where r.page_id = p.id and r.task_id in (select value from json_each(:visible))
            )
        )
        order by f.rank, g.seq
        limit :limit
        """,
        seen,
    )
    return [TextHit("text", str(one), str(text), None, str(title), str(page)) for one, text, page, title in rows]


def optimize(connection: Connection) -> None:
    """Join the parts of the word indexes: until then the words of deleted rows stay in them.

    What the first joining leaves may still hold them, and SQLite leaves an index of one part as it is: a row that is
    added and taken out again makes more parts of it, which the second joins without them.
    """
    for table, columns in _INDEXES.items():
        words = ", ".join("'x'" for _ in columns)
        names = f"rowid, {', '.join(columns)}"
        connection.execute(f"insert into {table} ({table}) values ('optimize')")
        connection.execute(f"insert into {table} ({names}) values ({_NO_ROW}, {words})")
        connection.execute(f"insert into {table} ({table}, {names}) values ('delete', {_NO_ROW}, {words})")
        connection.execute(f"insert into {table} ({table}) values ('optimize')")
