"""What a registry or an official API knows: records to read, and facts about entities with the words for them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.page import ArchiveRef
from lyra.model.search import SearchOutcome
from lyra.names.identifiers import NamedIdentifier


class EntityKind(StrEnum):
    ORGANISATION = "organisation"
    PERSON = "person"
    DOMAIN = "domain"
    CERTIFICATE = "certificate"
    PATENT = "patent"
    LAW = "law"
    STATISTIC = "statistic"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that a record names. The first identifier is the one by which it is known everywhere."""

    kind: EntityKind
    name: str
    identifiers: tuple[NamedIdentifier, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityFact:
    """`subject predicate value`, where `value` may be an entity itself; `start` and `end` are its words' place."""

    subject: Entity
    predicate: str
    value: str
    start: int
    end: int
    object: Entity | None = None


@dataclass(frozen=True, slots=True)
class RegistryRecord:
    """One record as a text to read: paragraphs, with the facts that they state. `archive` is the answer it is from."""

    registry: str
    url: str
    title: str
    paragraphs: tuple[str, ...]
    language: str
    facts: tuple[EntityFact, ...] = ()
    date: str | None = None
    archive: ArchiveRef | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class RegistryAnswer:
    """A registry's answer, as honest about its outcome as an engine's. `key_setting`: it was not asked for want of the
    key that this setting holds."""

    registry: str
    outcome: SearchOutcome
    records: tuple[RegistryRecord, ...] = ()
    reason: str | None = None
    retry_after_s: float | None = None
    is_unreachable: bool = False
    key_setting: str | None = None

    @property
    def is_unavailable(self) -> bool:
        """Whether this machine lacks the means to ask it."""
        return self.key_setting is not None


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """A row of `entities`."""

    id: str
    kind: EntityKind
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class EntityKey:
    """A row of `entity_keys`: a name, alias, number, address or domain by which a page makes the entity known."""

    entity_id: str
    page_id: str
    scheme: str
    value: str
    shown: str


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A row of `entity_facts`: what a record states, with the words and their place in the fragment."""

    id: str
    subject_id: str
    predicate: str
    value: str
    object_id: str | None
    registry: str
    page_id: str
    fragment_id: str
    quote: str
    char_start: int
    char_end: int
    created_at: datetime
