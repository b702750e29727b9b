"""A record's facts as rows: which entities they are about, by what these are recognised, and where the words stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lyra.ids import derived_id
from lyra.model.page import Fragment
from lyra.model.registry import Entity, EntityFact, EntityKey, EntityKind, RegistryRecord, StoredEntity, StoredFact
from lyra.names.addresses import read_address
from lyra.names.compare import EntityProfile
from lyra.names.identifiers import NamedIdentifier
from lyra.names.organisations import name_key, organisation_key, person_key

_NOT_NUMBERS = frozenset({"name", "alias", "address", "website"})


@dataclass(frozen=True, slots=True)
class EntityRows:
    """All rows of one page."""

    entities: tuple[StoredEntity, ...]
    keys: tuple[EntityKey, ...]
    facts: tuple[StoredFact, ...]


def entity_rows(record: RegistryRecord, page_id: str, fragments: Sequence[Fragment], now: datetime) -> EntityRows:
    """The rows of a record that is stored as this page; a fact whose words are in no fragment has none."""
    facts = [row for fact in record.facts if (row := _fact(record, fact, page_id, fragments, now)) is not None]
    named = {one for fact in record.facts for one in (fact.subject, fact.object) if one is not None}
    stored = {entity_id(one, page_id): one for one in sorted(named, key=lambda one: (one.kind, one.name))}
    keys = {key for fact in record.facts for key in _keys(fact, page_id)}
    return EntityRows(
        tuple(StoredEntity(id_, one.kind, one.name, now) for id_, one in stored.items()),
        tuple(sorted(keys, key=lambda key: (key.entity_id, key.scheme, key.value))),
        tuple(facts),
    )


def entity_id(entity: Entity, page_id: str) -> str:
    """By its first number the same everywhere; one that has none is known on its page alone."""
    if entity.identifiers:
        number = entity.identifiers[0]
        return derived_id("en", number.scheme, number.value)
    return derived_id("en", page_id, entity.kind, entity.name)


def profile_of(entity: StoredEntity, keys: Iterable[EntityKey]) -> EntityProfile:
    """What an entity is compared by."""
    known = tuple(keys)

    def shown(*schemes: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.shown for scheme in schemes for one in known if one.scheme == scheme))

    numbers = dict.fromkeys(NamedIdentifier(one.scheme, one.value) for one in known if one.scheme not in _NOT_NUMBERS)
    domains = tuple(dict.fromkeys(one.value for one in known if one.scheme == "website"))
    names = shown("name", "alias") or (entity.name,)
    return EntityProfile(entity.kind.value, names, tuple(numbers), shown("address"), domains)


def _keys(fact: EntityFact, page_id: str) -> Iterable[EntityKey]:
    for one in (fact.subject, fact.object):
        if one is not None:
            own = entity_id(one, page_id)
            yield EntityKey(own, page_id, "name", _name_key(one.kind, one.name), one.name)
            yield from (
                EntityKey(own, page_id, number.scheme, number.value, number.value) for number in one.identifiers
            )
    subject = entity_id(fact.subject, page_id)
    if fact.predicate == "alias":
        yield EntityKey(subject, page_id, "alias", _name_key(fact.subject.kind, fact.value), fact.value)
    elif fact.predicate in ("address", "headquarters"):
        yield EntityKey(subject, page_id, "address", read_address(fact.value).key, fact.value)
    elif fact.predicate == "website" and fact.object is not None:
        yield EntityKey(subject, page_id, "website", fact.object.name, fact.object.name)


def _name_key(kind: EntityKind, name: str) -> str:
    return {EntityKind.ORGANISATION: organisation_key, EntityKind.PERSON: person_key}.get(kind, name_key)(name)


def _fact(
    record: RegistryRecord, fact: EntityFact, page_id: str, fragments: Sequence[Fragment], now: datetime
) -> StoredFact | None:
    holder = next((one for one in fragments if one.char_start <= fact.start and fact.end <= one.char_end), None)
    if holder is None:
        return None
    subject = entity_id(fact.subject, page_id)
    return StoredFact(
        id=derived_id("ef", page_id, subject, fact.predicate, fact.value),
        subject_id=subject,
        predicate=fact.predicate,
        value=fact.value,
        object_id=entity_id(fact.object, page_id) if fact.object is not None else None,
        registry=record.registry,
        page_id=page_id,
        fragment_id=holder.id,
        quote=record.text[fact.start : fact.end],
        char_start=fact.start - holder.char_start,
        char_end=fact.end - holder.char_start,
        created_at=now,
    )
