"""DBpedia's lookup: what Wikipedia says of an entity, in a paragraph."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.model.registry import Entity, EntityKind, RegistryAnswer, RegistryRecord
from lyra.names.identifiers import NamedIdentifier
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText

NAME = "dbpedia"
_ENDPOINT = "https://lookup.dbpedia.org/api/search"
_KINDS = {"Company": EntityKind.ORGANISATION, "Organisation": EntityKind.ORGANISATION, "Person": EntityKind.PERSON}


class DBpedia(Registry):
    """Facts that a community takes out of Wikipedia; needs no key."""

    facts = RegistryFacts(NAME, "entities as Wikipedia describes them", ("lookup.dbpedia.org",))

    def accepts(self, question: Question) -> bool:
        return bool(question.words) and not question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        asked = urlencode({"query": question.words, "format": "JSON", "maxResults": limit})
        return answer_of(NAME, [await self._client.get(f"{_ENDPOINT}?{asked}", cause_id=cause_id, parse=read)])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each entity that has a label, an address and a description."""
    found = (_record(entry) for entry in fields.objects(json_object(body, "docs")))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    label, resource, comment = (_first(entry, name) for name in ("label", "resource", "comment"))
    if not (label and resource and comment):
        return None
    types = [one for name in entry.get("typeName") or [] if (one := fields.string(name))]
    kind = next((_KINDS[one] for one in types if one in _KINDS), EntityKind.THING)
    subject = Entity(kind, label, (NamedIdentifier(NAME, resource.rpartition("/")[2]),))
    said = RecordText("en")
    said.add_prose(comment)
    for one in dict.fromkeys(types):
        said.state(subject, "type", one)
    return said.record(NAME, resource.replace("http://", "https://", 1), label)


def _first(entry: Mapping[str, Any], name: str) -> str | None:
    """The first of several values, without the marks of what was looked for."""
    values = entry.get(name)
    return fields.string(values[0]) if isinstance(values, list) and values else None
