"""Marks in the database for what is done once in the life of a data directory."""

from apsw import Connection


def is_set(connection: Connection, name: str) -> bool:
    return connection.execute("select 1 from meta where key = ?", (name,)).get is not None


def get(connection: Connection, name: str) -> str | None:
    found = connection.execute("select value from meta where key = ?", (name,)).get
    return None if found is None else str(found)


def put(connection: Connection, name: str, value: str) -> None:
    connection.execute(
        "insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
        (name, value),
    )
