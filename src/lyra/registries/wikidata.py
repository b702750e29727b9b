"""Wikidata: entities by name or official number, with what it states of them, by one SPARQL question."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from lyra.apis import fields
from lyra.model.registry import Entity, EntityKind, RegistryAnswer, RegistryRecord
from lyra.names.identifiers import CORPORATE_NUMBER, LEI, NamedIdentifier, as_identifier
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, domain
from lyra.urls import registrable_domain

NAME = "wikidata"
_ENDPOINT = "https://query.wikidata.org/sparql"
_PAGE = "https://www.wikidata.org/wiki/"
# Properties that are read, in the order in which they are said.
_PREDICATES = {
    "P31": "type", "P17": "country", "P159": "headquarters", "P571": "founded", "P112": "founder", "P452": "industry",
    "P1128": "employees", "P169": "chief_executive", "P488": "chairperson", "P3320": "board_member",
    "P355": "subsidiary", "P749": "parent", "P856": "website", "P1278": "lei", "P3225": "corporate_number",
    "P106": "occupation", "P27": "citizenship", "P569": "birth_date", "P108": "employer", "P39": "position",
}  # fmt: skip
_PEOPLE = frozenset({"founder", "chief_executive", "chairperson", "board_member"})
_ORGANISATIONS = frozenset({"subsidiary", "parent", "employer"})
_OF_ORGANISATIONS = frozenset(
    {*_PEOPLE, "subsidiary", "parent", "lei", "corporate_number", "headquarters", "employees"}
)
_NUMBERS = {"P1278": LEI, "P3225": CORPORATE_NUMBER}
_HUMAN = "Q5"
_MOST_ROWS = 400


class Wikidata(Registry):
    """The knowledge base of Wikimedia; needs no key."""

    facts = RegistryFacts(NAME, "entities and what is stated of them", ("query.wikidata.org",))
    headers = (("accept", "application/sparql-results+json"),)

    def accepts(self, question: Question) -> bool:
        return bool(question.words or question.number(LEI) or question.number(CORPORATE_NUMBER))

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        asked = urlencode({"query": sparql(question, limit), "format": "json"})
        return answer_of(NAME, [await self._client.get(f"{_ENDPOINT}?{asked}", cause_id=cause_id, parse=read)])


def sparql(question: Question, limit: int) -> str:
    """One question: the entities by number or by name, and their statements with labels."""
    languages = "ja,en" if question.is_japanese else "en,ja"
    properties = " ".join(f"wdt:{name}" for name in _PREDICATES)
    return (
        "SELECT ?item ?itemLabel ?itemDescription ?property ?value ?valueLabel WHERE { "
        f"{{ SELECT DISTINCT ?item WHERE {{ {_which(question)} }} LIMIT {limit} }} "
        f"VALUES ?property {{ {properties} }} ?item ?property ?value . "
        f'SERVICE wikibase:label {{ bd:serviceParam wikibase:language "{languages}" . }} '
        f"}} LIMIT {_MOST_ROWS}"
    )


def _which(question: Question) -> str:
    for name, scheme in _NUMBERS.items():
        if number := question.number(scheme):
            return f"?item wdt:{name} {json.dumps(number)} ."
    language = "ja" if question.is_japanese else "en"
    return (
        'SERVICE wikibase:mwapi { bd:serviceParam wikibase:endpoint "www.wikidata.org" ; wikibase:api "EntitySearch" ; '
        f'mwapi:search {json.dumps(question.words, ensure_ascii=False)} ; mwapi:language "{language}" . '
        "?item wikibase:apiOutputItem mwapi:item . }"
    )


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each entity in a list of rows, in the order of the rows."""
    by_item: dict[str, list[Mapping[str, Any]]] = {}
    for row in fields.objects(json_object(body, "results", "bindings")):
        by_item.setdefault(_last(row, "item"), []).append(row)
    return tuple(_record(item, rows) for item, rows in by_item.items() if item and _text(rows[0], "itemLabel"))


def _record(item: str, rows: list[Mapping[str, Any]]) -> RegistryRecord:
    label = _text(rows[0], "itemLabel") or item
    is_japanese = fields.mapping(rows[0].get("itemLabel")).get("xml:lang") == "ja"
    said = RecordText("ja" if is_japanese else "en")
    stated = [(_PREDICATES[name], row) for name in _PREDICATES for row in rows if _last(row, "property") == name]
    subject = Entity(_kind(stated), label, _identifiers(item, rows))
    said.state(subject, "description", _text(rows[0], "itemDescription"))
    for predicate, row in dict.fromkeys((predicate, _Row(row)) for predicate, row in stated):
        said.state(subject, predicate, _value(predicate, row.fields), _object(predicate, row.fields))
    # In another language it is another text: one page each, or the later would replace the earlier.
    return said.record(NAME, f"{_PAGE}{item}{'?uselang=ja' if is_japanese else ''}", label)


class _Row:
    """A row that is equal to another one with the same value, as one statement may have several ranks."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.fields = row
        self._key = str(fields.mapping(row.get("value")).get("value"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Row) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _kind(stated: list[tuple[str, Mapping[str, Any]]]) -> EntityKind:
    if any(predicate == "type" and _last(row, "value") == _HUMAN for predicate, row in stated):
        return EntityKind.PERSON
    return EntityKind.ORGANISATION if {one for one, _ in stated} & _OF_ORGANISATIONS else EntityKind.THING


def _identifiers(item: str, rows: list[Mapping[str, Any]]) -> tuple[NamedIdentifier, ...]:
    """Official numbers first: by them other registries know the same entity."""
    numbers = [
        as_identifier(_NUMBERS[name], _text(row, "value"))
        for row in rows
        if (name := _last(row, "property")) in _NUMBERS
    ]
    ordered = sorted({one for one in numbers if one}, key=lambda one: (one.scheme, one.value))
    return (*ordered, NamedIdentifier(NAME, item))


def _value(predicate: str, row: Mapping[str, Any]) -> str | None:
    value = _text(row, "value")
    if predicate in ("founded", "birth_date"):
        return (value or "")[:10]
    return value if predicate in ("website", "lei", "corporate_number", "employees") else _text(row, "valueLabel")


def _object(predicate: str, row: Mapping[str, Any]) -> Entity | None:
    value, label = _text(row, "value") or "", _text(row, "valueLabel") or ""
    if predicate == "website":
        host = urlsplit(value).hostname
        return domain(registrable_domain(host)) if host else None
    if predicate not in _PEOPLE | _ORGANISATIONS:
        return None
    kind = EntityKind.PERSON if predicate in _PEOPLE else EntityKind.ORGANISATION
    return Entity(kind, label, (NamedIdentifier(NAME, _last(row, "value")),))


def _text(row: Mapping[str, Any], name: str) -> str | None:
    return fields.string(fields.mapping(row.get(name)).get("value"))


def _last(row: Mapping[str, Any], name: str) -> str:
    """The name of an entity or property at the end of its address."""
    return (_text(row, name) or "").rpartition("/")[2]
