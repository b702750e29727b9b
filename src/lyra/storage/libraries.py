"""The index of the user's documents: libraries, files, documents and their words."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.library import (
    FileState,
    Library,
    LibraryCounts,
    LibraryDocument,
    LibraryFile,
    LibraryHit,
    LibraryPart,
    LibraryWork,
    LocatedDocument,
    document_url,
    shown_path,
)
from lyra.storage.columns import ids_json
from lyra.storage.rows import Table, column, from_json, insert, read, read_one, to_column
from lyra.text import tokens, without_surrogates

_LIBRARIES = Table("libraries", Library)
_DOCUMENTS = Table("library_documents", LibraryDocument, {"text": "text_content", "date": "published_date"})
_SELECT = f"select {_LIBRARIES.columns()} from libraries "
_KEY_CHARS = 16
_MOST_WORDS = 30
_EXCERPT_CHARS = 400
_BEFORE_CHARS = 80
_PLACES_WEIGHED = 500


def add(connection: Connection, library: Library) -> None:
    _LIBRARIES.insert(connection, library)


def all_(connection: Connection) -> tuple[Library, ...]:
    """Every library in the order they were added."""
    return read(connection, Library, _SELECT + "order by added_at, id")


def exists(connection: Connection) -> bool:
    return bool(column(connection, "select 1 from libraries limit 1"))


def note_scan(connection: Connection, library_id: str, now: datetime | None, *, reason: str | None) -> None:
    """When the library was last walked through whole, or why it could not be."""
    connection.execute(
        "update libraries set scanned_at = coalesce(?, scanned_at), problem = ? where id = ?",
        (None if now is None else stamp(now), reason, library_id),
    )


def remove(connection: Connection, library_id: str, now: datetime) -> None:
    """Drop the index of a library. Pages that tasks have read stay, with the file they were read from."""
    connection.execute("delete from libraries where id = ?", (library_id,))
    _drop_documents_without_file(connection, now)


def files(connection: Connection, library_id: str) -> dict[bytes, LibraryFile]:
    """The files of a library as they were when they were read, by path."""
    sql = "select path, size_bytes, mtime_ns, state, reason from library_files where library_id = ?"
    return {one.path: one for one in read(connection, LibraryFile, sql, (library_id,))}


def unread(connection: Connection, library_id: str, limit: int) -> tuple[LibraryFile, ...]:
    """The files that could not be read, by path."""
    return read(
        connection,
        LibraryFile,
        """
        select path, size_bytes, mtime_ns, state, reason
        from library_files
        where library_id = ? and state <> 'indexed'
        order by path
        limit ?
        """,
        (library_id, limit),
    )


def counts(connection: Connection, library_id: str) -> LibraryCounts:
    found = read_one(
        connection,
        LibraryCounts,
        """
        select (
                select count(distinct p.key)
                from library_parts p
                join library_files f on f.seq = p.file_seq
                where f.library_id = :id
            ) as documents,
            count(*) as files,
            coalesce(sum(state = 'waiting'), 0) as waiting,
            coalesce(sum(state = 'failed'), 0) as failed,
            coalesce(sum(size_bytes), 0) as bytes
        from library_files
        where library_id = :id
        """,
        {"id": library_id},
    )
    return found or LibraryCounts()


def known_hashes(connection: Connection, hashes: Iterable[str]) -> frozenset[str]:
    """Those of these contents that a document has now."""
    sql = "select content_hash from library_documents where content_hash in (select value from json_each(?))"
    return frozenset(column(connection, sql, (ids_json(hashes),)))


def save_file(
    connection: Connection, library: Library, file: LibraryFile, parts: Sequence[LibraryPart], now: datetime
) -> None:
    """Write what became of a file, and the documents in it; those that it no longer holds go where no file has them."""
    held = known_hashes(connection, [one.content_hash for one in parts])
    if any(one.document is None and one.content_hash not in held for one in parts):  # dropped meanwhile by another scan
        file, parts = replace(file, state=FileState.WAITING), ()
    seq, before = _write_file(connection, library, file)
    if file.state is FileState.WAITING:  # what was read of it before stays until it can be read again
        return
    connection.execute("delete from library_parts where file_seq = ?", (seq,))
    is_single = len(parts) == 1 and len(before) == 1
    for part in parts:
        key = _key_of(connection, library, file, part, before[0] if is_single else None)
        connection.execute(
            "insert or replace into library_parts (file_seq, place, length, key) values (?, ?, ?, ?)",
            (seq, part.place, part.length, key),
        )
        _move_pages(connection, key, file.path)
    _drop_documents(connection, before, now)


def _write_file(connection: Connection, library: Library, file: LibraryFile) -> tuple[int, list[str]]:
    """The row of a file, and the documents it held so far."""
    insert(
        connection,
        "library_files",
        {
            "library_id": library.id,
            "path": file.path,
            "size_bytes": file.size_bytes,
            "mtime_ns": file.mtime_ns,
            "state": file.state.value,
            "reason": file.reason,
        },
        """(library_id, path) do update
        set size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, state = excluded.state,
            reason = excluded.reason""",
    )
    (seq,) = column(
        connection, "select seq from library_files where library_id = ? and path = ?", (library.id, file.path)
    )
    return seq, column(connection, "select key from library_parts where file_seq = ? order by place", (seq,))


def _key_of(connection: Connection, library: Library, file: LibraryFile, part: LibraryPart, before: str | None) -> str:
    """The document of a part: the known one of this content, the file's own as it was edited, or a new one."""
    known = column(connection, "select key from library_documents where content_hash = ?", (part.content_hash,))
    if known:
        return str(known[0])
    assert part.document is not None
    values = _DOCUMENTS.values(part.document)
    values |= {name: without_surrogates(values[name]) for name in ("title", "text_content")}
    is_shared = before and column(connection, "select 1 from library_parts where key = ? limit 1", (before,))
    if before is not None and not is_shared:
        changes = ", ".join(f"{name} = :{name}" for name in values)
        connection.execute(f"update library_documents set {changes} where key = :key", values | {"key": before})
        return before
    key = _free_key(connection, part.content_hash)
    name = shown_path(os.path.basename(file.path))
    insert(connection, "library_documents", values | {"key": key, "url": document_url(key, library.name, name)})
    return key


def _free_key(connection: Connection, content_hash: str) -> str:
    """The beginning of the hash; more of it where a document began with this content and was edited since."""
    taken = column(connection, "select 1 from library_documents where key = ?", (content_hash[:_KEY_CHARS],))
    return content_hash[_KEY_CHARS : 3 * _KEY_CHARS] if taken else content_hash[:_KEY_CHARS]


def set_works(connection: Connection, library_id: str, works: Mapping[bytes, LibraryWork]) -> None:
    """Say which works the files at these paths are, by their reference manager."""
    connection.executemany(
        """
        update library_documents
        set work = ?
        where key in (
            select p.key
            from library_files f
            join library_parts p on p.file_seq = f.seq
            where f.library_id = ? and f.path = ?
        )
        """,
        [(to_column(work), library_id, path) for path, work in works.items()],
    )


def _move_pages(connection: Connection, key: str, path: bytes) -> None:
    """Pages that tasks have read of a document are at this file now."""
    connection.execute(
        """
        update page_files
        set path = ?, gone_at = null
        where url = (select url from library_documents where key = ?)
        """,
        (shown_path(path), key),
    )


def forget_files(connection: Connection, library_id: str, paths: Iterable[bytes], now: datetime) -> None:
    """Take deleted files out of the index, and the documents that no other file has."""
    connection.executemany(
        "delete from library_files where library_id = ? and path = ?", [(library_id, path) for path in paths]
    )
    _drop_documents_without_file(connection, now)


def _drop_documents_without_file(connection: Connection, now: datetime) -> None:
    sql = "select key from library_documents d where not exists (select 1 from library_parts p where p.key = d.key)"
    _drop_documents(connection, column(connection, sql), now)


def _drop_documents(connection: Connection, keys: Iterable[str], now: datetime) -> None:
    """Those of these documents that no file has any more; pages that tasks have read of them stay."""
    for key in keys:
        if column(connection, "select 1 from library_parts where key = ? limit 1", (key,)):
            continue
        connection.execute(
            "update page_files set gone_at = ? where url = (select url from library_documents where key = ?)",
            (stamp(now), key),
        )
        connection.execute("delete from library_documents where key = ?", (key,))


def search(connection: Connection, words: str, limit: int) -> tuple[LibraryHit, ...]:
    """Documents with any of the words, the nearest first; a title weighs more than the text."""
    found = [one.replace('"', "") for one in dict.fromkeys(tokens(words))][:_MOST_WORDS]
    match = " OR ".join(f'"{one}"' for one in found if one)
    if not match:
        return ()
    rows: Any = connection.execute(
        """
        select d.url, d.title, d.text_content, d.published_date
        from (
            select rowid, bm25(library_fts, 3.0, 1.0) as score
            from library_fts
            where library_fts match :match
            order by score, rowid
            limit 3 * :limit
        ) f
        join library_documents d on d.seq = f.rowid
        where d.text_content <> ''
        order by f.score, f.rowid
        limit :limit
        """,
        {"match": match, "limit": limit},
    )
    return tuple(LibraryHit(url, title, best_excerpt(text, found), date) for url, title, text, date in rows)


def best_excerpt(text: str, words: Sequence[str]) -> str:
    """The stretch of a text that holds the most of these words, the first of equals; its beginning where none occurs.

    SQLite's own `snippet` takes words apart again in every document that matches: seconds where books are among them.
    """
    pattern = re.compile("|".join(re.escape(one) for one in words), re.IGNORECASE)
    places = [(one.start(), one[0].lower()) for one in islice(pattern.finditer(text), _PLACES_WEIGHED)]
    start = most = last = 0
    for first, (place, _) in enumerate(places):
        while last < len(places) and places[last][0] < place + _EXCERPT_CHARS:
            last += 1
        held = len({word for _, word in places[first:last]})
        if held > most:
            start, most = place, held
    begin = start - _BEFORE_CHARS
    start = 0 if begin <= 0 else text.find(" ", begin, start) + 1 or start
    return " ".join(text[start : start + _EXCERPT_CHARS].split())


def locate(connection: Connection, url: str) -> LocatedDocument | None:
    """Where the bytes of a document are; None where it is no longer in any library."""
    row = connection.execute(
        "select key, content_hash, content_type, entry from library_documents where url = ?", (url,)
    ).fetchone()
    if row is None:
        return None
    key, content_hash, content_type, entry = row
    places: list[Any] = connection.execute(
        """
        select f.path, p.place, p.length
        from library_parts p
        join library_files f on f.seq = p.file_seq
        where p.key = ?
        order by f.seq
        """,
        (key,),
    ).fetchall()
    return LocatedDocument(url, str(content_hash), str(content_type), entry, tuple(places))


def work_of(connection: Connection, url: str) -> LibraryWork | None:
    """The scholarly work that a document is, where that is known."""
    found = column(connection, "select work from library_documents where url = ? and work is not null", (url,))
    return from_json(LibraryWork, found[0]) if found else None


def file_of(connection: Connection, page_id: str) -> str | None:
    """Where the document of a page lies, or lay when it was last seen."""
    return next(iter(column(connection, "select path from page_files where page_id = ?", (page_id,))), None)


def note_page(connection: Connection, page_id: str, url: str) -> None:
    """Remember in which file the document of a page lies."""
    found = locate(connection, url)
    if found is not None and found.files:
        connection.execute(
            """
            insert into page_files (page_id, url, path)
            values (?, ?, ?)
            on conflict (page_id) do update set path = excluded.path, gone_at = null
            """,
            (page_id, url, shown_path(found.files[0][0])),
        )
