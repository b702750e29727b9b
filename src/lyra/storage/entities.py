"""Entities that registries name, what they state of them, and which of them may be one."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.registry import EntityKey, StoredEntity, StoredFact
from lyra.names.compare import SameEntity
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import Table, column, read

_ENTITIES = Table("entities", StoredEntity)
_KEYS = Table("entity_keys", EntityKey)
_FACTS = Table("entity_facts", StoredFact)
# An entity with a very common name is compared with no more than these.
_MOST_COMPARED = 20


def save(
    connection: Connection,
    page_id: str,
    entities: Iterable[StoredEntity],
    keys: Iterable[EntityKey],
    facts: Iterable[StoredFact],
) -> None:
    """Put what a page's record states in the place of what it stated before."""
    before = column(connection, "select id from entity_facts where page_id = ?", (page_id,))
    connection.execute("delete from entity_keys where page_id = ?", (page_id,))
    for entity in entities:
        _ENTITIES.insert(connection, entity, "do nothing")
    for key in keys:
        _KEYS.insert(connection, key, "do nothing")
    kept = tuple(facts)
    for fact in kept:
        _FACTS.insert(connection, fact, "do nothing")
    gone = set(map(str, before)) - {fact.id for fact in kept}
    connection.execute("delete from entity_facts where id in (select value from json_each(?))", (ids_json(gone),))


def sharing_names(connection: Connection, entity_id: str) -> tuple[str, ...]:
    """Other entities of its kind that share a name, a number or a domain with it."""
    return tuple(
        column(
            connection,
            """
            select distinct other.entity_id
            from entity_keys own
            join entity_keys other on other.value = own.value
                and (
                    other.scheme = own.scheme
                    or other.scheme in ('name', 'alias') and own.scheme in ('name', 'alias')
                )
            join entities e on e.id = other.entity_id
            where own.entity_id = :id and own.scheme <> 'address' and other.entity_id <> :id
                and e.kind = (select kind from entities where id = :id)
            order by 1
            limit :most
            """,
            {"id": entity_id, "most": _MOST_COMPARED},
        )
    )


def get(connection: Connection, entity_id: str) -> tuple[StoredEntity, tuple[EntityKey, ...]]:
    """An entity with all that it is recognised by."""
    (entity,) = read(connection, StoredEntity, f"select {_ENTITIES.columns()} from entities where id = ?", (entity_id,))
    keys = read(
        connection,
        EntityKey,
        f"select {_KEYS.columns()} from entity_keys where entity_id = ? order by scheme, value, page_id",
        (entity_id,),
    )
    return entity, keys


def save_estimate(connection: Connection, one: str, other: str, found: SameEntity) -> None:
    """Keep how likely two entities are one."""
    first, second = sorted((one, other))
    connection.execute(
        """
        insert into same_entities (first_id, second_id, score, reasons)
        values (?, ?, ?, ?)
        on conflict (first_id, second_id) do update
        set score = excluded.score, reasons = excluded.reasons
        """,
        (first, second, found.score, to_json(found.reasons)),
    )


def forget_estimates(connection: Connection, entity_id: str) -> None:
    """Drop the estimates of an entity, before they are made again."""
    connection.execute("delete from same_entities where ? in (first_id, second_id)", (entity_id,))
