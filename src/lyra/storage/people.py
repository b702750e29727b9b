"""People with a token of a shared server, and which tasks they see."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.person import Person, Role
from lyra.storage.rows import Table, column, read, read_one

_PEOPLE = Table("people", Person)
_SELECT = f"select {_PEOPLE.columns()} from people "


def insert(connection: Connection, person: Person, token_hash: str) -> None:
    """A new person; raises apsw.ConstraintError where the name is taken."""
    connection.execute(
        """
        insert into people (id, name, role, token_hash, created_at)
        values (:id, :name, :role, :token_hash, :created_at)
        """,
        _PEOPLE.values(person) | {"token_hash": token_hash},
    )


def all_people(connection: Connection) -> tuple[Person, ...]:
    """Everyone, also those whose token was revoked, in the order they came."""
    return read(connection, Person, _SELECT + "order by created_at, id")


def with_token(connection: Connection, token_hash: str) -> Person | None:
    """The person whose token has this hash and was not revoked."""
    return read_one(connection, Person, _SELECT + "where token_hash = ? and revoked_at is null", (token_hash,))


def set_token(connection: Connection, person_id: str, role: Role, token_hash: str) -> None:
    """Another token and role for the person, who may use the server again."""
    connection.execute(
        "update people set token_hash = ?, role = ?, revoked_at = null where id = ?", (token_hash, role, person_id)
    )


def revoke(connection: Connection, person_id: str, now: datetime) -> None:
    connection.execute("update people set revoked_at = ? where id = ? and revoked_at is null", (stamp(now), person_id))


def note_use(connection: Connection, person_id: str, now: datetime) -> None:
    connection.execute("update people set last_used_at = ? where id = ?", (stamp(now), person_id))


def visible_tasks(connection: Connection, person: Person, schema: str = "main") -> list[str]:
    """The ids of the tasks that this person sees, of the graph that goes by the name of `schema`."""
    own = person.id if person.owns(person.id) else None
    return column(
        connection,
        f"select id from {schema}.tasks where :everything or is_shared = 1 or owner = :own",
        {"everything": person.sees_everything, "own": own},
    )
